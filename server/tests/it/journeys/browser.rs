//! The browser journey: real pages of the demo in headless Chromium, driven by `web/e2e`.

use std::path::Path;
use std::process::Command;

use super::process::Served;

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn people_can_walk_the_demo_in_a_browser(pool: sqlx::PgPool) {
    // `make test` names the browser it found or installed; CI insists on one.
    if std::env::var_os("PERFBLAME_CHROMIUM").is_none() {
        assert!(std::env::var_os("PERFBLAME_E2E").is_none(), "a browser is required here and none was found");
        eprintln!("skipped: PERFBLAME_CHROMIUM is not set; run `make test`");
        return;
    }
    let served = Served::start("demo", &pool);
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web");
    let run = Command::new("npm")
        .args(["run", "--silent", "journey"])
        .current_dir(&web)
        .env("PERFBLAME_URL", &served.url)
        .output()
        .expect("npm is installed by `make test`");
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{said}\n{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(served.stop(), Some(0));
}
