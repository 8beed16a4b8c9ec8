//! Starts `postgres` as our child, waits until it is ready, and stops it.

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use super::account::Account;
use super::create::{self, NAME};
use super::error::ClusterError;
use super::install::{self, Installation};
use super::layout::{Layout, PORT};
use super::options::ClusterOptions;
use super::signal::{self, Signal};
use super::{orphan, postmaster};

/// Recovery after a crash replays at most what was written since the last checkpoint; minutes are generous.
const READY_WITHIN: Duration = Duration::from_mins(5);
/// A fast shutdown writes one checkpoint.
const STOPPED_WITHIN: Duration = Duration::from_mins(1);
/// Workers of a killed server end when they notice; until then PostgreSQL refuses to start beside them.
const WORKERS_GONE_WITHIN: Duration = Duration::from_secs(30);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// A running cluster. Dropping it stops it too, but blocks for that: call [`Cluster::stop`].
#[derive(Debug)]
pub struct Cluster {
    child: Child,
    /// How the child ended, once it is known to have.
    ended: Option<ExitStatus>,
    layout: Layout,
}

impl Cluster {
    /// Starts the cluster in the data directory: makes it when there is none, takes it over when a crash left it.
    pub async fn start(options: &ClusterOptions) -> Result<Self, ClusterError> {
        let account = Account::choose(&options.postgres_user)?;
        let layout = Layout::prepare(&options.data_dir, &account)?;
        let made_by = create::made_by(&layout.cluster())?;
        let installation = install::choose(&install::find_all(), &layout.cluster(), made_by)?;
        if made_by.is_none() {
            create::create(&layout, &installation, &account)?;
        }
        orphan::take_over(&layout).await?;
        let deadline = Instant::now() + WORKERS_GONE_WITHIN;
        let mut cluster = Self { child: spawn(&layout, &installation, &account)?, ended: None, layout };
        while let Err(error) = cluster.ready().await {
            if !is_held_by_workers(&error) || Instant::now() >= deadline {
                return Err(error);
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
            cluster.child = spawn(&cluster.layout, &installation, &account)?;
            cluster.ended = None;
        }
        tracing::info!(
            process.pid = cluster.child.id(),
            major = installation.major,
            cluster = %cluster.layout.cluster().display(),
            "PostgreSQL is ready"
        );
        Ok(cluster)
    }

    /// The database's URL, for a client on this machine. It names everything that a client would otherwise take from
    /// its environment.
    pub fn url(&self) -> String {
        let socket_dir = percent_encode(&self.layout.socket_dir);
        format!("postgres:///{NAME}?host={socket_dir}&port={PORT}&user={NAME}&sslmode=disable")
    }

    /// The directory of its Unix socket.
    pub fn socket_dir(&self) -> &Path {
        &self.layout.socket_dir
    }

    /// PostgreSQL's log file.
    pub fn log(&self) -> PathBuf {
        self.layout.log()
    }

    /// The process id of `postgres`.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits until `postgres` ends on its own, which it should not, and says how; for a `select!` beside the work
    /// that needs it. Dropping the future changes nothing.
    pub async fn ended(&mut self) -> ClusterError {
        loop {
            match self.poll() {
                Ok(None) => tokio::time::sleep(Duration::from_millis(250)).await,
                Ok(Some(status)) => return self.end_of(status),
                Err(error) => return error,
            }
        }
    }

    /// Stops PostgreSQL: what is open is rolled back, everything committed is on disk. Call it when nobody uses the
    /// database any more.
    pub async fn stop(mut self) -> Result<(), ClusterError> {
        for (signal, patience) in
            [(Signal::Interrupt, STOPPED_WITHIN), (Signal::Quit, Duration::from_secs(10))]
        {
            if self.poll()?.is_none() {
                signal::send(self.child.id(), signal);
            }
            let deadline = Instant::now() + patience;
            while Instant::now() < deadline {
                match self.poll()? {
                    Some(status) if status.success() => return Ok(()),
                    Some(status) => return Err(self.end_of(status)),
                    None => tokio::time::sleep(PAUSE).await,
                }
            }
        }
        Err(self.slow("stopped", STOPPED_WITHIN))
    }

    async fn ready(&mut self) -> Result<(), ClusterError> {
        let deadline = Instant::now() + READY_WITHIN;
        let cluster = self.layout.cluster();
        while Instant::now() < deadline {
            if let Some(status) = self.poll()? {
                return Err(self.end_of(status));
            }
            // The file of a crashed server stays until the new one has replaced it, hence the process id.
            if postmaster::read(&cluster).is_some_and(|now| now.ready && now.pid == self.child.id()) {
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
        Err(self.slow("ready", READY_WITHIN))
    }

    /// How the child ended, if it has.
    fn poll(&mut self) -> Result<Option<ExitStatus>, ClusterError> {
        if self.ended.is_none() {
            self.ended = self.child.try_wait().map_err(ClusterError::io("wait for", "postgres".as_ref()))?;
        }
        Ok(self.ended)
    }

    fn end_of(&self, status: ExitStatus) -> ClusterError {
        ClusterError::Ended { status, log: self.layout.log(), output: self.layout.log_end() }
    }

    fn slow(&self, what: &'static str, within: Duration) -> ClusterError {
        let (log, output) = (self.layout.log(), self.layout.log_end());
        ClusterError::Slow { what, seconds: within.as_secs(), log, output }
    }
}

impl Drop for Cluster {
    /// The way out of an error or a panic: asks for a fast shutdown and waits a little. A `postgres` that needs longer
    /// finishes on its own, and the next start waits for it.
    fn drop(&mut self) {
        let deadline = Instant::now() + Duration::from_secs(10);
        if matches!(self.poll(), Ok(None)) {
            signal::send(self.child.id(), Signal::Interrupt);
        }
        while matches!(self.poll(), Ok(None)) && Instant::now() < deadline {
            thread::sleep(PAUSE);
        }
    }
}

fn spawn(layout: &Layout, installation: &Installation, account: &Account) -> Result<Child, ClusterError> {
    let log = layout.open_log()?;
    let copy = log.try_clone().map_err(ClusterError::io("open", &layout.log()))?;
    let program = installation.program("postgres");
    let mut postgres = account.command(&program);
    postgres.arg("-D").arg(layout.cluster()).arg("-k").arg(&layout.socket_dir);
    // No TCP, whatever postgresql.conf says; durability is PostgreSQL's default.
    for setting in
        ["listen_addresses=", &format!("port={PORT}"), "cluster_name=perfblame", "logging_collector=off"]
    {
        postgres.arg("-c").arg(setting);
    }
    postgres.stdout(log).stderr(copy);
    // In its own process group the terminal's Ctrl-C does not reach it: perfblame finishes first and then stops it.
    postgres.process_group(0);
    postgres.spawn().map_err(ClusterError::io("run", &program))
}

/// Whether PostgreSQL refused because processes of a killed server still use its shared memory.
fn is_held_by_workers(error: &ClusterError) -> bool {
    let says = |line: &str| line.contains("shared memory block") && line.contains("still in use");
    matches!(error, ClusterError::Ended { output, .. } if output.lines().rev().take(4).any(says))
}

/// Encodes a path for a URL's query: everything but letters, digits and `-._~/`.
fn percent_encode(path: &Path) -> String {
    use std::fmt::Write as _;
    path.as_os_str().as_encoded_bytes().iter().fold(String::new(), |mut text, &byte| {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_blanks_survives_in_a_url() {
        let path = PathBuf::from("/Users/ada/Library/Application Support/perfblame&x=1%");
        assert_eq!(percent_encode(&path), "/Users/ada/Library/Application%20Support/perfblame%26x%3D1%25");
    }
}
