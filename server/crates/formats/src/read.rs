//! The table of readers and the way in: decompress, sniff, read.

use model::{Benchmark, Profile, Unit};

use crate::archive::is_archive;
use crate::container::{is_utf16, unpack, without_byte_order_mark};
use crate::error::{At, Kind, ParseError};
use crate::limits::Limits;
use crate::text::excerpt;
use crate::{profile, report};

/// What the sender said about a file.
#[derive(Debug, Clone, Default)]
pub struct Hints {
    /// The format by its reader's name, instead of sniffing.
    pub format: Option<String>,
    /// The file's name, which some readers use to name a benchmark (`runs.txt` → `runs`).
    pub file_name: Option<String>,
    /// Which column of a file that holds several sides (benchstat, comparison tables): a column's label or its
    /// number from 1.
    pub column: Option<String>,
    /// The profile's event, overriding a guess.
    pub event: Option<String>,
    /// The unit of a profile's weights, overriding a guess.
    pub unit: Option<String>,
    /// Units of weight between two samples of a profile, overriding a guess.
    pub period: Option<f64>,
    /// Where the benchmarks of a JSON or CSV document stand, for the formats `json-mapping` and `csv`.
    pub mapping: Option<String>,
}

/// Decompressed bytes with everything a reader may look at.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The bytes, decompressed.
    pub bytes: &'a [u8],
    /// What the sender said.
    pub hints: &'a Hints,
    /// The bounds.
    pub limits: &'a Limits,
}

/// How sure a reader is that bytes are its own. Readers look at the first 64 kB at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sniff {
    /// Not mine.
    No,
    /// It could be mine when nobody else claims it.
    Maybe,
    /// Mine.
    Yes,
}

/// A remark about something that was read despite an oddity, or skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Where.
    pub at: At,
    /// What, as a lowercase fragment.
    pub text: String,
}

/// What a benchmark file holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// The benchmarks; of a file with several columns, those of the chosen column (the last by default).
    pub benchmarks: Vec<Benchmark>,
    /// Labels of all columns in a file that holds several sides; empty otherwise.
    pub columns: Vec<String>,
    /// The index in `columns` that was taken.
    pub column: Option<usize>,
    /// Facts about the machine or the run found in the file (`goos`, `cpu`, `mode`).
    pub environment: std::collections::BTreeMap<String, String>,
}

/// One past run in a file that keeps many.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Point {
    /// The commit measured, as the file names it.
    pub commit: Option<String>,
    /// When it was measured, or made where the file says only that.
    pub at: Option<chrono::DateTime<chrono::Utc>>,
    /// The branch, where the file names one.
    pub branch: Option<String>,
    /// The machine, where the file names one.
    pub testbed: Option<String>,
    /// What was measured.
    pub report: Report,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Benchmarks.
    Report(Report),
    /// Profiles with raw symbols, one an event.
    Profiles(Vec<Profile>),
    /// Many past runs in the order of the file, to import and not to ingest as one.
    History(Vec<Point>),
}

/// What was read and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The reader that read it.
    pub format: &'static str,
    /// What was in it.
    pub content: Content,
    /// Oddities, at most [`Limits::warnings`].
    pub warnings: Vec<Warning>,
    /// Warnings beyond that.
    pub warnings_dropped: usize,
}

impl Parsed {
    /// Puts a remark about the file as a whole in front.
    fn add_first(&mut self, limits: &Limits, text: String) {
        self.warnings.insert(0, Warning { at: At::File, text });
        if self.warnings.len() > limits.warnings {
            self.warnings.pop();
            self.warnings_dropped += 1;
        }
    }
}

/// One format: one file of this crate, one line in [`readers`].
#[derive(Debug, Clone, Copy)]
pub struct Reader {
    /// The name in `format=` and in errors.
    pub name: &'static str,
    /// What it reads, for people.
    pub about: &'static str,
    /// Whether the first 64 kB look like it.
    pub sniff: fn(&[u8]) -> Sniff,
    /// Reads the whole.
    pub read: fn(Input<'_>) -> Result<Parsed, ParseError>,
}

/// One reader's answer while sniffing, for `inspect`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The reader.
    pub format: &'static str,
    /// Its answer.
    pub answer: Sniff,
}

/// How much of an input readers look at to say whether it is theirs, in bytes.
const HEAD: usize = 65_536;

