//! The API through the router, in process.

mod create;
mod hostile;
mod read;
