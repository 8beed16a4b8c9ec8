//! perfblame profiles itself and reads the result.

use axum::http::StatusCode;

use crate::app::TestApp;

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_profile_of_perfblame_itself_can_be_posted_to_it(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    // Something to see: cores that work while the profiler looks.
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let worker = {
        let stop = stop.clone();
        std::thread::spawn(move || {
            let mut x = 1_u64;
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                for _ in 0..10_000 {
                    x = std::hint::black_box(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
                }
            }
        })
    };
    let profile = app.get("/debug/pprof/profile?seconds=1&frequency=199").await;
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    worker.join().unwrap();
    assert_eq!(profile.status, StatusCode::OK, "{}", profile.text());
    let answer = app.post("/api/v1/projects/perfblame/runs?commit=self", &[], profile.bytes).await;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
    let body = answer.json();
    assert_eq!(body["files"][0]["format"], "pprof");
    assert_eq!(body["files"][0]["profiles"], 1);
    let samples: i64 =
        sqlx::query_scalar("SELECT samples FROM profile").fetch_one(&app.state.pool).await.unwrap();
    assert!(samples > 10, "{samples} samples in a second of work");
}
