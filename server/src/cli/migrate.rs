//! `migrate`: brings a schema up to date and ends.

use std::time::Duration;

use anyhow::Context as _;

use super::{Exit, print};
use crate::config::ServerOptions;

#[derive(Debug, clap::Args)]
pub(super) struct Options {
    #[command(flatten)]
    server: ServerOptions,
}

pub(super) async fn run(options: Options) -> anyhow::Result<Exit> {
    crate::telemetry::init(options.server.log_json);
    let (cluster, url) = super::serve::database(&options.server).await?;
    let pool_options = store::PoolOptions { max_connections: 1, acquire_timeout: Duration::from_secs(10) };
    let pool = store::connect(&url, &pool_options).await.context("failed to connect to the database")?;
    let migrated = store::migrate(&pool).await.context("failed to migrate the database");
    pool.close().await;
    if let Some(cluster) = cluster {
        cluster.stop().await.context("failed to stop the private PostgreSQL")?;
    }
    migrated?;
    print("the database is up to date\n");
    Ok(Exit::Fine)
}
