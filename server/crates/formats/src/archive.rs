//! tar and zip archives as lists of files in memory: folders that tools leave behind (`target/criterion`), sent as one.
//!
//! Names are names and never paths: nothing is written. Bounded by the same limit as any decompression, and by a number
//! of files.

use std::io::{Cursor, Read};

use crate::error::{At, Kind, ParseError};
use crate::limits::Limits;

/// Files in one archive. criterion leaves a dozen a benchmark.
const FILES: usize = 200_000;

/// One file of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path in the archive, with `/`.
    pub path: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// Whether bytes begin like a zip or tar archive.
pub(crate) fn is_archive(head: &[u8]) -> bool {
    is_zip(head) || is_tar(head)
}

fn is_zip(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
}

fn is_tar(head: &[u8]) -> bool {
    head.get(257..262) == Some(b"ustar")
}

/// The files of an archive whose path `keep` wants, in the order of the archive; `None` where the bytes are no archive.
///
/// # Errors
///
/// A damaged archive, more bytes than `max_decompressed_bytes`, more than 200,000 files.
pub fn unpack(
    format: &'static str,
    bytes: &[u8],
    limits: &Limits,
    keep: impl Fn(&str) -> bool,
) -> Option<Result<Vec<Entry>, ParseError>> {
    let unpacking = Unpacking { format, limits, entries: Vec::new(), room: limits.decompressed_bytes };
    if is_zip(bytes) {
        Some(unpacking.zip(bytes, keep))
    } else if is_tar(bytes) {
        Some(unpacking.tar(bytes, keep))
    } else {
        None
    }
}

struct Unpacking<'a> {
    format: &'static str,
    limits: &'a Limits,
    entries: Vec<Entry>,
    /// Bytes that may still be unpacked.
    room: usize,
}

impl Unpacking<'_> {
    fn error(&self, at: At, kind: Kind) -> ParseError {
        ParseError::new(self.format, at, kind)
    }

    fn damaged(&self, what: &str, why: impl std::fmt::Display) -> ParseError {
        self.error(At::File, Kind::Invalid(format!("the {what} archive is damaged: {why}")))
    }

    fn take(&mut self, path: String, reader: &mut dyn Read) -> Result<(), ParseError> {
        if self.entries.len() >= FILES {
            let text = format!("the archive holds more than {FILES} files");
            return Err(self.error(At::File, Kind::Invalid(text)));
        }
        let mut bytes = Vec::new();
        let read = reader.take(self.room as u64 + 1).read_to_end(&mut bytes);
        let n = read.map_err(|why| self.error(At::Field(path.clone()), Kind::Invalid(why.to_string())))?;
        self.room = self.room.checked_sub(n).ok_or_else(|| {
            let kind = Kind::Limit {
                what: "bytes after decompression",
                limit: self.limits.decompressed_bytes as u64,
                setting: "max_decompressed_bytes",
            };
            self.error(At::Field(path.clone()), kind)
        })?;
        self.entries.push(Entry { path, bytes });
        Ok(())
    }

    fn zip(mut self, bytes: &[u8], keep: impl Fn(&str) -> bool) -> Result<Vec<Entry>, ParseError> {
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|why| self.damaged("zip", why))?;
        for index in 0..archive.len().min(FILES + 1) {
            let mut file = archive.by_index(index).map_err(|why| self.damaged("zip", why))?;
            let path = file.name().map_err(|why| self.damaged("zip", why))?.replace('\\', "/");
            if file.is_file() && keep(&path) {
                self.take(path, &mut file)?;
            }
        }
        Ok(self.entries)
    }

    fn tar(mut self, bytes: &[u8], keep: impl Fn(&str) -> bool) -> Result<Vec<Entry>, ParseError> {
        let mut archive = tar::Archive::new(bytes);
        let files = archive.entries().map_err(|why| self.damaged("tar", why))?;
        for file in files.take(FILES + 1) {
            let mut file = file.map_err(|why| self.damaged("tar", why))?;
            let path = String::from_utf8_lossy(&file.path_bytes()).into_owned();
            if file.header().entry_type().is_file() && keep(&path) {
                self.take(path, &mut file)?;
            }
        }
        Ok(self.entries)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::Write;

    use super::*;

    pub(crate) fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (path, bytes) in files {
            let mut header = tar::Header::new_ustar();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            builder.append_data(&mut header, path, *bytes).unwrap();
        }
        builder.into_inner().unwrap()
    }

    pub(crate) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (path, bytes) in files {
            writer.start_file(*path, zip::write::SimpleFileOptions::default()).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn all(bytes: &[u8], limits: &Limits) -> Result<Vec<Entry>, ParseError> {
        unpack("test", bytes, limits, |path| path != "a/c.svg").unwrap()
    }

    #[test]
    fn both_kinds_give_the_files_that_are_wanted() {
        let files: [(&str, &[u8]); 3] = [("a/b.json", b"1"), ("a/c.svg", b"x"), ("../d", b"2")];
        for bytes in [tar(&[files[0], files[1]]), zip(&files[..2])] {
            let entries = all(&bytes, &Limits::default()).unwrap();
            assert_eq!(entries, [Entry { path: "a/b.json".to_owned(), bytes: b"1".to_vec() }]);
        }
        assert_eq!(all(&zip(&files[2..]), &Limits::default()).unwrap()[0].path, "../d", "a name and no path");
        assert!(unpack("test", b"neither", &Limits::default(), |_| true).is_none());
    }

    #[test]
    fn bombs_and_damage_are_errors() {
        let limits = Limits { decompressed_bytes: 100, ..Limits::default() };
        for pack in [tar, zip] {
            let bytes = pack(&[("a", &[0; 60]), ("b", &[0; 60])]);
            assert!(all(&bytes, &limits).unwrap_err().to_string().contains("max_decompressed_bytes"));
            for end in [4, bytes.len() / 3] {
                let cut = &bytes[..end];
                // A cut tar may end between two files; what is cut inside one is an error or short.
                let _ = unpack("test", cut, &limits, |_| true);
            }
        }
        assert!(all(&zip(&[("a", b"x")])[..20], &limits).is_err());
    }
}
