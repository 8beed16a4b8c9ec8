use model::{Category, Node};
use store::{Pool, StoreError, profiles, runs};

use crate::build::{new_profile, profile, profile_id, project, run, run_id, stored};

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_profile_reads_back_whole_and_in_the_order_sent(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    let mut new = run(a, 1, "c1", &[]);
    // The second has the smaller id: the order is that of sending.
    new.profiles = vec![new_profile(9, &[(&["main", "log"], 30)]), new_profile(3, &[(&["main"], 5)])];
    stored(&mut conn, &new).await;
    runs::add_profiles(&mut conn, a, new.id, &[new_profile(1, &[(&["later"], 7)])]).await.unwrap();

    let list = profiles::list_of_run(&mut conn, a, new.id).await.unwrap();
    let ids: Vec<_> = list.iter().map(|p| (p.id, p.samples, p.weight)).collect();
    assert_eq!(ids, [(profile_id(9), 30, 3e8), (profile_id(3), 5, 5e7), (profile_id(1), 7, 7e7)]);

    let (overview, read) = profiles::find(&mut conn, a, profile_id(9)).await.unwrap().unwrap();
    assert_eq!(overview, list[0]);
    assert_eq!(read, new.profiles[0].profile);
    let data = runs::load(&mut conn, a, new.id).await.unwrap();
    let sent: Vec<_> = new.profiles.iter().map(|new| new.profile.clone()).collect();
    assert_eq!(data.profiles[..2], sent);
    assert_eq!(data.benchmarks, new.benchmarks);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn hot_frames_have_rows_with_self_and_total(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    let mut hot = new_profile(1, &[(&["main", "log", "copy"], 60), (&["main", "log"], 30), (&["main"], 910)]);
    let log = hot.profile.tree.frames.iter_mut().find(|frame| frame.name == "log").unwrap();
    log.category = Category::Logging;
    let mut new = run(a, 1, "c1", &[]);
    new.profiles = vec![hot, new_profile(2, &[(&["main"], 1)])];
    stored(&mut conn, &new).await;

    let frames = profiles::hot_frames(&mut conn, a, profile_id(1), 2).await.unwrap();
    let costs: Vec<_> =
        frames.iter().map(|f| (f.frame.as_str(), f.self_samples, f.total_samples, f.total_weight)).collect();
    assert_eq!(costs, [("main", 910, 1000, 1e10), ("log", 30, 90, 9e8)]);
    assert_eq!(frames[1].category, Category::Logging);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn profiles_of_an_unknown_run_or_another_project_are_not_there(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let (a, b) = (project(&mut conn, "a").await, project(&mut conn, "b").await);
    let mut new = run(a, 1, "c1", &[]);
    new.profiles = vec![new_profile(1, &[(&["main"], 1)])];
    stored(&mut conn, &new).await;
    assert!(profiles::find(&mut conn, b, profile_id(1)).await.unwrap().is_none());
    assert!(profiles::list_of_run(&mut conn, b, new.id).await.unwrap().is_empty());
    assert!(profiles::hot_frames(&mut conn, b, profile_id(1), 9).await.unwrap().is_empty());
    let error =
        runs::add_profiles(&mut conn, b, new.id, &[new_profile(5, &[(&["x"], 1)])]).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict { what: "no such run" }), "{error:?}");
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_damaged_call_tree_is_an_error_that_names_its_column(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    let mut new = run(a, 1, "c1", &[]);
    new.profiles = vec![new_profile(1, &[(&["main"], 1)])];
    stored(&mut conn, &new).await;
    sqlx::query("UPDATE profile SET call_tree = substr(call_tree, 1, 9)").execute(&mut *conn).await.unwrap();
    let error = profiles::find(&mut conn, a, profile_id(1)).await.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { table: "profile", column: "call_tree", .. }), "{error:?}");
    assert!(matches!(runs::load(&mut conn, a, run_id(1)).await, Err(StoreError::Corrupt { .. })));
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn nul_in_frame_and_event_names_does_not_stop_a_profile(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    let mut dirty = profile(&[(&["ma\0in"], 1)]);
    dirty.event.name = "c\0pu".to_owned();
    dirty.benchmark = Some("re\0ad".to_owned());
    // A long C++ name is past what an index entry can hold.
    let long = "std::map<int, ".repeat(1000);
    let frame = dirty.tree.frames[0].clone();
    dirty.tree.frames.push(model::FrameInfo { name: long.clone(), ..frame });
    dirty.tree.nodes.push(Node { frame: 1, ..dirty.tree.nodes[0] });
    let mut new = run(a, 1, "c1", &[]);
    new.profiles = vec![runs::NewProfile { id: profile_id(1), profile: dirty.clone() }];
    stored(&mut conn, &new).await;
    let (overview, read) = profiles::find(&mut conn, a, profile_id(1)).await.unwrap().unwrap();
    assert_eq!(
        (overview.event.as_str(), overview.benchmark.as_deref()),
        ("c\u{fffd}pu", Some("re\u{fffd}ad"))
    );
    assert_eq!(read, dirty);
    let frames = profiles::hot_frames(&mut conn, a, profile_id(1), 9).await.unwrap();
    let names: Vec<_> = frames.iter().map(|frame| frame.frame.clone()).collect();
    assert_eq!(names, ["ma\u{fffd}in".to_owned(), long]);
}
