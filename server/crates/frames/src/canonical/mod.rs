//! Raw symbols to canonical names: the same function gets the same name from every profiler and every build.
//!
//! What goes: hashes, addresses, counters that compilers and class loaders hand out, arguments, type parameters,
//! tier and clone marks. What stays: the qualified name that a person would search for. Names are cut at
//! [`LONGEST`] bytes, so the time is bounded for any input, and the result is a fixed point: a canonical name is
//! its own canonical name.

#![expect(
    clippy::case_sensitive_file_extension_comparisons,
    reason = "suffixes of symbols and of libraries, which linkers write in lower case"
)]

mod demangle;
mod dotnet;
mod go;
mod jvm;
mod native;
mod placeholder;
mod script;

pub(crate) use placeholder::is_address;

use crate::ecosystem::{Ecosystem, Family};

/// The longest name read, in bytes; the rest of a longer one is dropped and an ellipsis says so. The longest
/// symbol of the profiles this was made with has 1,100 bytes.
pub const LONGEST: usize = 4096;

/// How often the rules run until nothing changes. Two passes settle every real name; the bound keeps hostile
/// names (`foo.cold.cold.cold…`) from costing quadratic time.
const PASSES: usize = 24;

/// The canonical name of a raw symbol, with what the profiler says about its module and file.
///
/// | runtime | canonical form |
/// |---|---|
/// | JVM | `package.Class$Inner.method` |
/// | Go | `import/path.(*Type).Method`, closures as `.func` |
/// | Rust | `crate::module::function`, `<Type as Trait>::method`, closures as `{{closure}}` |
/// | C, C++ | `namespace::Class::method` without arguments and template parameters |
/// | .NET | `Namespace.Type.Method`, lambdas as `Method lambda` |
/// | Python, JavaScript, Ruby | `path/file.py:function`, without the line: lines move with every edit above them |
/// | none | `[module]`, one frame per module; `[unknown]` where not even that is known |
pub fn canonical(raw: &str, module: Option<&str>, file: Option<&str>) -> String {
    let mut name = cut(raw.trim());
    for _ in 0..PASSES {
        let next = pass(&name, module, file);
        if next == name {
            break;
        }
        name = cut(next.trim());
    }
    name
}

/// At most [`LONGEST`] bytes, ellipsis included.
fn cut(name: &str) -> String {
    if name.len() <= LONGEST {
        return name.to_owned();
    }
    let end = name.floor_char_boundary(LONGEST - '\u{2026}'.len_utf8());
    format!("{}\u{2026}", name[..end].trim_end_matches('\u{2026}'))
}

fn pass(name: &str, module: Option<&str>, file: Option<&str>) -> String {
    let anonymous = matches!(name, "" | "(anonymous)" | "anonymous");
    if anonymous && let Some(file) = file.filter(|file| is_script_file(file)) {
        return script::reduce("", Some(file));
    }
    if let Some(placeholder) = placeholder::reduce(name, module) {
        return placeholder;
    }
    let name = strip_marks(name);
    match Ecosystem::of(name, module, file) {
        Ecosystem::Jvm => jvm::reduce(name),
        Ecosystem::Go => go::reduce(name),
        Ecosystem::DotNet => dotnet::reduce(name),
        Ecosystem::Rust | Ecosystem::Native | Ecosystem::Kernel => native::reduce(name),
        Ecosystem::Python | Ecosystem::Node | Ecosystem::Script => script::reduce(name, file),
        Ecosystem::Unknown => name.to_owned(),
    }
}

/// Whether a function without a name in this file can be told by the file alone.
fn is_script_file(file: &str) -> bool {
    matches!(Ecosystem::of("f", None, Some(file)).family(), Family::Script)
}

/// Removes the marks that profilers and linkers add behind a name in every language: async-profiler's and perf's
/// `_[j]`, offsets, symbol versions, and the numbers of compiler clones.
fn strip_marks(name: &str) -> &str {
    let mut name = name;
    loop {
        let shorter = strip_one_mark(name).trim_end();
        if shorter.len() == name.len() || shorter.is_empty() {
            return name;
        }
        name = shorter;
    }
}

fn strip_one_mark(name: &str) -> &str {
    if let Some(rest) = name.strip_suffix(']')
        && let Some((before, mark)) = rest.rsplit_once("_[")
        && mark.len() == 1
    {
        return before;
    }
    if let Some((before, offset)) = name.rsplit_once("+0x")
        && offset.bytes().all(|b| b.is_ascii_hexdigit())
        && !before.contains("Lambda")
    {
        return before;
    }
    if let Some((before, version)) = name.rsplit_once('@')
        && is_symbol_version(version)
    {
        return before.strip_suffix('@').unwrap_or(before);
    }
    strip_clone(name)
}

/// `plt`, `GLIBC_2.17`, `LIBFFI_BASE_7.0` …: what may follow `@` in a symbol table.
fn is_symbol_version(text: &str) -> bool {
    text == "plt"
        || (!text.is_empty()
            && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || matches!(b, b'_' | b'.')))
}

/// Suffixes that compilers give to copies and parts of one function.
fn strip_clone(name: &str) -> &str {
    if let Some(rest) = name.strip_suffix(']')
        && let Some((before, _)) = rest.rsplit_once(" [clone ")
    {
        return before;
    }
    let Some((before, last)) = name.rsplit_once('.') else { return name };
    if !last.is_empty() && last.bytes().all(|b| b.is_ascii_digit()) {
        const NUMBERED: [&str; 8] =
            [".isra", ".part", ".constprop", ".lto_priv", ".llvm", ".cold", ".specialized", ".localalias"];
        for suffix in NUMBERED {
            if let Some(base) = before.strip_suffix(suffix) {
                return base;
            }
        }
        // `counter.1234`: a static local that GCC numbered.
        return if is_c_symbol(before) { before } else { name };
    }
    // Without a number these words could be methods of Java, so they count only behind a C or C++ symbol.
    match last {
        "cold" | "warm" | "hot" | "localalias" | "isra" | "part" | "constprop" if is_c_symbol(before) => {
            before
        }
        "abi0" | "abiinternal" => before,
        _ => name,
    }
}

fn is_c_symbol(name: &str) -> bool {
    !name.is_empty() && (name.contains("::") || !name.contains(['.', '/', ' ', ':']))
}
