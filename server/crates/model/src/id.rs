//! Identifiers that appear in URLs: UUIDv7, so that they sort by creation time.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// Wraps an identifier that came from the database or from the id source.
            pub const fn from_uuid(id: Uuid) -> Self {
                Self(id)
            }

            /// The bare identifier, for the database.
            pub const fn as_uuid(self) -> Uuid {
                self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    };
}

id!(
    /// A project: the unit of ownership and settings.
    ProjectId
);
id!(
    /// A run: one upload of one commit on one testbed.
    RunId
);
id!(
    /// A profile: a bag of stacks of one run.
    ProfileId
);
