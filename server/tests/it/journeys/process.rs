//! The service as a process: starts on a database, takes a push, and stops without losing what it acknowledged.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// A served perfblame that is stopped when dropped.
pub(super) struct Served {
    child: Child,
    pub(super) url: String,
}

impl Served {
    /// Starts a command that serves on a free port of the loopback address and waits for its link.
    pub(super) fn start(command: &str, pool: &sqlx::PgPool) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_perfblame"))
            .args([command, "--listen", "127.0.0.1:0", "--database-url", &database_url(pool)])
            .env("RUST_LOG", "warn")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines.map(Result::unwrap).find(|line| line.contains("perfblame is ready")).unwrap();
        let url = line.split_whitespace().find(|word| word.starts_with("http")).unwrap();
        Self { child, url: url.trim_end_matches('/').to_owned() }
    }

    /// Asks it to stop and waits.
    pub(super) fn stop(mut self) -> Option<i32> {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // Already gone after `stop`.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The address of a test's own database.
fn database_url(pool: &sqlx::PgPool) -> String {
    let base = std::env::var("DATABASE_URL").unwrap();
    let name = pool.connect_options().get_database().unwrap().to_owned();
    let (before, query) =
        base.split_once('?').map_or((base.as_str(), String::new()), |(a, b)| (a, format!("?{b}")));
    let at = before.rfind('/').unwrap();
    format!("{}/{name}{query}", &before[..at])
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_push_is_judged_and_survives_the_stop(pool: sqlx::PgPool) {
    let served = Served::start("serve", &pool);
    let folder = tempfile::tempdir().unwrap();
    let push = |commit: &str, rate: f64| {
        let file = folder.path().join("runs.txt");
        let text: String = (0..5).map(|i| format!("ops_per_s={}\n", rate + f64::from(i))).collect();
        std::fs::write(&file, text).unwrap();
        let run = Command::new(env!("CARGO_BIN_EXE_perfblame"))
            .args(["push", file.to_str().unwrap(), "--project", "kv", "--url", &served.url])
            .args(["--commit", commit, "--branch", "main", "--parents", if commit == "b" { "a" } else { "" }])
            .output()
            .unwrap();
        (run.status.code(), String::from_utf8_lossy(&run.stdout).into_owned())
    };
    let (first, text) = push("a", 1000.0);
    assert_eq!(first, Some(2), "nothing to compare with is not green: {text}");
    assert!(text.starts_with("NO-BASELINE"), "{text}");
    let (second, text) = push("b", 500.0);
    assert_eq!(second, Some(1), "{text}");
    assert!(text.contains("REGRESSED") && text.contains("/p/kv/runs/"), "{text}");
    let health = Command::new(env!("CARGO_BIN_EXE_perfblame"))
        .args(["health", "--url", &served.url])
        .status()
        .unwrap();
    assert!(health.success());
    assert_eq!(served.stop(), Some(0));
    let verdicts: i64 = sqlx::query_scalar("SELECT count(*) FROM verdict").fetch_one(&pool).await.unwrap();
    assert_eq!(verdicts, 2);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_history_is_imported_once(pool: sqlx::PgPool) {
    let served = Served::start("serve", &pool);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("history.csv");
    let import = |rows: &[&str], more: &[&str]| {
        let text = format!("commit,date,benchmark,time_ms\n{}\n", rows.join("\n"));
        std::fs::write(&file, text).unwrap();
        let run = Command::new(env!("CARGO_BIN_EXE_perfblame"))
            .args(["import", file.to_str().unwrap(), "--project", "kv", "--url", &served.url])
            .args(more)
            .output()
            .unwrap();
        let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        (run.status.code(), format!("{out}{err}"))
    };
    let rows = ["c2,2026-01-02,a,6", "c1,2026-01-01,a,5", "c1,2026-01-01,a,5.5", "c3,2026-01-03,a,7"];
    let (dry, text) = import(&rows[..3], &["--dry-run"]);
    assert_eq!(dry, Some(0), "{text}");
    assert!(text.contains("2 points would be imported into kv"), "{text}");
    let (first, text) = import(&rows[..3], &[]);
    assert_eq!(first, Some(0), "{text}");
    assert!(text.contains("imported 2 of 2 points") && text.contains("1/2 import c1 main"), "{text}");
    let (again, text) = import(&rows, &[]);
    assert_eq!(again, Some(0), "{text}");
    assert!(text.contains("imported 1 of 3 points; 2 were known already"), "{text}");
    assert_eq!(served.stop(), Some(0));
    let runs: i64 = sqlx::query_scalar("SELECT count(*) FROM run").fetch_one(&pool).await.unwrap();
    assert_eq!(runs, 3);
}
