//! GHC's cost centre profiles. Description:
//! <https://downloads.haskell.org/ghc/latest/docs/users_guide/profiling.html>.

mod json;
mod text;

use crate::read::Reader;

/// As JSON.
pub(super) const JSON: Reader = Reader {
    name: json::NAME,
    about: "a cost centre profile of GHC (-pj)",
    sniff: json::sniff,
    read: json::read,
};

/// As text.
pub(super) const TEXT: Reader = Reader {
    name: text::NAME,
    about: "a cost centre profile of GHC as text (-p, -P)",
    sniff: text::sniff,
    read: text::read,
};
