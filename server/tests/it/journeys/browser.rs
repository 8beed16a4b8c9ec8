//! The browser journey: real pages of the demo in headless Chromium, driven by `web/e2e`.

use std::path::Path;
use std::process::Command;

use super::process::Served;

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn people_can_walk_the_demo_in_a_browser(pool: sqlx::PgPool) {
    let served = Served::start("demo", &pool);
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web");
    let run = Command::new("node")
        .args(["--test", "e2e/"])
        .current_dir(&web)
        .env("PERFBLAME_URL", &served.url)
        .output()
        .expect("node is installed by `make test`");
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{said}\n{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(served.stop(), Some(0));
}
