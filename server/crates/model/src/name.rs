//! Names that people and machines choose, parsed once at the edge.
//!
//! A name is data and never a file name, a query or markup: length and control characters are checked
//! here, escaping is the business of whoever prints it.

use serde::{Deserialize, Serialize};

/// Why a name was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Nothing was left after trimming.
    #[error("{what} is empty")]
    Empty {
        /// Which kind of name.
        what: &'static str,
    },
    /// Longer than the limit.
    #[error("{what} has {got} bytes, more than the limit of {limit}")]
    TooLong {
        /// Which kind of name.
        what: &'static str,
        /// The limit in bytes.
        limit: usize,
        /// The length found in bytes.
        got: usize,
    },
    /// A character that this kind of name may not hold.
    #[error("{what} holds the character {character:?}, which is not allowed ({allowed})")]
    Character {
        /// Which kind of name.
        what: &'static str,
        /// The first offending character.
        character: char,
        /// What is allowed, in words.
        allowed: &'static str,
    },
}

macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $what:literal, $limit:literal, $allowed:literal, $ok:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The longest name accepted, in bytes.
            pub const LIMIT: usize = $limit;

            /// Parses a name; surrounding blanks are dropped.
            pub fn parse(text: &str) -> Result<Self, NameError> {
                let text = text.trim();
                let allowed: fn(char) -> bool = $ok;
                if text.is_empty() {
                    return Err(NameError::Empty { what: $what });
                }
                if text.len() > $limit {
                    return Err(NameError::TooLong { what: $what, limit: $limit, got: text.len() });
                }
                match text.chars().find(|&c| !allowed(c)) {
                    Some(character) => Err(NameError::Character { what: $what, character, allowed: $allowed }),
                    None => Ok(Self(text.to_owned())),
                }
            }

            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = NameError;

            fn try_from(text: String) -> Result<Self, NameError> {
                Self::parse(&text)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }

        impl std::str::FromStr for $name {
            type Err = NameError;

            fn from_str(text: &str) -> Result<Self, NameError> {
                Self::parse(text)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

fn printable(c: char) -> bool {
    !c.is_control()
}

fn slug(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

name!(
    /// The short name of a project in URLs.
    ProjectSlug, "project", 64, "letters, digits, '-', '_' and '.'", slug
);
name!(
    /// The name of a benchmark without its parameters.
    BenchmarkName, "benchmark name", 1024, "anything but control characters", printable
);
name!(
    /// The name of a measure as the tool gives it, such as `op rate` or `ns/op`.
    MeasureName, "measure name", 256, "anything but control characters", printable
);
name!(
    /// A branch.
    BranchName, "branch", 255, "anything but control characters", printable
);
name!(
    /// A commit's hash, or whatever else names a revision.
    CommitSha, "commit", 128, "letters, digits, '-', '_' and '.'", slug
);
name!(
    /// A class of machines whose numbers are comparable.
    TestbedName, "testbed", 128, "anything but control characters", printable
);

impl CommitSha {
    /// See [`short_commit`].
    pub fn short(&self) -> &str {
        short_commit(&self.0)
    }
}

/// The first ten digits of a hash, for people; the first 24 characters of any other name of a commit.
pub fn short_commit(commit: &str) -> &str {
    let is_hash = commit.len() >= 10 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    let length = if is_hash { 10 } else { 24 };
    commit.char_indices().nth(length).map_or(commit, |(end, _)| &commit[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_control_character_is_refused_by_name() {
        let error = BranchName::parse("a\u{7}b").unwrap_err();
        assert_eq!(
            error.to_string(),
            "branch holds the character '\\u{7}', which is not allowed (anything but control characters)"
        );
    }

    #[test]
    fn a_slug_is_safe_in_a_path() {
        assert!(ProjectSlug::parse("../etc").is_err());
        assert!(ProjectSlug::parse("kv-store_2.0").is_ok());
    }

    proptest! {
        #[test]
        fn what_parses_prints_itself(text in ".{0,40}") {
            if let Ok(name) = BenchmarkName::parse(&text) {
                prop_assert_eq!(BenchmarkName::parse(name.as_str()).unwrap(), name);
            }
        }
    }
}
