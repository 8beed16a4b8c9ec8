//! A real cluster in a directory of its own: made, restarted, killed, taken over.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use super::account::Account;
use super::{Cluster, ClusterError, ClusterOptions, install, signal};

/// A directory that the account of PostgreSQL may pass through.
fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::set_permissions(directory.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    directory
}

fn options(directory: &Path) -> ClusterOptions {
    ClusterOptions { data_dir: directory.join("data"), postgres_user: "postgres".to_owned() }
}

/// Runs SQL with psql, as a client would, and returns what it prints.
fn sql(cluster: &Cluster, statement: &str) -> String {
    let psql = install::find_all().iter().map(|one| one.program("psql")).find(|psql| psql.exists()).unwrap();
    let output = Command::new(psql)
        .args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--command", statement, "--dbname"])
        .arg(cluster.url())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// What `kill -9` leaves.
fn kill_9(pid: u32) {
    let killed = Command::new("sh").args(["-c", "kill -s KILL \"$0\"", &pid.to_string()]).status().unwrap();
    assert!(killed.success());
}

#[tokio::test]
async fn a_new_cluster_is_durable_utf8_and_without_a_tcp_port() {
    let directory = directory();
    let cluster = Cluster::start(&options(directory.path())).await.unwrap();
    assert_eq!(sql(&cluster, "SELECT current_database(), current_user"), "perfblame|perfblame");
    assert_eq!(sql(&cluster, "SHOW listen_addresses"), "");
    assert_eq!(sql(&cluster, "SHOW server_encoding"), "UTF8");
    assert_eq!(sql(&cluster, "SHOW fsync"), "on");
    assert_eq!(sql(&cluster, "SHOW synchronous_commit"), "on");
    let mode = std::fs::metadata(directory.path().join("data/run")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "the socket is for the account alone");
    let group =
        Command::new("sh").args(["-c", "kill -s 0 -- \"-$0\"", &cluster.pid().to_string()]).status().unwrap();
    assert!(
        group.success(),
        "it leads a process group of its own, which the terminal's Ctrl-C does not reach"
    );
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_restart_keeps_the_data_and_leaves_no_process() {
    let directory = directory();
    let cluster = Cluster::start(&options(directory.path())).await.unwrap();
    sql(&cluster, "CREATE TABLE kept AS SELECT 42 AS answer");
    let first = cluster.pid();
    cluster.stop().await.unwrap();
    assert!(!signal::is_alive(first));

    let cluster = Cluster::start(&options(directory.path())).await.unwrap();
    assert_eq!(sql(&cluster, "SELECT answer FROM kept"), "42");
    let second = cluster.pid();
    drop(cluster);
    assert!(!signal::is_alive(second), "dropping stops it as well");
}

#[tokio::test]
async fn a_cluster_whose_postgres_was_killed_is_taken_over_with_its_data() {
    let directory = directory();
    let mut cluster = Cluster::start(&options(directory.path())).await.unwrap();
    sql(&cluster, "CREATE TABLE kept AS SELECT 42 AS answer");
    kill_9(cluster.pid());
    let error = cluster.ended().await;
    assert!(matches!(error, ClusterError::Ended { .. }), "{error}");
    drop(cluster);
    assert!(
        directory.path().join("data/postgres/postmaster.pid").exists(),
        "the stale file is what is tested"
    );

    let cluster = Cluster::start(&options(directory.path())).await.unwrap();
    assert_eq!(sql(&cluster, "SELECT answer FROM kept"), "42");
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_postgres_that_outlived_perfblame_is_taken_over_with_its_data() {
    let directory = directory();
    let cluster = Cluster::start(&options(directory.path())).await.unwrap();
    sql(&cluster, "CREATE TABLE kept AS SELECT 42 AS answer");
    cluster.stop().await.unwrap();
    let mut orphan = start_outside(directory.path());

    let cluster = Cluster::start(&options(directory.path())).await.unwrap();
    assert!(orphan.wait().unwrap().success(), "the orphan was stopped in order");
    assert_eq!(sql(&cluster, "SELECT answer FROM kept"), "42");
    assert_ne!(cluster.pid(), orphan.id());
    cluster.stop().await.unwrap();
}

/// Starts `postgres` on the cluster as an earlier perfblame would have, and waits until it accepts connections.
fn start_outside(directory: &Path) -> std::process::Child {
    let data = std::fs::canonicalize(directory.join("data")).unwrap();
    let installation = install::choose(&install::find_all(), &data, None).unwrap();
    let mut postgres = Account::choose("postgres").unwrap().command(&installation.program("postgres"));
    postgres
        .arg("-D")
        .arg(data.join("postgres"))
        .arg("-k")
        .arg(data.join("run"))
        .args(["-c", "listen_addresses="]);
    let child = postgres.stderr(Stdio::null()).spawn().unwrap();
    let ready = || super::postmaster::read(&data.join("postgres")).is_some_and(|found| found.ready);
    while !ready() {
        std::thread::yield_now();
    }
    child
}

#[tokio::test]
async fn a_stale_process_id_that_now_belongs_to_another_program_is_no_obstacle() {
    let directory = directory();
    Cluster::start(&options(directory.path())).await.unwrap().stop().await.unwrap();
    let account = Account::choose("postgres").unwrap();
    // PostgreSQL itself believes any living process of its own account.
    let mut other = account.command("sleep".as_ref()).arg("60").spawn().unwrap();
    let data = directory.path().join("data");
    let stale = data.join("postgres/postmaster.pid");
    std::fs::write(&stale, format!("{}\n{}\n", other.id(), data.join("postgres").display())).unwrap();
    account.own(&stale).unwrap();

    let cluster = Cluster::start(&options(directory.path())).await.unwrap();
    assert_eq!(sql(&cluster, "SELECT 1"), "1");
    cluster.stop().await.unwrap();
    other.kill().unwrap();
    other.wait().unwrap();
}

#[tokio::test]
async fn two_perfblames_do_not_share_a_data_directory() {
    let directory = directory();
    let cluster = Cluster::start(&options(directory.path())).await.unwrap();
    let error = Cluster::start(&options(directory.path())).await.unwrap_err();
    assert!(matches!(error, ClusterError::InUse { .. }), "{error}");
    assert_eq!(sql(&cluster, "SELECT 1"), "1", "the first one is not disturbed");
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_long_path_with_blanks_works() {
    let directory = directory();
    let deep = directory.path().join("Application Support").join("d".repeat(100));
    std::fs::create_dir_all(&deep).unwrap();
    let cluster = Cluster::start(&options(&deep)).await.unwrap();
    assert!(cluster.url().contains("host=/tmp/perfblame-"), "{}", cluster.url());
    assert_eq!(sql(&cluster, "SELECT 1"), "1");
    let elsewhere = cluster.socket_dir().to_owned();
    cluster.stop().await.unwrap();
    std::fs::remove_dir_all(elsewhere).unwrap();
}

#[tokio::test]
async fn an_interrupted_creation_is_begun_again() {
    let directory = directory();
    let unfinished = directory.path().join("data/postgres.unfinished");
    std::fs::create_dir_all(unfinished.join("base")).unwrap();
    std::fs::write(unfinished.join("PG_VERSION"), "15\n").unwrap();
    let cluster = Cluster::start(&options(directory.path())).await.unwrap();
    assert_eq!(sql(&cluster, "SELECT 1"), "1");
    assert!(!unfinished.exists());
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn root_is_told_which_directory_postgres_cannot_enter() {
    if !super::account::is_root().unwrap() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    std::fs::set_permissions(directory.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
    let error = Cluster::start(&options(directory.path())).await.unwrap_err();
    let ClusterError::Unreachable { directory: named, .. } = &error else { panic!("{error}") };
    assert_eq!(named, &std::fs::canonicalize(directory.path()).unwrap());
}
