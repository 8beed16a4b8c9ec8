//! What async-profiler writes for people: flame graphs and trees as HTML, and lists of traces as text.
//!
//! The forms are those of its documentation
//! (<https://github.com/async-profiler/async-profiler/blob/master/docs/OutputFormats.md>); HTML is read line by line
//! and never run. Its collapsed stacks are folded text and its recordings are JFR.

mod graph;
mod html;
mod list;
mod script;
mod tree;

use model::Unit;

use crate::read::Reader;

/// Flame graphs and call trees as HTML.
pub(super) const HTML: Reader = Reader {
    name: html::NAME,
    about: "async-profiler's flame graphs and trees as HTML",
    sniff: html::sniff,
    read: html::read,
};

/// Traces and the table of running frames as text.
pub(super) const TEXT: Reader = Reader {
    name: list::NAME,
    about: "async-profiler's text output: traces and the flat table",
    sniff: list::sniff,
    read: list::read,
};

/// The event of a heading such as `CPU profile`; `None` for headings that name none (`Flame Graph`).
fn event(title: &str) -> Option<String> {
    let title = title.trim().to_ascii_lowercase();
    let what = title.strip_suffix("profile")?.trim();
    Some(match what {
        "" => return None,
        "cpu" | "execution" | "itimer" | "ctimer" => "cpu".to_owned(),
        "wall clock" | "wall" => "wall".to_owned(),
        "allocation" | "alloc" => "alloc_space".to_owned(),
        "native memory" | "malloc" | "nativemem" => "nativemem".to_owned(),
        "lock contention" | "lock" => "lock".to_owned(),
        other => other.replace(' ', "-"),
    })
}

/// Leaves of these events are classes, whose colour or mark tells how they were allocated and not how they were
/// compiled.
fn leaf_is_class(event: &str) -> bool {
    matches!(event, "alloc_space" | "lock")
}

/// The base unit and its factor of a unit as async-profiler writes it.
fn unit(text: &str) -> (Unit, f64) {
    match text {
        "" | "samples" | "sample" => (Unit::Count("samples".to_owned()), 1.0),
        other => Unit::parse(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_name_events() {
        for (title, name) in [
            ("CPU profile", Some("cpu")),
            ("Execution profile", Some("cpu")),
            ("Wall clock profile", Some("wall")),
            ("Allocation profile", Some("alloc_space")),
            ("cache-misses profile", Some("cache-misses")),
            ("Flame Graph", None),
        ] {
            assert_eq!(event(title).as_deref(), name, "{title}");
        }
    }
}
