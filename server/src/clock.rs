//! Time and fresh identifiers, from one injected source, so that tests decide what the time is.

use std::sync::Mutex;

use chrono::{DateTime, Utc};
use uuid::{ContextV7, Timestamp, Uuid};

/// Tells the time.
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// The current instant.
    fn now(&self) -> DateTime<Utc>;
}

/// The machine's own clock.
#[derive(Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the machine's clock")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}

/// Makes UUIDv7 identifiers that grow with the clock, also within one millisecond.
#[derive(Debug)]
pub struct IdSource {
    context: Mutex<ContextV7>,
}

impl Default for IdSource {
    fn default() -> Self {
        Self { context: Mutex::new(ContextV7::new()) }
    }
}

impl IdSource {
    /// A fresh identifier for an instant.
    pub fn next(&self, now: DateTime<Utc>) -> Uuid {
        let context = self.context.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let seconds = u64::try_from(now.timestamp()).unwrap_or(0);
        Uuid::new_v7(Timestamp::from_unix(&*context, seconds, now.timestamp_subsec_nanos()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_of_one_instant_still_grow() {
        let (ids, now) = (IdSource::default(), DateTime::UNIX_EPOCH + chrono::TimeDelta::days(20_000));
        let made: Vec<Uuid> = (0..1000).map(|_| ids.next(now)).collect();
        assert!(made.is_sorted_by(|a, b| a < b));
    }
}
