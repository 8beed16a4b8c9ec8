use model::Policy;
use model::policy::FloorRule;
use store::{Pool, policies};

use crate::build::{at, project};

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_policy_reads_back_as_it_was_saved_last(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let (a, b) = (project(&mut conn, "a").await, project(&mut conn, "b").await);
    assert_eq!(policies::find(&mut conn, a).await.unwrap(), None);
    policies::save(&mut conn, a, &Policy::default(), at(1)).await.unwrap();
    let floor = FloorRule { benchmark: "warp*".to_owned(), measure: "*".to_owned(), relative: 0.1 };
    let policy = Policy { floors: vec![floor], ..Policy::default() };
    policies::save(&mut conn, a, &policy, at(2)).await.unwrap();
    assert_eq!(policies::find(&mut conn, a).await.unwrap(), Some(policy));
    assert_eq!(policies::find(&mut conn, b).await.unwrap(), None);
    let (version,): (i32,) =
        sqlx::query_as("SELECT version FROM policy").fetch_one(&mut *conn).await.unwrap();
    assert_eq!(version, 2);
}
