//! A run's page.

use axum::extract::State;
use axum::response::Response;
use model::{ProfileComparison, ProjectSlug, RunData, RunId, Verdict};
use store::profiles::{self, ProfileOverview};
use store::projects::Project;
use store::runs::{self, Run};
use store::{PgConnection, verdicts};

use super::html;
use crate::http::extract::Path;
use crate::http::{AppError, lookup};
use crate::state::{AppState, blocking};
use crate::web::link;
use crate::web::pages::profile::ProfileState;
use crate::web::pages::run::{self as view, ProfileRow, RunFacts, RunPage};
use crate::web::parts::drawings::{Sides, drawings};
use crate::web::parts::findings::Place;
use crate::web::parts::verdict::{VerdictBody, body};
use crate::web::words;

/// Profiles of both sides, so that a box of a flame graph can lead to one.
#[derive(Debug, Default, Clone)]
pub(super) struct ProfileLists {
    /// The baseline's.
    pub(super) base: Vec<ProfileOverview>,
    /// The candidate's.
    pub(super) head: Vec<ProfileOverview>,
}

/// What a verdict's body is made from, owned, because it is drawn on another thread.
pub(super) struct BodyInput {
    /// The project.
    pub(super) project: String,
    /// The candidate.
    pub(super) head: Run,
    /// Whether the verdict is the run's stored one, so that findings have pages.
    pub(super) stored: bool,
    /// The verdict.
    pub(super) verdict: Verdict,
    /// What the baseline measured.
    pub(super) base_data: Option<RunData>,
    /// What the candidate measured.
    pub(super) head_data: RunData,
    /// Profiles of both sides.
    pub(super) profiles: ProfileLists,
}

/// The verdict first, then what explains it, then everything measured.
pub(in crate::web) async fn page(
    State(state): State<AppState>,
    Path((slug, id)): Path<(ProjectSlug, RunId)>,
) -> Result<Response, AppError> {
    let mut conn = store::acquire(&state.pool).await?;
    let project = lookup::project(&mut conn, &slug).await?;
    let run = lookup::run(&mut conn, &project, id).await?;
    let stored = verdicts::find(&mut conn, project.id, id).await?;
    let head_data = runs::load(&mut conn, project.id, id).await?;
    let base_run = stored.as_ref().and_then(|stored| stored.base_run);
    let base_data = load_base(&mut conn, &project, base_run, &head_data).await?;
    let profiles = profile_lists(&mut conn, &project, base_run, id).await?;
    drop(conn);

    let facts = facts(&run, &head_data);
    let sentence = stored.as_ref().map(|stored| stored.verdict.sentence.clone());
    let origin = &state.config.public_url;
    let rows = profiles.head.iter().map(|profile| profile_row(slug.as_str(), profile)).collect();
    let mut page = RunPage {
        shell: view::shell(slug.as_str(), &facts, sentence.as_deref()),
        run: view::head(slug.as_str(), &facts, state.now()),
        body: None,
        profiles: rows,
        environment: view::pairs(&run.environment),
        labels: view::labels(&view::pairs(&run.labels)),
        command: base_run.map(|base| view::compare_command(origin, slug.as_str(), base, id)),
        add_profile: profiles.head.is_empty().then(|| view::profile_command(origin, slug.as_str(), id)),
        json_href: link::api_run(slug.as_str(), id),
        markdown_href: format!("{}?format=markdown", link::api_run(slug.as_str(), id)),
        compare_href: link::compare(slug.as_str(), "", &id.to_string()),
    };
    if let Some(stored) = stored {
        let project = slug.to_string();
        let input = BodyInput {
            project,
            head: run,
            stored: true,
            verdict: stored.verdict,
            base_data,
            head_data,
            profiles,
        };
        page.body = Some(blocking(&state, move || verdict_body(input)).await?);
    }
    html(&page)
}

/// The baseline's data, which only flame graphs need here.
async fn load_base(
    conn: &mut PgConnection,
    project: &Project,
    base: Option<RunId>,
    head: &RunData,
) -> Result<Option<RunData>, AppError> {
    match base {
        Some(base) if !head.profiles.is_empty() => Ok(Some(runs::load(conn, project.id, base).await?)),
        _ => Ok(None),
    }
}

/// Profiles of both sides.
pub(super) async fn profile_lists(
    conn: &mut PgConnection,
    project: &Project,
    base: Option<RunId>,
    head: RunId,
) -> Result<ProfileLists, AppError> {
    let base = match base {
        Some(base) => profiles::list_of_run(conn, project.id, base).await?,
        None => Vec::new(),
    };
    Ok(ProfileLists { base, head: profiles::list_of_run(conn, project.id, head).await? })
}

/// What is known of a run with its data.
pub(super) fn facts<'a>(run: &'a Run, data: &RunData) -> RunFacts<'a> {
    RunFacts {
        id: run.id,
        branch: run.branch.as_str(),
        commit: run.commit.as_str(),
        testbed: run.testbed.as_str(),
        started_at: run.started_at,
        n_benchmarks: data.benchmarks.len(),
        n_profiles: data.profiles.len(),
        pull_request: run.pull_request,
        role: run.role,
    }
}

fn profile_row(project: &str, profile: &ProfileOverview) -> ProfileRow {
    ProfileRow {
        href: link::profile(project, profile.id),
        event: profile.event.clone(),
        benchmark: profile.benchmark.clone(),
        samples: words::whole(profile.samples),
        weight: view::weight_text(profile.weight, &profile.unit),
    }
}

/// Draws and words a verdict.
pub(super) fn verdict_body(input: BodyInput) -> VerdictBody {
    let place = Place {
        project: &input.project,
        run: input.stored.then_some(input.head.id),
        testbed: input.head.testbed.as_str(),
        branch: input.head.branch.as_str(),
    };
    let sides = Sides { base: input.base_data.as_ref(), head: &input.head_data };
    let flame_link = |comparison: &ProfileComparison, node: u32| {
        flame_link(&input.project, &input.profiles, comparison, node)
    };
    let drawn = drawings(place, &input.verdict, sides, flame_link);
    body(place, &input.verdict, drawn)
}

/// The profile page that a box leads to. Where a side pools several profiles, the merged tree is on no page of its
/// own, so the link leads to the first ones without a focus.
fn flame_link(project: &str, profiles: &ProfileLists, comparison: &ProfileComparison, node: u32) -> String {
    let (base, head) = (of(&profiles.base, comparison), of(&profiles.head, comparison));
    let (Some(first_base), Some(first_head)) = (base.first(), head.first()) else { return String::from("#") };
    let focus = (base.len() == 1 && head.len() == 1 && node != u32::MAX).then_some(node);
    ProfileState { focus, base: Some(first_base.id), ..ProfileState::default() }.href(project, first_head.id)
}

/// Profiles that entered a comparison.
pub(super) fn of<'a>(
    profiles: &'a [ProfileOverview],
    comparison: &ProfileComparison,
) -> Vec<&'a ProfileOverview> {
    let belongs = |profile: &&ProfileOverview| {
        profile.event == comparison.event
            && (comparison.benchmark.is_none() || profile.benchmark == comparison.benchmark)
    };
    profiles.iter().filter(belongs).collect()
}
