use model::{ProjectId, Role, TestbedName};
use store::baselines::{BaselineKind, choose};
use store::runs::NewRun;
use store::{PgConnection, Pool};

use crate::build::{on_branch, project, run, run_id, stored};

/// The number, rule and distance of the baseline chosen for a run that is stored first.
async fn chosen(conn: &mut PgConnection, new: &NewRun) -> Option<(u128, BaselineKind, Option<u32>)> {
    let run = stored(conn, new).await;
    let baseline = choose(conn, new.project_id, &run).await.unwrap()?;
    let n = baseline.run_id.as_uuid().as_u128() - run_id(0).as_uuid().as_u128();
    Some((n, baseline.how.kind, baseline.how.distance))
}

fn pull_request(new: NewRun) -> NewRun {
    NewRun { pull_request: Some(7), ..on_branch(new, "topic") }
}

fn based_on(new: NewRun, base: &str) -> NewRun {
    NewRun { base: Some(base.to_owned()), ..new }
}

fn in_role(new: NewRun, role: Role) -> NewRun {
    NewRun { role, ..new }
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_first_run_has_no_baseline(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    assert_eq!(chosen(&mut conn, &run(a, 1, "c1", &["c0"])).await, None);
    // Neither has the same commit again, nor anything in another project.
    assert_eq!(chosen(&mut conn, &run(a, 2, "c1", &["c0"])).await, None);
    let b = project(&mut conn, "b").await;
    assert_eq!(chosen(&mut conn, &run(b, 3, "c2", &["c1"])).await, None);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn the_nearest_measured_ancestor_wins_over_the_latest_run(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    stored(&mut conn, &run(a, 1, "c1", &[])).await;
    // Known to the graph, but measured by runs that do not count.
    stored(&mut conn, &in_role(run(a, 2, "c2", &["c1"]), Role::Profiled)).await;
    stored(&mut conn, &in_role(run(a, 3, "c3", &["c2"]), Role::Confirming)).await;
    let laptop = TestbedName::parse("laptop").unwrap();
    stored(&mut conn, &NewRun { testbed: laptop, ..run(a, 4, "c3", &["c2"]) }).await;
    stored(&mut conn, &run(a, 5, "unrelated", &[])).await;
    let found = chosen(&mut conn, &run(a, 6, "c4", &["c3"])).await;
    assert_eq!(found, Some((1, BaselineKind::Ancestor, Some(3))));
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_merge_continues_the_line_of_its_own_branch(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    stored(&mut conn, &run(a, 1, "root", &[])).await;
    stored(&mut conn, &run(a, 2, "left", &["root"])).await;
    stored(&mut conn, &on_branch(run(a, 3, "right", &["root"]), "topic")).await;
    let merged = chosen(&mut conn, &run(a, 4, "merge", &["right", "left"])).await;
    assert_eq!(merged, Some((2, BaselineKind::Ancestor, Some(1))));
    // The shorter way to a measured commit wins, whichever parent it leads through.
    stored(&mut conn, &in_role(run(a, 5, "gap", &["left"]), Role::Profiled)).await;
    let merged = chosen(&mut conn, &on_branch(run(a, 6, "merge2", &["gap", "right"]), "other")).await;
    assert_eq!(merged, Some((3, BaselineKind::Ancestor, Some(1))));
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_history_full_of_merges_is_walked_once(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    stored(&mut conn, &run(a, 1, "l0", &[])).await;
    // Two commits a generation, each a child of both before: 2¹⁰⁰ paths, 200 commits.
    sqlx::query(
        "INSERT INTO commit (project_id, sha, parents)
         SELECT $1, side || i, CASE WHEN i = 1 THEN ARRAY['l0'] ELSE ARRAY['l' || i - 1, 'r' || i - 1] END
         FROM generate_series(1, 100) AS i CROSS JOIN UNNEST(ARRAY['l', 'r']) AS side",
    )
    .bind(a.as_uuid())
    .execute(&mut *conn)
    .await
    .unwrap();
    let found = chosen(&mut conn, &run(a, 2, "head", &["l100", "r100"])).await;
    assert_eq!(found, Some((1, BaselineKind::Ancestor, Some(101))));
    // A graph that bites its own tail ends too.
    stored(&mut conn, &on_branch(run(a, 3, "x", &["y"]), "loop")).await;
    let looped = on_branch(run(a, 4, "y", &["x"]), "loop");
    assert_eq!(chosen(&mut conn, &looped).await, Some((3, BaselineKind::Ancestor, Some(1))));
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn without_a_graph_the_run_before_on_the_branch_is_taken(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    stored(&mut conn, &run(a, 1, "c1", &[])).await;
    stored(&mut conn, &run(a, 2, "c2", &["never-sent"])).await;
    stored(&mut conn, &run(a, 9, "later", &[])).await;
    let found = chosen(&mut conn, &run(a, 3, "c3", &["unknown"])).await;
    assert_eq!(found, Some((2, BaselineKind::SameBranch, None)));
    let found = chosen(&mut conn, &on_branch(run(a, 4, "c4", &[]), "topic")).await;
    assert_eq!(found, Some((3, BaselineKind::OtherBranch, None)));
    let found = chosen(&mut conn, &on_branch(run(a, 5, "c5", &[]), "topic")).await;
    assert_eq!(found, Some((4, BaselineKind::SameBranch, None)));
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_pull_request_is_compared_with_what_it_merges_into(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    assert_eq!(chosen(&mut conn, &pull_request(run(a, 1, "p1", &["c0"]))).await, None);
    // Only its own first attempt is there.
    let found = chosen(&mut conn, &pull_request(run(a, 2, "p2", &["p1"]))).await;
    assert_eq!(found, Some((1, BaselineKind::SameBranch, None)));
    stored(&mut conn, &run(a, 3, "c0", &[])).await;
    let found = chosen(&mut conn, &pull_request(run(a, 4, "p3", &["p2"]))).await;
    assert_eq!(found, Some((3, BaselineKind::Ancestor, Some(3))));
    // The merge is judged against the trunk, not against the pull request's own run.
    let found = chosen(&mut conn, &run(a, 5, "merge", &["c0", "p3"])).await;
    assert_eq!(found, Some((3, BaselineKind::Ancestor, Some(1))));
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn what_the_sender_names_goes_first(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a: ProjectId = project(&mut conn, "a").await;
    stored(&mut conn, &run(a, 1, "aaaaaaa1", &[])).await;
    stored(&mut conn, &run(a, 2, "aaaaaaa2", &["aaaaaaa1"])).await;
    stored(&mut conn, &on_branch(run(a, 3, "release9", &[]), "release")).await;
    let first = run_id(1).to_string();
    for (n, base, expected) in [
        (10, first.as_str(), (1, BaselineKind::NamedRun, None)),
        (11, "aaaaaaa1", (1, BaselineKind::NamedCommit, Some(0))),
        (12, "release9", (3, BaselineKind::NamedCommit, Some(0))),
        (13, "release", (3, BaselineKind::NamedBranch, None)),
        (14, "nothing-like-it", (2, BaselineKind::Ancestor, Some(1))),
        (15, "\0", (2, BaselineKind::Ancestor, Some(1))),
    ] {
        let new = based_on(pull_request(run(a, n, &format!("head{n}"), &["aaaaaaa2"])), base);
        assert_eq!(chosen(&mut conn, &new).await, Some(expected), "{base:?}");
    }
    // A branch that moved on is met where the candidate left it.
    stored(&mut conn, &run(a, 20, "aaaaaaa3", &["aaaaaaa2"])).await;
    let new = based_on(pull_request(run(a, 21, "head21", &["aaaaaaa2"])), "main");
    assert_eq!(chosen(&mut conn, &new).await, Some((2, BaselineKind::NamedBranch, Some(1))));
    // Its own id leads nowhere.
    let own = run_id(22).to_string();
    let new = based_on(run(a, 22, "head22", &["aaaaaaa2"]), &own);
    assert_eq!(chosen(&mut conn, &new).await, Some((2, BaselineKind::Ancestor, Some(1))));
}
