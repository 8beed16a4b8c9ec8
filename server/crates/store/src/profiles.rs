//! Profiles: one compressed call tree each, and rows for their hot frames only.

use model::{Category, Profile, ProfileId, ProjectId, RunId, Unit};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::hot::{HotFrame, hot_frames as hottest};
use crate::key::frame_key;
use crate::runs::NewProfile;
use crate::text::{storable, stored};
use crate::{StoreError, blob, dimension};

/// A profile without its stacks.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileOverview {
    /// Its id.
    pub id: ProfileId,
    /// Its run.
    pub run_id: RunId,
    /// What was counted.
    pub event: String,
    /// The unit of weights.
    pub unit: Unit,
    /// The benchmark that ran, as printed with its parameters, where said.
    pub benchmark: Option<String>,
    /// Number of samples.
    pub samples: u64,
    /// What they stand for, in `unit`.
    pub weight: f64,
    /// Units of weight between two samples, where known.
    pub period: Option<f64>,
    /// How long the profiler ran, in nanoseconds, where known.
    pub duration_ns: Option<f64>,
    /// How many operations the run did, where said.
    pub operations: Option<f64>,
    /// Version of the rules that named its frames.
    pub rules_version: u32,
    /// Parts are known to be missing.
    pub partial: bool,
    /// Typed by a person.
    pub handwritten: bool,
}

/// A frame of one profile with what it costs there.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameCost {
    /// Canonical name.
    pub frame: String,
    /// What it is for.
    pub category: Category,
    /// Samples whose leaf it is.
    pub self_samples: u64,
    /// Samples whose stack holds it.
    pub total_samples: u64,
    /// Weight of the former, in the profile's unit.
    pub self_weight: f64,
    /// Weight of the latter.
    pub total_weight: f64,
}

struct OverviewRow {
    profile_id: Uuid,
    run_id: Uuid,
    event: String,
    unit: String,
    benchmark: Option<String>,
    samples: i64,
    weight: f64,
    period: Option<f64>,
    duration_ns: Option<f64>,
    operations: Option<f64>,
    rules_version: i32,
    partial: bool,
    handwritten: bool,
}

impl From<OverviewRow> for ProfileOverview {
    fn from(row: OverviewRow) -> Self {
        Self {
            id: ProfileId::from_uuid(row.profile_id),
            run_id: RunId::from_uuid(row.run_id),
            event: row.event,
            unit: Unit::from(row.unit),
            benchmark: row.benchmark,
            samples: row.samples.unsigned_abs(),
            weight: row.weight,
            period: row.period,
            duration_ns: row.duration_ns,
            operations: row.operations,
            rules_version: row.rules_version.unsigned_abs(),
            partial: row.partial,
            handwritten: row.handwritten,
        }
    }
}

/// Counts past what a `bigint` holds are as good as endless.
fn count(samples: u64) -> i64 {
    i64::try_from(samples).unwrap_or(i64::MAX)
}

/// Profiles of a run, in the order sent.
#[tracing::instrument(name = "db.profile.list_of_run", skip_all, fields(run.id = %run))]
pub async fn list_of_run(
    conn: &mut PgConnection,
    project: ProjectId,
    run: RunId,
) -> Result<Vec<ProfileOverview>, StoreError> {
    let rows = sqlx::query_as!(
        OverviewRow,
        r#"
        SELECT
            profile_id, run_id, event, unit, benchmark, samples, weight, period, duration_ns, operations,
            rules_version, partial, handwritten
        FROM profile
        WHERE project_id = $1 AND run_id = $2
        ORDER BY position, profile_id
        "#,
        project.as_uuid(),
        run.as_uuid(),
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(ProfileOverview::from).collect())
}

