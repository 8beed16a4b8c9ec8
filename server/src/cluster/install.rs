//! Finds an installed PostgreSQL: its directory of programs and its major version.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::error::ClusterError;

/// The oldest major version that perfblame supports.
pub(super) const OLDEST: u32 = 15;

/// Folders that hold one installation per major version, and the way from there to the programs.
const VERSIONED: [(&str, &str, &str); 5] = [
    ("/usr/lib/postgresql", "", "bin"),
    ("/usr/libexec/postgresql", "", "bin"),
    ("/usr", "pgsql-", "bin"),
    ("/opt/homebrew/opt", "postgresql@", "bin"),
    ("/usr/local/opt", "postgresql@", "bin"),
];

/// One installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Installation {
    /// The directory that holds `initdb` and `postgres`.
    pub(super) bin: PathBuf,
    /// The major version: 15, 16, …
    pub(super) major: u32,
}

impl Installation {
    /// The path of one of its programs.
    pub(super) fn program(&self, name: &str) -> PathBuf {
        self.bin.join(name)
    }
}

/// Every installation found, in the order of the search: PATH, `pg_config`, then the versioned folders.
pub(super) fn find_all() -> Vec<Installation> {
    let mut seen = BTreeSet::new();
    candidates()
        .into_iter()
        .filter(|bin| bin.join("initdb").exists())
        .filter_map(|bin| Some(Installation { major: major_of(&bin.join("postgres"))?, bin: real_bin(&bin) }))
        .filter(|found| seen.insert(found.bin.clone()))
        .collect()
}

/// Chooses the installation for a new cluster (the newest), or the one that an existing cluster needs.
pub(super) fn choose(
    found: &[Installation],
    cluster: &Path,
    made_by: Option<u32>,
) -> Result<Installation, ClusterError> {
    let newest = found.iter().rev().max_by_key(|one| one.major).ok_or(ClusterError::NotInstalled)?;
    let Some(made_by) = made_by else {
        if newest.major < OLDEST {
            return Err(ClusterError::TooOld { found: newest.major, bin: newest.bin.clone() });
        }
        return Ok(newest.clone());
    };
    found.iter().find(|one| one.major == made_by).cloned().ok_or_else(|| {
        let majors: BTreeSet<u32> = found.iter().map(|one| one.major).collect();
        ClusterError::OtherMajor { cluster: cluster.to_owned(), made_by, found: majors.into_iter().collect() }
    })
}

fn candidates() -> Vec<PathBuf> {
    let mut bins: Vec<PathBuf> =
        env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
    bins.retain(|bin| bin.is_absolute());
    bins.extend(pg_config_bin());
    for (folder, prefix, bin) in VERSIONED {
        bins.extend(versions_in(Path::new(folder), prefix).into_iter().map(|version| version.join(bin)));
    }
    bins.push(PathBuf::from("/opt/homebrew/opt/postgresql/bin"));
    bins.push(PathBuf::from("/usr/local/pgsql/bin"));
    bins
}

/// Subfolders that are named by the prefix and a major version, newest first.
fn versions_in(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let mut versions: Vec<(u32, PathBuf)> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter_map(|entry| {
            Some((entry.file_name().to_str()?.strip_prefix(prefix)?.parse().ok()?, entry.path()))
        })
        .collect();
    versions.sort_by_key(|(major, _)| std::cmp::Reverse(*major));
    versions.into_iter().map(|(_, path)| path).collect()
}

fn pg_config_bin() -> Option<PathBuf> {
    let output = Command::new("pg_config").arg("--bindir").stderr(Stdio::null()).output().ok()?;
    let bin = PathBuf::from(std::str::from_utf8(&output.stdout).ok()?.trim());
    bin.is_absolute().then_some(bin)
}

/// The directory behind symbolic links such as `/usr/local/bin/postgres`, if it holds all programs.
fn real_bin(bin: &Path) -> PathBuf {
    let real =
        fs::canonicalize(bin.join("postgres")).ok().and_then(|program| Some(program.parent()?.to_owned()));
    real.filter(|real| real.join("initdb").exists()).unwrap_or_else(|| bin.to_owned())
}

fn major_of(postgres: &Path) -> Option<u32> {
    let output = Command::new(postgres).arg("--version").stderr(Stdio::null()).output().ok()?;
    parse_major(std::str::from_utf8(&output.stdout).ok()?)
}

/// The major version in `postgres (PostgreSQL) 15.20 (Debian 15.20-0+deb12u1)` or `… 18beta1`.
fn parse_major(version: &str) -> Option<u32> {
    let number = version.split("(PostgreSQL)").nth(1)?.trim_start();
    let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    number.get(..digits)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn installed(majors: &[u32]) -> Vec<Installation> {
        majors
            .iter()
            .map(|&major| Installation {
                bin: PathBuf::from(format!("/usr/lib/postgresql/{major}/bin")),
                major,
            })
            .collect()
    }

    fn chosen(majors: &[u32], made_by: Option<u32>) -> Result<u32, String> {
        choose(&installed(majors), Path::new("/data/postgres"), made_by)
            .map(|one| one.major)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_major_version_is_read_from_what_postgres_prints() {
        for (text, major) in [
            ("postgres (PostgreSQL) 15.20 (Debian 15.20-0+deb12u1)\n", Some(15)),
            ("postgres (PostgreSQL) 18beta1\n", Some(18)),
            ("postgres (PostgreSQL) 9.6.24\n", Some(9)),
            ("postgres (EnterpriseDB) 15\n", None),
            ("", None),
        ] {
            assert_eq!(parse_major(text), major, "{text}");
        }
    }

    #[test]
    fn a_new_cluster_takes_the_newest_version() {
        assert_eq!(chosen(&[13, 17, 15], None), Ok(17));
    }

    #[test]
    fn an_existing_cluster_keeps_its_version() {
        assert_eq!(chosen(&[17, 15], Some(15)), Ok(15));
        let error = chosen(&[17, 16], Some(15)).unwrap_err();
        assert!(error.contains("was made by PostgreSQL 15"), "{error}");
        assert!(error.contains("(found: 16, 17)"), "{error}");
    }

    #[test]
    fn what_to_install_is_said() {
        let error = chosen(&[], None).unwrap_err();
        assert!(
            error.starts_with("no PostgreSQL 15 or later was found: install it (`apt install postgresql`"),
            "{error}"
        );
    }

    #[test]
    fn a_version_that_is_too_old_is_refused_by_number() {
        let error = chosen(&[13, 14], None).unwrap_err();
        assert!(
            error
                .starts_with("PostgreSQL 14 in /usr/lib/postgresql/14/bin is too old, 15 or later is needed"),
            "{error}"
        );
    }

    #[test]
    fn an_installation_is_found_here() {
        assert!(find_all().iter().any(|one| one.major >= OLDEST && one.program("initdb").is_absolute()));
    }
}
