//! What the sender says about a run: the same names in the query, in the `meta` part and under `run`.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use model::{BranchName, CommitSha, Kind, Role, TestbedName};
use serde::Deserialize;

/// The branch of a run that names none.
pub(crate) const DEFAULT_BRANCH: &str = "main";
/// The testbed of a run that names none.
pub(crate) const DEFAULT_TESTBED: &str = "default";

/// What the sender says about a run; everything is optional.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Meta {
    /// The branch measured; `main` by default.
    pub branch: Option<BranchName>,
    /// The commit measured; the run's own id by default, so that anonymous runs stay apart.
    pub commit: Option<CommitSha>,
    /// The commit's parents, which place it in the graph.
    pub parents: Vec<CommitSha>,
    /// When the commit was made.
    pub committed_at: Option<DateTime<Utc>>,
    /// What to compare with: a branch, a commit or a run's id.
    pub base: Option<String>,
    /// The pull request that the run belongs to.
    pub pull_request: Option<i32>,
    /// The class of machine; `default` by default.
    pub testbed: Option<TestbedName>,
    /// What the run was made for.
    pub role: Option<Role>,
    /// When the benchmarks started; the time of arrival by default.
    pub started_at: Option<DateTime<Utc>>,
    /// Facts about the machine.
    pub environment: BTreeMap<String, serde_json::Value>,
    /// Whatever else the sender wants to see again, such as a link to the job.
    pub labels: BTreeMap<String, serde_json::Value>,
    /// The same key twice gives the same run once; the `Idempotency-Key` header wins over it.
    pub idempotency_key: Option<String>,
    /// What to know about single files, by their names.
    pub files: BTreeMap<String, FileHints>,
}

/// What the sender says about one file.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FileHints {
    /// The format, instead of sniffing.
    pub format: Option<String>,
    /// The column of a file that holds several sides.
    pub column: Option<String>,
    /// The benchmark that a profile belongs to, or that a bare list of values is named after.
    pub benchmark: Option<String>,
    /// End-to-end or micro.
    pub kind: Option<Kind>,
    /// The profile's event.
    pub event: Option<String>,
    /// The unit of the profile's weights.
    pub unit: Option<String>,
    /// Units of weight between two samples of the profile.
    pub period: Option<f64>,
    /// Where the benchmarks of a JSON or CSV document stand (formats `json-mapping` and `csv`).
    pub mapping: Option<String>,
    /// How many operations the profiled run did.
    pub operations: Option<f64>,
}

/// [`Meta`] and [`FileHints`] as query parameters.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MetaQuery {
    branch: Option<BranchName>,
    commit: Option<CommitSha>,
    /// Separated by commas.
    parents: Option<String>,
    committed_at: Option<DateTime<Utc>>,
    base: Option<String>,
    pull_request: Option<i32>,
    testbed: Option<TestbedName>,
    role: Option<Role>,
    started_at: Option<DateTime<Utc>>,
    idempotency_key: Option<String>,
    format: Option<String>,
    column: Option<String>,
    benchmark: Option<String>,
    kind: Option<Kind>,
    event: Option<String>,
    unit: Option<String>,
    period: Option<f64>,
    mapping: Option<String>,
    operations: Option<f64>,
    file: Option<String>,
    /// `0` answers 202 without waiting for the verdict.
    pub wait: Option<String>,
}

impl MetaQuery {
    /// The run's part.
    pub fn meta(&self) -> Result<Meta, model::NameError> {
        let parents =
            self.parents.iter().flat_map(|list| list.split(',')).filter(|sha| !sha.trim().is_empty());
        Ok(Meta {
            branch: self.branch.clone(),
            commit: self.commit.clone(),
            parents: parents.map(CommitSha::parse).collect::<Result<_, _>>()?,
            committed_at: self.committed_at,
            base: self.base.clone(),
            pull_request: self.pull_request,
            testbed: self.testbed.clone(),
            role: self.role,
            started_at: self.started_at,
            idempotency_key: self.idempotency_key.clone(),
            ..Meta::default()
        })
    }

    /// The file's part, which holds for every file of the request that the `meta` part says nothing about.
    pub fn hints(&self) -> FileHints {
        FileHints {
            format: self.format.clone(),
            column: self.column.clone(),
            benchmark: self.benchmark.clone(),
            kind: self.kind,
            event: self.event.clone(),
            unit: self.unit.clone(),
            period: self.period,
            mapping: self.mapping.clone(),
            operations: self.operations,
        }
    }

    /// The name of a raw body's file.
    pub fn file_name(&self) -> Option<String> {
        self.file.clone()
    }
}

impl Meta {
    /// This, where it says something; `fallback` elsewhere.
    #[must_use]
    pub fn or(self, fallback: Self) -> Self {
        let mut environment = fallback.environment;
        environment.extend(self.environment);
        let mut labels = fallback.labels;
        labels.extend(self.labels);
        let mut files = fallback.files;
        files.extend(self.files);
        Self {
            branch: self.branch.or(fallback.branch),
            commit: self.commit.or(fallback.commit),
            parents: if self.parents.is_empty() { fallback.parents } else { self.parents },
            committed_at: self.committed_at.or(fallback.committed_at),
            base: self.base.or(fallback.base),
            pull_request: self.pull_request.or(fallback.pull_request),
            testbed: self.testbed.or(fallback.testbed),
            role: self.role.or(fallback.role),
            started_at: self.started_at.or(fallback.started_at),
            environment,
            labels,
            idempotency_key: self.idempotency_key.or(fallback.idempotency_key),
            files,
        }
    }
}

impl FileHints {
    /// This, where it says something; `fallback` elsewhere.
    #[must_use]
    pub fn or(self, fallback: &Self) -> Self {
        Self {
            format: self.format.or_else(|| fallback.format.clone()),
            column: self.column.or_else(|| fallback.column.clone()),
            benchmark: self.benchmark.or_else(|| fallback.benchmark.clone()),
            kind: self.kind.or(fallback.kind),
            event: self.event.or_else(|| fallback.event.clone()),
            unit: self.unit.or_else(|| fallback.unit.clone()),
            period: self.period.or(fallback.period),
            mapping: self.mapping.or_else(|| fallback.mapping.clone()),
            operations: self.operations.or(fallback.operations),
        }
    }
}
