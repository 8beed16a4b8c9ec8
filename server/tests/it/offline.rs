//! The command line, as a process: what it prints and its exit codes.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::app::tar;

fn perfblame(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_perfblame"))
        .args(arguments)
        .env_remove("PERFBLAME_URL")
        .env_remove("DATABASE_URL")
        .output()
        .unwrap()
}

fn demo(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/demo");
    root.join(path).to_string_lossy().into_owned()
}

fn temporary(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

#[test]
fn a_regression_exits_1_and_says_so_first() {
    let (off, on) = (demo("cassandra-14318/debug-off.txt"), demo("cassandra-14318/debug-on.txt"));
    let run = perfblame(&["compare", "--base", &off, "--head", &on]);
    let text = String::from_utf8_lossy(&run.stdout);
    assert_eq!(run.status.code(), Some(1), "{text}");
    assert!(text.starts_with("REGRESSED: ") && text.contains("\u{2212}47.2 %"), "{text}");
}

#[test]
fn an_unchanged_side_exits_0_and_the_other_way_round_is_no_regression() {
    let (off, fixed) = (demo("cassandra-14318/debug-off.txt"), demo("cassandra-14318/debug-on-with-fix.txt"));
    assert_eq!(perfblame(&["compare", "--base", &off, "--head", &fixed]).status.code(), Some(0));
    let on = demo("cassandra-14318/debug-on.txt");
    assert_eq!(perfblame(&["compare", "--base", &on, "--head", &off]).status.code(), Some(0));
}

#[test]
fn a_file_with_two_columns_gives_both_sides() {
    let table = demo("hdds-15592/threads-by-size.txt");
    let run = perfblame(&["compare", "--base", &table, "--head", &table]);
    let text = String::from_utf8_lossy(&run.stdout);
    assert_eq!(run.status.code(), Some(0), "{text}");
    assert!(text.starts_with("IMPROVED: "), "{text}");
}

#[test]
fn json_markdown_and_html_hold_the_same_verdict() {
    let (a, b) = (demo("stand-ins/java-debug-log/a"), demo("stand-ins/java-debug-log/b"));
    let folder = tempfile::tempdir().unwrap();
    let html = folder.path().join("report.html");
    let run = perfblame(&["compare", "--base", &b, "--head", &a, "--json", "--html", html.to_str().unwrap()]);
    let verdict: model::Verdict = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(verdict.suspects().next().unwrap().frame, "PagerReads$Pager.logPage");
    let page = std::fs::read_to_string(html).unwrap();
    assert!(page.contains("PagerReads$Pager.logPage") && page.matches("<svg").count() >= 3);
    assert!(
        !page.contains("<script src") && !page.contains("<link rel=\"stylesheet\""),
        "not self-contained"
    );
    let markdown = perfblame(&["compare", "--base", &b, "--head", &a, "--markdown"]);
    assert!(String::from_utf8_lossy(&markdown.stdout).contains("PagerReads$Pager.logPage"));
}

#[test]
fn wrong_usage_and_unreadable_files_exit_2_and_name_the_file() {
    let (_folder, prose) = temporary("prose.txt", "it was a dark and stormy night\n");
    let good = demo("cassandra-14318/debug-off.txt");
    let run = perfblame(&["compare", "--base", prose.to_str().unwrap(), "--head", &good]);
    let said = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{said}");
    assert!(said.contains("prose.txt"), "{said}");
    assert_eq!(perfblame(&["compare"]).status.code(), Some(2));
}

#[test]
fn an_unreachable_server_exits_3() {
    let file = demo("cassandra-14318/debug-off.txt");
    // Port 9 of the loopback address: nothing listens there.
    let run = perfblame(&["push", &file, "--project", "kv", "--url", "http://127.0.0.1:9"]);
    assert_eq!(run.status.code(), Some(3), "{}", String::from_utf8_lossy(&run.stdout));
}

#[test]
fn inspect_shows_what_is_read() {
    let run = perfblame(&["inspect", &demo("stand-ins/go-eager-debug-args/a/cpu.pb.gz")]);
    let shown: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!((&shown["format"], &shown["profiles"][0]["event"]), (&"pprof".into(), &"cpu".into()));
    assert!(shown["profiles"][0]["samples"].as_u64().unwrap() > 400, "{shown:#}");
    let run = perfblame(&["inspect", &demo("stand-ins/rust-copy-twice/a/runs.txt")]);
    let shown: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(shown["benchmarks"][0]["measures"]["MiB_per_s"]["observations"].as_array().unwrap().len(), 7);
}

fn inspected(file: &Path) -> serde_json::Value {
    let run = perfblame(&["inspect", file.to_str().unwrap()]);
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
    serde_json::from_slice(&run.stdout).unwrap()
}

fn archive(members: &[(&str, &[u8])]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.tar");
    std::fs::write(&path, tar(members)).unwrap();
    (folder, path)
}

#[test]
fn an_archive_stands_for_the_files_in_it_and_says_which_it_cannot_read() {
    let runs = std::fs::read(demo("stand-ins/rust-copy-twice/a/runs.txt")).unwrap();
    let profile = std::fs::read(demo("stand-ins/go-eager-debug-args/a/cpu.pb.gz")).unwrap();
    let (_folder, path) = archive(&[
        ("out/runs.txt", &runs),
        ("out/notes.md", b"Nothing was measured today."),
        ("out/.hidden", b"x"),
        ("out/cpu.pb.gz", &profile),
    ]);
    let shown = inspected(&path);
    assert_eq!((&shown["format"], &shown["remarks"]), (&"archive".into(), &1.into()), "{shown:#}");
    assert!(shown["warnings"][0].as_str().unwrap().starts_with("results.tar/out/notes.md: "), "{shown:#}");
    assert_eq!(shown["members"].as_array().unwrap().len(), 2);
    assert_eq!(shown["members"][1]["file"], "results.tar/out/cpu.pb.gz");
    assert_eq!(shown["benchmarks"].as_array().unwrap().len(), 1);
    assert_eq!(shown["profiles"][0]["event"], "cpu");
}

#[test]
fn an_archive_without_a_readable_file_is_refused() {
    let (_folder, path) = archive(&[("a.txt", b"Nothing was measured today.")]);
    let run = perfblame(&["inspect", path.to_str().unwrap()]);
    let text = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{text}");
    assert!(text.contains("no file of the archive can be read") && text.contains("a.txt"), "{text}");
}

#[test]
fn inspect_shows_the_points_of_a_history_and_compare_refuses_them() {
    let (_folder, path) =
        temporary("history.csv", "commit,date,benchmark,time_ms\nc1,2026-01-01,a,5\nc2,2026-01-02,a,6\n");
    let shown = inspected(&path);
    assert_eq!(
        (&shown["history"][0]["commit"], &shown["history"][1]["commit"]),
        (&"c1".into(), &"c2".into())
    );
    let file = path.to_str().unwrap();
    let run = perfblame(&["compare", "--base", file, "--head", file]);
    let text = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.code() == Some(2) && text.contains("perfblame import"), "{text}");
}
