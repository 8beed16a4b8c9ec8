//! What the readers of JSON profiles share.

use model::profile::LabelWeight;
use model::{Event, Profile, Unit};

use crate::json::outline;

/// Whether the head of a document shows all of these members.
pub(super) fn shows(head: &[u8], members: &[&[&str]]) -> bool {
    let outline = outline(head);
    members.iter().all(|member| outline.paths.iter().any(|path| path == member))
}

/// Puts one label on all samples of a profile.
pub(super) fn label(profile: &mut Profile, key: &str, value: &str) {
    if !value.is_empty() {
        let (samples, weight) = (profile.tree.samples(), profile.tree.weight());
        profile.labels.push(LabelWeight { key: key.to_owned(), value: value.to_owned(), samples, weight });
    }
}

/// The heaviest values of one label, given samples and weight of each.
pub(super) fn heaviest(
    key: &str,
    values: impl IntoIterator<Item = (String, (u64, f64))>,
) -> Vec<LabelWeight> {
    let labels = values
        .into_iter()
        .filter(|(value, _)| !value.is_empty())
        .map(|(value, (samples, weight))| LabelWeight { key: key.to_owned(), value, samples, weight });
    let mut labels: Vec<LabelWeight> = labels.collect();
    labels.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.value.cmp(&b.value)));
    labels.truncate(Profile::MOST_LABELS);
    labels
}

/// An event whose weight is a bare tick.
pub(super) fn ticks(name: &str) -> Event {
    Event { name: name.to_owned(), unit: Unit::parse("samples").0 }
}

/// An event in nanoseconds.
pub(super) fn time(name: &str) -> Event {
    Event { name: name.to_owned(), unit: Unit::Nanoseconds }
}

/// A source place without line and column: `a.js:3:5` is `a.js`.
pub(super) fn without_line(place: &str) -> &str {
    let mut file = place;
    for _ in 0..2 {
        match file.rsplit_once(':') {
            Some((before, line)) if !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit()) => {
                file = before;
            }
            _ => break,
        }
    }
    file
}

/// A text that may be absent or empty.
pub(super) fn known(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}
