//! A project's policy: data that people write, as JSON, in the project's settings or beside `compare`.

use serde::{Deserialize, Serialize};

use crate::run::{Benchmark, Better, Kind};

/// What a project considers worth reporting. Everything is optional; the default judges with the built-in floors.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// Smallest relative changes worth reporting; the first rule that matches wins.
    pub floors: Vec<FloorRule>,
    /// Which way is better, where the tool did not say and the guess from name and unit is wrong; the first rule
    /// that matches wins over both.
    pub directions: Vec<DirectionRule>,
    /// Which benchmarks are end-to-end and which are micro; the first rule that matches wins, and what the
    /// sender said wins over all.
    pub kinds: Vec<KindRule>,
    /// Shares that frames and categories may not exceed, with or without a baseline.
    pub budgets: Vec<Budget>,
    /// The project's own categories; they win over the built-in ones.
    pub categories: Vec<UserCategory>,
}

impl Policy {
    /// Sets the directions that the rules name, over what the tools said and what was guessed.
    pub fn direct(&self, benchmarks: &mut [Benchmark]) {
        if self.directions.is_empty() {
            return;
        }
        for measurement in benchmarks.iter_mut().flat_map(|benchmark| &mut benchmark.measurements) {
            let measure = &mut measurement.measure;
            let rule = self.directions.iter().find(|rule| {
                glob_matches(&rule.measure, measure.name.as_str())
                    && rule.unit.as_ref().is_none_or(|unit| *unit == measure.unit.to_string())
            });
            if let Some(rule) = rule {
                measure.better = rule.better;
            }
        }
    }
}

/// The smallest relative change worth reporting for some measures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FloorRule {
    /// Glob over benchmark names (`*` any text, `?` one character).
    #[serde(default = "anything")]
    pub benchmark: String,
    /// Glob over measure names.
    #[serde(default = "anything")]
    pub measure: String,
    /// The floor: 0.05 is 5 %.
    pub relative: f64,
}

/// Which way of some measures is better.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DirectionRule {
    /// Glob over measure names.
    pub measure: String,
    /// The base unit as perfblame prints it (`ns`, `B/s`); any by default.
    #[serde(default)]
    pub unit: Option<String>,
    /// `higher`, `lower`, or `neither` for measures that are shown and never judged.
    pub better: Better,
}

/// The kind of some benchmarks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KindRule {
    /// Glob over benchmark names.
    pub benchmark: String,
    /// Their kind.
    pub kind: Kind,
}

/// A share that a category or frame may not exceed: "logging ≤ 3 % of CPU".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// A category's name, or a glob over canonical frame names when no category has that name.
    pub subject: String,
    /// The largest total share allowed, 0 to 1.
    pub max_share: f64,
    /// Only profiles of this event, such as `cpu`; any event by default.
    #[serde(default)]
    pub event: Option<String>,
}

/// A category defined by the project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserCategory {
    /// Its name, such as `buffer management`.
    pub name: String,
    /// Prefixes of canonical frame names or modules (`org.apache.hadoop.hdds.scm.storage.BufferPool`); `.`,
    /// `/` and `::` count as the same separator, and a match ends at a separator or at the name's end.
    pub prefixes: Vec<String>,
}

fn anything() -> String {
    "*".to_owned()
}

/// Whether `text` matches `glob`, where `*` stands for any text and `?` for one character. Linear time:
/// only the last star is ever tried again.
pub fn glob_matches(glob: &str, text: &str) -> bool {
    let (glob, text): (Vec<char>, Vec<char>) = (glob.chars().collect(), text.chars().collect());
    let (mut g, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        match glob.get(g) {
            Some('*') => {
                star = Some((g, t));
                g += 1;
            }
            Some(&c) if c == '?' || c == text[t] => {
                g += 1;
                t += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    g = at + 1;
                    t = from + 1;
                }
                None => return false,
            },
        }
    }
    glob[g..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::{BenchmarkName, MeasureName};
    use crate::run::{BenchmarkKey, Measure, Measurement, Status};
    use crate::unit::Unit;

    #[test]
    fn the_first_direction_that_matches_wins_over_the_guess() {
        let policy: Policy = serde_json::from_str(
            r#"{"directions": [{"measure": "cache *", "unit": "ratio", "better": "higher"},
                {"measure": "*", "unit": "count", "better": "neither"}]}"#,
        )
        .unwrap();
        let measured = |name: &str, unit: &str| {
            let unit = Unit::parse(unit).0;
            let better = Better::Lower;
            Measurement::new(Measure { name: MeasureName::parse(name).unwrap(), unit, better }, vec![1.0])
        };
        let mut benchmarks = [Benchmark {
            key: BenchmarkKey {
                name: BenchmarkName::parse("a").unwrap(),
                parameters: std::collections::BTreeMap::default(),
            },
            kind: None,
            status: Status::Ok,
            measurements: vec![
                measured("cache hits", "%"),
                measured("cache hits", ""),
                measured("time", "s"),
            ],
        }];
        policy.direct(&mut benchmarks);
        let directions: Vec<Better> = benchmarks[0].measurements.iter().map(|m| m.measure.better).collect();
        assert_eq!(directions, [Better::Higher, Better::Neither, Better::Lower]);
    }

    #[test]
    fn globs_match_whole_names() {
        for (glob, text, matches) in [
            ("*", "", true),
            ("warp*", "warp PUT", true),
            ("warp", "warp PUT", false),
            ("*op*rate", "op rate", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("**x", "aaaaax", true),
        ] {
            assert_eq!(glob_matches(glob, text), matches, "{glob} {text}");
        }
    }
}
