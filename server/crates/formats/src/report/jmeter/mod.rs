//! JMeter: result files (`.jtl`) as CSV and XML, the Summariser's log lines, `statistics.json`, the aggregate report.
//!
//! Written from JMeter 2.3 to 5.6 (<https://jmeter.apache.org/usermanual/listeners.html>). Times are milliseconds. A
//! benchmark is a label. Samples inside a sample are its parts and not counted again.

mod csv;
mod summary;
mod xml;

use std::collections::BTreeMap;

use crate::error::{At, ParseError};
use crate::read::Reader;
use crate::report::builder::Builder;
use crate::report::load::{Is, Load, Requests};

pub(super) const CSV: Reader =
    Reader { name: "jmeter", about: "JMeter's results as CSV (.jtl)", sniff: csv::sniff, read: csv::read };
pub(super) const XML: Reader = Reader {
    name: "jmeter-xml",
    about: "JMeter's results as XML (.jtl)",
    sniff: xml::sniff,
    read: xml::read,
};
pub(super) const LOG: Reader = Reader {
    name: "jmeter-summary",
    about: "the lines of JMeter's Summariser",
    sniff: summary::sniff_log,
    read: summary::read_log,
};
pub(super) const STATISTICS: Reader = Reader {
    name: "jmeter-statistics",
    about: "statistics.json of JMeter's dashboard",
    sniff: summary::sniff_statistics,
    read: summary::read_statistics,
};
pub(super) const AGGREGATE: Reader = Reader {
    name: "jmeter-aggregate",
    about: "JMeter's aggregate and summary report as CSV",
    sniff: summary::sniff_aggregate,
    read: summary::read_aggregate,
};

/// Samples by label, in the order in which labels are first seen.
#[derive(Default)]
struct Labels {
    names: Vec<String>,
    places: BTreeMap<String, usize>,
    requests: Vec<Requests>,
    /// First begin and last end in epoch milliseconds, where timestamps say it.
    spans: Vec<Option<(f64, f64)>>,
}

impl Labels {
    fn push(&mut self, label: &str, elapsed: f64, failed: bool, begin: Option<f64>) {
        let place = if let Some(place) = self.places.get(label) {
            *place
        } else {
            let place = self.names.len();
            self.places.insert(label.to_owned(), place);
            self.names.push(label.to_owned());
            self.requests.push(Requests::default());
            self.spans.push(None);
            place
        };
        if let Some(requests) = self.requests.get_mut(place) {
            requests.push(elapsed, failed);
        }
        if let (Some(begin), Some(span)) = (begin, self.spans.get_mut(place)) {
            let (first, last) = span.unwrap_or((begin, begin + elapsed));
            *span = Some((first.min(begin), last.max(begin + elapsed)));
        }
    }

    fn report(self, builder: &mut Builder<'_>) -> Result<(), ParseError> {
        for ((label, requests), span) in self.names.into_iter().zip(self.requests).zip(self.spans) {
            let Some(key) = builder.key(At::Field(label.clone()), &label, BTreeMap::new()) else { continue };
            let mut load = Load { builder: &mut *builder, key };
            let (n, failed) = (requests.len(), requests.failed);
            load.value(At::File, Is::Amount, "samples", "count", n as f64)?;
            load.value(At::File, Is::Failure, "errors", "count", failed as f64)?;
            requests.report(&mut load, "elapsed", "ms")?;
            if let Some((first, last)) = span.filter(|(first, last)| last > first) {
                load.value(At::File, Is::Rate, "rate", "1/s", n as f64 / (last - first) * 1e3)?;
            }
            if failed == n {
                load.fail("every sample failed")?;
            }
        }
        Ok(())
    }
}
