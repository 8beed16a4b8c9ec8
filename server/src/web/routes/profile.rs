//! A profile's page.

use axum::extract::State;
use axum::response::Response;
use model::verdict::Normalisation;
use model::{Profile, ProfileComparison, ProfileId, ProjectSlug, Unit};
use render::Sketch;
use render::flame::{DiffOptions, FlameOptions, Limits, diff_svg, flame_svg};
use serde::Deserialize;
use store::profiles::{self, ProfileOverview};
use store::projects::Project;
use store::runs::{self, Run};
use store::{PgConnection, verdicts};

use super::html;
use super::run::{facts as run_facts, of};
use crate::http::extract::{Path, Query};
use crate::http::{AppError, lookup};
use crate::report::charts::ComparedTrees;
use crate::state::{AppState, blocking};
use crate::web::link;
use crate::web::pages::profile::{
    BaseSide, ProfilePage, ProfileState, Sort, View, caller_and_name, facts, shell, tabs, trail, warnings,
};
use crate::web::pages::run as run_view;
use crate::web::parts::bars;
use crate::web::parts::frames::{self, FrameTable};
use crate::web::parts::rows::short_commit;
use crate::web::shell::Crumb;
use crate::web::words;

/// Width of flame graphs.
const WIDTH: u32 = 1_200;

/// What the address says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct Parameters {
    focus: Option<String>,
    view: Option<String>,
    sort: Option<String>,
    base: Option<String>,
}

/// The profile on the other side, with what makes the two comparable.
struct Other {
    overview: ProfileOverview,
    profile: Profile,
    run: Run,
    comparison: Option<ProfileComparison>,
}

/// The part of the page that the chosen view draws.
#[derive(Default)]
struct Drawn {
    flame: Option<String>,
    frames: Option<FrameTable>,
    trail: Vec<Crumb>,
}

/// Flame graph or table; the difference where another profile is named.
pub(in crate::web) async fn page(
    State(state): State<AppState>,
    Path((slug, id)): Path<(ProjectSlug, ProfileId)>,
    Query(parameters): Query<Parameters>,
) -> Result<Response, AppError> {
    let wanted = parse(&parameters)?;
    let mut conn = store::acquire(&state.pool).await?;
    let project = lookup::project(&mut conn, &slug).await?;
    let (overview, profile) = find(&mut conn, &project, id).await?;
    let run = lookup::run(&mut conn, &project, overview.run_id).await?;
    let head_data = runs::load(&mut conn, project.id, run.id).await?;
    let stored = verdicts::find(&mut conn, project.id, run.id).await?;
    let other = match wanted.base {
        Some(base) => Some(find_other(&mut conn, &project, base, &overview, stored.as_ref()).await?),
        None => None,
    };
    let others = others(&mut conn, &project, &overview, &wanted, stored.and_then(|s| s.base_run)).await?;
    drop(conn);

    let run = run_view::head(slug.as_str(), &run_facts(&run, &head_data), state.now());
    let mut page = ProfilePage {
        shell: shell(slug.as_str(), &run, &overview.event),
        event: overview.event.clone(),
        benchmark: overview.benchmark.clone(),
        run,
        facts: facts(&profile),
        warnings: warnings(&profile),
        base: other.as_ref().map(|other| base_side(slug.as_str(), id, &wanted, other)),
        tabs: tabs(slug.as_str(), id, &wanted),
        trail: Vec::new(),
        flame: None,
        frames: None,
        kinds: bars::kinds(&profile),
        others,
    };
    let title = title(&overview);
    let drawn =
        blocking(&state, move || draw(slug.as_str(), id, &wanted, &title, &profile, other.as_ref())).await?;
    (page.flame, page.frames, page.trail) = (drawn.flame, drawn.frames, drawn.trail);
    html(&page)
}

fn parse(parameters: &Parameters) -> Result<ProfileState, AppError> {
    let unknown = |at: &str, allowed: &str| AppError::bad_request(at, format!("it must be one of {allowed}"));
    Ok(ProfileState {
        focus: super::field("focus", parameters.focus.as_deref())?,
        view: match parameters.view.as_deref() {
            None | Some("" | "flame") => View::Flame,
            Some("table") => View::Table,
            Some(_) => return Err(unknown("view", "flame, table")),
        },
        sort: match parameters.sort.as_deref() {
            None | Some("" | "self") => Sort::Own,
            Some("total") => Sort::Total,
            Some("name") => Sort::Name,
            Some(_) => return Err(unknown("sort", "self, total, name")),
        },
        base: super::field("base", parameters.base.as_deref())?,
    })
}

async fn find(
    conn: &mut PgConnection,
    project: &Project,
    id: ProfileId,
) -> Result<(ProfileOverview, Profile), AppError> {
    let found = profiles::find(conn, project.id, id).await?;
    found.ok_or_else(|| AppError::NotFound(format!("profile {id} of project {}", project.slug)))
}

