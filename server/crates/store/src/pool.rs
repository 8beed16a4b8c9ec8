//! Connections and transactions.

use std::str::FromStr;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection, Executor, PgConnection, PgPool, Postgres};

use crate::StoreError;

/// A transaction: dropped without [`commit`] it leaves nothing behind.
pub type Transaction = sqlx::Transaction<'static, Postgres>;

/// How many connections, and how long to wait for one.
#[derive(Debug, Clone, Copy)]
pub struct PoolOptions {
    /// The most connections open at a time.
    pub max_connections: u32,
    /// How long a caller waits for a connection before the store is called unavailable.
    pub acquire_timeout: Duration,
}

/// Opens a pool and makes sure that the database answers.
#[tracing::instrument(name = "db.pool.connect", skip_all)]
pub async fn connect(url: &str, options: &PoolOptions) -> Result<PgPool, StoreError> {
    let target = PgConnectOptions::from_str(url)?.application_name("perfblame");
    let pool = PgPoolOptions::new()
        .max_connections(options.max_connections)
        .acquire_timeout(options.acquire_timeout)
        // A plan kept for any arguments takes an array for ten values long, and joins twenty thousand benchmarks in
        // a nested loop. Planning anew costs a fraction of a millisecond. A startup option would say the same, but
        // connection poolers refuse those.
        .after_connect(|conn, _| {
            Box::pin(async move { conn.execute("SET plan_cache_mode = force_custom_plan").await.map(|_| ()) })
        })
        .connect_with(target)
        .await?;
    Ok(pool)
}

/// Brings the schema up to date. Safe to call from several servers at once: they take turns by a lock.
#[tracing::instrument(name = "db.pool.migrate", skip_all)]
pub async fn migrate(pool: &PgPool) -> Result<(), StoreError> {
    crate::MIGRATOR.run(pool).await.map_err(|error| match error {
        sqlx::migrate::MigrateError::Execute(cause) => cause.into(),
        other => StoreError::corrupt("_sqlx_migrations", "row", other),
    })
}

/// Whether the database answers.
#[tracing::instrument(name = "db.pool.ping", skip_all)]
pub async fn ping(conn: &mut PgConnection) -> Result<(), StoreError> {
    Ok(conn.ping().await?)
}

/// A connection for a few statements that need no transaction.
#[tracing::instrument(name = "db.pool.acquire", skip_all)]
pub async fn acquire(pool: &PgPool) -> Result<PoolConnection<Postgres>, StoreError> {
    Ok(pool.acquire().await?)
}

/// Begins a transaction.
#[tracing::instrument(name = "db.transaction.begin", skip_all)]
pub async fn begin(pool: &PgPool) -> Result<Transaction, StoreError> {
    Ok(pool.begin().await?)
}

/// Commits a transaction. When this returns, what it holds is durable.
#[tracing::instrument(name = "db.transaction.commit", skip_all)]
pub async fn commit(transaction: Transaction) -> Result<(), StoreError> {
    Ok(transaction.commit().await?)
}
