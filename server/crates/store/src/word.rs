//! Words of `model` as the columns hold them.

use model::{Better, Kind, Role};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

use crate::StoreError;

/// Reads a word back, by the spelling that the type has in JSON.
pub(crate) fn parse_word<'a, T: Deserialize<'a>>(
    table: &'static str,
    column: &'static str,
    text: &'a str,
) -> Result<T, StoreError> {
    let words: StrDeserializer<'a, Error> = text.into_deserializer();
    T::deserialize(words).map_err(|error| StoreError::corrupt(table, column, error))
}

/// Reads a name back.
pub(crate) fn parse_name<T>(table: &'static str, column: &'static str, text: String) -> Result<T, StoreError>
where
    T: TryFrom<String, Error = model::NameError>,
{
    T::try_from(text).map_err(|error| StoreError::corrupt(table, column, error))
}

pub(crate) fn role_word(role: Role) -> &'static str {
    match role {
        Role::Measured => "measured",
        Role::Profiled => "profiled",
        Role::Confirming => "confirming",
    }
}

pub(crate) fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::EndToEnd => "end-to-end",
        Kind::Micro => "micro",
    }
}

pub(crate) fn better_word(better: Better) -> &'static str {
    match better {
        Better::Higher => "higher",
        Better::Lower => "lower",
        Better::Neither => "neither",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back_as_itself() {
        for role in [Role::Measured, Role::Profiled, Role::Confirming] {
            assert_eq!(parse_word::<Role>("run", "role", role_word(role)).unwrap(), role);
        }
        for kind in [Kind::EndToEnd, Kind::Micro] {
            assert_eq!(parse_word::<Kind>("benchmark", "kind", kind_word(kind)).unwrap(), kind);
        }
        for better in [Better::Higher, Better::Lower, Better::Neither] {
            assert_eq!(parse_word::<Better>("measure", "better", better_word(better)).unwrap(), better);
        }
    }

    #[test]
    fn an_unknown_word_names_its_column() {
        let error = parse_word::<Role>("run", "role", "guessed").unwrap_err();
        assert_eq!(error.to_string(), "run.role holds a value that cannot be read");
    }
}
