//! Pages as values: a struct is the context of its template, and a pure function makes it. No I/O in here.

pub(crate) mod compare;
pub(crate) mod error;
pub(crate) mod finding;
pub(crate) mod glossary;
pub(crate) mod offline;
pub(crate) mod profile;
pub(crate) mod project;
pub(crate) mod projects;
pub(crate) mod run;
pub(crate) mod series;
