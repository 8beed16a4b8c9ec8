//! Runs: create, show, list, add profiles.

mod create;
mod list;
mod profiles;
mod show;

pub(super) use create::{__path_create, create};
pub(super) use list::{__path_list, list};
pub(super) use profiles::{__path_add_profiles, add_profiles};
pub(super) use show::{__path_show, show};
