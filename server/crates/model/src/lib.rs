//! The words of perfblame as types. Everything else is written in terms of these.
//!
//! What is absent: I/O, async, a time source, SQL. Values come in, values go out.

pub mod id;
pub mod name;
pub mod policy;
pub mod profile;
pub mod quantity;
pub mod run;
pub mod unit;
pub mod verdict;

pub use id::{ProfileId, ProjectId, RunId};
pub use name::{BenchmarkName, BranchName, CommitSha, MeasureName, NameError, ProjectSlug, TestbedName};
pub use policy::Policy;
pub use profile::{CallTree, CallTreeBuilder, Category, Event, FrameInfo, LabelWeight, Node, Profile};
pub use quantity::{Change, Quantity, Share};
pub use run::{Benchmark, BenchmarkKey, Better, Figure, Kind, Measure, Measurement, Role, RunData, Status};
pub use unit::Unit;
pub use verdict::{Confidence, Finding, FindingOutcome, Outcome, ProfileComparison, Suspect, Verdict};
