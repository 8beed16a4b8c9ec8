//! Python, JavaScript, Ruby: `path:function`, from every spelling that their profilers have.

/// The kinds of code that V8 announces before a name in perf maps.
const V8_KINDS: [&str; 5] = ["LazyCompile:", "Function:", "Script:", "Eval:", "JS:"];

/// V8's own code, and regular expressions: the text after the kind is no path.
const V8_STUBS: [&str; 5] = ["RegExp:", "Builtin:", "Stub:", "Handler:", "BytecodeHandler:"];

/// The canonical form of a script's function.
pub(super) fn reduce(name: &str, file: Option<&str>) -> String {
    if V8_STUBS.iter().any(|kind| name.starts_with(kind)) {
        return name.to_owned();
    }
    let (name, compiled) = match V8_KINDS.iter().find_map(|kind| name.strip_prefix(kind)) {
        Some(rest) => (rest.trim_start_matches(['*', '~', '^', '+']), true),
        None => (name, false),
    };
    let (function, location) = split(name, compiled);
    let location = location
        .or_else(|| file.filter(|file| super::is_script_file(file)).map(str::to_owned))
        .unwrap_or_default();
    let path = short_path(&location);
    let function = match function.trim() {
        "" | "anonymous" | "<anonymous>" => "(anonymous)",
        function => function,
    };
    let is_located = function.strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with(':'));
    if path.is_empty() || matches!(path.as_str(), "unknown" | "(unknown)") || is_located {
        return function.to_owned();
    }
    format!("{path}:{function}")
}

/// Function and location of one spelling; no location where the name holds none.
fn split(name: &str, compiled: bool) -> (&str, Option<String>) {
    let located = |function, location: &str| (function, Some(without_lines(location).to_owned()));
    // `f (pkg/mod.py:12)`
    if let Some((function, location)) = name.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("))
        && !location.contains(')')
    {
        return located(function, location);
    }
    // `f - /path/work.rb:2`
    if let Some((function, location)) = name.split_once(" - ") {
        return located(function, location);
    }
    // `<frozen importlib._bootstrap>:f:1007`, `pkg/mod.py:f:12`, `node:internal/util:f`
    if let Some(end) = path_end(name) {
        let function = without_lines(&name[end + 1..]);
        let is_location_only = function.is_empty() || function.bytes().all(|b| b.is_ascii_digit());
        if !name[..end].contains(' ') || name.starts_with("<frozen ") {
            return if is_location_only {
                located("", &name[..end])
            } else {
                located(function, &name[..end])
            };
        }
    }
    // `f file.js:12:5`
    if let Some((function, location)) = name.rsplit_once(' ')
        && (compiled || path_end(location).is_some())
    {
        return located(function, location);
    }
    if compiled && name.contains(['/', '.']) && without_lines(name).len() < name.len() {
        return located("", name);
    }
    (name, None)
}

/// Where the path ends in `path:function`: at the colon after a script's extension.
fn path_end(name: &str) -> Option<usize> {
    const ENDS: [&str; 10] =
        [".py:", ".js:", ".mjs:", ".cjs:", ".ts:", ".tsx:", ".jsx:", ".rb:", ".php:", ">:"];
    if let Some(rest) = name.strip_prefix("node:") {
        return rest.find(':').map(|at| at + "node:".len());
    }
    ENDS.iter()
        .filter(|end| **end != ">:" || name.starts_with("<frozen "))
        .filter_map(|end| name.find(end).map(|at| at + end.len() - 1))
        .min()
}

/// Drops `:12` and `:12:5` from the end.
fn without_lines(location: &str) -> &str {
    let mut location = location;
    for _ in 0..2 {
        match location.rsplit_once(':') {
            Some((before, line)) if !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit()) => {
                location = before;
            }
            _ => break,
        }
    }
    location
}

/// A path that is the same on every machine: from the package directory on, and otherwise a path from the root cut
/// to its last folder and file.
fn short_path(path: &str) -> String {
    if path.starts_with("node:") || path.starts_with('<') {
        return path.to_owned();
    }
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    let path = path.split(['?', '#']).next().unwrap_or(path).replace('\\', "/");
    for packages in ["/site-packages/", "/dist-packages/", "node_modules/", "/vendor_ruby/"] {
        if let Some(at) = path.rfind(packages) {
            return path[at + packages.len()..].to_owned();
        }
    }
    if let Some(at) = path.find("/lib/python")
        && let Some((version, rest)) = path[at + "/lib/python".len()..].split_once('/')
        && !version.is_empty()
        && !rest.is_empty()
        && version.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    {
        return rest.to_owned();
    }
    let rooted = path.starts_with('/') || path.get(1..3) == Some(":/");
    if !rooted {
        return path.trim_start_matches("./").to_owned();
    }
    let mut parts = path.rsplit('/').filter(|part| !part.is_empty());
    match (parts.next(), parts.next()) {
        (Some(file), Some(folder)) if !folder.ends_with(':') => format!("{folder}/{file}"),
        (Some(file), _) => file.to_owned(),
        _ => String::new(),
    }
}