async fn find_other(
    conn: &mut PgConnection,
    project: &Project,
    id: ProfileId,
    head: &ProfileOverview,
    stored: Option<&verdicts::StoredVerdict>,
) -> Result<Other, AppError> {
    let (overview, profile) = find(conn, project, id).await?;
    let run = lookup::run(conn, project, overview.run_id).await?;
    // The verdict's costs hold for these two profiles only if it compared just them.
    let comparison = stored.filter(|stored| stored.base_run == Some(run.id)).and_then(|stored| {
        let both = |c: &&ProfileComparison| of(std::slice::from_ref(head), c).len() == 1;
        let alone = |c: &&ProfileComparison| c.base.profiles == 1 && c.head.profiles == 1;
        stored.verdict.profiles.iter().filter(both).find(alone).cloned()
    });
    Ok(Other { overview, profile, run, comparison })
}

/// Profiles of the same event in the baseline's run: what one would compare with first.
async fn others(
    conn: &mut PgConnection,
    project: &Project,
    overview: &ProfileOverview,
    state: &ProfileState,
    base_run: Option<model::RunId>,
) -> Result<Vec<Crumb>, AppError> {
    let Some(base_run) = base_run else { return Ok(Vec::new()) };
    let found = profiles::list_of_run(conn, project.id, base_run).await?;
    let same_event =
        found.iter().filter(|other| other.event == overview.event && Some(other.id) != state.base);
    Ok(same_event
        .map(|other| Crumb {
            label: format!("{} of the baseline", title(other)),
            href: Some(
                ProfileState { base: Some(other.id), ..ProfileState::default() }
                    .href(project.slug.as_str(), overview.id),
            ),
        })
        .collect())
}

fn title(overview: &ProfileOverview) -> String {
    match &overview.benchmark {
        Some(benchmark) => format!("{} of {benchmark}", overview.event),
        None => overview.event.clone(),
    }
}

fn base_side(project: &str, id: ProfileId, state: &ProfileState, other: &Other) -> BaseSide {
    let run = &other.run;
    BaseSide {
        href: link::profile(project, other.overview.id),
        label: format!("{}, {} at {}", title(&other.overview), run.branch, short_commit(run.commit.as_str())),
        without: ProfileState { base: None, focus: None, ..state.clone() }.href(project, id),
    }
}

fn draw(
    project: &str,
    id: ProfileId,
    state: &ProfileState,
    title: &str,
    profile: &Profile,
    other: Option<&Other>,
) -> Drawn {
    let own_trail = || trail(project, id, state, |node| caller_and_name(profile, node));
    if state.view == View::Table {
        let frames = Some(frames::table(project, id, state, profile, other.map(|other| &other.profile)));
        let trail = if other.is_some() { Vec::new() } else { own_trail() };
        return Drawn { flame: None, frames, trail };
    }
    let link = |node: u32| state.at((node != model::Node::ROOT).then_some(node)).href(project, id);
    let Some(other) = other else {
        let options = FlameOptions {
            title: title.to_owned(),
            width: WIDTH,
            unit: profile.event.unit.clone(),
            limits: Limits::default(),
            focus: state.focus,
            search: String::new(),
            sketch: Sketch::PAGE,
        };
        let flame = flame_svg(&profile.tree, &options, link);
        return Drawn { flame: Some(flame.svg), frames: None, trail: own_trail() };
    };
    let trees =
        ComparedTrees::new(other.comparison.as_ref(), other.profile.tree.clone(), profile.tree.clone());
    let options = diff_options(state, title, other, &trees);
    let drawn = diff_svg(&trees.base, &trees.head, &options, link);
    let trail = trail(project, id, state, |node| {
        let node = drawn.tree.nodes.get(node as usize)?;
        Some((node.parent, drawn.tree.names.get(node.name as usize)?.as_str()))
    });
    Drawn { flame: Some(drawn.svg), frames: None, trail }
}

/// Costs as the verdict made them comparable; shares of both profiles where no verdict compared these two.
fn diff_options(state: &ProfileState, title: &str, other: &Other, trees: &ComparedTrees) -> DiffOptions {
    let (unit, normalisation) = match &other.comparison {
        Some(comparison) => (comparison.cost_unit.clone(), comparison.normalisation.clone()),
        None => (Unit::Ratio, Normalisation::Share),
    };
    DiffOptions {
        title: format!("{title}, difference"),
        header: words::normalisation_sentence(&normalisation),
        width: WIDTH,
        unit,
        base_scale: trees.base_scale,
        head_scale: trees.head_scale,
        threshold: 0.005,
        limits: Limits::default(),
        focus: state.focus,
        sketch: Sketch::PAGE,
    }
}
