//! Which runtime a frame belongs to, told from its name's shape and from the module and file beside it.
//!
//! One stack mixes runtimes (Java above libjvm above the kernel), so the answer is per frame. Every check reads
//! raw and canonical names alike, because profiles are normalised again when the rules change.

use std::path::Path;

/// The runtime that a frame belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ecosystem {
    /// Java, Kotlin, Scala and whatever else the JVM runs.
    Jvm,
    /// Go.
    Go,
    /// .NET.
    DotNet,
    /// Rust.
    Rust,
    /// C and C++, and native code of unknown origin; the natives of HotSpot, V8 and CPython too.
    Native,
    /// The Linux kernel.
    Kernel,
    /// Python code.
    Python,
    /// JavaScript under Node or in a browser.
    Node,
    /// Ruby, PHP and other scripts that are known by file and function.
    Script,
    /// No symbol, a thread's root, or a marker of the profiler.
    Unknown,
}

/// Runtimes whose names share one shape. Rules are looked up per family, because shape alone cannot always tell
/// a Rust path from a C++ one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// `package.Type.method`.
    Dotted,
    /// `namespace::function`, `c_function`.
    Native,
    /// `path/file.ext:function`.
    Script,
    /// Everything else.
    Unknown,
}

impl Ecosystem {
    /// The family whose names this runtime's look like.
    pub fn family(self) -> Family {
        match self {
            Self::Jvm | Self::Go | Self::DotNet => Family::Dotted,
            Self::Rust | Self::Native | Self::Kernel => Family::Native,
            Self::Python | Self::Node | Self::Script => Family::Script,
            Self::Unknown => Family::Unknown,
        }
    }

    /// The runtime of a frame. Total: whatever cannot be told is native.
    pub fn of(name: &str, module: Option<&str>, file: Option<&str>) -> Self {
        if has_no_symbol(name) {
            return Self::Unknown;
        }
        if module.is_some_and(is_kernel_module) {
            return Self::Kernel;
        }
        let bytes = BytesIn::of(name);
        by_marker(name, bytes)
            .or_else(|| file.and_then(by_file))
            .or_else(|| name.contains("::").then(|| if looks_rust(name) { Self::Rust } else { Self::Native }))
            .or_else(|| dotted(name))
            .unwrap_or(Self::Native)
    }
}

/// Whether a module is the Linux kernel or a part of it.
pub(crate) fn is_kernel_module(module: &str) -> bool {
    let name = module.trim_matches(['[', ']']);
    name == "kernel"
        || name.starts_with("kernel.kallsyms")
        || name.starts_with("guest.kernel")
        // `vmlinux`, `/boot/vmlinux-6.1.0-13-amd64`.
        || name.rsplit('/').next().is_some_and(|base| base == "vmlinux" || base.starts_with("vmlinux-"))
        || [".ko", ".ko.xz", ".ko.gz", ".ko.zst"].iter().any(|suffix| name.ends_with(suffix))
}

fn has_no_symbol(name: &str) -> bool {
    name.is_empty() || name == "unknown" || name.starts_with(['[', '(']) || crate::canonical::is_address(name)
}

fn by_file(file: &str) -> Option<Ecosystem> {
    if file.starts_with("node:") {
        return Some(Ecosystem::Node);
    }
    let extension = Path::new(file).extension()?.to_str()?;
    Some(match extension {
        "java" | "kt" | "kts" | "scala" | "groovy" | "clj" => Ecosystem::Jvm,
        "go" => Ecosystem::Go,
        "rs" => Ecosystem::Rust,
        "py" | "pyx" | "pyi" => Ecosystem::Python,
        "js" | "mjs" | "cjs" | "ts" | "mts" | "tsx" | "jsx" => Ecosystem::Node,
        "cs" | "fs" | "vb" => Ecosystem::DotNet,
        "rb" | "php" | "pl" | "lua" => Ecosystem::Script,
        "c" | "cc" | "cpp" | "cxx" | "h" | "hh" | "hpp" | "S" => Ecosystem::Native,
        _ => return None,
    })
}

