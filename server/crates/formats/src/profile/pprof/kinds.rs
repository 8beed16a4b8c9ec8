//! Which sample types are profiles, and which only count the samples of another one.

use model::Unit;

/// A sample type in words.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Kind {
    /// `cpu`, `alloc_space` …
    pub(super) name: String,
    /// The base unit.
    pub(super) unit: Unit,
    /// The factor to it.
    pub(super) scale: f64,
}

/// One profile to make: the sample type with its weights and, where there is one, the type that counts its samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Choice {
    /// Index of the type of the weights.
    pub(super) weight: usize,
    /// Index of the type of the counts.
    pub(super) count: Option<usize>,
}

impl Kind {
    /// A sample type from its two strings.
    pub(super) fn new(name: String, unit: &str) -> Self {
        let (unit, scale) = match (name.as_str(), Unit::parse(unit)) {
            // A bare tick.
            ("samples" | "sample", (Unit::Count(_), scale)) => (Unit::Count("samples".to_owned()), scale),
            (_, parsed) => parsed,
        };
        Self { name, unit, scale }
    }

    fn is_count(&self) -> bool {
        matches!(self.unit, Unit::Count(_))
    }
}

/// The profiles of a file, the default one first and the others in the file's order.
///
/// `samples/count` counts for `cpu/nanoseconds`, `contentions/count` for `delay/nanoseconds`, `alloc_objects` for
/// `alloc_space`: of the same prefix, else `samples`, else the type just before. A type that counts for another one
/// is no profile of its own. pprof's default is the named type, else the last.
pub(super) fn choose(kinds: &[Kind], default: Option<&str>) -> Vec<Choice> {
    let counts: Vec<_> = (0..kinds.len()).map(|weight| counter_of(weight, kinds)).collect();
    let mut choices: Vec<_> = (0..)
        .zip(&counts)
        .filter(|(weight, _)| !counts.contains(&Some(*weight)))
        .map(|(weight, count)| Choice { weight, count: *count })
        .collect();
    let is_default = |choice: &Choice| {
        let named = |index: usize| kinds.get(index).is_some_and(|kind| Some(kind.name.as_str()) == default);
        named(choice.weight) || choice.count.is_some_and(named)
    };
    let first = choices.iter().position(is_default).or(choices.len().checked_sub(1));
    if let Some(first) = first {
        let choice = choices.remove(first);
        choices.insert(0, choice);
    }
    choices
}

fn counter_of(weight: usize, kinds: &[Kind]) -> Option<usize> {
    let kind = kinds.get(weight).filter(|kind| !kind.is_count())?;
    let counts = || kinds.iter().enumerate().filter(|(_, other)| other.is_count());
    let prefix = |name: &'_ str| name.rsplit_once('_').map(|(prefix, _)| prefix.to_owned());
    let own_prefix = prefix(&kind.name);
    let same_prefix = counts().find(|(_, other)| own_prefix.is_some() && prefix(&other.name) == own_prefix);
    let samples = || counts().find(|(_, other)| other.name.starts_with("sample"));
    let just_before = || counts().find(|(index, _)| Some(*index) == weight.checked_sub(1));
    same_prefix.or_else(samples).or_else(just_before).map(|(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(types: &[(&str, &str)], default: Option<&str>) -> Vec<(String, Option<String>)> {
        let kinds: Vec<_> = types.iter().map(|(name, unit)| Kind::new((*name).to_owned(), unit)).collect();
        let name = |index: usize| kinds[index].name.clone();
        choose(&kinds, default)
            .into_iter()
            .map(|choice| (name(choice.weight), choice.count.map(name)))
            .collect()
    }

    fn pair(weight: &str, count: &str) -> (String, Option<String>) {
        (weight.to_owned(), Some(count.to_owned()))
    }

    #[test]
    fn counts_belong_to_the_weights_of_their_name() {
        assert_eq!(chosen(&[("samples", "count"), ("cpu", "nanoseconds")], None), [pair("cpu", "samples")]);
        assert_eq!(
            chosen(&[("contentions", "count"), ("delay", "nanoseconds")], Some("contentions")),
            [pair("delay", "contentions")]
        );
        let heap = [
            ("alloc_objects", "count"),
            ("alloc_space", "bytes"),
            ("inuse_objects", "count"),
            ("inuse_space", "bytes"),
        ];
        let (allocated, in_use) =
            (pair("alloc_space", "alloc_objects"), pair("inuse_space", "inuse_objects"));
        assert_eq!(chosen(&heap, None), [in_use.clone(), allocated.clone()]);
        assert_eq!(chosen(&heap, Some("alloc_space")), [allocated, in_use]);
    }

    #[test]
    fn a_lone_count_is_the_profile() {
        assert_eq!(chosen(&[("samples", "count")], None), [("samples".to_owned(), None)]);
        assert_eq!(Kind::new("samples".to_owned(), "count").unit, Unit::Count("samples".to_owned()));
        assert_eq!(chosen(&[("cpu", "nanoseconds")], Some("nothing")), [("cpu".to_owned(), None)]);
        let kind = Kind::new("cpu".to_owned(), "microseconds");
        assert_eq!((kind.unit, kind.scale), (Unit::Nanoseconds, 1e3));
    }
}
