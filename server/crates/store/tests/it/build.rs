//! Values to store, in a line each. Ids and times are counted, never drawn, so that a failure repeats.

use chrono::{DateTime, TimeDelta, Utc};
use model::verdict::Summary;
use model::{
    Benchmark, BenchmarkKey, Better, BranchName, CallTreeBuilder, CommitSha, Confidence, Event, Finding,
    FindingOutcome, Measure, MeasureName, Measurement, Node, Outcome, Profile, ProfileId, ProjectId,
    ProjectSlug, Role, RunId, Status, TestbedName, Unit, Verdict,
};
use serde_json::json;
use store::PgConnection;
use store::runs::{NewProfile, NewRun, Run};
use uuid::Uuid;

/// Minutes after the start of all tests.
pub(crate) fn at(minute: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_764_583_200, 0).unwrap() + TimeDelta::minutes(minute)
}

pub(crate) fn run_id(n: u128) -> RunId {
    RunId::from_uuid(Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_0000 + n))
}

pub(crate) fn profile_id(n: u128) -> ProfileId {
    ProfileId::from_uuid(Uuid::from_u128(0x0193_0000_0000_7000_8000_0000_0000_0000 + n))
}

pub(crate) async fn project(conn: &mut PgConnection, slug: &str) -> ProjectId {
    let id = ProjectId::from_uuid(Uuid::from_u128(u128::from(slug.as_bytes()[0])));
    let slug = ProjectSlug::parse(slug).unwrap();
    store::projects::upsert(conn, id, &slug, at(0)).await.unwrap().id
}

pub(crate) fn key(name: &str, parameters: &[(&str, &str)]) -> BenchmarkKey {
    let parameters = parameters.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    BenchmarkKey { name: model::BenchmarkName::parse(name).unwrap(), parameters }
}

pub(crate) fn time() -> Measure {
    Measure { name: MeasureName::parse("ns/op").unwrap(), unit: Unit::Nanoseconds, better: Better::Lower }
}

pub(crate) fn throughput() -> Measure {
    Measure {
        name: MeasureName::parse("op rate").unwrap(),
        unit: Unit::PerSecond("op".to_owned()),
        better: Better::Higher,
    }
}

pub(crate) fn measured(measure: Measure, observations: &[f64]) -> Measurement {
    Measurement::new(measure, observations.to_vec())
}

pub(crate) fn benchmark(name: &str, observations: &[f64]) -> Benchmark {
    Benchmark {
        key: key(name, &[]),
        kind: None,
        status: Status::Ok,
        measurements: vec![measured(time(), observations)],
    }
}

/// The `n`-th run of a project: commit `commit`, on `main` and testbed `ci`, begun `n` minutes in.
pub(crate) fn run(project: ProjectId, n: u128, commit: &str, parents: &[&str]) -> NewRun {
    NewRun {
        id: run_id(n),
        project_id: project,
        idempotency_key: None,
        branch: BranchName::parse("main").unwrap(),
        commit: CommitSha::parse(commit).unwrap(),
        parents: parents.iter().map(|sha| CommitSha::parse(sha).unwrap()).collect(),
        committed_at: None,
        testbed: TestbedName::parse("ci").unwrap(),
        role: Role::Measured,
        started_at: at(n as i64),
        received_at: at(n as i64 + 1),
        pull_request: None,
        base: None,
        environment: json!({"cpu": "x", "cores": 8}),
        labels: json!({}),
        benchmarks: vec![benchmark("read", &[10.0, 11.0, 12.0])],
        profiles: Vec::new(),
    }
}

pub(crate) fn on_branch(mut run: NewRun, branch: &str) -> NewRun {
    run.branch = BranchName::parse(branch).unwrap();
    run
}

/// Stores a run and reads it back without what it measured.
pub(crate) async fn stored(conn: &mut PgConnection, run: &NewRun) -> Run {
    assert_eq!(store::runs::create(conn, run).await.unwrap(), store::runs::Created::New);
    store::runs::find(conn, run.project_id, run.id).await.unwrap().unwrap()
}

pub(crate) fn profile(stacks: &[(&[&str], u64)]) -> Profile {
    let mut builder = CallTreeBuilder::new();
    for (stack, samples) in stacks {
        let leaf = stack.iter().fold(Node::ROOT, |at, name| {
            let frame = builder.frame(name, Some("app"), None);
            builder.child(at, frame, false)
        });
        builder.add(leaf, *samples, *samples as f64 * 1e7);
    }
    let mut profile =
        Profile::new(Event { name: "cpu".to_owned(), unit: Unit::Nanoseconds }, builder.finish());
    profile.rules_version = 1;
    profile
}

pub(crate) fn new_profile(n: u128, stacks: &[(&[&str], u64)]) -> NewProfile {
    NewProfile { id: profile_id(n), profile: profile(stacks) }
}

fn level(median: f64) -> Summary {
    Summary { n: 5, median, lo: median * 0.99, hi: median * 1.01, min: median * 0.98, max: median * 1.02 }
}

pub(crate) fn finding(name: &str, outcome: FindingOutcome, base: f64, head: f64) -> Finding {
    Finding {
        benchmark: key(name, &[]),
        kind: None,
        measure: time(),
        outcome,
        confidence: Confidence::Confirmed,
        base: Some(level(base)),
        head: Some(level(head)),
        change: Some(head / base - 1.0),
        change_interval: None,
        test: None,
        p: Some(0.1 + 0.2),
        p_adjusted: None,
        floor: 0.05,
        smallest_visible: None,
        reason: "past the 5 % floor".to_owned(),
    }
}

pub(crate) fn verdict(outcome: Outcome, findings: Vec<Finding>) -> Verdict {
    Verdict {
        outcome,
        confidence: Confidence::Confirmed,
        sentence: format!("{} benchmarks judged", findings.len()),
        baseline: None,
        findings,
        profiles: Vec::new(),
        budgets: Vec::new(),
        notes: Vec::new(),
        rules_version: 1,
    }
}