/// A profile with its stacks.
#[tracing::instrument(name = "db.profile.find", skip_all, fields(profile.id = %profile))]
pub async fn find(
    conn: &mut PgConnection,
    project: ProjectId,
    profile: ProfileId,
) -> Result<Option<(ProfileOverview, Profile)>, StoreError> {
    let row = sqlx::query!(
        r#"
        SELECT
            profile_id, run_id, event, unit, benchmark, samples, weight, period, duration_ns, operations,
            rules_version, partial, handwritten, call_tree
        FROM profile
        WHERE project_id = $1 AND profile_id = $2
        "#,
        project.as_uuid(),
        profile.as_uuid(),
    )
    .fetch_optional(conn)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let profile = blob::unpack(&row.call_tree)?;
    let overview = OverviewRow {
        profile_id: row.profile_id,
        run_id: row.run_id,
        event: row.event,
        unit: row.unit,
        benchmark: row.benchmark,
        samples: row.samples,
        weight: row.weight,
        period: row.period,
        duration_ns: row.duration_ns,
        operations: row.operations,
        rules_version: row.rules_version,
        partial: row.partial,
        handwritten: row.handwritten,
    };
    Ok(Some((overview.into(), profile)))
}

/// The dearest frames of a profile by total weight. Frames below half a percent have no row; their cost is in the
/// call tree.
#[tracing::instrument(name = "db.profile.hot_frames", skip_all, fields(profile.id = %profile))]
pub async fn hot_frames(
    conn: &mut PgConnection,
    project: ProjectId,
    profile: ProfileId,
    limit: i64,
) -> Result<Vec<FrameCost>, StoreError> {
    let rows = sqlx::query!(
        r#"
        SELECT f.name, f.category, x.self_samples, x.total_samples, x.self_weight, x.total_weight
        FROM profile_frame AS x
        JOIN frame AS f ON f.project_id = x.project_id AND f.frame_id = x.frame_id
        WHERE x.project_id = $1 AND x.profile_id = $2
        ORDER BY x.total_weight DESC, x.total_samples DESC, f.name
        LIMIT $3
        "#,
        project.as_uuid(),
        profile.as_uuid(),
        limit,
    )
    .fetch_all(conn)
    .await?;
    let costs = rows.into_iter().map(|row| FrameCost {
        frame: row.name,
        category: Category::from(row.category),
        self_samples: row.self_samples.unsigned_abs(),
        total_samples: row.total_samples.unsigned_abs(),
        self_weight: row.self_weight,
        total_weight: row.total_weight,
    });
    Ok(costs.collect())
}

/// The profiles of a run with their stacks, in the order sent.
#[tracing::instrument(name = "db.profile.load_of_run", skip_all, fields(run.id = %run))]
pub(crate) async fn load_of_run(
    conn: &mut PgConnection,
    project: ProjectId,
    run: RunId,
) -> Result<Vec<Profile>, StoreError> {
    let blobs = sqlx::query_scalar!(
        r#"
        SELECT call_tree
        FROM profile
        WHERE project_id = $1 AND run_id = $2
        ORDER BY position, profile_id
        "#,
        project.as_uuid(),
        run.as_uuid(),
    )
    .fetch_all(conn)
    .await?;
    blobs.iter().map(|bytes| blob::unpack(bytes)).collect()
}

/// Stores profiles after those that the run has: one statement for them, two for their hot frames.
pub(crate) async fn insert(
    conn: &mut PgConnection,
    project: ProjectId,
    run: RunId,
    profiles: &[NewProfile],
) -> Result<(), StoreError> {
    if profiles.is_empty() {
        return Ok(());
    }
    insert_profiles(conn, project, run, profiles).await?;
    let hot: Vec<(ProfileId, Vec<HotFrame>)> =
        profiles.iter().map(|new| (new.id, hottest(&new.profile.tree))).collect();
    insert_hot_frames(conn, project, &hot).await
}

