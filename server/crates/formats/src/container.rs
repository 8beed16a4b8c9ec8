//! gzip and zstd around an input, taken off within a bound, and the byte order marks in front of text.
//!
//! A compressed upload is hostile until proven small: the output grows as it is read and stops one byte past the
//! limit, so that a gigabyte of zeros in a megabyte costs no more memory than the limit.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};

use crate::error::{At, Kind, ParseError};
use crate::limits::Limits;

const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];
const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
const UTF8_BOM: &[u8] = &[0xef, 0xbb, 0xbf];
const UTF16_LE_BOM: &[u8] = &[0xff, 0xfe];
const UTF16_BE_BOM: &[u8] = &[0xfe, 0xff];

/// Layers of compression that are taken off. Two happen (a `.gz` file sent with a compressing client); more is
/// an attack.
const LAYERS: usize = 2;

/// The bytes without their compression and what stood behind it.
#[derive(Debug)]
pub(crate) struct Unpacked<'a> {
    /// The plain bytes.
    pub(crate) bytes: Cow<'a, [u8]>,
    /// Bytes behind the last compressed member, which were ignored.
    pub(crate) trailing: usize,
}

/// The bytes without their compression; as they are when there is none.
///
/// Bytes that follow a complete compressed member and are not another member are ignored.
///
/// # Errors
///
/// A damaged or truncated stream, more than two layers, or more than [`Limits::decompressed_bytes`] bytes.
pub fn decompress<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Cow<'a, [u8]>, ParseError> {
    unpack(bytes, limits).map(|unpacked| unpacked.bytes)
}

pub(crate) fn unpack<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Unpacked<'a>, ParseError> {
    let mut unpacked = Unpacked { bytes: Cow::Borrowed(bytes), trailing: 0 };
    for _ in 0..LAYERS {
        let (plain, trailing) = match compression(&unpacked.bytes) {
            None => break,
            Some(compression) => members(compression, &unpacked.bytes, limits)?,
        };
        unpacked = Unpacked { bytes: Cow::Owned(plain), trailing: unpacked.trailing + trailing };
    }
    if compression(&unpacked.bytes).is_some() {
        let text = format!("it is compressed more than {LAYERS} times over");
        return Err(error(Kind::Invalid(text)));
    }
    if unpacked.bytes.len() > limits.decompressed_bytes {
        return Err(too_large(limits));
    }
    Ok(unpacked)
}

#[derive(Debug, Clone, Copy)]
enum Compression {
    Gzip,
    Zstd,
}

impl Compression {
    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }
}

fn compression(bytes: &[u8]) -> Option<Compression> {
    if bytes.starts_with(GZIP_MAGIC) {
        Some(Compression::Gzip)
    } else if bytes.starts_with(ZSTD_MAGIC) {
        Some(Compression::Zstd)
    } else {
        None
    }
}

fn error(kind: Kind) -> ParseError {
    ParseError::new("input", At::File, kind)
}

fn too_large(limits: &Limits) -> ParseError {
    error(Kind::Limit {
        what: "decompressed bytes",
        limit: limits.decompressed_bytes as u64,
        setting: "max_decompressed_bytes",
    })
}

/// Reads member after member, as `gzip` and `zstd` concatenate them; returns the plain bytes and how many bytes
/// behind the last member were left.
fn members(compression: Compression, bytes: &[u8], limits: &Limits) -> Result<(Vec<u8>, usize), ParseError> {
    let mut plain = Vec::new();
    let mut rest = bytes;
    while self::compression(rest).is_some_and(|next| next.name() == compression.name()) {
        rest = match compression {
            Compression::Gzip => {
                let mut decoder = flate2::bufread::GzDecoder::new(rest);
                append(&mut decoder, &mut plain, compression, limits)?;
                decoder.into_inner()
            }
            Compression::Zstd => {
                let decoder = zstd::stream::read::Decoder::with_buffer(rest);
                let mut decoder =
                    decoder.map_err(|_| error(Kind::Compression(compression.name())))?.single_frame();
                append(&mut decoder, &mut plain, compression, limits)?;
                decoder.finish()
            }
        };
    }
    let trailing = rest.fill_buf().map_or(0, <[u8]>::len);
    Ok((plain, trailing))
}

fn append(
    decoder: &mut impl Read,
    plain: &mut Vec<u8>,
    compression: Compression,
    limits: &Limits,
) -> Result<(), ParseError> {
    let room = limits.decompressed_bytes.saturating_sub(plain.len());
    let read = decoder.take(room as u64 + 1).read_to_end(plain);
    match read {
        Ok(n) if n > room => Err(too_large(limits)),
        Ok(_) => Ok(()),
        Err(cause) if cause.kind() == io::ErrorKind::UnexpectedEof => {
            Err(error(Kind::Truncated(match compression {
                Compression::Gzip => "the gzip stream is cut off",
                Compression::Zstd => "the zstd stream is cut off",
            })))
        }
        Err(_) => Err(error(Kind::Compression(compression.name()))),
    }
}

