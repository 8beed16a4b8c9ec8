//! What the readers of many past runs share: times as tools write them, and one point's report with its remarks.

use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};

use crate::number::{Marks, number};
use crate::read::{Content, Report};
use crate::report::builder::Builder;
use crate::warnings::Warnings;

/// A time as text: RFC 3339, `2026-01-01 10:00:00`, `2026-01-01`, or seconds or milliseconds since 1970. What has no zone
/// is UTC.
pub(super) fn instant(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    if let Some(since) = number(text, Marks::Point) {
        // Seconds reach 1e11 in the year 5138; before 1973 nobody counted milliseconds.
        let ms = if since.abs() < 1e11 { since * 1e3 } else { since };
        return (ms.abs() < 1e15).then(|| DateTime::from_timestamp_millis(ms as i64)).flatten();
    }
    DateTime::parse_from_rfc3339(text)
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f %z"))
        .or_else(|_| DateTime::parse_from_rfc2822(text))
        .map(|instant| instant.to_utc())
        .ok()
        .or_else(|| {
            let bare = ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M"];
            bare.iter()
                .find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())
                .map(|time| time.and_utc())
        })
        .or_else(|| Some(NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?.and_hms_opt(0, 0, 0)?.and_utc()))
}

/// The report of one point; its remarks join those of the file. A point in which nothing could be read is a remark.
pub(super) fn report(builder: Builder<'_>, warnings: &mut Warnings) -> Option<Report> {
    match builder.finish(None) {
        Ok(parsed) => {
            for warning in parsed.warnings {
                warnings.add(warning.at, warning.text);
            }
            match parsed.content {
                Content::Report(report) => Some(report),
                Content::Profiles(_) | Content::History(_) => None,
            }
        }
        Err(error) => {
            warnings.add(error.at, format!("a point is skipped: {}", error.kind));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_come_in_many_forms() {
        for text in [
            "2026-01-01T00:00:00Z",
            "2026-01-01T01:00:00+01:00",
            "2026-01-01 01:00:00 +0100",
            "2026-01-01 00:00:00",
            "2026-01-01",
            "1767225600",
            "1767225600000",
        ] {
            assert_eq!(instant(text).unwrap().timestamp(), 1_767_225_600, "{text}");
        }
        assert!(instant("yesterday").is_none() && instant("1e300").is_none());
    }
}