#[tracing::instrument(name = "db.profile.create", skip_all, fields(n_profiles = profiles.len()))]
async fn insert_profiles(
    conn: &mut PgConnection,
    project: ProjectId,
    run: RunId,
    profiles: &[NewProfile],
) -> Result<(), StoreError> {
    let each = || profiles.iter().map(|new| &new.profile);
    let ids: Vec<Uuid> = profiles.iter().map(|new| new.id.as_uuid()).collect();
    let events: Vec<String> = each().map(|p| storable(&p.event.name).into_owned()).collect();
    let units: Vec<String> = each().map(|p| storable(&p.event.unit.to_string()).into_owned()).collect();
    let benchmarks: Vec<Option<String>> = each().map(|p| stored(p.benchmark.as_deref())).collect();
    let periods: Vec<Option<f64>> = each().map(|p| p.period).collect();
    let durations: Vec<Option<f64>> = each().map(|p| p.duration_ns).collect();
    let operations: Vec<Option<f64>> = each().map(|p| p.operations).collect();
    let samples: Vec<i64> = each().map(|p| count(p.tree.samples())).collect();
    let weights: Vec<f64> = each().map(|p| p.tree.weight()).collect();
    let versions: Vec<i32> = each().map(|p| i32::try_from(p.rules_version).unwrap_or(i32::MAX)).collect();
    let partial: Vec<bool> = each().map(|p| p.partial).collect();
    let handwritten: Vec<bool> = each().map(|p| p.handwritten).collect();
    let trees = each().map(blob::pack).collect::<Result<Vec<_>, _>>()?;
    sqlx::query!(
        r#"
        INSERT INTO profile (
            project_id, run_id, position, profile_id, event, unit, benchmark, period, duration_ns, operations,
            samples, weight, rules_version, partial, handwritten, call_tree
        )
        SELECT
            $1, $2,
            (SELECT count(*) FROM profile AS p WHERE p.project_id = $1 AND p.run_id = $2) + place,
            profile_id, event, unit, benchmark, period, duration_ns, operations,
            samples, weight, rules_version, partial, handwritten, call_tree
        FROM UNNEST(
            $3::uuid[], $4::text[], $5::text[], $6::text[], $7::double precision[], $8::double precision[],
            $9::double precision[], $10::bigint[], $11::double precision[], $12::integer[], $13::boolean[],
            $14::boolean[], $15::bytea[]
        ) WITH ORDINALITY AS i (
            profile_id, event, unit, benchmark, period, duration_ns, operations,
            samples, weight, rules_version, partial, handwritten, call_tree, place
        )
        "#,
        project.as_uuid(),
        run.as_uuid(),
        &ids,
        &events,
        &units,
        &benchmarks as &[Option<String>],
        &periods as &[Option<f64>],
        &durations as &[Option<f64>],
        &operations as &[Option<f64>],
        &samples,
        &weights,
        &versions,
        &partial,
        &handwritten,
        &trees,
    )
    .execute(conn)
    .await?;
    Ok(())
}

#[tracing::instrument(name = "db.profile_frame.create", skip_all)]
async fn insert_hot_frames(
    conn: &mut PgConnection,
    project: ProjectId,
    hot: &[(ProfileId, Vec<HotFrame>)],
) -> Result<(), StoreError> {
    if hot.iter().all(|(_, frames)| frames.is_empty()) {
        return Ok(());
    }
    let ids = dimension::upsert_frames(conn, project, hot.iter().flat_map(|(_, frames)| frames)).await?;
    let rows = || hot.iter().flat_map(|(profile, frames)| frames.iter().map(move |frame| (profile, frame)));
    let profiles: Vec<Uuid> = rows().map(|(profile, _)| profile.as_uuid()).collect();
    let frames: Vec<i64> = rows().map(|(_, frame)| ids[&frame_key(&frame.name)]).collect();
    let self_samples: Vec<i64> = rows().map(|(_, frame)| count(frame.self_samples)).collect();
    let total_samples: Vec<i64> = rows().map(|(_, frame)| count(frame.total_samples)).collect();
    let self_weights: Vec<f64> = rows().map(|(_, frame)| frame.self_weight).collect();
    let total_weights: Vec<f64> = rows().map(|(_, frame)| frame.total_weight).collect();
    sqlx::query!(
        r#"
        INSERT INTO profile_frame (
            project_id, profile_id, frame_id, self_samples, total_samples, self_weight, total_weight
        )
        SELECT $1, profile_id, frame_id, self_samples, total_samples, self_weight, total_weight
        FROM UNNEST(
            $2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::double precision[], $7::double precision[]
        ) AS i (profile_id, frame_id, self_samples, total_samples, self_weight, total_weight)
        "#,
        project.as_uuid(),
        &profiles,
        &frames,
        &self_samples,
        &total_samples,
        &self_weights,
        &total_weights,
    )
    .execute(conn)
    .await?;
    Ok(())
}
