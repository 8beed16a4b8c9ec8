//! Frames without a symbol: addresses, unknowns and the roots that name threads and processes.

/// Whether a name is a bare address: `0x…`, or eight and more hexadecimal digits of which one is a digit.
pub(crate) fn is_address(name: &str) -> bool {
    if let Some(digits) = name.strip_prefix("0x").or_else(|| name.strip_prefix("0X")) {
        return !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
    }
    name.len() >= 8 && name.bytes().all(|b| b.is_ascii_hexdigit()) && name.bytes().any(|b| b.is_ascii_digit())
}

/// The canonical form of a frame that is no function; `None` for functions.
pub(super) fn reduce(name: &str, module: Option<&str>) -> Option<String> {
    if name.is_empty()
        || matches!(name, "unknown" | "[unknown]" | "<unknown>" | "???" | "??")
        || is_address(name)
    {
        return Some(module.map_or_else(|| "[unknown]".to_owned(), module_frame));
    }
    if let Some(inside) = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return Some(bracketed(inside));
    }
    // Profilers name unknown code of a library by its path.
    if name.starts_with('/') && is_library(name) {
        return Some(module_frame(name));
    }
    // `[libfoo.so+0x1234]` loses its bracket's end to some tools; `libfoo.so+0x1234` names a module.
    if let Some((library, offset)) = name.split_once("+0x")
        && is_library(library)
        && offset.bytes().all(|b| b.is_ascii_hexdigit())
    {
        return Some(module_frame(library));
    }
    process_or_thread(name)
}

fn bracketed(inside: &str) -> String {
    if let Some((thread, number)) = inside.rsplit_once(" tid=")
        && number.bytes().all(|b| b.is_ascii_digit())
    {
        return format!("[{}]", without_numbers(thread));
    }
    let inner = inside.trim_start_matches('[').trim_end_matches(']');
    if crate::ecosystem::is_kernel_module(inner) || is_perf_map(inner) {
        return module_frame(inner);
    }
    if inner.starts_with('/') || inner.len() < inside.len() || is_library(inner) {
        return module_frame(inner);
    }
    let library = inner.split_once("+0x").map_or(inner, |(library, _)| library);
    if is_library(library) { module_frame(library) } else { format!("[{inside}]") }
}

/// Roots that py-spy, austin and perf put above a stack, with their process and thread ids.
fn process_or_thread(name: &str) -> Option<String> {
    if let Some(rest) = name.strip_prefix("thread (0x") {
        let (id, tail) = rest.split_once(')')?;
        return id.bytes().all(|b| b.is_ascii_hexdigit()).then(|| format!("thread{tail}"));
    }
    if let Some((id, command)) = name.strip_prefix("process ").and_then(|rest| rest.split_once(':')) {
        return (!id.is_empty() && id.bytes().all(|b| b.is_ascii_digit()))
            .then(|| format!("process {command}"));
    }
    if let [kind, id @ ..] = name.as_bytes()
        && id.len() >= 3
        && id.iter().all(u8::is_ascii_digit)
    {
        match kind {
            b'P' => return Some("[process]".to_owned()),
            b'T' => return Some("[thread]".to_owned()),
            _ => {}
        }
    }
    // perf's `comm-pid/tid`.
    let (before, tid) = name.rsplit_once('/')?;
    let (comm, pid) = before.rsplit_once('-')?;
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (number(pid) && number(tid) && !comm.is_empty()).then(|| comm.to_owned())
}

/// One frame for all unknown code of a module: its base name in brackets. Kernels, perf maps and libraries
/// unpacked to temporary files lose what differs from run to run.
fn module_frame(module: &str) -> String {
    let module = module.trim_matches(['[', ']']);
    if crate::ecosystem::is_kernel_module(module) {
        return "[kernel]".to_owned();
    }
    let base = module.rsplit(['/', '\\']).next().filter(|base| !base.is_empty()).unwrap_or("unknown");
    let base = base.split_once("+0x").map_or(base, |(library, _)| library);
    if is_perf_map(base) {
        return "[perf map]".to_owned();
    }
    // `libzstd-jni-1.5.2-41234811.so`: the version stays, the random part goes.
    if let Some((stem, random)) = base.strip_suffix(".so").and_then(|stem| stem.rsplit_once('-'))
        && random.len() >= 5
        && random.bytes().all(|b| b.is_ascii_digit())
    {
        return format!("[{stem}-_.so]");
    }
    format!("[{base}]")
}

/// `perf-123.map`, in which compilers at run time name their code.
fn is_perf_map(base: &str) -> bool {
    base.starts_with("perf-") && base.strip_suffix(".map").is_some()
}

fn is_library(name: &str) -> bool {
    name.ends_with(".so") || name.contains(".so.") || name.ends_with(".dylib") || name.ends_with(".dll")
}

/// A thread's name with the numbers that tell its pool's threads apart written as `*`: `pool-2-thread-13` is
/// `pool-*-thread-*`, while `C2 CompilerThre` keeps its digit.
fn without_numbers(thread: &str) -> String {
    let mut out = String::with_capacity(thread.len());
    let mut in_word = false;
    let mut in_number = false;
    for c in thread.chars() {
        if c.is_ascii_digit() && !in_word {
            if !in_number {
                out.push('*');
            }
            in_number = true;
            continue;
        }
        in_number = false;
        in_word = c.is_alphanumeric();
        out.push(c);
    }
    out
}
