use model::{BranchName, FindingOutcome, MeasureName, Outcome, Role, TestbedName};
use store::runs::NewRun;
use store::series::{self, HistoryOf, SeriesFilter};
use store::{Pool, verdicts};

use crate::build::{
    at, benchmark, finding, key, measured, on_branch, project, run, run_id, stored, throughput, time, verdict,
};

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_history_is_the_last_points_of_one_branch_oldest_first(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let (a, b) = (project(&mut conn, "a").await, project(&mut conn, "b").await);
    // Sent in another order than they ran in.
    for n in [3, 1, 2, 4] {
        let benchmarks = vec![benchmark("read", &[n as f64 * 10.0, n as f64 * 10.0 + 2.0])];
        stored(&mut conn, &NewRun { benchmarks, ..run(a, n, &format!("c{n}"), &[]) }).await;
    }
    stored(&mut conn, &on_branch(run(a, 5, "t", &[]), "topic")).await;
    stored(&mut conn, &NewRun { role: Role::Profiled, ..run(a, 6, "c4", &[]) }).await;
    let worse = verdict(Outcome::Regressed, vec![finding("read", FindingOutcome::Regressed, 21.0, 31.0)]);
    verdicts::save(&mut conn, a, run_id(3), None, &worse, at(9)).await.unwrap();

    let of = HistoryOf {
        benchmark: &key("read", &[]),
        measure: &MeasureName::parse("ns/op").unwrap(),
        testbed: &TestbedName::parse("ci").unwrap(),
        branch: &BranchName::parse("main").unwrap(),
    };
    let points = series::history(&mut conn, a, of, 3).await.unwrap();
    let seen: Vec<_> = points.iter().map(|p| (p.run_id, p.n, p.median, p.lo, p.hi, p.outcome)).collect();
    let expected = [
        (run_id(2), 2, 21.0, 20.0, 22.0, None),
        (run_id(3), 2, 31.0, 30.0, 32.0, Some(FindingOutcome::Regressed)),
        (run_id(4), 2, 41.0, 40.0, 42.0, None),
    ];
    assert_eq!(seen, expected);
    assert_eq!((points[2].commit.as_str(), points[2].started_at), ("c4", at(4)));
    assert!(series::history(&mut conn, b, of, 9).await.unwrap().is_empty());
    let unknown = HistoryOf { benchmark: &key("write", &[]), ..of };
    assert!(series::history(&mut conn, a, unknown, 9).await.unwrap().is_empty());
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_list_pages_by_name_and_shows_the_latest_level(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    let mut both = benchmark("b/2", &[7.0]);
    both.measurements.push(measured(throughput(), &[70.0]));
    let benchmarks = vec![both, benchmark("b/1", &[5.0]), benchmark("a", &[1.0])];
    stored(&mut conn, &NewRun { benchmarks, ..run(a, 1, "c1", &[]) }).await;
    stored(&mut conn, &NewRun { benchmarks: vec![benchmark("a", &[2.0])], ..run(a, 2, "c2", &[]) }).await;

    let mut filter = SeriesFilter::default();
    let mut seen = Vec::new();
    loop {
        let page = series::list(&mut conn, a, &filter, 3).await.unwrap();
        let Some(last) = page.last() else { break };
        filter.after = Some(last.series_id);
        seen.extend(page.into_iter().map(|s| (s.benchmark.to_string(), s.measure, s.latest, s.n_points)));
    }
    seen[2..].sort_by_key(|(_, measure, ..)| measure.name.clone());
    let expected = [
        ("a".to_owned(), time(), Some(2.0), 2),
        ("b/1".to_owned(), time(), Some(5.0), 1),
        ("b/2".to_owned(), time(), Some(7.0), 1),
        ("b/2".to_owned(), throughput(), Some(70.0), 1),
    ];
    assert_eq!(seen, expected);

    let filter = SeriesFilter { prefix: Some("b/".to_owned()), ..SeriesFilter::default() };
    assert_eq!(series::list(&mut conn, a, &filter, 9).await.unwrap().len(), 3);
    let elsewhere = TestbedName::parse("laptop").ok();
    let filter = SeriesFilter { testbed: elsewhere, ..SeriesFilter::default() };
    assert_eq!(series::list(&mut conn, a, &filter, 9).await.unwrap(), []);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_corrected_direction_keeps_the_series_and_another_unit_does_not(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    let corrected = model::Measure { better: model::Better::Neither, ..time() };
    let in_bytes = model::Measure { unit: model::Unit::Bytes, ..time() };
    for (n, measure) in [(1, time()), (2, corrected.clone()), (3, in_bytes.clone())] {
        let mut new = run(a, n, &format!("c{n}"), &[]);
        new.benchmarks[0].measurements = vec![measured(measure, &[1.0])];
        stored(&mut conn, &new).await;
    }
    let list = series::list(&mut conn, a, &SeriesFilter::default(), 9).await.unwrap();
    let seen: Vec<_> = list.iter().map(|s| (&s.measure, s.n_points)).collect();
    assert_eq!(seen, [(&corrected, 2), (&in_bytes, 1)]);
}
