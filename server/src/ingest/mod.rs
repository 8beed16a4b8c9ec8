//! Bytes and context to a stored run: formats → frames → store, one transaction.

mod accept;
mod archive;
mod meta;
mod native;
mod read;
mod upload;

pub use accept::{Accepted, accept, add_profiles};
pub use meta::{FileHints, Meta, MetaQuery};
pub(crate) use read::read_runs;
pub use read::{FileRead, ReadRun, read_files};
pub use upload::{FileRole, Upload, UploadFile, receive};