/// Prefixes by which V8 names generated code in perf maps.
const V8_PREFIXES: [&str; 11] = [
    "LazyCompile:",
    "Function:",
    "Script:",
    "Eval:",
    "JS:",
    "RegExp:",
    "Builtin:",
    "Stub:",
    "Handler:",
    "BytecodeHandler:",
    "node:",
];

/// Extensions that name a script's language when a name itself holds a path.
const SCRIPTS: [(&str, Ecosystem); 9] = [
    (".py", Ecosystem::Python),
    (".js", Ecosystem::Node),
    (".mjs", Ecosystem::Node),
    (".cjs", Ecosystem::Node),
    (".ts", Ecosystem::Node),
    (".tsx", Ecosystem::Node),
    (".jsx", Ecosystem::Node),
    (".rb", Ecosystem::Script),
    (".php", Ecosystem::Script),
];

/// Which ASCII bytes a name holds. One pass over the name answers for every mark below, so that a name is searched
/// only for marks that it can have.
#[derive(Debug, Clone, Copy)]
struct BytesIn(u128);

impl BytesIn {
    fn of(name: &str) -> Self {
        Self(name.bytes().filter(u8::is_ascii).fold(0, |set, byte| set | 1 << byte))
    }

    fn has(self, byte: u8) -> bool {
        self.0 >> byte & 1 == 1
    }
}

/// Shapes that only one runtime writes.
fn by_marker(name: &str, bytes: BytesIn) -> Option<Ecosystem> {
    if name.starts_with('_') {
        if name.starts_with("_R") && name.len() > 4 && name.is_ascii() && !name[2..].starts_with('_') {
            return Some(Ecosystem::Rust);
        }
        if name.starts_with("_ZN") || name.starts_with("__ZN") {
            return Some(if is_legacy_rust(name) { Ecosystem::Rust } else { Ecosystem::Native });
        }
        if name.starts_with("_Z") {
            return Some(Ecosystem::Native);
        }
    }
    if bytes.has(b':')
        && V8_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        && !name.starts_with("node::")
    {
        return Some(Ecosystem::Node);
    }
    if bytes.has(b'<') && name.contains("<frozen ") {
        return Some(Ecosystem::Python);
    }
    if bytes.has(b'.')
        && let Some(script) = script_path(name, bytes)
    {
        return Some(script);
    }
    if bytes.has(b';') && name.starts_with('L') && name.contains(";::") {
        return Some(Ecosystem::Jvm);
    }
    // The same as collapsers of perf write it, and methods as the JDK writes perf's maps itself.
    if (bytes.has(b':') && name.contains(":::")) || (bytes.has(b' ') && java_method(name).is_some()) {
        return Some(Ecosystem::Jvm);
    }
    if is_go_marked(name, bytes) {
        return Some(Ecosystem::Go);
    }
    is_dotnet_marked(name, bytes).then_some(Ecosystem::DotNet)
}

/// The method of `int java.lang.String.hashCode()`, which the JDK writes with its type in front; `None` for other
/// names with a blank.
pub(crate) fn java_method(name: &str) -> Option<&str> {
    const PRIMITIVES: [&str; 9] =
        ["void", "boolean", "byte", "char", "double", "float", "int", "long", "short"];
    let (kind, method) = name.split_once(' ')?;
    let is_path = |text: &str| {
        text.contains('.')
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'$' | b'_' | b'<' | b'>'))
    };
    let element = kind.trim_end_matches("[]");
    let path = method.split('(').next().unwrap_or(method);
    ((PRIMITIVES.contains(&element) || is_path(element)) && is_path(path)).then_some(method)
}

fn is_go_marked(name: &str, bytes: BytesIn) -> bool {
    (bytes.has(b'.')
        && ((bytes.has(b'(') && name.contains(".(*")) || name.contains(".gowrap") || name.contains("..func")))
        || (bytes.has(b'%') && name.contains("%2e"))
        || (!name.is_ascii() && name.contains('\u{b7}'))
}

