//! Shared by `api` and `web`: errors at the edge, extractors, content negotiation, middleware.

pub mod accept;
pub mod error;
pub mod extract;
mod layers;
pub(crate) mod lookup;

pub use error::{AppError, Problem};
pub use layers::{REQUEST_ID, apply};
