//! Which frames are the program's own code, by name, category and place. A suspect is best named where somebody can
//! act: in the program, not in the library it calls.

use model::profile::{Category, FrameInfo};

/// Namespaces of runtimes and standard libraries, as canonical names begin.
const NAMESPACES: [&str; 27] = [
    "java.",
    "javax.",
    "jdk.",
    "sun.",
    "com.sun.",
    "kotlin.",
    "kotlinx.",
    "scala.",
    "groovy.",
    "clojure.",
    "std::",
    "core::",
    "alloc::",
    "hashbrown::",
    "compiler_builtins::",
    "__gnu_cxx::",
    "__rust",
    "rust_",
    "node:",
    "v8::",
    "(",
    "[",
    "operator ",
    "asm_",
    "entry_SYSCALL",
    "do_syscall",
    "Interpreter",
];

/// Top-level packages of Go's standard library; a package of one's own has a dot in its first element or is `main`.
const GO_PACKAGES: [&str; 48] = [
    "bufio",
    "bytes",
    "cmp",
    "compress",
    "container",
    "context",
    "crypto",
    "database",
    "debug",
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
    "index",
    "internal",
    "io",
    "iter",
    "log",
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
    "structs",
    "sync",
    "syscall",
    "testing",
    "text",
    "time",
    "unicode",
    "unique",
    "unsafe",
    "vendor",
];

/// Modules and packages of Python's standard library that profiles show.
const PYTHON_MODULES: [&str; 58] = [
    "abc",
    "argparse",
    "ast",
    "asyncio",
    "base64",
    "bisect",
    "calendar",
    "codecs",
    "collections",
    "concurrent",
    "contextlib",
    "copy",
    "copyreg",
    "csv",
    "ctypes",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "email",
    "enum",
    "functools",
    "gzip",
    "heapq",
    "hashlib",
    "hmac",
    "http",
    "importlib",
    "inspect",
    "itertools",
    "json",
    "locale",
    "logging",
    "multiprocessing",
    "operator",
    "os",
    "pathlib",
    "pickle",
    "posixpath",
    "pprint",
    "queue",
    "random",
    "re",
    "runpy",
    "selectors",
    "socket",
    "socketserver",
    "sqlite3",
    "ssl",
    "string",
    "subprocess",
    "tempfile",
    "textwrap",
    "threading",
    "traceback",
    "typing",
    "urllib",
    "uuid",
];

/// Names of the C library and of process entry that carry no namespace.
const C_NAMES: [&str; 31] = [
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "memchr",
    "strlen",
    "strcmp",
    "malloc",
    "calloc",
    "realloc",
    "free",
    "cfree",
    "read",
    "write",
    "pread64",
    "pwrite64",
    "send",
    "recv",
    "sendto",
    "recvfrom",
    "poll",
    "epoll_wait",
    "clone",
    "clone3",
    "start_thread",
    "thread_native_entry",
    "unknown",
    "syscall",
    "mmap",
    "munmap",
    "futex",
];

/// Parts of paths and modules where libraries live.
const LIBRARY_PLACES: [&str; 14] = [
    "site-packages",
    "dist-packages",
    "node_modules",
    "<frozen",
    "/rustc/",
    "/usr/lib/",
    "lib/python",
    "/libc",
    "libc.so",
    "libm.so",
    "libgcc",
    "libstdc++",
    "ld-linux",
    "[kernel",
];

/// Whether `frame` is code of the program under test.
pub(super) fn is_own(frame: &FrameInfo) -> bool {
    let category_is_own = matches!(frame.category, Category::Other | Category::User(_));
    if !category_is_own || in_library_place(frame) {
        return false;
    }
    let name = bare(&frame.name);
    let first: &str = name.split(['.', '/', '(', ' ']).next().unwrap_or_default();
    let in_go =
        name.len() > first.len() && !name[first.len()..].starts_with(' ') && GO_PACKAGES.contains(&first);
    !(name.is_empty()
        || NAMESPACES.iter().any(|prefix| name.starts_with(prefix))
        || C_NAMES.contains(&name)
        || name.contains("@GLIBC")
        || (name.starts_with('_') && !name.contains(['.', ':', ' ']))
        || in_go
        || in_python_library(name))
}

/// The name without the decoration of trait implementations: `<&std::io::Stdout as Write>::write` is of `std`.
fn bare(name: &str) -> &str {
    name.trim_start_matches(['<', '&', '*']).trim_start_matches("mut ").trim_start_matches("dyn ")
}

fn in_library_place(frame: &FrameInfo) -> bool {
    [&frame.module, &frame.file, &Some(frame.name.clone())]
        .into_iter()
        .flatten()
        .any(|place| LIBRARY_PLACES.iter().any(|part| place.contains(part)))
}

/// `dumps (json/__init__.py)`, `json.dumps`: by the file in parentheses, else by the first element of the name.
fn in_python_library(name: &str) -> bool {
    let place = match name.rsplit_once(" (") {
        Some((_, place)) if place.contains(".py") => place,
        Some(_) => return false,
        None => name,
    };
    let dotted = place.contains('.') || place.contains('/');
    let first = place.split(['.', '/', ':', ')']).next().unwrap_or_default();
    dotted && PYTHON_MODULES.contains(&first)
}

/// Where user code ends and the kernel begins: everything below is not the program's, whatever its name.
pub(super) fn enters_kernel(name: &str) -> bool {
    ["entry_SYSCALL", "asm_exc_", "asm_sysvec_", "do_syscall_64", "el0_", "ret_from_fork", "system_call"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
        || name.ends_with("_[k]")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(name: &str) -> bool {
        is_own(&FrameInfo { name: name.to_owned(), module: None, file: None, category: Category::Other })
    }

    #[test]
    fn the_programs_own_code_is_told_from_runtimes_and_libraries() {
        for name in [
            "PagerReads$Pager.logPage",
            "org.apache.cassandra.Pager.fetch",
            "example.test/echo.describe",
            "main.(*gateway).debugRequest",
            "github.com/acme/kv.(*Store).Get",
            "copytwice::copy_to_staging",
            "<copytwice::Frame as core::fmt::Debug>::fmt",
            "snapshot_settings (render.py)",
            "render.snapshot_settings",
            "bodyLength",
            "handle",
        ] {
            assert!(own(name), "{name}");
        }
        for name in [
            "java.util.logging.Logger.log",
            "runtime.mallocgc",
            "fmt.(*pp).doPrintf",
            "encoding/json.Marshal",
            "testing.(*B).runN",
            "std::rt::lang_start",
            "<&std::io::stdio::Stdout as std::io::Write>::write_fmt",
            "core::fmt::write",
            "deepcopy (copy.py)",
            "json.encoder.JSONEncoder.encode",
            "dumps (json/__init__.py)",
            "__memmove_avx512_unaligned_erms",
            "cfree@GLIBC_2.2.5",
            "[libgcc_s.so.1]",
            "(garbage collector)",
            "node:internal/streams.write",
            "_start",
        ] {
            assert!(!own(name), "{name}");
        }
    }
}