fn is_dotnet_marked(name: &str, bytes: BytesIn) -> bool {
    const ROOTS: [&str; 3] = ["System.", "Microsoft.", "Newtonsoft."];
    let starts = |text: &str| ROOTS.iter().any(|root| text.starts_with(root));
    (bytes.has(b'`') && name.contains("`1"))
        || (bytes.has(b'>') && (name.contains("<>c") || name.contains(">d__")))
        || (bytes.has(b'.') && starts(name))
        || (bytes.has(b'!')
            && (name.contains(".dll!")
                || name.contains("lib!")
                || name.match_indices('!').any(|(at, _)| starts(&name[at + 1..]))))
}

/// The language of a name that holds a script's path, as `f (x.py:1)`, `x.py:f` or `f - x.rb:1`.
fn script_path(name: &str, bytes: BytesIn) -> Option<Ecosystem> {
    let is_path = bytes.has(b'/') || bytes.has(b' ');
    if !is_path && !bytes.has(b':') && !bytes.has(b')') {
        return None;
    }
    name.match_indices('.').find_map(|(at, _)| {
        let rest = &name[at..];
        SCRIPTS.iter().find_map(|(extension, ecosystem)| {
            let after = rest.strip_prefix(extension)?;
            (after.starts_with([':', ')']) || (after.is_empty() && is_path)).then_some(*ecosystem)
        })
    })
}

/// Whether a legacy mangled name ends in Rust's hash, `17h` and sixteen hexadecimal digits.
fn is_legacy_rust(name: &str) -> bool {
    name.rfind("17h").is_some_and(|at| {
        let rest = &name.as_bytes()[at + 3..];
        rest.len() >= 17 && rest[..16].iter().all(u8::is_ascii_hexdigit) && rest[16] == b'E'
    })
}

/// Modules of Rust's `std` that C++'s does not have.
const RUST_STD: [&str; 22] = [
    "alloc",
    "backtrace",
    "collections",
    "env",
    "error",
    "f64",
    "ffi",
    "fs",
    "io",
    "net",
    "os",
    "panic",
    "panicking",
    "path",
    "process",
    "rt",
    "std",
    "sync",
    "sys",
    "sys_common",
    "thread",
    "time",
];

fn looks_rust(name: &str) -> bool {
    if name.contains("{{") || name.contains(" as ") || name.contains("<impl ") || name.contains("{closure#") {
        return true;
    }
    let start = name.trim_start_matches(['<', '&', '_']);
    let mut path = start.split("::");
    match (path.next(), path.next()) {
        (Some("core" | "alloc" | "hashbrown" | "tokio" | "serde" | "serde_json"), Some(_)) => true,
        (Some("std"), Some(second)) => RUST_STD.contains(&second),
        _ => {
            let hash = name.rsplit("::").next().unwrap_or_default();
            hash.len() == 17 && hash.starts_with('h') && hash[1..].bytes().all(|b| b.is_ascii_hexdigit())
        }
    }
}

/// First words of JVM packages, for classes whose own name does not begin with a capital.
const JVM_ROOTS: [&str; 14] = [
    "java", "javax", "jdk", "sun", "com", "org", "scala", "kotlin", "kotlinx", "akka", "clojure", "groovy",
    "jakarta", "edu",
];

/// Packages of Go's standard library without a slash, and `main`.
const GO_STD: [&str; 44] = [
    "bufio",
    "bytes",
    "cmp",
    "container",
    "context",
    "crypto",
    "embed",
    "encoding",
    "errors",
    "expvar",
    "flag",
    "fmt",
    "go",
    "hash",
    "html",
    "image",
    "internal",
    "io",
    "iter",
    "log",
    "main",
    "maps",
    "math",
    "mime",
    "net",
    "os",
    "path",
    "plugin",
    "reflect",
    "regexp",
    "runtime",
    "slices",
    "sort",
    "strconv",
    "strings",
    "sync",
    "syscall",
    "testing",
    "text",
    "time",
    "type",
    "unicode",
    "unique",
    "weak",
];

