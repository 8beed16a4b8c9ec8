//! An archive that no reader knows as a whole: a folder of results, sent as one file. Its members are read one by one.

use formats::{ArchiveEntry, Hints, Limits, ParseError, Sniff};

use super::meta::FileHints;

/// What an archive is called among formats.
pub(super) const FORMAT: &str = "archive";

/// The members of an archive in its order; `None` where bytes are no archive, the sender names a format, or a reader
/// knows such archives.
pub(super) fn members(
    bytes: &[u8],
    hints: &FileHints,
    limits: &Limits,
) -> Option<Result<Vec<ArchiveEntry>, ParseError>> {
    if hints.format.is_some() {
        return None;
    }
    let members = formats::unpack_archive(FORMAT, bytes, limits, is_wanted)?;
    match formats::sniff(bytes).into_iter().map(|attempt| attempt.answer).max() {
        Some(Sniff::Yes) => None,
        // The names near the beginning do not decide it; the reader does.
        Some(Sniff::Maybe) if formats::read(bytes, &Hints::default(), limits).is_ok() => None,
        _ => Some(members),
    }
}

/// Files of the desktop and hidden ones are nobody's results.
fn is_wanted(path: &str) -> bool {
    !path
        .split('/')
        .any(|part| part == "__MACOSX" || (part.starts_with('.') && part.len() > 1 && part != ".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_files_and_those_of_the_desktop_are_left_out() {
        for path in ["__MACOSX/a.txt", ".DS_Store", "a/.git/config"] {
            assert!(!is_wanted(path), "{path}");
        }
        for path in ["a.txt", "./a/b.json", "../a.txt"] {
            assert!(is_wanted(path), "{path}");
        }
    }
}