/// Whether bytes begin with a mark of UTF-16.
pub(crate) fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(UTF16_LE_BOM) || bytes.starts_with(UTF16_BE_BOM)
}

/// Text without its byte order mark, as UTF-8; other bytes as they are. Windows shells write UTF-16 when output is
/// redirected into a file.
pub(crate) fn without_byte_order_mark(bytes: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let unit: fn([u8; 2]) -> u16 = if bytes.starts_with(UTF16_LE_BOM) {
        u16::from_le_bytes
    } else if bytes.starts_with(UTF16_BE_BOM) {
        u16::from_be_bytes
    } else if bytes.starts_with(UTF8_BOM) {
        return match bytes {
            Cow::Borrowed(bytes) => Cow::Borrowed(bytes.get(UTF8_BOM.len()..).unwrap_or_default()),
            Cow::Owned(mut bytes) => {
                bytes.drain(..UTF8_BOM.len());
                Cow::Owned(bytes)
            }
        };
    } else {
        return bytes;
    };
    let units = bytes.chunks_exact(2).skip(1).filter_map(|pair| pair.try_into().ok().map(unit));
    let text: String = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    Cow::Owned(text.into_bytes())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        zstd::stream::encode_all(bytes, 3).unwrap()
    }

    #[test]
    fn plain_bytes_are_borrowed() {
        assert!(matches!(decompress(b"plain", &Limits::default()).unwrap(), Cow::Borrowed(b"plain")));
    }

    #[test]
    fn members_are_joined_and_garbage_behind_them_is_counted() {
        for pack in [gzip, zstd] {
            let bytes = [pack(b"one "), pack(b"two"), b"garbage".to_vec()].concat();
            let unpacked = unpack(&bytes, &Limits::default()).unwrap();
            assert_eq!((unpacked.bytes.as_ref(), unpacked.trailing), (b"one two".as_slice(), 7));
        }
    }

    #[test]
    fn two_layers_are_taken_off_and_a_third_is_refused() {
        let twice = zstd(&gzip(b"inner"));
        assert_eq!(decompress(&twice, &Limits::default()).unwrap().as_ref(), b"inner");
        let thrice = gzip(&twice);
        assert!(
            decompress(&thrice, &Limits::default()).unwrap_err().to_string().contains("more than 2 times")
        );
    }

    #[test]
    fn the_limit_holds_over_all_members_and_names_its_setting() {
        let limits = Limits { decompressed_bytes: 1000, ..Limits::default() };
        for pack in [gzip, zstd] {
            assert!(decompress(&pack(&[0; 1000]), &limits).is_ok());
            for bytes in [pack(&[0; 1001]), [pack(&[0; 600]), pack(&[0; 600])].concat()] {
                let error = decompress(&bytes, &limits).unwrap_err().to_string();
                assert!(error.contains("max_decompressed_bytes"), "{error}");
            }
        }
        assert!(decompress(&[b'x'; 1001], &limits).is_err(), "the limit holds for plain bytes too");
    }

    #[test]
    fn a_cut_stream_is_truncated_and_a_flipped_byte_is_damage() {
        for pack in [gzip, zstd] {
            let whole = pack(b"some bytes that are long enough to be cut in two");
            for end in 4..whole.len() {
                let error = decompress(&whole[..end], &Limits::default()).unwrap_err();
                assert!(matches!(error.kind, Kind::Truncated(_)), "{end}: {error}");
            }
        }
        let mut flipped = gzip(b"some bytes");
        let crc = flipped.len() - 8;
        flipped[crc] ^= 1;
        assert_eq!(decompress(&flipped, &Limits::default()).unwrap_err().kind, Kind::Compression("gzip"));
    }

    #[test]
    fn byte_order_marks_are_dropped_and_utf16_becomes_utf8() {
        let encode = |unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
            "\u{feff}gr\u{fc}n\n".encode_utf16().flat_map(unit).collect()
        };
        for bytes in [encode(u16::to_le_bytes), encode(u16::to_be_bytes), "\u{feff}gr\u{fc}n\n".into()] {
            assert_eq!(without_byte_order_mark(bytes.into()).as_ref(), "gr\u{fc}n\n".as_bytes());
        }
        let lone_surrogate = [0xff, 0xfe, 0x00, 0xd8, b'a', 0];
        assert_eq!(without_byte_order_mark(lone_surrogate[..].into()).as_ref(), "\u{fffd}a".as_bytes());
    }
}
