//! The stored form of a profile: a version byte, then postcard.

use super::{Node, Profile};

/// The first byte of every stored profile. A change of layout takes the next number and keeps a reader for the
/// old one.
const VERSION: u8 = 2;
/// Version 1 had no labels, which stand last: its bytes and an empty list are version 2.
const WITHOUT_LABELS: u8 = 1;
/// An empty list as postcard writes it.
const EMPTY_LIST: u8 = 0;

/// Why stored bytes could not be read.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    /// Written by a later perfblame.
    #[error("stored profile has version {0}, this perfblame reads version {VERSION}")]
    Version(u8),
    /// Not a stored profile, or a damaged one.
    #[error("stored profile is damaged")]
    Damaged(#[source] postcard::Error),
    /// A node names a frame or a caller that does not come before it.
    #[error("stored profile is damaged: node {0} is out of order")]
    Order(usize),
}

/// The bytes to store, uncompressed.
pub fn encode(profile: &Profile) -> Vec<u8> {
    postcard::to_extend(profile, vec![VERSION]).unwrap_or_default()
}

/// Reads stored bytes and checks the tree's invariant.
pub fn decode(bytes: &[u8]) -> Result<Profile, CodecError> {
    let (version, body) = bytes.split_first().map_or((0, bytes), |(version, body)| (*version, body));
    let profile: Profile = match version {
        VERSION => postcard::from_bytes(body),
        WITHOUT_LABELS => postcard::from_bytes(&[body, &[EMPTY_LIST]].concat()),
        _ => return Err(CodecError::Version(version)),
    }
    .map_err(CodecError::Damaged)?;
    let n_frames = profile.tree.frames.len();
    let disorder = profile.tree.nodes.iter().enumerate().position(|(i, node)| {
        node.frame as usize >= n_frames || (node.parent != Node::ROOT && node.parent as usize >= i)
    });
    disorder.map_or(Ok(profile), |node| Err(CodecError::Order(node)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{CallTree, Event};
    use crate::unit::Unit;

    fn profile() -> Profile {
        let mut builder = super::super::CallTreeBuilder::new();
        let frame = builder.frame("main", Some("app"), None);
        let node = builder.child(Node::ROOT, frame, false);
        builder.add(node, 3, 30.5);
        Profile::new(Event { name: "cpu".to_owned(), unit: Unit::Nanoseconds }, builder.finish())
    }

    #[test]
    fn a_profile_reads_back_as_itself() {
        assert_eq!(decode(&encode(&profile())).unwrap(), profile());
    }

    #[test]
    fn profiles_stored_before_there_were_labels_are_read() {
        let mut bytes = encode(&profile());
        assert_eq!((bytes[0], bytes.pop()), (VERSION, Some(EMPTY_LIST)));
        bytes[0] = WITHOUT_LABELS;
        assert_eq!(decode(&bytes).unwrap(), profile());
    }

    #[test]
    fn damaged_bytes_are_errors_and_not_panics() {
        let bytes = encode(&profile());
        assert!(matches!(decode(&[]), Err(CodecError::Version(0))));
        assert!(matches!(decode(&bytes[..bytes.len() - 3]), Err(CodecError::Damaged(_))));
        let mut bad = profile();
        bad.tree = CallTree { frames: bad.tree.frames, nodes: vec![Node { frame: 7, ..bad.tree.nodes[0] }] };
        assert!(matches!(decode(&encode(&bad)), Err(CodecError::Order(0))));
    }
}
