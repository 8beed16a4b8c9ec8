//! MinIO warp: the analysis that it prints, the same as JSON, and the segments of `--analyze.out`.
//!
//! Written from warp 0.3 to 1.3 (<https://github.com/minio/warp>).

mod json;
mod segments;
mod text;

pub(super) use json::READER as JSON;
pub(super) use segments::READER as SEGMENTS;
pub(super) use text::READER as TEXT;
