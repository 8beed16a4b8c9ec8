//! Whole stories: from the first upload to what people read.

mod browser;
mod demo;
mod process;
mod self_profile;
