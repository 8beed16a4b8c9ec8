//! Whether bytes look like a pprof: fields in their kinds from the first byte on, and a sample type among them.

use super::proto::{Message, Value};
use crate::read::Sniff;

/// Yes when a sound sample type was seen and nothing was wrong up to the end of the head; maybe when only one of
/// the two holds.
pub(super) fn sniff(head: &[u8]) -> Sniff {
    let mut message = Message::new(head);
    let mut sample_type = false;
    let mut table = false;
    loop {
        let before = message.offset;
        match message.field() {
            Ok(None) => break,
            Ok(Some((number, value))) => match check(number, value) {
                Some(Known::SampleType) => sample_type = true,
                Some(Known::Table) => table = true,
                Some(Known::Other) => {}
                // What follows a sound sample type belongs to a damaged pprof.
                None => return if sample_type { Sniff::Maybe } else { Sniff::No },
            },
            // A head that ends inside a field, or damage.
            Err(_) if sample_type => {
                return if before > 0 && head.len() >= 65_536 { Sniff::Yes } else { Sniff::Maybe };
            }
            Err(_) => return if table { Sniff::Maybe } else { Sniff::No },
        }
    }
    match (sample_type, table) {
        (true, _) => Sniff::Yes,
        (false, true) => Sniff::Maybe,
        (false, false) => Sniff::No,
    }
}

enum Known {
    SampleType,
    Table,
    Other,
}

/// What a field at the top is, `None` when it is nothing that `profile.proto` allows.
fn check(number: u64, value: Value<'_>) -> Option<Known> {
    match (number, value) {
        (1, Value::Bytes(message)) => holds_numbers(message, 2).then_some(Known::SampleType),
        (2 | 4, Value::Bytes(message)) => well_formed(message).then_some(Known::Table),
        (3 | 5, Value::Bytes(message)) => holds_numbers(message, 10).then_some(Known::Table),
        (6 | 13, Value::Bytes(_)) | (7..=10 | 12..=15, Value::Varint(_)) | (16.., _) => Some(Known::Other),
        (11, Value::Bytes(message)) => holds_numbers(message, 2).then_some(Known::Other),
        _ => None,
    }
}

/// A non-empty message of nothing but numbers in fields up to `most`.
fn holds_numbers(mut message: Message<'_>, most: u64) -> bool {
    if message.bytes.is_empty() {
        return false;
    }
    loop {
        match message.field() {
            Ok(None) => return true,
            Ok(Some((1.., Value::Varint(_)))) => {}
            Ok(Some((number, _))) if number > most => {}
            _ => return false,
        }
    }
}

fn well_formed(mut message: Message<'_>) -> bool {
    loop {
        match message.field() {
            Ok(None) => return true,
            Ok(Some((1.., _))) => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_type_and_sound_fields_are_claimed() {
        let sample_type = [0x0A, 4, 0x08, 1, 0x10, 2];
        let sample = [0x12, 5, 0x0A, 1, 1, 0x12, 0];
        assert_eq!(sniff(&[&sample_type[..], &sample].concat()), Sniff::Yes);
        assert_eq!(sniff(&[&sample_type[..], &sample[..4]].concat()), Sniff::Maybe);
        assert_eq!(sniff(&sample), Sniff::Maybe);
    }

    #[test]
    fn text_is_not_claimed() {
        for text in [
            "",
            "\nBenchmarkA 1 2 ns/op\n",
            "main;a 5\n",
            "{\"a\": 1}",
            "\n\n",
            "\"a\"",
            "z",
            "FLR\0\0\x02",
            "zz\nzz",
        ] {
            assert_eq!(sniff(text.as_bytes()), Sniff::No, "{text:?}");
        }
    }
}
