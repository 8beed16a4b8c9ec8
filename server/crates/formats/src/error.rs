//! Why bytes could not be read: what, where, which limit.

/// Where in the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum At {
    /// A line of text, counted from 1.
    Line(usize),
    /// A byte offset, counted from 0 in the decompressed input.
    Offset(usize),
    /// A member of a structured document: `benchmarks[3].measures.throughput.unit`, `sample 7`.
    Field(String),
    /// The file as a whole.
    File,
}

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Offset(offset) => write!(f, "byte {offset}"),
            Self::Field(field) => f.write_str(field),
            Self::File => f.write_str("the file"),
        }
    }
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Kind {
    /// Zero bytes, or blanks only.
    #[error("there is nothing in it")]
    Empty,
    /// No reader knows the bytes; holds how many were asked and how the bytes begin.
    #[error("none of the {0} formats that are read (`perfblame formats` lists them); it begins with {1:?}")]
    Unknown(usize, String),
    /// `format=` names no reader; holds the name and what to say of similar ones.
    #[error("there is no format named {0:?}{1}; `perfblame formats` lists them")]
    NoSuchFormat(String, String),
    /// The input ends where more is needed.
    #[error("it ends early: {0}")]
    Truncated(&'static str),
    /// The compressed stream is damaged.
    #[error("the {0} stream is damaged")]
    Compression(&'static str),
    /// A bound was exceeded. `setting` names the configuration that governs it.
    #[error("{what} exceed the limit of {limit} (setting {setting})")]
    Limit {
        /// What there are too many of, in the plural ("frames on a stack").
        what: &'static str,
        /// The limit.
        limit: u64,
        /// The configuration that governs it.
        setting: &'static str,
    },
    /// A value is not what the format says; holds what was expected and what was found, cut to a readable length.
    #[error("expected {expected}, found {found:?}")]
    Expected {
        /// What belongs there.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// A reference to something that is not there.
    #[error("{what} {id} does not exist")]
    Dangling {
        /// What kind of thing ("function").
        what: &'static str,
        /// Its identifier.
        id: u64,
    },
    /// The document contradicts itself or says something impossible.
    #[error("{0}")]
    Invalid(String),
}

/// One located error of one reader.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{format}: {at}: {kind}")]
pub struct ParseError {
    /// The reader that refused the input, `input` before one was chosen.
    pub format: &'static str,
    /// Where.
    pub at: At,
    /// What.
    pub kind: Kind,
}

impl ParseError {
    /// An error of `format` at a place.
    pub fn new(format: &'static str, at: At, kind: Kind) -> Self {
        Self { format, at, kind }
    }
}
