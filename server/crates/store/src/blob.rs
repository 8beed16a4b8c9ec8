//! A profile as one value: `model`'s encoding under zstd.

use model::{Profile, profile};

use crate::StoreError;

/// The level at which a pprof shrinks best for the time it takes; higher ones save little.
const LEVEL: i32 = 3;

/// The bytes to store.
pub(crate) fn pack(profile: &Profile) -> Result<Vec<u8>, StoreError> {
    zstd::encode_all(profile::encode(profile).as_slice(), LEVEL)
        .map_err(|error| StoreError::corrupt("profile", "call_tree", error))
}

/// Reads stored bytes back; damage is an error, not a wrong profile.
pub(crate) fn unpack(bytes: &[u8]) -> Result<Profile, StoreError> {
    let encoded =
        zstd::decode_all(bytes).map_err(|error| StoreError::corrupt("profile", "call_tree", error))?;
    profile::decode(&encoded).map_err(|error| StoreError::corrupt("profile", "call_tree", error))
}