/// Java, Go or .NET by the shape of a dotted name; `None` for names without dots and slashes.
fn dotted(name: &str) -> Option<Ecosystem> {
    if name.starts_with('/') {
        return Some(Ecosystem::Script);
    }
    if let Some((path, last)) = name.rsplit_once('/') {
        let root = path.split('/').next().unwrap_or(path);
        let marked = name.contains("$$Lambda") || name.contains(":.");
        return Some(if root.contains('.') && !marked {
            Ecosystem::Go
        } else if marked || JVM_ROOTS.contains(&root) || last.starts_with(|c: char| c.is_uppercase()) {
            Ecosystem::Jvm
        } else {
            Ecosystem::Go
        });
    }
    let (first, rest) = name.split_once('.')?;
    if first.is_empty() || rest.is_empty() {
        return None;
    }
    let capital = |part: &str| part.starts_with(|c: char| c.is_uppercase());
    // Packages of Java have at least two words before the class; those of Go without a slash have one.
    let words_before_type = name.split('.').take_while(|part| !capital(part)).count();
    if GO_STD.contains(&first) && (words_before_type < 2 || !name.split('.').any(capital)) {
        return Some(Ecosystem::Go);
    }
    if capital(first) {
        let last = name.rsplit('.').next().unwrap_or_default();
        return Some(if capital(last) { Ecosystem::DotNet } else { Ecosystem::Jvm });
    }
    let two_words = !rest.contains('.');
    Some(if two_words && !name.contains('$') { Ecosystem::Go } else { Ecosystem::Jvm })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_tell_the_runtime() {
        use Ecosystem::{DotNet, Go, Jvm, Kernel, Native, Node, Python, Rust, Script, Unknown};
        for (name, module, file, ecosystem) in [
            ("java/util/Arrays.hashCode", None, None, Jvm),
            ("java.util.Arrays.hashCode", None, None, Jvm),
            ("PagerReads$Pager.logPage", None, None, Jvm),
            ("net/spy/memcached/MemcachedConnection.handleIO", None, None, Jvm),
            ("io.netty.buffer.Unpooled.wrappedBuffer", None, None, Jvm),
            ("scala.collection.concurrent.INode.rec_lookup", None, None, Jvm),
            ("Lnet/spy/memcached/MemcachedConnection;::handleIO", None, None, Jvm),
            ("java/io/FileOutputStream:::write", None, None, Jvm),
            ("LBusy:::main", None, None, Jvm),
            ("void Locks.work(int)", None, None, Jvm),
            ("java.lang.Object[] java.util.Arrays.copyOf", None, None, Jvm),
            ("operator new(unsigned long)", None, None, Native),
            ("net/http.HandlerFunc.ServeHTTP", None, None, Go),
            ("encoding/json.Marshal", None, None, Go),
            ("io.copyBuffer", None, None, Go),
            ("time.Time.Format", None, None, Go),
            ("runtime.main.func1", None, None, Go),
            ("example.test/echo.describe", None, None, Go),
            ("strings.(*Builder).grow", None, None, Go),
            ("System.String.Concat", None, None, DotNet),
            ("std::ostream::put", None, None, Native),
            ("std::rt::lang_start_internal", None, None, Rust),
            ("_ZN3foo3bar17h0123456789abcdefE", None, None, Rust),
            ("_ZN9JavaCalls12call_virtualEv", None, None, Native),
            ("finish_task_switch", Some("[kernel.kallsyms]"), None, Kernel),
            ("tcp_sendmsg", Some("/lib/modules/4.3.0/build/vmlinux"), None, Kernel),
            ("copytwice::main", None, Some("src/main.rs"), Rust),
            ("render", None, Some("/app/render.py"), Python),
            ("deepcopy (copy.py:146)", None, None, Python),
            ("copy.py:deepcopy", None, None, Python),
            ("LazyCompile:*f x.js:1:2", None, None, Node),
            ("build - /home/ci/work.rb:2", None, None, Script),
            ("malloc", None, None, Native),
            ("0x7f12ab34cd", None, None, Unknown),
            ("[libc.so.6]", None, None, Unknown),
        ] {
            assert_eq!(Ecosystem::of(name, module, file), ecosystem, "{name}");
        }
    }
}
