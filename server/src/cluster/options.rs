//! Where the private cluster lives and who runs it.

use std::env;
use std::path::{Path, PathBuf};

use super::account;
use super::error::ClusterError;

/// What the caller chooses.
#[derive(Debug, Clone)]
pub struct ClusterOptions {
    /// The directory of the cluster, its log and its socket; made when missing. See [`default_data_dir`].
    pub data_dir: PathBuf,
    /// The account that PostgreSQL runs as when perfblame is run by root; ignored otherwise.
    pub postgres_user: String,
}

/// The data directory when none is given: `/var/lib/perfblame` for root, whose home nobody else may enter, else
/// the customary place for a user's data.
pub fn default_data_dir() -> Result<PathBuf, ClusterError> {
    if account::is_root()? {
        return Ok(PathBuf::from("/var/lib/perfblame"));
    }
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    user_data_dir(set("XDG_DATA_HOME").as_deref(), set("HOME").as_deref()).ok_or(ClusterError::NoHome)
}

/// The place for a user's data by the XDG base directory specification, or by Apple's custom on macOS.
fn user_data_dir(xdg_data_home: Option<&Path>, home: Option<&Path>) -> Option<PathBuf> {
    // The specification says that a relative path is to be ignored.
    let chosen = xdg_data_home.filter(|path| path.is_absolute());
    let custom = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/share" };
    Some(
        chosen
            .map_or_else(|| home.map(|home| home.join(custom)), |path| Some(path.to_owned()))?
            .join("perfblame"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absolute_xdg_directory_wins_over_home() {
        let home = Some(Path::new("/home/ada"));
        assert_eq!(user_data_dir(Some(Path::new("/data")), home), Some(PathBuf::from("/data/perfblame")));
    }

    #[test]
    #[cfg(not(target_os = "macos"))]
    fn a_relative_xdg_directory_is_ignored() {
        let home = Some(Path::new("/home/ada"));
        let expected = Some(PathBuf::from("/home/ada/.local/share/perfblame"));
        assert_eq!(user_data_dir(Some(Path::new("data")), home), expected);
    }

    #[test]
    fn without_a_home_there_is_no_default() {
        assert_eq!(user_data_dir(None, None), None);
    }
}
