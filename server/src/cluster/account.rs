//! Who runs PostgreSQL: the same user as perfblame, or an unprivileged account when that is root.

use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::error::ClusterError;

/// The account that PostgreSQL's programs run as.
#[derive(Debug, Clone)]
pub(super) struct Account {
    /// The user id, also when it is our own.
    pub(super) uid: u32,
    /// Set when perfblame is root and must change to another account.
    change_to: Option<ChangeTo>,
}

#[derive(Debug, Clone)]
struct ChangeTo {
    name: String,
    gid: u32,
}

/// Whether perfblame is run by root.
pub(super) fn is_root() -> Result<bool, ClusterError> {
    Ok(own_uid()? == 0)
}

/// The effective user id. The standard library cannot tell it, and asking C would need `unsafe`.
fn own_uid() -> Result<u32, ClusterError> {
    let output = Command::new("id").arg("-u").output().map_err(ClusterError::io("run", Path::new("id")))?;
    Ok(number(&output.stdout).unwrap_or(u32::MAX))
}

/// A numeric id of an account, which `id` knows from any name service; `which` is `-u` or `-g`.
fn id_of(user: &str, which: &str) -> Option<u32> {
    let output = Command::new("id").args([which, "--", user]).stderr(Stdio::null()).output().ok()?;
    if output.status.success() { number(&output.stdout) } else { None }
}

fn number(bytes: &[u8]) -> Option<u32> {
    std::str::from_utf8(bytes).ok()?.trim().parse().ok()
}

impl Account {
    /// The account to use: `postgres_user` for root, oneself for everybody else.
    pub(super) fn choose(postgres_user: &str) -> Result<Self, ClusterError> {
        let own = own_uid()?;
        if own != 0 {
            return Ok(Self { uid: own, change_to: None });
        }
        let refuse = |why| ClusterError::Account { user: postgres_user.to_owned(), why };
        let uid = id_of(postgres_user, "-u").ok_or_else(|| refuse("there is no such account"))?;
        let gid = id_of(postgres_user, "-g").ok_or_else(|| refuse("it has no group"))?;
        if uid == 0 {
            return Err(refuse("it is root, too"));
        }
        Ok(Self { uid, change_to: Some(ChangeTo { name: postgres_user.to_owned(), gid }) })
    }

    /// Whether perfblame and PostgreSQL run as different accounts.
    pub(super) fn is_other(&self) -> bool {
        self.change_to.is_some()
    }

    /// A command that runs as this account, in a directory it can enter, without our terminal and without the
    /// settings that a user keeps in the environment for clients (`PGDATA`, `PGPORT` …).
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir("/").stdin(Stdio::null()).env("LC_ALL", "C");
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"PG")) {
            command.env_remove(name);
        }
        if let Some(other) = &self.change_to {
            // For root the standard library drops the supplementary groups together with the user id.
            command.uid(self.uid).gid(other.gid);
        }
        command
    }

    /// Gives a file or directory to this account.
    pub(super) fn own(&self, path: &Path) -> Result<(), ClusterError> {
        match &self.change_to {
            Some(other) => chown(path, Some(self.uid), Some(other.gid))
                .map_err(ClusterError::io("change the owner of", path)),
            None => Ok(()),
        }
    }

    /// Checks that this account can enter `directory`, and names the obstacle when not.
    pub(super) fn can_enter(&self, directory: &Path) -> Result<(), ClusterError> {
        let Some(other) = &self.change_to else { return Ok(()) };
        let mut ways: Vec<&Path> = directory.ancestors().collect();
        ways.reverse();
        for way in ways {
            let enters = self
                .command(Path::new("sh"))
                .args(["-c", "cd -- \"$0\""])
                .arg(way)
                .stderr(Stdio::null())
                .status()
                .map_err(ClusterError::io("run", Path::new("sh")))?
                .success();
            if !enters {
                return Err(ClusterError::Unreachable {
                    user: other.name.clone(),
                    directory: PathBuf::from(way),
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_needs_an_account_that_exists_and_is_not_root() {
        let missing = Account::choose("no-such-account-anywhere").map(|account| account.is_other());
        let itself = Account::choose("root").map(|account| account.is_other());
        if is_root().unwrap() {
            assert!(missing.unwrap_err().to_string().contains("there is no such account"));
            assert!(itself.unwrap_err().to_string().contains("it is root, too"));
        } else {
            assert!(!missing.unwrap(), "only root changes the account");
            assert!(!itself.unwrap(), "only root changes the account");
        }
    }

    #[test]
    fn settings_for_clients_do_not_reach_postgres() {
        let command = Account { uid: 1, change_to: None }.command(Path::new("env"));
        assert!(command.get_envs().any(|(name, value)| name == "LC_ALL" && value.is_some()));
        assert!(
            command
                .get_envs()
                .all(|(name, value)| !name.to_string_lossy().starts_with("PG") || value.is_none())
        );
    }
}
