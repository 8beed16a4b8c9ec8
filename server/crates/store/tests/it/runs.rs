use model::{BranchName, CommitSha, Kind, Outcome, Role, Status};
use serde_json::json;
use store::runs::{self, Created, RunFilter};
use store::{Pool, StoreError};

use crate::build::{
    at, benchmark, key, measured, new_profile, on_branch, project, run, run_id, stored, throughput, time,
    verdict,
};

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_run_reads_back_as_it_was_sent(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    let mut new = run(a, 1, "c1", &["p1", "p2"]);
    new.idempotency_key = Some("k".to_owned());
    new.committed_at = Some(at(-5));
    new.role = Role::Profiled;
    new.pull_request = Some(7);
    new.base = Some("main".to_owned());
    new.labels = json!({"job": "https://ci/1"});
    let mut twice = benchmark("send", &[3.0]);
    twice.key = key("send", &[("size", "64"), ("threads", "2")]);
    twice.kind = Some(Kind::Micro);
    twice.measurements = vec![measured(throughput(), &[0.1 + 0.2, 1e300, 5e-324]), measured(time(), &[2.0])];
    twice.measurements[1].summarised = true;
    let mut failed = benchmark("broken", &[]);
    failed.status = Status::Failed("exit status 1".to_owned());
    failed.measurements.clear();
    let mut empty = benchmark("empty", &[]);
    empty.measurements.clear();
    // Neither order nor the failed one's place is that of any name or number.
    new.benchmarks = vec![twice, failed, benchmark("a", &[1.0]), empty, benchmark("A", &[9.0, 8.0])];
    let read = stored(&mut conn, &new).await;

    assert_eq!(runs::load_benchmarks(&mut conn, a, new.id).await.unwrap(), new.benchmarks);
    assert_eq!(read.parents, new.parents);
    assert_eq!((read.commit, read.branch, read.testbed), (new.commit, new.branch, new.testbed));
    assert_eq!((read.role, read.pull_request, read.base), (new.role, new.pull_request, new.base));
    assert_eq!((read.environment, read.labels), (new.environment, new.labels));
    assert_eq!((read.started_at, read.received_at), (new.started_at, new.received_at));
    assert_eq!(read.committed_at, new.committed_at);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn the_same_key_twice_is_the_same_run_once(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let (a, b) = (project(&mut conn, "a").await, project(&mut conn, "b").await);
    let mut first = run(a, 1, "c1", &[]);
    first.idempotency_key = Some("job-1".to_owned());
    let second = runs::NewRun { id: run_id(2), ..first.clone() };
    assert_eq!(runs::create(&mut conn, &first).await.unwrap(), Created::New);
    assert_eq!(runs::create(&mut conn, &second).await.unwrap(), Created::Existing(first.id));
    assert_eq!(runs::find_by_idempotency_key(&mut conn, a, "job-1").await.unwrap(), Some(first.id));
    // Another project may use the same key, and even the same id.
    let elsewhere = runs::NewRun { project_id: b, ..first.clone() };
    assert_eq!(runs::create(&mut conn, &elsewhere).await.unwrap(), Created::New);
    assert_eq!(runs::list(&mut conn, a, &RunFilter::default(), 9).await.unwrap().len(), 1);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_dropped_transaction_leaves_nothing(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    let mut new = run(a, 1, "c1", &[]);
    new.profiles = vec![new_profile(1, &[(&["main"], 1)])];
    let mut transaction = store::begin(&pool).await.unwrap();
    stored(&mut transaction, &new).await;
    drop(transaction);
    assert_eq!(runs::find(&mut conn, a, new.id).await.unwrap(), None);
    for table in
        ["run", "branch", "testbed", "commit", "benchmark", "measure", "series", "metric", "profile", "frame"]
    {
        let count = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
        let (rows,): (i64,) = sqlx::query_as(count).fetch_one(&mut *conn).await.unwrap();
        assert_eq!(rows, 0, "{table}");
    }
    let mut transaction = store::begin(&pool).await.unwrap();
    stored(&mut transaction, &new).await;
    store::commit(transaction).await.unwrap();
    assert!(runs::find(&mut conn, a, new.id).await.unwrap().is_some());
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn contradictions_are_conflicts_that_say_what(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    let new = run(a, 1, "c1", &[]);
    stored(&mut conn, &new).await;
    let error = runs::create(&mut conn, &new).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict { what: "a run with this id exists" }), "{error:?}");
    let mut twice = run(a, 2, "c1", &[]);
    twice.benchmarks[0].measurements = vec![measured(time(), &[1.0]), measured(time(), &[2.0])];
    let error = runs::create(&mut conn, &twice).await.unwrap_err();
    assert!(
        matches!(error, StoreError::Conflict { what: "a benchmark has the same measure twice" }),
        "{error:?}"
    );
    let mut none = run(a, 3, "c1", &[]);
    none.benchmarks[0].measurements = vec![measured(time(), &[])];
    let error = runs::create(&mut conn, &none).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict { what: "a measure has no observations" }), "{error:?}");
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn nul_from_outside_is_replaced_and_never_an_error(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    let mut new = run(a, 1, "c1", &[]);
    new.environment = json!({"c\0pu": ["\0", 1]});
    new.labels = json!("\\u0000 \0");
    new.base = Some("ma\0in".to_owned());
    new.idempotency_key = Some("k\0".to_owned());
    new.benchmarks[0].key = key("read", &[("si\0ze", "\0")]);
    new.benchmarks[0].status = Status::Failed("died\0".to_owned());
    let read = stored(&mut conn, &new).await;
    assert_eq!(read.environment, json!({"c\u{fffd}pu": ["\u{fffd}", 1]}));
    assert_eq!(read.labels, json!("\\u0000 \u{fffd}"));
    assert_eq!(read.base.as_deref(), Some("ma\u{fffd}in"));
    assert_eq!(runs::find_by_idempotency_key(&mut conn, a, "k\0").await.unwrap(), Some(new.id));
    let benchmarks = runs::load_benchmarks(&mut conn, a, new.id).await.unwrap();
    assert_eq!(benchmarks[0].key, key("read", &[("si\u{fffd}ze", "\u{fffd}")]));
    assert_eq!(benchmarks[0].status, Status::Failed("died\u{fffd}".to_owned()));
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn runs_are_found_by_id_commit_branch_and_prefix(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let (a, b) = (project(&mut conn, "a").await, project(&mut conn, "b").await);
    let sha = "6995e2d0aa";
    stored(&mut conn, &run(a, 1, sha, &[])).await;
    let mut profiled = run(a, 2, sha, &[]);
    profiled.role = Role::Profiled;
    stored(&mut conn, &profiled).await;
    stored(&mut conn, &on_branch(run(a, 3, "6995e2d0ab", &[]), "feature/x")).await;
    for (text, found) in [
        (run_id(2).to_string().as_str(), Some(2)),
        (sha, Some(1)),
        ("main", Some(1)),
        ("feature/x", Some(3)),
        ("6995e2d0ab", Some(3)),
        ("6995e2d", None),
        ("6995e2", None),
        ("6995e2_", None),
        ("", None),
        ("\0", None),
        (run_id(77).to_string().as_str(), None),
    ] {
        assert_eq!(runs::resolve(&mut conn, a, text).await.unwrap(), found.map(run_id), "{text:?}");
        assert_eq!(runs::resolve(&mut conn, b, text).await.unwrap(), None, "{text:?}");
    }
    stored(&mut conn, &run(b, 1, "abcdef0123", &[])).await;
    assert_eq!(runs::resolve(&mut conn, b, "abcdef01").await.unwrap(), Some(run_id(1)));
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn pages_follow_each_other_without_gap_or_overlap(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let (a, b) = (project(&mut conn, "a").await, project(&mut conn, "b").await);
    for n in 1..=7 {
        stored(&mut conn, &run(a, n, "c1", &[])).await;
    }
    stored(&mut conn, &run(b, 8, "c1", &[])).await;
    let mut seen = Vec::new();
    let mut filter = RunFilter::default();
    loop {
        let page = runs::list(&mut conn, a, &filter, 3).await.unwrap();
        let Some(last) = page.last() else { break };
        filter.before = Some(last.run.id);
        seen.extend(page.into_iter().map(|overview| overview.run.id));
    }
    let expected: Vec<_> = (1..=7).rev().map(run_id).collect();
    assert_eq!(seen, expected);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn filters_narrow_a_list_each_by_its_own_field(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    stored(&mut conn, &run(a, 1, "c1", &[])).await;
    let mut other = on_branch(run(a, 2, "c2", &[]), "topic");
    other.pull_request = Some(7);
    other.testbed = model::TestbedName::parse("laptop").unwrap();
    other.profiles = vec![new_profile(1, &[(&["main"], 1)])];
    stored(&mut conn, &other).await;
    let unchanged = verdict(Outcome::Unchanged, Vec::new());
    store::verdicts::save(&mut conn, a, other.id, Some(run_id(1)), &unchanged, at(9)).await.unwrap();
    let any = RunFilter::default();
    for filter in [
        RunFilter { branch: Some(BranchName::parse("topic").unwrap()), ..any.clone() },
        RunFilter { testbed: Some(other.testbed.clone()), ..any.clone() },
        RunFilter { commit: Some(CommitSha::parse("c2").unwrap()), ..any.clone() },
        RunFilter { outcome: Some(Outcome::Unchanged), ..any.clone() },
        RunFilter { pull_request: Some(7), ..any.clone() },
    ] {
        let list = runs::list(&mut conn, a, &filter, 9).await.unwrap();
        assert_eq!(list.len(), 1, "{filter:?}");
        assert_eq!((list[0].run.id, list[0].n_benchmarks, list[0].n_profiles), (run_id(2), 1, 1));
        assert_eq!(list[0].outcome, Some(Outcome::Unchanged));
        assert_eq!(list[0].sentence.as_deref(), Some("0 benchmarks judged"));
    }
    let none = RunFilter { outcome: Some(Outcome::Regressed), ..any };
    assert_eq!(runs::list(&mut conn, a, &none, 9).await.unwrap(), []);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn parents_learned_later_are_kept_and_those_known_are_not_lost(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    assert!(stored(&mut conn, &run(a, 1, "c1", &[])).await.parents.is_empty());
    assert_eq!(stored(&mut conn, &run(a, 2, "c1", &["p"])).await.parents.len(), 1);
    assert_eq!(stored(&mut conn, &run(a, 3, "c1", &[])).await.parents.len(), 1);
}
