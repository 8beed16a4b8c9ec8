//! Takes over what a perfblame that was killed has left: a `postgres` that still runs, or a stale
//! `postmaster.pid`. We hold the data directory's lock, so nobody else needs that `postgres` any more.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::error::ClusterError;
use super::layout::Layout;
use super::postmaster;
use super::signal::{self, Signal};

/// How long an orphan may take to stop in order, and then at once.
const PATIENCE: [(Signal, Duration); 2] =
    [(Signal::Interrupt, Duration::from_mins(1)), (Signal::Quit, Duration::from_secs(10))];

/// Stops a `postgres` that still runs on the cluster, and removes a process id that now belongs to something else.
/// An id that belongs to nothing is left to PostgreSQL, which checks more than we could.
pub(super) async fn take_over(layout: &Layout) -> Result<(), ClusterError> {
    let cluster = layout.cluster();
    let Some(left) = postmaster::read(&cluster).filter(|left| signal::is_alive(left.pid)) else {
        return Ok(());
    };
    if !runs_on(left.pid, &cluster) {
        let path = cluster.join("postmaster.pid");
        tracing::warn!(
            process.pid = left.pid,
            "removing a stale postmaster.pid, whose process is another program now"
        );
        return fs::remove_file(&path).map_err(ClusterError::io("remove", &path));
    }
    tracing::warn!(
        process.pid = left.pid,
        "taking over a PostgreSQL that an earlier perfblame has left running"
    );
    for (signal, patience) in PATIENCE {
        signal::send(left.pid, signal);
        if ended(left.pid, &cluster, patience).await {
            return Ok(());
        }
    }
    let seconds = PATIENCE.iter().map(|(_, patience)| patience.as_secs()).sum();
    Err(ClusterError::Slow { what: "stopped", seconds, log: layout.log(), output: layout.log_end() })
}

async fn ended(pid: u32, cluster: &Path, patience: Duration) -> bool {
    let deadline = Instant::now() + patience;
    while Instant::now() < deadline {
        // A stopped server removes its file; one that was killed only disappears, perhaps into a zombie.
        if postmaster::read(cluster).is_none_or(|now| now.pid != pid) || !runs_on(pid, cluster) {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}

/// Whether the process is a `postgres` on this cluster: process ids are reused, most of all after a reboot. We start
/// it with the cluster's full path on its command line.
fn runs_on(pid: u32, cluster: &Path) -> bool {
    let wanted = cluster.as_os_str().as_encoded_bytes();
    let holds = |line: &[u8]| line.windows(wanted.len()).any(|part| part == wanted);
    if let Ok(line) = fs::read(format!("/proc/{pid}/cmdline")) {
        return holds(&line);
    }
    let ps = Command::new("ps").args(["-ww", "-o", "command=", "-p", &pid.to_string()]).output();
    ps.is_ok_and(|output| holds(&output.stdout))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_the_cluster_on_its_command_line() {
        let mut child =
            Command::new("sh").args(["-c", "sleep 60; :", "-D", "/some/where/postgres"]).spawn().unwrap();
        let known = || runs_on(child.id(), Path::new("/some/where/postgres"));
        // The kernel lets the parent go on a moment before the new command line can be read.
        assert!((0..1000).any(|_| known() || {
            std::thread::sleep(Duration::from_millis(5));
            false
        }));
        assert!(!runs_on(child.id(), Path::new("/some/where/else")));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!runs_on(child.id(), Path::new("/some/where/postgres")));
    }
}
