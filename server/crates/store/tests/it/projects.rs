use model::{ProjectId, ProjectSlug, RunId};
use store::{Pool, projects};
use uuid::Uuid;

use crate::build::{at, finding, project, run, stored, verdict};

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn the_first_use_of_a_name_makes_the_project_and_later_ones_find_it(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let slug = ProjectSlug::parse("kv").unwrap();
    assert_eq!(projects::find(&mut conn, &slug).await.unwrap(), None);
    let first =
        projects::upsert(&mut conn, ProjectId::from_uuid(Uuid::from_u128(1)), &slug, at(0)).await.unwrap();
    let again =
        projects::upsert(&mut conn, ProjectId::from_uuid(Uuid::from_u128(2)), &slug, at(9)).await.unwrap();
    assert_eq!(first, again);
    assert_eq!(projects::find(&mut conn, &slug).await.unwrap(), Some(first));
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_list_counts_only_what_is_the_projects_own(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let (a, _) = (project(&mut conn, "a").await, project(&mut conn, "b").await);
    let one = stored(&mut conn, &run(a, 1, "c1", &[])).await;
    stored(&mut conn, &run(a, 2, "c2", &["c1"])).await;
    let worse = finding("read", model::FindingOutcome::Regressed, 10.0, 20.0);
    let worse = verdict(model::Outcome::Regressed, vec![worse]);
    store::verdicts::save(&mut conn, a, one.id, None::<RunId>, &worse, at(5)).await.unwrap();

    let list = projects::list(&mut conn).await.unwrap();
    let summary: Vec<_> = list
        .iter()
        .map(|p| (p.project.slug.as_str(), p.n_runs, p.n_benchmarks, p.last_run_at, p.open_regressions))
        .collect();
    assert_eq!(summary, [("a", 2, 1, Some(at(3)), 1), ("b", 0, 0, None, 0)]);
}
