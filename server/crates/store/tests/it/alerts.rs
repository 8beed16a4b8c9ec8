use model::{Confidence, Finding, FindingOutcome, Outcome, ProjectId, Role};
use store::runs::NewRun;
use store::{PgConnection, Pool, alerts, verdicts};

use crate::build::{at, finding, key, on_branch, project, run, run_id, stored, throughput, verdict};

use FindingOutcome::{Improved, Regressed, Unchanged};

async fn judge(conn: &mut PgConnection, project: ProjectId, n: u128, findings: Vec<Finding>) {
    verdicts::save(conn, project, run_id(n), None, &verdict(Outcome::Mixed, findings), at(n as i64))
        .await
        .unwrap();
}

/// Open alerts as first run, last run.
async fn open(conn: &mut PgConnection, project: ProjectId) -> Vec<(String, u128, u128)> {
    let n = |id: model::RunId| id.as_uuid().as_u128() - run_id(0).as_uuid().as_u128();
    let list = alerts::list_open(conn, project, 99).await.unwrap();
    list.into_iter()
        .map(|alert| (alert.benchmark.to_string(), n(alert.first_run), n(alert.last_run)))
        .collect()
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_regression_stays_open_until_the_level_is_back(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let (a, b) = (project(&mut conn, "a").await, project(&mut conn, "b").await);
    for n in 1..=6 {
        stored(&mut conn, &run(a, n, &format!("c{n}"), &[])).await;
    }
    judge(&mut conn, a, 1, vec![finding("read", Regressed, 10.0, 20.0)]).await;
    assert_eq!(open(&mut conn, a).await, [("read".to_owned(), 1, 1)]);
    // No worse than the run before, which was slow already.
    judge(&mut conn, a, 2, vec![finding("read", Unchanged, 20.0, 20.1)]).await;
    assert_eq!(open(&mut conn, a).await, [("read".to_owned(), 1, 1)]);
    judge(&mut conn, a, 3, vec![finding("read", Regressed, 20.0, 30.0)]).await;
    assert_eq!(open(&mut conn, a).await, [("read".to_owned(), 1, 3)]);
    // Better, but not back: 12 is more than 5 % above 10.
    judge(&mut conn, a, 4, vec![finding("read", Improved, 30.0, 12.0)]).await;
    assert_eq!(open(&mut conn, a).await, [("read".to_owned(), 1, 3)]);
    judge(&mut conn, a, 5, vec![finding("read", Improved, 12.0, 10.4)]).await;
    assert_eq!(open(&mut conn, a).await, []);
    // A later regression is a new alert.
    judge(&mut conn, a, 6, vec![finding("read", Regressed, 10.0, 20.0)]).await;
    assert_eq!(open(&mut conn, a).await, [("read".to_owned(), 6, 6)]);
    assert_eq!(open(&mut conn, b).await, []);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn more_is_better_turns_the_rule_round(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    for n in 1..=3 {
        stored(&mut conn, &run(a, n, &format!("c{n}"), &[])).await;
    }
    let rate =
        |outcome, base, head| Finding { measure: throughput(), ..finding("read", outcome, base, head) };
    judge(&mut conn, a, 1, vec![rate(Regressed, 100.0, 50.0)]).await;
    judge(&mut conn, a, 2, vec![rate(Improved, 50.0, 90.0)]).await;
    assert_eq!(open(&mut conn, a).await.len(), 1);
    judge(&mut conn, a, 3, vec![rate(Improved, 50.0, 200.0)]).await;
    assert_eq!(open(&mut conn, a).await, []);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_run_judged_again_opens_nothing_twice_and_takes_back_its_own_alert(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    stored(&mut conn, &run(a, 1, "c1", &[])).await;
    for _ in 0..2 {
        judge(&mut conn, a, 1, vec![finding("read", Regressed, 10.0, 20.0)]).await;
        assert_eq!(open(&mut conn, a).await, [("read".to_owned(), 1, 1)]);
    }
    judge(&mut conn, a, 1, vec![finding("read", Unchanged, 10.0, 20.0)]).await;
    assert_eq!(open(&mut conn, a).await, []);
    judge(&mut conn, a, 1, vec![finding("read", Regressed, 10.0, 20.0)]).await;
    assert_eq!(open(&mut conn, a).await.len(), 1);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn an_old_run_sent_late_neither_resolves_nor_reopens(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    for n in [1, 5, 6] {
        stored(&mut conn, &run(a, n, &format!("c{n}"), &[])).await;
    }
    judge(&mut conn, a, 5, vec![finding("read", Regressed, 10.0, 20.0)]).await;
    judge(&mut conn, a, 1, vec![finding("read", Unchanged, 10.0, 10.0)]).await;
    assert_eq!(open(&mut conn, a).await, [("read".to_owned(), 5, 5)]);
    judge(&mut conn, a, 6, vec![finding("read", Improved, 20.0, 10.0)]).await;
    judge(&mut conn, a, 5, vec![finding("read", Regressed, 10.0, 20.0)]).await;
    assert_eq!(open(&mut conn, a).await, []);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn pull_requests_other_roles_and_noise_open_nothing(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    stored(&mut conn, &NewRun { pull_request: Some(7), ..run(a, 1, "c1", &[]) }).await;
    stored(&mut conn, &NewRun { role: Role::Confirming, ..run(a, 2, "c1", &[]) }).await;
    stored(&mut conn, &run(a, 3, "c1", &[])).await;
    judge(&mut conn, a, 1, vec![finding("read", Regressed, 10.0, 20.0)]).await;
    judge(&mut conn, a, 2, vec![finding("read", Regressed, 10.0, 20.0)]).await;
    let noise = Finding { confidence: Confidence::Noise, ..finding("read", Regressed, 10.0, 20.0) };
    judge(&mut conn, a, 3, vec![noise]).await;
    assert_eq!(open(&mut conn, a).await, []);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn branches_have_alerts_of_their_own(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    stored(&mut conn, &run(a, 1, "c1", &[])).await;
    stored(&mut conn, &on_branch(run(a, 2, "c2", &[]), "release")).await;
    judge(&mut conn, a, 1, vec![finding("read", Regressed, 10.0, 20.0)]).await;
    judge(&mut conn, a, 2, vec![finding("read", Improved, 20.0, 10.0)]).await;
    let list = alerts::list_open(&mut conn, a, 9).await.unwrap();
    assert_eq!(list.len(), 1);
    assert_eq!((list[0].branch.as_str(), list[0].testbed.as_str()), ("main", "ci"));
    assert_eq!((&list[0].benchmark, list[0].change), (&key("read", &[]), Some(1.0)));
}
