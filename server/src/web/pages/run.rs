//! A run: its verdict first, then what explains it, then everything that was measured.

use askama::Template;
use model::{Role, RunId, Unit};

use crate::web::link;
use crate::web::parts::rows;
use crate::web::parts::verdict::VerdictBody;
use crate::web::shell::Shell;
use crate::web::words::{self, Chip, When};

/// A run's page.
#[derive(Debug, Template)]
#[template(path = "pages/run.html")]
pub(crate) struct RunPage {
    /// The frame.
    pub(crate) shell: Shell,
    /// What is known of the run.
    pub(crate) run: RunHead,
    /// Its verdict; `None` while it is being judged.
    pub(crate) body: Option<VerdictBody>,
    /// Its profiles.
    pub(crate) profiles: Vec<ProfileRow>,
    /// The machine.
    pub(crate) environment: Vec<(String, String)>,
    /// What the sender attached.
    pub(crate) labels: Vec<Label>,
    /// The command that judges again.
    pub(crate) command: Option<String>,
    /// The command that adds a profile, where there is none.
    pub(crate) add_profile: Option<String>,
    /// The same verdict as JSON.
    pub(crate) json_href: String,
    /// The same verdict as Markdown.
    pub(crate) markdown_href: String,
    /// This run against another one.
    pub(crate) compare_href: String,
}

impl RunPage {
    fn pending() -> Chip {
        words::outcome_chip(None)
    }
}

/// The line below the headline.
#[derive(Debug, Clone)]
pub(crate) struct RunHead {
    /// Its page.
    pub(crate) href: String,
    /// The branch.
    pub(crate) branch: String,
    /// The commit, short.
    pub(crate) commit: String,
    /// The commit, whole.
    pub(crate) commit_full: String,
    /// The testbed.
    pub(crate) testbed: String,
    /// When it started.
    pub(crate) when: When,
    /// `12 benchmarks, 1 profile`.
    pub(crate) contents: String,
    /// The pull request's number.
    pub(crate) pull_request: Option<i32>,
    /// What it was made for, unless it was simply measured.
    pub(crate) role: Option<&'static str>,
    /// The run's id.
    pub(crate) id: String,
}

/// What is known of a run.
#[derive(Debug, Clone)]
pub(crate) struct RunFacts<'a> {
    /// The run.
    pub(crate) id: RunId,
    /// The branch.
    pub(crate) branch: &'a str,
    /// The commit.
    pub(crate) commit: &'a str,
    /// The testbed.
    pub(crate) testbed: &'a str,
    /// When it started.
    pub(crate) started_at: chrono::DateTime<chrono::Utc>,
    /// How many benchmarks it holds.
    pub(crate) n_benchmarks: usize,
    /// How many profiles it holds.
    pub(crate) n_profiles: usize,
    /// The pull request's number.
    pub(crate) pull_request: Option<i32>,
    /// What it was made for.
    pub(crate) role: Role,
}

/// A profile in a run's list.
#[derive(Debug, Clone)]
pub(crate) struct ProfileRow {
    /// Its page.
    pub(crate) href: String,
    /// The event.
    pub(crate) event: String,
    /// The benchmark it belongs to.
    pub(crate) benchmark: Option<String>,
    /// Its samples.
    pub(crate) samples: String,
    /// Its weight.
    pub(crate) weight: String,
}

/// Something the sender attached: a link where it is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Label {
    /// Its name.
    pub(crate) name: String,
    /// Its text.
    pub(crate) text: String,
    /// Its address, only ever `http` or `https`.
    pub(crate) href: Option<String>,
}

/// The head of a run.
pub(crate) fn head(project: &str, facts: &RunFacts<'_>, now: chrono::DateTime<chrono::Utc>) -> RunHead {
    RunHead {
        href: link::run(project, facts.id),
        branch: facts.branch.to_owned(),
        commit: rows::short_commit(facts.commit).to_owned(),
        commit_full: facts.commit.to_owned(),
        testbed: facts.testbed.to_owned(),
        when: words::when(facts.started_at, now),
        contents: rows::contents(facts.n_benchmarks, facts.n_profiles),
        pull_request: facts.pull_request,
        role: rows::role_name(facts.role),
        id: facts.id.to_string(),
    }
}

/// The frame of a run's page.
pub(crate) fn shell(project: &str, facts: &RunFacts<'_>, sentence: Option<&str>) -> Shell {
    let commit = rows::short_commit(facts.commit);
    let title = match sentence {
        Some(sentence) => format!("{sentence} · {project} {commit}"),
        None => format!("Run {commit} · {project}"),
    };
    Shell::new(title).under(project, link::project(project)).here(format!("run {commit}"))
}

/// A weight with its unit; bare ticks have none worth saying.
pub(crate) fn weight_text(weight: f64, unit: &Unit) -> String {
    match unit {
        Unit::Count(of) if !of.is_empty() => format!("{} {of}", model::quantity::significant(weight)),
        unit => model::Quantity { value: weight, unit }.to_string(),
    }
}

