//! What can go wrong between a value and its row.

/// A fault of storage. Absence is not one: finders answer `None`.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database cannot be reached, is overloaded or broke off; trying again later may help.
    #[error("the database did not answer")]
    Unavailable(#[source] sqlx::Error),
    /// A row contradicts what is stored: a reference to nothing, or something that may exist only once.
    #[error("{what}")]
    Conflict {
        /// What contradicts, as a fragment.
        what: &'static str,
    },
    /// A stored value cannot be read back.
    #[error("{table}.{column} holds a value that cannot be read")]
    Corrupt {
        /// The table.
        table: &'static str,
        /// The column, or `row` where it is not known.
        column: &'static str,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A statement touched another number of rows than it must.
    #[error("{actual} rows were touched instead of {expected}")]
    RowsAffected {
        /// What must have been.
        expected: u64,
        /// What was.
        actual: u64,
    },
}

impl StoreError {
    /// A stored value that cannot be read.
    pub(crate) fn corrupt(
        table: &'static str,
        column: &'static str,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Corrupt { table, column, source: source.into() }
    }
}

/// What a violated constraint means, by its name.
fn conflict(constraint: &str) -> &'static str {
    // The parts of a partitioned table have constraints of their own, named after the part.
    match constraint {
        "run_pkey" => "a run with this id exists",
        "run_idempotency_key" => "a run with this idempotency key exists",
        "project_slug_key" => "a project with this name exists",
        "profile_pkey" => "a profile with this id exists",
        "profile_run_fkey" | "verdict_run_fkey" | "metric_run_fkey" | "unmeasured_run_fkey" => "no such run",
        "verdict_base_run_fkey" => "no such baseline run",
        "metric_observations_check" => "a measure has no observations",
        name if name.ends_with("_project_id_fkey") => "no such project",
        name if name.starts_with("metric_") && name.ends_with("_pkey") => {
            "a benchmark has the same measure twice"
        }
        name if name.ends_with("_check") => "a value is outside of what is allowed",
        name if name.ends_with("_fkey") => "something referred to does not exist",
        _ => "something that may exist only once exists",
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Database(cause) => match cause.constraint() {
                Some(constraint) => Self::Conflict { what: conflict(constraint) },
                None => Self::Unavailable(error),
            },
            sqlx::Error::Decode(_) | sqlx::Error::ColumnDecode { .. } | sqlx::Error::TypeNotFound { .. } => {
                Self::corrupt("a result", "row", error)
            }
            _ => Self::Unavailable(error),
        }
    }
}
