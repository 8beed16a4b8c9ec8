//! `serve` and `demo`.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio_util::sync::CancellationToken;

use super::{Exit, demo, print};
use crate::clock::SystemClock;
use crate::cluster::{Cluster, ClusterOptions, default_data_dir};
use crate::config::{Config, ServerOptions};
use crate::state::AppState;

/// How long a stop waits for what was acknowledged.
const SHUTDOWN: Duration = Duration::from_secs(20);

#[derive(Debug, clap::Args)]
pub(super) struct Options {
    #[command(flatten)]
    server: ServerOptions,
}

pub(super) async fn run(options: Options, with_demo: bool) -> anyhow::Result<Exit> {
    let options = options.server;
    crate::telemetry::init(options.log_json);
    let (mut cluster, url) = database(&options).await?;
    let served = match &mut cluster {
        None => serve(&options, &url, with_demo).await,
        Some(cluster) => tokio::select! {
            served = serve(&options, &url, with_demo) => served,
            error = cluster.ended() => Err(error.into()),
        },
    };
    if let Some(cluster) = cluster {
        cluster.stop().await.context("failed to stop the private PostgreSQL")?;
    }
    served.map(|()| Exit::Fine)
}

/// The database given, or a private cluster.
pub(super) async fn database(options: &ServerOptions) -> anyhow::Result<(Option<Cluster>, String)> {
    if let Some(url) = &options.database_url {
        return Ok((None, url.clone()));
    }
    let data_dir = options.data_dir.clone().map_or_else(default_data_dir, Ok)?;
    let cluster_options = ClusterOptions { data_dir, postgres_user: options.postgres_user.clone() };
    let cluster = Cluster::start(&cluster_options).await.context("failed to start a private PostgreSQL")?;
    let url = cluster.url();
    Ok((Some(cluster), url))
}

async fn serve(options: &ServerOptions, url: &str, with_demo: bool) -> anyhow::Result<()> {
    let pool_options = store::PoolOptions {
        max_connections: options.database_connections,
        acquire_timeout: Duration::from_secs(5),
    };
    let pool = store::connect(url, &pool_options).await.context("failed to connect to the database")?;
    store::migrate(&pool).await.context("failed to migrate the database")?;
    let listener = tokio::net::TcpListener::bind(options.listen)
        .await
        .with_context(|| format!("failed to listen on {}", options.listen))?;
    let local = format!("http://{}", listener.local_addr()?);
    let public_url = options.public_url.clone().unwrap_or_else(|| local.clone());
    let config = Config {
        public_url: public_url.trim_end_matches('/').to_owned(),
        limits: options.limits.clone(),
        debug_pprof: options.debug_pprof,
    };
    let state = AppState::new(pool, config, Arc::new(SystemClock));
    let stop = CancellationToken::new();
    state.tasks.spawn(crate::analysis::sweep(state.clone(), stop.clone()));
    tracing::info!(address = %local, "perfblame is listening");
    let app = crate::router(state.clone());
    let server = axum::serve(listener, app).with_graceful_shutdown(stop.clone().cancelled_owned());
    let server = tokio::spawn(server.into_future());
    if with_demo {
        let text = demo::load(&state).await.context("failed to load the demo data")?;
        print(&text);
    } else {
        print(&format!("perfblame is ready at {public_url}\n"));
    }
    signal().await;
    tracing::info!("stopping: open requests and their verdicts are finished first");
    stop.cancel();
    let _ = tokio::time::timeout(SHUTDOWN, server).await;
    state.tasks.close();
    if tokio::time::timeout(SHUTDOWN, state.tasks.wait()).await.is_err() {
        tracing::warn!("verdicts are still pending; they are judged at the next start");
    }
    state.pool.close().await;
    Ok(())
}

/// Waits for Ctrl-C or SIGTERM.
async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        let _ = tokio::signal::ctrl_c().await;
        return;
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}
