//! Call trees that people cut out of async-profiler's view and type into issues and pull requests:
//!
//! ```text
//! Direct / NioByteString.writeTo — 15.7% of total CPU:
//!
//! CodedOutputStream$OutputStreamEncoder.writeTo
//!  └─ NioByteString.writeTo
//!       ├─ slice → slice → <init>×4 → jbyte_disjoint_arraycopy   # copy 1
//!       └─ writeLazy → ByteBufOutputStream.write
//! ```

mod heading;
mod outline;
mod read;

use crate::read::Reader;

/// The name of the format in hints and errors.
const NAME: &str = "async-profiler-tree";

/// Hand-written call trees.
pub(super) const READER: Reader = Reader {
    name: NAME,
    about: "a call tree typed by hand below a heading with a percentage",
    sniff: read::sniff,
    read: read::read,
};
