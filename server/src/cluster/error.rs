//! Everything that can keep a private cluster from running, each with what to do about it.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// How to install PostgreSQL on the systems that perfblame supports.
const INSTALL: &str = "install it (`apt install postgresql` on Debian or Ubuntu, `brew install postgresql@17` on macOS) \
                       or name a database with --database-url";

/// Why the private cluster does not run.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// No PostgreSQL is installed where it is looked for.
    #[error("no PostgreSQL {} or later was found: {INSTALL}", crate::cluster::install::OLDEST)]
    NotInstalled,
    /// Only PostgreSQL that is too old is installed.
    #[error(
        "PostgreSQL {found} in {} is too old, {} or later is needed: {INSTALL}",
        bin.display(), crate::cluster::install::OLDEST
    )]
    TooOld {
        /// The newest major version found.
        found: u32,
        /// Its directory of programs.
        bin: PathBuf,
    },
    /// The cluster was made by a major version that is not installed; PostgreSQL reads only its own files.
    #[error(
        "the cluster in {} was made by PostgreSQL {made_by}, of which no installation was found \
         (found: {}): install PostgreSQL {made_by} again, or choose another --data-dir",
        cluster.display(), list(found)
    )]
    OtherMajor {
        /// The cluster.
        cluster: PathBuf,
        /// The major version that made it.
        made_by: u32,
        /// The major versions installed.
        found: Vec<u32>,
    },
    /// perfblame runs as root, and the account that PostgreSQL should run as does not exist or is root itself.
    #[error(
        "PostgreSQL refuses to run as root, and the account {user:?} cannot run it ({why}): \
         name an unprivileged one with --postgres-user"
    )]
    Account {
        /// The account asked for.
        user: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The account that PostgreSQL runs as cannot enter the data directory.
    #[error(
        "PostgreSQL runs as {user:?}, which may not enter {}: choose a --data-dir that others may pass through, \
         such as /var/lib/perfblame",
        directory.display()
    )]
    Unreachable {
        /// The account.
        user: String,
        /// The first directory on the way that it cannot enter.
        directory: PathBuf,
    },
    /// Another perfblame holds the data directory.
    #[error("another perfblame already uses the data directory {}", data_dir.display())]
    InUse {
        /// The data directory.
        data_dir: PathBuf,
    },
    /// No home directory is known to put the data in.
    #[error("no home directory is known: name a data directory with --data-dir")]
    NoHome,
    /// A directory that should be for the account's eyes only exists and is not.
    #[error(
        "{} is not a private directory of the account that runs PostgreSQL (did another account use it before?): \
         choose another --data-dir, or remove it if nobody needs it",
        path.display()
    )]
    NotPrivate {
        /// The directory.
        path: PathBuf,
    },
    /// A file or directory could not be handled.
    #[error("could not {action} {}", path.display())]
    Io {
        /// What was tried, such as `create`.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A program of PostgreSQL failed.
    #[error("{program} failed with {status}: {output}")]
    Program {
        /// The program.
        program: &'static str,
        /// How it ended.
        status: ExitStatus,
        /// The end of what it said.
        output: String,
    },
    /// `postgres` ended before it was ready, or while it was needed.
    #[error("PostgreSQL ended with {status}; the end of {}:\n{output}", log.display())]
    Ended {
        /// How it ended.
        status: ExitStatus,
        /// Its log file.
        log: PathBuf,
        /// The end of its log.
        output: String,
    },
    /// `postgres` neither became ready nor ended in time.
    #[error("PostgreSQL was not {what} within {seconds} s; the end of {}:\n{output}", log.display())]
    Slow {
        /// What was waited for: `ready` or `stopped`.
        what: &'static str,
        /// For how long.
        seconds: u64,
        /// Its log file.
        log: PathBuf,
        /// The end of its log.
        output: String,
    },
}

impl ClusterError {
    /// Wraps the failure of `action` on `path`, for `map_err`.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }
}

fn list(majors: &[u32]) -> String {
    majors.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}