/// Facts that the sender attached as a JSON object, as names and texts in the object's order.
pub(crate) fn pairs(object: &serde_json::Value) -> Vec<(String, String)> {
    let text = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let members = object.as_object().into_iter().flatten();
    members.map(|(name, value)| (name.clone(), text(value))).collect()
}

/// Labels. Only web addresses become links, so that a sender cannot plant a script.
pub(crate) fn labels(pairs: &[(String, String)]) -> Vec<Label> {
    pairs
        .iter()
        .map(|(name, text)| Label {
            name: name.clone(),
            text: text.clone(),
            href: (text.starts_with("https://") || text.starts_with("http://")).then(|| text.clone()),
        })
        .collect()
}

/// The command that asks for the same verdict again.
pub(crate) fn compare_command(origin: &str, project: &str, base: RunId, head: RunId) -> String {
    let path = link::api_compare(project, &base.to_string(), &head.to_string());
    format!("curl -H 'Accept: text/markdown' '{origin}{path}'")
}

/// The command that adds a profile to a run.
pub(crate) fn profile_command(origin: &str, project: &str, run: RunId) -> String {
    format!("curl --data-binary @cpu.pb.gz '{origin}{}/profiles'", link::api_run(project, run))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_stay_text_and_the_page_holds_no_inline_code() {
        use crate::web::parts::findings::Place;
        use crate::web::parts::verdict::{Drawings, body, tests};

        const HOSTILE: &str = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>\u{202e}";
        let mut verdict = tests::verdict(model::Outcome::Regressed);
        verdict.sentence = HOSTILE.to_owned();
        verdict.baseline = Some(HOSTILE.to_owned());
        verdict.notes = vec![HOSTILE.to_owned()];
        verdict.findings[0].benchmark.name = model::BenchmarkName::parse(HOSTILE).unwrap();
        verdict.findings[0].benchmark.parameters = [(HOSTILE.to_owned(), HOSTILE.to_owned())].into();
        verdict.findings[0].reason = HOSTILE.to_owned();
        let mut suspect = tests::suspect(&HOSTILE.repeat(200), Some(0.5));
        suspect.category = model::Category::User(HOSTILE.to_owned());
        suspect.called_from = Some(HOSTILE.to_owned());
        verdict.profiles[0].suspects = vec![suspect];
        verdict.profiles[0].quality = vec![HOSTILE.to_owned()];
        let facts = RunFacts {
            id: RunId::from_uuid(uuid::Uuid::nil()),
            branch: HOSTILE,
            commit: HOSTILE,
            testbed: HOSTILE,
            started_at: chrono::DateTime::UNIX_EPOCH,
            n_benchmarks: 1,
            n_profiles: 0,
            pull_request: None,
            role: Role::Measured,
        };
        let place = Place { project: HOSTILE, run: Some(facts.id), testbed: HOSTILE, branch: HOSTILE };
        let page = RunPage {
            shell: shell(HOSTILE, &facts, Some(HOSTILE)),
            run: head(HOSTILE, &facts, chrono::DateTime::UNIX_EPOCH),
            body: Some(body(place, &verdict, Drawings::default())),
            profiles: Vec::new(),
            environment: vec![(HOSTILE.to_owned(), HOSTILE.to_owned())],
            labels: labels(&[(HOSTILE.to_owned(), HOSTILE.to_owned())]),
            command: Some(HOSTILE.to_owned()),
            add_profile: None,
            json_href: link::api_run(HOSTILE, facts.id),
            markdown_href: link::api_run(HOSTILE, facts.id),
            compare_href: link::compare(HOSTILE, HOSTILE, HOSTILE),
        };
        let html = page.render().unwrap();
        assert!(html.contains("&lt;script&gt;") || html.contains("&#60;script"), "the names are shown");
        for forbidden in ["<script>", "<img src=x", " style=\"", " onerror=alert(2)>\"", "javascript:"] {
            assert!(!html.contains(forbidden), "{forbidden}");
        }
    }

    #[test]
    fn only_web_addresses_become_links() {
        let given = [
            ("job".to_owned(), "https://ci.example/1".to_owned()),
            ("evil".to_owned(), "javascript:alert(1)".to_owned()),
            ("data".to_owned(), "data:text/html,x".to_owned()),
        ];
        let labels = labels(&given);
        let links: Vec<_> = labels.iter().filter_map(|label| label.href.as_deref()).collect();
        assert_eq!(links, ["https://ci.example/1"]);
    }

    #[test]
    fn facts_of_any_type_are_shown_as_text() {
        let given = serde_json::json!({"cores": 8, "cpu": "EPYC", "turbo": false});
        let shown = pairs(&given);
        let shown: Vec<_> = shown.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        assert_eq!(shown, [("cores", "8"), ("cpu", "EPYC"), ("turbo", "false")]);
        assert!(pairs(&serde_json::json!(null)).is_empty());
    }

    #[test]
    fn a_command_quotes_what_it_names() {
        let id = RunId::from_uuid(uuid::Uuid::nil());
        assert_eq!(
            compare_command("http://127.0.0.1:8700", "kv", id, id),
            format!(
                "curl -H 'Accept: text/markdown' \
                 'http://127.0.0.1:8700/api/v1/projects/kv/compare?base={id}&head={id}'"
            )
        );
    }
}
