//! The data directory: what lies where in it, who owns it, and the lock that makes it one perfblame's own.
//!
//! ```text
//! perfblame.lock   held by the running perfblame
//! postgres/        the cluster
//! postgres.log     what PostgreSQL says
//! run/             the socket, unless the path would be too long for one
//! ```

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::account::Account;
use super::error::ClusterError;

/// The port in the socket's name; there is no TCP port.
pub(super) const PORT: u16 = 5432;

/// The longest path of a socket: `sun_path` has 104 bytes on macOS and 108 on Linux, with a final zero.
const SOCKET_PATH_LIMIT: usize = 100;

/// A log longer than this is set aside at the next start.
const LOG_LIMIT: u64 = 10 << 20;

/// A data directory that is locked for us.
#[derive(Debug)]
pub(super) struct Layout {
    data_dir: PathBuf,
    /// The directory of the socket.
    pub(super) socket_dir: PathBuf,
    /// Locked as long as it is open; the kernel unlocks it however we end.
    _lock: File,
}

impl Layout {
    /// Makes the directories that are missing and takes the lock.
    pub(super) fn prepare(data_dir: &Path, account: &Account) -> Result<Self, ClusterError> {
        make_data_dir(data_dir, account)?;
        let data_dir = &fs::canonicalize(data_dir).map_err(ClusterError::io("resolve", data_dir))?;
        account.can_enter(data_dir)?;
        let lock = lock(data_dir)?;
        let socket_dir = socket_dir_for(data_dir, account.uid);
        make_private(&socket_dir, account)?;
        Ok(Self { data_dir: data_dir.clone(), socket_dir, _lock: lock })
    }

    /// The cluster, which exists only when it was made completely.
    pub(super) fn cluster(&self) -> PathBuf {
        self.data_dir.join("postgres")
    }

    /// Where a cluster is made before it gets its name.
    pub(super) fn unfinished(&self) -> PathBuf {
        self.data_dir.join("postgres.unfinished")
    }

    /// PostgreSQL's log.
    pub(super) fn log(&self) -> PathBuf {
        self.data_dir.join("postgres.log")
    }

    /// Opens the log for appending; a long one is set aside first.
    pub(super) fn open_log(&self) -> Result<File, ClusterError> {
        let log = self.log();
        if fs::metadata(&log).is_ok_and(|metadata| metadata.len() > LOG_LIMIT) {
            let old = log.with_extension("log.1");
            fs::rename(&log, &old).map_err(ClusterError::io("set aside", &log))?;
        }
        OpenOptions::new().create(true).append(true).open(&log).map_err(ClusterError::io("open", &log))
    }

    /// The last lines of the log, for an error.
    pub(super) fn log_end(&self) -> String {
        const BYTES: u64 = 2000;
        let read = || -> std::io::Result<String> {
            let mut file = File::open(self.log())?;
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(BYTES)))?;
            let mut bytes = Vec::new();
            file.take(BYTES).read_to_end(&mut bytes)?;
            Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
        };
        read().unwrap_or_else(|error| format!("(the log cannot be read: {error})"))
    }
}

fn make_data_dir(data_dir: &Path, account: &Account) -> Result<(), ClusterError> {
    if data_dir.is_dir() {
        return Ok(());
    }
    // Another account must be able to pass through; our own needs nobody else's eyes.
    let mode = if account.is_other() { 0o755 } else { 0o700 };
    fs::create_dir_all(data_dir).map_err(ClusterError::io("create", data_dir))?;
    fs::set_permissions(data_dir, Permissions::from_mode(mode)).map_err(ClusterError::io("protect", data_dir))
}

/// Makes a directory for the account's eyes only, or checks that it is one: in a shared place such as `/tmp`
/// somebody else may have made it first.
pub(super) fn make_private(path: &Path, account: &Account) -> Result<(), ClusterError> {
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => account.own(path),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let found = fs::symlink_metadata(path).map_err(ClusterError::io("look at", path))?;
            // What root owns was made by root, perhaps just before an interruption.
            let ours = found.uid() == account.uid || account.is_other() && found.uid() == 0;
            if !(found.is_dir() && ours && found.mode() & 0o777 == 0o700) {
                return Err(ClusterError::NotPrivate { path: path.to_owned() });
            }
            account.own(path)
        }
        Err(error) => Err(ClusterError::io("create", path)(error)),
    }
}

fn lock(data_dir: &Path) -> Result<File, ClusterError> {
    let path = data_dir.join("perfblame.lock");
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(ClusterError::io("open", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(ClusterError::InUse { data_dir: data_dir.to_owned() }),
        Err(TryLockError::Error(error)) => Err(ClusterError::io("lock", &path)(error)),
    }
}

/// `run/` in the data directory, or a short directory under `/tmp` when the socket's path would be too long.
fn socket_dir_for(data_dir: &Path, uid: u32) -> PathBuf {
    let near = data_dir.join("run");
    let length = near.as_os_str().len() + format!("/.s.PGSQL.{PORT}").len();
    if length <= SOCKET_PATH_LIMIT {
        return near;
    }
    let hash = fnv1a(data_dir.as_os_str().as_encoded_bytes());
    PathBuf::from(format!("/tmp/perfblame-{uid}-{hash:016x}"))
}

/// The 64-bit FNV-1a hash, the same in every build (draft-eastlake-fnv): a restart must find its socket again.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_data_directory_holds_the_socket() {
        assert_eq!(socket_dir_for(Path::new("/var/lib/perfblame"), 7), Path::new("/var/lib/perfblame/run"));
    }

    #[test]
    fn a_long_data_directory_has_its_socket_elsewhere() {
        let long = PathBuf::from("/").join("d".repeat(90));
        let elsewhere = socket_dir_for(&long, 7);
        assert!(elsewhere.starts_with("/tmp") && elsewhere.as_os_str().len() < 80, "{}", elsewhere.display());
        assert_ne!(elsewhere, socket_dir_for(&PathBuf::from("/").join("e".repeat(90)), 7));
    }

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