/// Every reader, most telling first; of equally sure readers the first wins.
pub fn readers() -> impl Iterator<Item = &'static Reader> {
    profile::READERS.iter().chain(report::ARCHIVES).chain(report::READERS)
}

/// What each reader says of the (decompressed) bytes.
pub fn sniff(bytes: &[u8]) -> Vec<Attempt> {
    let head = without_byte_order_mark(bytes.get(..HEAD).unwrap_or(bytes).into());
    answers(&head).map(|(reader, answer)| Attempt { format: reader.name, answer }).collect()
}

fn answers(head: &[u8]) -> impl Iterator<Item = (&'static Reader, Sniff)> {
    let is_archive = is_archive(head);
    let is_asked = move |reader: &Reader| {
        !is_archive || report::ARCHIVES.iter().any(|of_archives| of_archives.name == reader.name)
    };
    readers().map(move |reader| (reader, if is_asked(reader) { (reader.sniff)(head) } else { Sniff::No }))
}

fn choose(bytes: &[u8], hints: &Hints) -> Result<&'static Reader, ParseError> {
    if let Some(name) = &hints.format {
        return readers().find(|reader| reader.name == name).ok_or_else(|| {
            ParseError::new("input", At::File, Kind::NoSuchFormat(name.clone(), similar(name)))
        });
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(ParseError::new("input", At::File, Kind::Empty));
    }
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    let mut best: Option<(&'static Reader, Sniff)> = None;
    for (reader, answer) in answers(head) {
        if answer > best.map_or(Sniff::No, |(_, sure)| sure) {
            best = Some((reader, answer));
        }
    }
    best.map(|(reader, _)| reader).ok_or_else(|| {
        let head = String::from_utf8_lossy(head.get(..512).unwrap_or(head));
        let first = head.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        ParseError::new(
            "input",
            At::File,
            Kind::Unknown(readers().count(), excerpt(first.trim()).into_owned()),
        )
    })
}

/// Names of readers that hold a wrong name or are held by it: `jmh` for `jmh-json`.
fn similar(name: &str) -> String {
    let is_similar = |known: &&str| !name.is_empty() && (known.contains(name) || name.contains(known));
    let names: Vec<&str> = readers().map(|reader| reader.name).filter(is_similar).collect();
    if names.is_empty() { String::new() } else { format!(", but {}", names.join(", ")) }
}

/// What the sender said outranks what a file of one profile says or a reader guessed. Readers that need to know
/// earlier have done it before; doing it again changes nothing. Of a file with several profiles the hints can only
/// choose, which is the reader's part.
fn override_guesses(profiles: &mut [Profile], hints: &Hints) {
    let [profile] = profiles else { return };
    if let Some(event) = &hints.event {
        profile.event.name.clone_from(event);
    }
    let (unit, scale) = hints.unit.as_deref().map_or((profile.event.unit.clone(), 1.0), Unit::parse);
    if profile.event.unit != unit {
        profile.tree.nodes.iter_mut().for_each(|node| node.self_weight *= scale);
        profile.labels.iter_mut().for_each(|label| label.weight *= scale);
        profile.event.unit = unit;
    }
    if let Some(period) = hints.period.filter(|period| *period > 0.0) {
        profile.period = Some(period * scale);
    }
}

/// Reads a file: gzip, zstd and a byte order mark are taken off, the format is taken from the hints or sniffed.
///
/// # Errors
///
/// One located error; nothing of the file is returned then.
pub fn read(bytes: &[u8], hints: &Hints, limits: &Limits) -> Result<Parsed, ParseError> {
    let unpacked = unpack(bytes, limits)?;
    let is_utf16 = is_utf16(&unpacked.bytes);
    let plain = without_byte_order_mark(unpacked.bytes);
    let reader = choose(&plain, hints)?;
    let mut parsed = (reader.read)(Input { bytes: &plain, hints, limits })?;
    if let Content::Profiles(profiles) = &mut parsed.content {
        override_guesses(profiles, hints);
    }
    if unpacked.trailing > 0 {
        parsed.add_first(
            limits,
            format!("{} bytes behind the compressed stream are ignored", unpacked.trailing),
        );
    }
    if is_utf16 {
        parsed.add_first(limits, "the text is UTF-16 and was decoded".to_owned());
    }
    Ok(parsed)
}
