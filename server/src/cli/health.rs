//! `health`: asks a server whether it is ready, for container health checks.

use std::time::Duration;

use super::{Exit, print};

#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// The server.
    #[arg(long, env = "PERFBLAME_URL", default_value = "http://127.0.0.1:8700")]
    url: String,
}

pub(super) async fn run(options: Options) -> anyhow::Result<Exit> {
    super::install_tls();
    let client = reqwest::Client::builder().timeout(Duration::from_secs(5)).build()?;
    let url = format!("{}/readyz", options.url.trim_end_matches('/'));
    match client.get(&url).send().await {
        Ok(answer) if answer.status().is_success() => {
            print("ready\n");
            Ok(Exit::Fine)
        }
        Ok(answer) => {
            print(&format!("not ready: {}\n", answer.status()));
            Ok(Exit::CouldNotJudge)
        }
        Err(error) => {
            print(&format!("unreachable: {error}\n"));
            Ok(Exit::Unreachable)
        }
    }
}
