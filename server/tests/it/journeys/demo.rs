//! Every demo case posted as CI would, and read back as verdict, page, Markdown and charts. The verdict of the
//! server and of the offline comparison is one and the same value.

use axum::http::{Method, StatusCode};
use frames::Rules;
use model::{FindingOutcome, Outcome, Verdict};
use perfblame::demo::{Case, CaseRun, Pair, cases};
use perfblame::ingest::read_files;
use serde_json::json;

use crate::app::TestApp;

/// Posts a case's policy and runs over HTTP.
async fn post_case(app: &TestApp, case: &Case) {
    let project = &case.project;
    let policy = serde_json::to_string(&case.policy).unwrap();
    let saved = app.send(Method::PUT, &format!("/api/v1/projects/{project}/policy"), &[], policy).await;
    assert_eq!(saved.status, StatusCode::OK, "{}", saved.text());
    for run in &case.runs {
        let answer = post_run(app, project.as_str(), run).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{project}: {}", answer.text());
    }
}

async fn post_run(app: &TestApp, project: &str, run: &CaseRun) -> crate::app::Answer {
    let files = run.files();
    let hints: serde_json::Map<String, serde_json::Value> = files
        .iter()
        .map(|file| {
            let h = &file.hints;
            let hints = json!({"format": h.format, "column": h.column, "benchmark": h.benchmark, "kind": h.kind,
                "event": h.event, "unit": h.unit, "operations": h.operations});
            (file.name.clone().unwrap(), hints)
        })
        .collect();
    let meta = json!({"commit": run.meta.commit, "parents": run.meta.parents, "branch": run.meta.branch,
        "testbed": run.meta.testbed, "labels": run.meta.labels, "files": hints});
    let parts: Vec<_> =
        files.iter().map(|file| ("benchmark", file.name.as_deref().unwrap(), &file.bytes[..])).collect();
    app.upload(&format!("/api/v1/projects/{project}/runs"), &meta, &parts).await
}

/// The same two runs judged without any server.
fn offline(case: &Case, pair: &Pair) -> Verdict {
    let rules = Rules::new(&case.policy.categories);
    let side = |commit: &str| {
        let is_it = |run: &&CaseRun| run.meta.commit.as_ref().is_some_and(|sha| sha.as_str() == commit);
        let run = case.runs.iter().find(is_it).unwrap();
        read_files(&run.files(), &rules, &formats::Limits::default()).unwrap().run
    };
    detect::judge(Some(&side(&pair.base)), &side(&pair.head), &case.policy)
}

async fn compared(app: &TestApp, case: &Case, pair: &Pair) -> Verdict {
    let uri = format!("/api/v1/projects/{}/compare?base={}&head={}", case.project, pair.base, pair.head);
    serde_json::from_value(app.get(&uri).await.json()).unwrap()
}

