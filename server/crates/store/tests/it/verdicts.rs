use model::{Confidence, FindingOutcome, Outcome};
use store::{Pool, StoreError, verdicts};

use crate::build::{at, finding, project, run, run_id, stored, verdict};

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_verdict_reads_back_to_the_last_digit(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    stored(&mut conn, &run(a, 1, "c1", &[])).await;
    stored(&mut conn, &run(a, 2, "c2", &["c1"])).await;
    assert_eq!(verdicts::find(&mut conn, a, run_id(2)).await.unwrap(), None);
    let mut given = verdict(
        Outcome::Mixed,
        vec![
            finding("slow", FindingOutcome::Regressed, 10.0, 1.0 / 3.0 * 100.0),
            finding("fast", FindingOutcome::Improved, 10.0, 1e-300),
            finding("same", FindingOutcome::Unchanged, 10.0, 10.1),
        ],
    );
    verdicts::save(&mut conn, a, run_id(2), Some(run_id(1)), &given, at(5)).await.unwrap();
    let read = verdicts::find(&mut conn, a, run_id(2)).await.unwrap().unwrap();
    assert_eq!((&read.verdict, read.base_run, read.created_at), (&given, Some(run_id(1)), at(5)));
    let changes = verdicts::list_changes(&mut conn, a, run_id(2), 9).await.unwrap();
    let names: Vec<_> =
        changes.iter().map(|c| (c.benchmark.as_str(), c.measure.as_str(), c.outcome)).collect();
    assert_eq!(
        names,
        [("slow", "ns/op", FindingOutcome::Regressed), ("fast", "ns/op", FindingOutcome::Improved)]
    );
    assert_eq!((changes[0].confidence, changes[0].change), (Confidence::Confirmed, given.findings[0].change));

    // Judged again, the new verdict takes the place of the old one.
    given.findings.truncate(1);
    given.outcome = Outcome::Regressed;
    verdicts::save(&mut conn, a, run_id(2), None, &given, at(6)).await.unwrap();
    let read = verdicts::find(&mut conn, a, run_id(2)).await.unwrap().unwrap();
    assert_eq!((read.verdict, read.base_run), (given, None));
    assert_eq!(verdicts::list_changes(&mut conn, a, run_id(2), 9).await.unwrap().len(), 1);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn nul_in_a_sentence_is_replaced(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    stored(&mut conn, &run(a, 1, "c1", &[])).await;
    let mut given = verdict(Outcome::NoBaseline, Vec::new());
    given.sentence = "fra\0me".to_owned();
    given.notes = vec!["a\\u0000b\0".to_owned()];
    verdicts::save(&mut conn, a, run_id(1), None, &given, at(5)).await.unwrap();
    let read = verdicts::find(&mut conn, a, run_id(1)).await.unwrap().unwrap().verdict;
    assert_eq!((read.sentence.as_str(), read.notes[0].as_str()), ("fra\u{fffd}me", "a\\u0000b\u{fffd}"));
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_verdict_belongs_to_a_run_of_its_project(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let (a, b) = (project(&mut conn, "a").await, project(&mut conn, "b").await);
    stored(&mut conn, &run(a, 1, "c1", &[])).await;
    stored(&mut conn, &run(b, 2, "c1", &[])).await;
    let given = verdict(Outcome::NoBaseline, Vec::new());
    let error = verdicts::save(&mut conn, b, run_id(1), None, &given, at(5)).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict { what: "no such run" }), "{error:?}");
    let error = verdicts::save(&mut conn, b, run_id(2), Some(run_id(1)), &given, at(5)).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict { what: "no such baseline run" }), "{error:?}");
    verdicts::save(&mut conn, a, run_id(1), None, &given, at(5)).await.unwrap();
    assert_eq!(verdicts::find(&mut conn, b, run_id(1)).await.unwrap(), None);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_verdict_of_another_version_is_an_error_that_names_its_column(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    stored(&mut conn, &run(a, 1, "c1", &[])).await;
    let given = verdict(Outcome::NoBaseline, Vec::new());
    verdicts::save(&mut conn, a, run_id(1), None, &given, at(5)).await.unwrap();
    sqlx::query("UPDATE verdict SET document = document - 'outcome'").execute(&mut *conn).await.unwrap();
    let error = verdicts::find(&mut conn, a, run_id(1)).await.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { table: "verdict", column: "document", .. }), "{error:?}");
}
