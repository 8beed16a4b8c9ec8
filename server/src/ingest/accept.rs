//! An upload to a stored run: read everything, then one transaction.

use frames::Rules;
use model::{BranchName, CommitSha, Policy, ProjectSlug, Role, RunId, TestbedName};
use store::runs::{Created, NewProfile, NewRun};
use store::{Pool, projects};

use super::meta::{DEFAULT_BRANCH, DEFAULT_TESTBED, Meta};
use super::read::{FileRead, ReadRun, read_files};
use super::upload::{Upload, UploadFile};
use crate::http::AppError;
use crate::state::{AppState, blocking};

/// A run that is stored.
#[derive(Debug)]
pub struct Accepted {
    /// Its project.
    pub project: projects::Project,
    /// Its id.
    pub run_id: RunId,
    /// Whether the idempotency key had been seen: nothing was stored this time.
    pub existed: bool,
    /// What each file was read as.
    pub files: Vec<FileRead>,
}

/// Stores a run. When this returns, the run is committed; when it fails, nothing is stored.
///
/// # Errors
///
/// A file that cannot be read, a run without any value, a name that is not one, a failing database.
pub async fn accept(state: &AppState, slug: &ProjectSlug, upload: Upload) -> Result<Accepted, AppError> {
    let policy = policy_of(&state.pool, slug).await?;
    let read = read(state, upload.files, policy).await?;
    if read.run.benchmarks.is_empty() && read.run.profiles.is_empty() {
        return Err(AppError::bad_request("body", "it holds neither a benchmark nor a profile"));
    }
    // What the request says about the run wins over what native JSON inside it says.
    let meta = upload.meta.or(read.meta.clone());
    let mut tx = store::begin(&state.pool).await?;
    let project = projects::upsert(&mut tx, state.new_project_id(), slug, state.now()).await?;
    let files = read.files.clone();
    let new = new_run(state, &project, meta, read)?;
    let created = store::runs::create(&mut tx, &new).await?;
    store::commit(tx).await?;
    let (run_id, existed) = match created {
        Created::New => (new.id, false),
        Created::Existing(id) => (id, true),
    };
    tracing::info!(
        project = %slug, run.id = %run_id, run.existed = existed,
        run.benchmarks = new.benchmarks.len(), run.profiles = new.profiles.len(),
        "stored a run"
    );
    Ok(Accepted { project, run_id, existed, files })
}

/// Adds profiles to a stored run.
///
/// # Errors
///
/// As [`accept`]; benchmarks among the files are refused, because a run's measurements never change.
pub async fn add_profiles(
    state: &AppState,
    project: &projects::Project,
    run_id: RunId,
    upload: Upload,
) -> Result<Vec<FileRead>, AppError> {
    let policy = policy_of(&state.pool, &project.slug).await?;
    let read = read(state, upload.files, policy).await?;
    if read.run.profiles.is_empty() || !read.run.benchmarks.is_empty() {
        return Err(AppError::bad_request("body", "only profiles can be added to a run"));
    }
    let profiles = new_profiles(state, read.run.profiles);
    let mut tx = store::begin(&state.pool).await?;
    store::runs::add_profiles(&mut tx, project.id, run_id, &profiles).await?;
    store::commit(tx).await?;
    Ok(read.files)
}

/// The policy of a project that may not exist yet.
async fn policy_of(pool: &Pool, slug: &ProjectSlug) -> Result<Policy, AppError> {
    let mut conn = store::acquire(pool).await?;
    let Some(project) = projects::find(&mut conn, slug).await? else { return Ok(Policy::default()) };
    Ok(store::policies::find(&mut conn, project.id).await?.unwrap_or_default())
}

async fn read(state: &AppState, files: Vec<UploadFile>, policy: Policy) -> Result<ReadRun, AppError> {
    let limits = state.config.limits.formats();
    blocking(state, move || {
        let mut read = read_files(&files, &Rules::new(&policy.categories), &limits)?;
        policy.direct(&mut read.run.benchmarks);
        Ok(read)
    })
    .await?
}

fn new_profiles(state: &AppState, profiles: Vec<model::Profile>) -> Vec<NewProfile> {
    profiles.into_iter().map(|profile| NewProfile { id: state.new_profile_id(), profile }).collect()
}

fn new_run(
    state: &AppState,
    project: &projects::Project,
    meta: Meta,
    read: ReadRun,
) -> Result<NewRun, AppError> {
    let (id, now) = (state.new_run_id(), state.now());
    let default = |name: &str| AppError::bad_request("meta", format!("{name} has no usable default"));
    let mut environment: serde_json::Map<String, serde_json::Value> =
        read.environment.into_iter().map(|(name, value)| (name, value.into())).collect();
    environment.extend(meta.environment);
    Ok(NewRun {
        id,
        project_id: project.id,
        idempotency_key: meta.idempotency_key,
        branch: meta
            .branch
            .or_else(|| BranchName::parse(DEFAULT_BRANCH).ok())
            .ok_or_else(|| default("branch"))?,
        commit: meta
            .commit
            .or_else(|| CommitSha::parse(&id.to_string()).ok())
            .ok_or_else(|| default("commit"))?,
        parents: meta.parents,
        committed_at: meta.committed_at,
        testbed: meta
            .testbed
            .or_else(|| TestbedName::parse(DEFAULT_TESTBED).ok())
            .ok_or_else(|| default("testbed"))?,
        role: meta.role.unwrap_or(Role::Measured),
        started_at: meta.started_at.unwrap_or(now),
        received_at: now,
        pull_request: meta.pull_request,
        base: meta.base,
        environment: environment.into(),
        labels: meta.labels.into_iter().collect::<serde_json::Map<_, _>>().into(),
        benchmarks: read.run.benchmarks,
        profiles: new_profiles(state, read.run.profiles),
    })
}
