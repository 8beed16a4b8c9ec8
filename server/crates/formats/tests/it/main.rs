//! The corpus and properties, one binary.

mod pprof_message;
mod profiles;
mod profiles_hostile;
