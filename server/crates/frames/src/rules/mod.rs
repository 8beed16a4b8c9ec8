//! The built-in rules, as data: one table per runtime.
//!
//! A rule names frames by how their canonical names begin (the language is in `pattern`). The lists were made for
//! this project from the public names of the runtimes and libraries and from the profiles in `fixtures/`. A rule
//! with [`Category::Other`] takes a longer name out of a shorter rule.

mod dotnet;
mod go;
mod hotspot;
mod jvm;
mod kernel;
mod kernel_io;
mod native;
mod node;
mod python;
mod rust;

use model::Category;

use crate::ecosystem::Ecosystem;

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// Unique name, `runtime.category.what`.
    pub id: &'static str,
    /// The runtime whose frames it is about. Its family decides which frames it is tried on.
    pub ecosystem: Ecosystem,
    /// The category it gives.
    pub category: Category,
    /// Beginnings of canonical names.
    pub patterns: &'static [&'static str],
    /// A canonical name that it matches, for people and for the tests.
    pub example: &'static str,
}

/// A rule in one line, for the tables.
const fn rule(
    id: &'static str,
    ecosystem: Ecosystem,
    category: Category,
    patterns: &'static [&'static str],
    example: &'static str,
) -> Rule {
    Rule { id, ecosystem, category, patterns, example }
}

/// Every built-in rule, runtime by runtime.
pub fn built_in() -> impl Iterator<Item = &'static Rule> {
    [
        jvm::RULES,
        hotspot::RULES,
        go::RULES,
        rust::RULES,
        native::RULES,
        kernel::RULES,
        kernel_io::RULES,
        python::RULES,
        node::RULES,
        dotnet::RULES,
    ]
    .into_iter()
    .flatten()
}
