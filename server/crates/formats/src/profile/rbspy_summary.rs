//! The summary that `rbspy report -f summary` and `rbspy record --format summary` print:
//!
//! ```text
//! % self  % total  name
//!  51.85    51.85  block in build - work.rb:2
//! ```
//!
//! A flat table: no stacks and no counts, so it is partial and only the self shares are taken; totals of callers
//! cannot be placed without their stacks. Source: <https://rbspy.github.io/>.

use model::{Event, Node, Profile, Unit};

use super::parts::{known, without_line};
use super::sink::Sink;
use crate::error::{At, Kind, ParseError};
use crate::read::{Content, Input, Parsed, Reader, Sniff};
use crate::text::{text, without_colours};
use crate::warnings::Warnings;

const NAME: &str = "rbspy-summary";

/// rbspy's summary.
pub(super) const READER: Reader = Reader { name: NAME, about: "the summary table of rbspy", sniff, read };

fn is_heading(line: &str) -> bool {
    line.split_whitespace().eq(["%", "self", "%", "total", "name"])
}

fn sniff(head: &[u8]) -> Sniff {
    let text = String::from_utf8_lossy(head);
    let is_it = text.lines().take(200).any(|line| is_heading(&without_colours(line)));
    if is_it { Sniff::Yes } else { Sniff::No }
}

fn row(line: &str) -> Option<(f64, &str)> {
    let (own, rest) = line.trim_start().split_once(' ')?;
    let (total, name) = rest.trim_start().split_once(' ')?;
    let share = |text: &str| text.trim_end_matches('%').parse::<f64>().ok().filter(|value| value.is_finite());
    share(total)?;
    Some((share(own)? / 100.0, name.trim()))
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let text = text(&input, &mut warnings);
    let mut sink = Sink::new(NAME, input.limits);
    let (mut in_table, mut rows) = (false, 0_usize);
    for (i, line) in text.lines().enumerate() {
        let line = without_colours(line);
        if is_heading(&line) {
            in_table = true;
        } else if in_table && !line.trim().is_empty() {
            let at = || At::Line(i + 1);
            let Some((share, name)) = row(&line) else {
                warnings.add(at(), "this is no row of the table");
                continue;
            };
            let (name, place) = name.rsplit_once(" - ").unwrap_or((name, ""));
            let frame = sink.frame(at, name, None, known(Some(without_line(place))))?;
            let node = sink.child(at, Node::ROOT, frame, false)?;
            sink.add(node, 0, share);
            rows += 1;
        }
    }
    if rows == 0 {
        return Err(ParseError::new(
            NAME,
            At::File,
            Kind::Invalid("there is no row in the table".to_owned()),
        ));
    }
    let event = Event { name: "wall".to_owned(), unit: Unit::Ratio };
    let mut profile = Profile::new(event, sink.finish(&mut warnings));
    profile.partial = true;
    Ok(warnings.parsed(NAME, Content::Profiles(vec![profile])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hints, Limits};

    #[test]
    fn self_shares_are_read_and_the_rest_is_partial() {
        let text = "noise\r\n% self  % total  name\r\n 60.00  100.00  a - b - x.rb:3\r\n 40.00   40.00  c - y.rb:1\r\nbad\r\n";
        assert_eq!(sniff(text.as_bytes()), Sniff::Yes);
        let (hints, limits) = (Hints::default(), Limits::default());
        let parsed = read(Input { bytes: text.as_bytes(), hints: &hints, limits: &limits }).unwrap();
        assert_eq!(parsed.warnings.len(), 1);
        let Content::Profiles(profiles) = parsed.content else { panic!("not profiles") };
        let frames = &profiles[0].tree.frames;
        assert_eq!((frames[0].name.as_str(), frames[0].file.as_deref()), ("a - b", Some("x.rb")));
        assert!(profiles[0].partial && (profiles[0].tree.weight() - 1.0).abs() < 1e-12);
    }
}
