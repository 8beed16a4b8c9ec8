//! `formats`: what perfblame can read.

use super::{Exit, print};

/// Prints every reader's name and what it reads, in the order in which readers are asked.
pub(super) fn run() -> Exit {
    let width = formats::readers().map(|reader| reader.name.len()).max().unwrap_or(0);
    for reader in formats::readers() {
        print(&format!("{:width$}  {}\n", reader.name, reader.about));
    }
    Exit::Fine
}
