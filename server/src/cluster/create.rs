//! Makes a cluster with the database in it, completely or not at all.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::account::Account;
use super::error::ClusterError;
use super::install::Installation;
use super::layout::{self, Layout};

/// The cluster's only role, and the database's name.
pub(super) const NAME: &str = "perfblame";

/// The major version that made the cluster; `None` when there is no cluster yet.
pub(super) fn made_by(cluster: &Path) -> Result<Option<u32>, ClusterError> {
    if !cluster.exists() {
        return Ok(None);
    }
    let path = cluster.join("PG_VERSION");
    let text = fs::read_to_string(&path).map_err(ClusterError::io("read", &path))?;
    let major =
        text.trim().parse().map_err(|error| std::io::Error::new(std::io::ErrorKind::InvalidData, error));
    Ok(Some(major.map_err(ClusterError::io("read the version in", &path))?))
}

/// Makes the cluster under another name and renames it when it is whole, so that an interruption leaves nothing
/// that could be taken for a cluster.
pub(super) fn create(
    layout: &Layout,
    installation: &Installation,
    account: &Account,
) -> Result<(), ClusterError> {
    let unfinished = layout.unfinished();
    if unfinished.exists() {
        // Left by an interruption; it never held anybody's data.
        fs::remove_dir_all(&unfinished).map_err(ClusterError::io("remove", &unfinished))?;
    }
    layout::make_private(&unfinished, account)?;
    init(&unfinished, installation, account)?;
    create_database(&unfinished, installation, account)?;
    fs::rename(&unfinished, layout.cluster()).map_err(ClusterError::io("rename", &unfinished))?;
    tracing::info!(cluster = %layout.cluster().display(), major = installation.major, "made a PostgreSQL cluster");
    Ok(())
}

fn init(cluster: &Path, installation: &Installation, account: &Account) -> Result<(), ClusterError> {
    let mut initdb = account.command(&installation.program("initdb"));
    initdb.arg("-D").arg(cluster).args([
        "--username",
        NAME,
        "--encoding=UTF8",
        "--locale=C",
        "--no-instructions",
    ]);
    // The socket's directory lets in nobody but the account and root: its mode is the authentication.
    initdb.args(["--auth-local=trust", "--auth-host=reject", "--data-checksums"]);
    let output = initdb.output().map_err(ClusterError::io("run", &installation.program("initdb")))?;
    succeeded("initdb", &output)
}

/// In single-user mode, which needs neither a socket nor a client program.
fn create_database(
    cluster: &Path,
    installation: &Installation,
    account: &Account,
) -> Result<(), ClusterError> {
    let program = installation.program("postgres");
    let mut postgres: Command = account.command(&program);
    postgres.args(["--single", "-D"]).arg(cluster).arg("postgres");
    postgres.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = postgres.spawn().map_err(ClusterError::io("run", &program))?;
    if let Some(mut stdin) = child.stdin.take() {
        writeln!(stdin, "CREATE DATABASE {NAME};").map_err(ClusterError::io("write to", &program))?;
    }
    let output = child.wait_with_output().map_err(ClusterError::io("wait for", &program))?;
    succeeded("postgres --single", &output)?;
    // This mode ends with success after a statement that failed.
    if String::from_utf8_lossy(&output.stderr).contains("ERROR:") {
        return Err(failure("postgres --single", &output));
    }
    Ok(())
}

fn succeeded(program: &'static str, output: &Output) -> Result<(), ClusterError> {
    if output.status.success() { Ok(()) } else { Err(failure(program, output)) }
}

fn failure(program: &'static str, output: &Output) -> ClusterError {
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    ClusterError::Program { program, status: output.status, output: said }
}
