//! What a frame is for.

use serde::{Deserialize, Serialize};

/// The kind of work a frame does. The order is that of reports.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Category {
    /// Writing log records, and building them.
    Logging,
    /// Moving bytes about.
    Copy,
    /// Getting and freeing memory.
    Allocation,
    /// Garbage collection and its barriers.
    Gc,
    /// Waiting for or handing over locks.
    Lock,
    /// Objects to bytes and back, JSON included.
    Serialization,
    /// Values to text.
    Formatting,
    /// Compressing and inflating.
    Compression,
    /// Checksums and hashes over bulk data.
    Checksum,
    /// Encryption, signatures, TLS.
    Crypto,
    /// Files, sockets, system calls, the kernel.
    Io,
    /// Looking types and methods up at run time.
    Reflection,
    /// Throwing, unwinding, stack traces.
    Exceptions,
    /// Regular expressions.
    Regex,
    /// Hash maps and hashing of keys.
    Hashing,
    /// Compiling or loading code at run time.
    Jit,
    /// Choosing what runs next.
    Scheduler,
    /// Waiting for work.
    Idle,
    /// A category that the project defined, by its name.
    User(String),
    /// Anything else: the program's own work.
    Other,
}

impl Category {
    /// Every built-in category, in the order of reports.
    pub const BUILT_IN: [Self; 19] = [
        Self::Logging,
        Self::Copy,
        Self::Allocation,
        Self::Gc,
        Self::Lock,
        Self::Serialization,
        Self::Formatting,
        Self::Compression,
        Self::Checksum,
        Self::Crypto,
        Self::Io,
        Self::Reflection,
        Self::Exceptions,
        Self::Regex,
        Self::Hashing,
        Self::Jit,
        Self::Scheduler,
        Self::Idle,
        Self::Other,
    ];

    /// The name in the API, in policies and on pages.
    pub fn name(&self) -> &str {
        match self {
            Self::Logging => "logging",
            Self::Copy => "copy",
            Self::Allocation => "allocation",
            Self::Gc => "gc",
            Self::Lock => "lock",
            Self::Serialization => "serialization",
            Self::Formatting => "formatting",
            Self::Compression => "compression",
            Self::Checksum => "checksum",
            Self::Crypto => "crypto",
            Self::Io => "io",
            Self::Reflection => "reflection",
            Self::Exceptions => "exceptions",
            Self::Regex => "regex",
            Self::Hashing => "hashing",
            Self::Jit => "jit",
            Self::Scheduler => "scheduler",
            Self::Idle => "idle",
            Self::User(name) => name,
            Self::Other => "other",
        }
    }

    /// Whether the category says *why* work is done, so that the outermost such frame names the stack:
    /// allocation inside a log call is logging, "of which allocation".
    pub fn is_cause(&self) -> bool {
        matches!(
            self,
            Self::Logging
                | Self::Serialization
                | Self::Compression
                | Self::Checksum
                | Self::Crypto
                | Self::Regex
                | Self::Reflection
                | Self::Exceptions
                | Self::User(_)
        )
    }
}

impl std::fmt::Display for Category {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl From<String> for Category {
    fn from(name: String) -> Self {
        match Self::BUILT_IN.iter().find(|category| category.name() == name) {
            Some(category) => category.clone(),
            None => Self::User(name),
        }
    }
}

impl From<Category> for String {
    fn from(category: Category) -> Self {
        category.name().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for category in Category::BUILT_IN {
            assert_eq!(Category::from(category.name().to_owned()), category);
        }
        assert_eq!(
            Category::from("buffer management".to_owned()),
            Category::User("buffer management".to_owned())
        );
    }
}
