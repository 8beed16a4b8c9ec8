//! Folded text to a profile of raw symbols, as simply as tests need it.

use model::{CallTreeBuilder, Event, Node, Profile, Unit};

/// `a;b;c 12` lines; lines without a whole number at their end are left out.
pub(crate) fn profile(text: &str) -> Profile {
    let mut builder = CallTreeBuilder::new();
    for line in text.lines() {
        let Some((stack, weight)) = line.rsplit_once(' ') else { continue };
        let Ok(weight) = weight.parse::<u64>() else { continue };
        let leaf = stack.split(';').fold(Node::ROOT, |at, name| {
            let frame = builder.frame(name, None, None);
            builder.child(at, frame, false)
        });
        builder.add(leaf, weight, weight as f64);
    }
    Profile::new(Event { name: "cpu".to_owned(), unit: Unit::Count("samples".to_owned()) }, builder.finish())
}