fn outcome_of(expected: &str) -> String {
    expected.split([':', ';']).next().unwrap_or_default().to_owned()
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn every_case_comes_out_as_told_with_and_without_a_server(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    for (name, case) in cases().unwrap() {
        post_case(&app, &case).await;
        for pair in &case.compares {
            let mut served = compared(&app, &case, pair).await;
            assert_eq!(
                served.outcome.name(),
                outcome_of(&pair.expected),
                "{name} {pair:?}: {}",
                served.sentence
            );
            served.baseline = None;
            let offline = offline(&case, pair);
            // The sums may be taken in another order after a trip through the database; JSON shows all digits.
            assert_eq!(
                serde_json::to_value(&served).unwrap(),
                serde_json::to_value(&offline).unwrap(),
                "{name} {pair:?}"
            );
        }
    }
}

/// The verdict on one pair of one case, offline: the journey above shows that the server's is the same.
fn verdict(case: &str, base: &str, head: &str) -> Verdict {
    let case = cases().unwrap().remove(case).unwrap();
    let pair = Pair { base: base.to_owned(), head: head.to_owned(), expected: String::new() };
    offline(&case, &pair)
}

fn change(verdict: &Verdict, benchmark: &str, measure: &str) -> f64 {
    let finding = verdict
        .findings
        .iter()
        .find(|f| f.benchmark.name.as_str().contains(benchmark) && f.measure.name.as_str() == measure);
    finding.unwrap_or_else(|| panic!("{benchmark} {measure}")).change.unwrap()
}

#[test]
fn debug_logging_halves_the_reads_and_the_fix_brings_them_back() {
    let slow = verdict("cassandra-14318", "debug-off", "debug-on");
    assert_eq!((slow.outcome, slow.confidence.name()), (Outcome::Regressed, "likely"), "{}", slow.sentence);
    assert!((change(&slow, "total", "op rate") + 0.472).abs() < 0.001);
    let fixed = verdict("cassandra-14318", "debug-off", "debug-on-with-fix");
    assert_eq!(fixed.outcome, Outcome::Unchanged, "{}", fixed.sentence);
    assert!((change(&fixed, "total", "op rate") + 0.029).abs() < 0.001);
}

#[test]
fn the_logging_entered_from_log_page_explains_nearly_all() {
    let verdict = verdict("cassandra-14318", "pager-info", "pager-debug");
    let first = verdict.suspects().next().unwrap();
    assert_eq!(
        (first.frame.as_str(), first.category.name()),
        ("PagerReads$Pager.logPage", "logging"),
        "{first:#?}"
    );
    assert!(first.explained_share.unwrap() > 0.8, "{first:#?}");
    assert_eq!(first.called_from.as_deref(), Some("PagerReads$Pager.fetchPage"));
    assert_eq!(verdict.budgets.len(), 1);
}

#[test]
fn allocation_under_a_discarded_debug_call_is_charged_to_building_its_arguments() {
    let verdict = verdict("getty-147", "send-guarded", "send-eager");
    let first = verdict.suspects().next().unwrap();
    assert!(first.frame.ends_with("echo.describe"), "{first:#?}");
    assert!(
        first.of_which.iter().any(|(category, part)| category.name() == "allocation" && *part > 0.05),
        "{first:#?}"
    );
    let improved = self::verdict("getty-147", "before", "after");
    assert!(
        (change(&improved, "SessionWriteBytes/64", "sec/op") + 0.0748).abs() < 0.0005,
        "{}",
        improved.sentence
    );
}

#[test]
fn a_micro_gain_never_hides_an_end_to_end_loss() {
    let verdict = verdict("hdds-15592", "direct", "heap");
    assert_eq!(verdict.outcome, Outcome::Mixed);
    let said = &verdict.sentence;
    assert!(said.contains("end-to-end") && said.contains("micro"), "{said}");
    let worse: Vec<_> = verdict.with_outcome(FindingOutcome::Regressed).collect();
    assert!(worse.iter().all(|finding| finding.kind == Some(model::Kind::EndToEnd)), "{worse:#?}");
    let first = self::verdict("hdds-15592", "copy-once", "copy-twice");
    assert_eq!(first.suspects().next().unwrap().frame, "copytwice::copy_to_staging");
}

#[test]
fn a_category_of_the_project_is_counted_and_kept_to_its_budget() {
    let verdict = verdict("hdds-4119", "pager-lean", "pager-heavy");
    let categories = &verdict.profiles[0].categories;
    let buffers = categories.iter().find(|cost| cost.category.name() == "buffer management").unwrap();
    assert!(buffers.head > buffers.base, "{buffers:#?}");
    assert_eq!(verdict.budgets[0].subject, "buffer management");
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn verdict_page_markdown_and_charts_of_every_run_are_readable(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    for (name, case) in cases().unwrap() {
        post_case(&app, &case).await;
        let project = &case.project;
        let list = app.get(&format!("/api/v1/projects/{project}/runs")).await.json();
        let runs = list["items"].as_array().unwrap();
        assert_eq!(runs.len(), case.runs.len(), "{name}");
        for run in runs {
            let id = run["id"].as_str().unwrap();
            let page = app.get(&format!("/p/{project}/runs/{id}")).await;
            assert_eq!(page.status, StatusCode::OK, "{name}: {}", page.text());
            assert!(page.text().contains("<svg") || run["verdict"] == "no-baseline", "{name} {id}");
            let markdown =
                app.get(&format!("/api/v1/projects/{project}/runs/{id}?format=markdown")).await.text();
            assert!(markdown.starts_with("### ") && markdown.contains("perfblame"), "{markdown}");
            if run["verdict"] != "no-baseline" {
                let svg = app.get(&format!("/p/{project}/runs/{id}/comparison.svg")).await;
                crate::web::assert_well_formed(&svg.text());
                let png = app.get(&format!("/p/{project}/runs/{id}/comparison.png")).await;
                assert!(png.bytes.starts_with(b"\x89PNG\r\n"), "{}", png.text());
            }
        }
    }
}
