//! Raw frame texts of a folded file to frames of the tree.

use model::CallTreeBuilder;

use crate::profile::intern::{KERNEL, Table, is_class, split_mark};
use crate::text::cut;

/// The frame that a raw text stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Resolved {
    /// Index into the tree's frames.
    pub(super) frame: u32,
    /// The text ended in `_[i]`: inlined into its caller.
    pub(super) inlined: bool,
}

/// The texts seen so far.
#[derive(Debug)]
pub(super) struct Names<'t> {
    known: Table<'t, Resolved>,
    longest: usize,
}

impl<'t> Names<'t> {
    /// An empty table; names longer than `longest` bytes are cut.
    pub(super) fn new(longest: usize) -> Self {
        Self { known: Table::new(), longest }
    }

    /// The frame of a text, made on first use, and whether its name was cut just now.
    pub(super) fn resolve(
        &mut self,
        text: &'t str,
        hash: u64,
        tree: &mut CallTreeBuilder,
    ) -> (Resolved, bool) {
        if let Some(known) = self.known.find(text.as_bytes(), hash) {
            return (known, false);
        }
        let (resolved, cut) = add(text, self.longest, tree);
        self.known.insert(text.as_bytes(), hash, resolved);
        (resolved, cut)
    }
}

fn add(text: &str, longest: usize, tree: &mut CallTreeBuilder) -> (Resolved, bool) {
    let (name, mark) = split_mark(text);
    let short = cut(name, longest);
    let mark = mark.filter(|_| !is_class(name));
    let module = (mark == Some(b'k')).then_some(KERNEL);
    let frame = tree.frame(short, module, None);
    (Resolved { frame, inlined: mark == Some(b'i') }, short.len() < name.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::intern::scan;

    #[test]
    fn marks_leave_the_name() {
        let mut tree = CallTreeBuilder::new();
        let mut names = Names::new(100);
        let mut ask = |text: &'static str| names.resolve(text, scan::<b';'>(text.as_bytes()).1, &mut tree).0;
        let compiled = ask("A.b_[j]");
        assert_eq!(ask("A.b_[0]"), compiled);
        assert_eq!(ask("A.b_[i]"), Resolved { frame: compiled.frame, inlined: true });
        assert_ne!(ask("A.b_[k]").frame, compiled.frame);
        assert_ne!(ask("A.b_[x]").frame, compiled.frame);
        ask("_[k]");
        assert_eq!(ask("byte[]_[k]"), ask("byte[]_[i]"));
        let tree = tree.finish();
        let named: Vec<_> =
            tree.frames.iter().map(|frame| (frame.name.as_str(), frame.module.as_deref())).collect();
        assert_eq!(
            named,
            [("A.b", None), ("A.b", Some("[kernel]")), ("A.b_[x]", None), ("_[k]", None), ("byte[]", None)]
        );
    }
}
