//! What every handler shares.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use model::{ProfileId, ProjectId, RunId};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;

use crate::clock::{Clock, IdSource};
use crate::config::Config;

/// Shared state; cloning shares.
#[derive(Debug, Clone)]
pub struct AppState {
    /// Connections to PostgreSQL.
    pub pool: store::Pool,
    /// Configuration.
    pub config: Arc<Config>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    ids: Arc<IdSource>,
    heavy: Arc<Semaphore>,
    /// Work that outlives its request; shutdown waits for it.
    pub tasks: TaskTracker,
}

impl AppState {
    /// State over a pool.
    pub fn new(pool: store::Pool, config: Config, clock: Arc<dyn Clock>) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Self {
            pool,
            config: Arc::new(config),
            clock,
            ids: Arc::default(),
            heavy: Arc::new(Semaphore::new(cores)),
            tasks: TaskTracker::new(),
        }
    }

    /// The current instant.
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// A fresh project identifier.
    pub fn new_project_id(&self) -> ProjectId {
        ProjectId::from_uuid(self.ids.next(self.now()))
    }

    /// A fresh run identifier.
    pub fn new_run_id(&self) -> RunId {
        RunId::from_uuid(self.ids.next(self.now()))
    }

    /// A fresh profile identifier.
    pub fn new_profile_id(&self) -> ProfileId {
        ProfileId::from_uuid(self.ids.next(self.now()))
    }

    /// Waits for a turn at work that needs a core and memory (parsing, judging), so that a burst of uploads
    /// queues instead of holding every decompressed body at once.
    pub async fn heavy_turn(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.heavy).acquire_owned().await.ok()
    }
}

/// Runs CPU-bound work off the request threads, within the bound of [`AppState::heavy_turn`].
///
/// # Errors
///
/// The work's panic, as an error that says so; the process lives on.
pub async fn blocking<T: Send + 'static>(
    state: &AppState,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, tokio::task::JoinError> {
    let turn = state.heavy_turn().await;
    tokio::task::spawn_blocking(move || {
        let _turn = turn;
        work()
    })
    .await
}
