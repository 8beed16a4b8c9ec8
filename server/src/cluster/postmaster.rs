//! Reads `postmaster.pid`, in which a running PostgreSQL says who and how far it is.

use std::fs;
use std::path::Path;

/// What the file says. Its lines are documented in PostgreSQL's `src/include/utils/pidfile.h`: process id, data
/// directory, start time, port, socket directory, listen address, shared memory key, status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Postmaster {
    /// The process id.
    pub(super) pid: u32,
    /// Whether it accepts connections.
    pub(super) ready: bool,
}

/// Reads the file of a cluster; `None` when there is none, or when it is not complete enough to hold a process.
pub(super) fn read(cluster: &Path) -> Option<Postmaster> {
    parse(&fs::read_to_string(cluster.join("postmaster.pid")).ok()?)
}

fn parse(text: &str) -> Option<Postmaster> {
    let mut lines = text.lines().map(str::trim);
    let pid = lines.next()?.parse().ok().filter(|&pid| pid > 1)?;
    Some(Postmaster { pid, ready: lines.nth(6) == Some("ready") })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STARTING: &str = "4711\n/data/postgres\n1764500000\n5432\n/data/run\n\n  5432001   3\nstarting\n";

    #[test]
    fn a_postmaster_is_ready_when_it_says_so() {
        assert_eq!(parse(STARTING), Some(Postmaster { pid: 4711, ready: false }));
        let ready = STARTING.replace("starting", "ready   ");
        assert_eq!(parse(&ready), Some(Postmaster { pid: 4711, ready: true }));
    }

    #[test]
    fn half_a_file_is_no_lie() {
        assert_eq!(parse("4711\n/data"), Some(Postmaster { pid: 4711, ready: false }));
        assert_eq!(parse(""), None);
        assert_eq!(parse("-4711\n"), None);
        assert_eq!(parse("0\n"), None, "a signal to process 0 would hit ourselves");
    }
}
