//! The `run` part of the native format: everything optional.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use model::{BranchName, CommitSha, Role, RunId, TestbedName};
use serde::{Deserialize, Serialize};

use crate::error::{Kind as ErrorKind, ParseError};
use crate::json::{Field, Json};

/// Members of `run`, for the error about an unknown one.
const MEMBERS: [&str; 12] = [
    "branch",
    "commit",
    "parents",
    "base",
    "pull_request",
    "testbed",
    "role",
    "confirms",
    "started_at",
    "idempotency_key",
    "environment",
    "labels",
];
/// Entries of `parents`, `environment` and `labels`.
const ENTRIES: usize = 256;
/// Bytes of an idempotency key or of a base.
const KEY_BYTES: usize = 256;

/// What the sender says about a run. Reads from JSON and from query parameters alike.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunMeta {
    /// The branch that was built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<BranchName>,
    /// The commit that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitSha>,
    /// Its parents, first parent first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<CommitSha>,
    /// What to compare with: a branch, a commit or a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The pull request's number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<u64>,
    /// The class of machines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub testbed: Option<TestbedName>,
    /// What the run was made for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// The run that this one is a rerun of, to settle its verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirms: Option<RunId>,
    /// When the run began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<DateTime<Utc>>,
    /// Chosen by the sender; the same key twice is the same run once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// Facts about the machine.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, serde_json::Value>,
    /// Whatever else is worth a link or a note.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

pub(super) fn run(run: &Field<'_>) -> Result<RunMeta, ParseError> {
    let mut meta = RunMeta::default();
    for (name, field) in run.members()? {
        // `null` says the same as leaving the field out.
        if field.json == &Json::Null && MEMBERS.contains(&name) {
            continue;
        }
        match name {
            "branch" => meta.branch = Some(field.parsed()?),
            "commit" => meta.commit = Some(field.parsed()?),
            "parents" => {
                meta.parents =
                    few(&field, field.items()?)?.iter().map(Field::parsed).collect::<Result<_, _>>()?;
            }
            "base" => meta.base = Some(short(&field)?),
            "pull_request" => meta.pull_request = Some(field.count()?),
            "testbed" => meta.testbed = Some(field.parsed()?),
            "role" => meta.role = Some(role(&field)?),
            "confirms" => meta.confirms = Some(field.parsed()?),
            "started_at" => meta.started_at = Some(instant(&field)?),
            "idempotency_key" => meta.idempotency_key = Some(short(&field)?),
            "environment" => {
                let members = few(&field, field.members()?)?;
                meta.environment = members
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value.json.to_value()))
                    .collect();
            }
            "labels" => {
                let members = few(&field, field.members()?)?;
                let labels = members.into_iter().map(|(name, value)| Ok((name.to_owned(), value.scalar()?)));
                meta.labels = labels.collect::<Result<_, ParseError>>()?;
            }
            _ => return Err(field.unknown(&MEMBERS)),
        }
    }
    Ok(meta)
}

fn few<T>(field: &Field<'_>, entries: impl Iterator<Item = T>) -> Result<Vec<T>, ParseError> {
    let kept: Vec<T> = entries.take(ENTRIES + 1).collect();
    if kept.len() > ENTRIES {
        return Err(field.invalid(format!("there are more than {ENTRIES} entries")));
    }
    Ok(kept)
}

fn short(field: &Field<'_>) -> Result<String, ParseError> {
    let text = field.text()?.trim();
    if text.is_empty() || text.len() > KEY_BYTES || text.contains(char::is_control) {
        return Err(field.invalid(format!("it must be 1 to {KEY_BYTES} bytes without control characters")));
    }
    Ok(text.to_owned())
}

fn role(field: &Field<'_>) -> Result<Role, ParseError> {
    Ok(match field.text()? {
        "measured" => Role::Measured,
        "profiled" => Role::Profiled,
        "confirming" => Role::Confirming,
        other => {
            let found = other.to_owned();
            return Err(
                field.error(ErrorKind::Expected { expected: "measured, profiled or confirming", found })
            );
        }
    })
}

fn instant(field: &Field<'_>) -> Result<DateTime<Utc>, ParseError> {
    let text = field.text()?;
    DateTime::parse_from_rfc3339(text).map(|instant| instant.to_utc()).map_err(|_| {
        let found = text.chars().take(64).collect();
        field.error(ErrorKind::Expected { expected: "an instant such as 2026-12-01T10:00:00Z", found })
    })
}
