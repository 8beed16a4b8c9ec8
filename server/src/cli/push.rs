//! `push`: uploads a run and prints its verdict.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use model::Verdict;
use reqwest::multipart::{Form, Part};
use serde_json::{Map, Value, json};

use super::{Exit, print};
use crate::report::{self, Links};

#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// Benchmark output and profiles; `-` reads standard input.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The project; created on first use.
    #[arg(long, short, env = "PERFBLAME_PROJECT")]
    project: String,
    /// The server.
    #[arg(long, env = "PERFBLAME_URL", default_value = "http://127.0.0.1:8700")]
    url: String,
    /// A token of the project, when the server asks for one.
    #[arg(long, env = "PERFBLAME_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// The branch; from the CI's environment or git by default.
    #[arg(long)]
    branch: Option<String>,
    /// The commit; from the CI's environment or git by default.
    #[arg(long)]
    commit: Option<String>,
    /// The commit's parents; from git by default.
    #[arg(long, value_delimiter = ',')]
    parents: Vec<String>,
    /// What to compare with: a branch, a commit or a run's id.
    #[arg(long)]
    base: Option<String>,
    /// The pull request.
    #[arg(long)]
    pull_request: Option<i32>,
    /// The class of machine.
    #[arg(long, env = "PERFBLAME_TESTBED")]
    testbed: Option<String>,
    /// measured, profiled or confirming.
    #[arg(long)]
    role: Option<String>,
    /// The column of files that hold several sides.
    #[arg(long)]
    column: Option<String>,
    /// What is known about a file: FILE:KEY=VALUE with format, column, benchmark, kind, event, unit, period, mapping
    /// or operations; `*` is every file. May be repeated.
    #[arg(long = "hint", value_name = "FILE:KEY=VALUE")]
    hints: Vec<String>,
    /// The same key twice gives the same run once.
    #[arg(long)]
    idempotency_key: Option<String>,
    /// Do not wait for the verdict.
    #[arg(long)]
    no_wait: bool,
    /// Print the answer as JSON.
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print the comment for a pull request.
    #[arg(long)]
    markdown: bool,
}

pub(super) async fn run(options: Options) -> anyhow::Result<Exit> {
    super::install_tls();
    let form = form(&options)?;
    let base = options.url.trim_end_matches('/');
    let mut url = reqwest::Url::parse(&format!("{base}/api/v1/projects/{}/runs", options.project))
        .context("failed to understand the server's address")?;
    if options.no_wait {
        url.query_pairs_mut().append_pair("wait", "0");
    }
    let client = reqwest::Client::builder().connect_timeout(Duration::from_secs(10)).build()?;
    let mut request = client.post(url).multipart(form);
    if let Some(token) = &options.token {
        request = request.bearer_auth(token);
    }
    if let Some(key) = &options.idempotency_key {
        request = request.header("idempotency-key", key);
    }
    let answer = match request.send().await {
        Ok(answer) => answer,
        Err(error) => {
            print(&format!("perfblame: {base} cannot be reached: {}\n", source(&error)));
            return Ok(Exit::Unreachable);
        }
    };
    let status = answer.status();
    let body: Value =
        answer.json().await.with_context(|| format!("the server answered {status} without JSON"))?;
    if !status.is_success() {
        let detail = body["detail"].as_str().unwrap_or("no reason given");
        print(&format!(
            "perfblame: the server refused the run ({status}): {}\n",
            report::text::printable(detail)
        ));
        return Ok(if status.is_server_error() { Exit::Unreachable } else { Exit::CouldNotJudge });
    }
    show(&options, &body)
}

fn show(options: &Options, body: &Value) -> anyhow::Result<Exit> {
    let page = body["links"]["page"].as_str().map(str::to_owned);
    if options.json {
        print(&format!("{}\n", serde_json::to_string_pretty(body)?));
    }
    for file in body["files"].as_array().into_iter().flatten() {
        for warning in file["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let name = file["file"].as_str().unwrap_or_default();
            let _ = writeln!(
                std::io::stderr(),
                "warning: {}: {}",
                report::text::printable(name),
                report::text::printable(warning)
            );
        }
    }
    if body["verdict"].is_null() {
        if !options.json {
            print(&format!("stored; the verdict is pending: {}\n", page.unwrap_or_default()));
        }
        return Ok(if options.no_wait { Exit::Fine } else { Exit::CouldNotJudge });
    }
    let verdict: Verdict =
        serde_json::from_value(body["verdict"].clone()).context("failed to read the verdict")?;
    let links = Links { run: page, reproduce: None };
    if options.markdown {
        print(&report::markdown::render(&verdict, &links));
    } else if !options.json {
        print(&report::text::render(&verdict, &links));
    }
    Ok(Exit::of(&verdict))
}

fn form(options: &Options) -> anyhow::Result<Form> {
    let mut meta = Map::new();
    let mut say = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            meta.insert(name.to_owned(), value);
        }
    };
    let text = |value: &Option<String>| value.clone().map(Value::String);
    say("branch", text(&options.branch).or_else(branch));
    say("commit", text(&options.commit).or_else(commit));
    say(
        "base",
        text(&options.base).or_else(|| variable(&["GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"])),
    );
    say("testbed", text(&options.testbed));
    say("role", text(&options.role));
    say("pull_request", options.pull_request.map(Value::from).or_else(pull_request));
    let given = options.parents.iter().filter(|parent| !parent.trim().is_empty()).cloned();
    let mut parents: Vec<String> = given.collect();
    if parents.is_empty() && options.commit.is_none() {
        parents = git_parents();
    }
    say("parents", (!parents.is_empty()).then(|| json!(parents)));
    let said = super::hints::by_file(&options.hints)?;
    let mut hints = Map::new();
    let mut files = Vec::new();
    for (i, path) in options.files.iter().enumerate() {
        let bytes = super::compare::bytes_of(path)?;
        let name =
            path.file_name().map_or_else(|| format!("file-{i}"), |name| name.to_string_lossy().into_owned());
        let mut own = Map::new();
        own.extend(options.column.iter().map(|column| ("column".to_owned(), json!(column))));
        for key in ["*", name.as_str()] {
            own.extend(said.get(key).and_then(Value::as_object).cloned().into_iter().flatten());
        }
        if !own.is_empty() {
            hints.insert(name.clone(), own.into());
        }
        files.push((name, bytes));
    }
    meta.insert("files".to_owned(), Value::Object(hints));
    let mut form = Form::new().part("meta", Part::text(Value::Object(meta).to_string()));
    for (name, bytes) in files {
        // The server sniffs what each file is, so every one may go as a benchmark part.
        form = form.part("benchmark", Part::bytes(bytes).file_name(name));
    }
    Ok(form)
}

fn variable(names: &[&str]) -> Option<Value> {
    names
        .iter()
        .find_map(|name| std::env::var(name).ok())
        .filter(|value| !value.is_empty())
        .map(Value::String)
}

fn branch() -> Option<Value> {
    variable(&["GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME"]).or_else(|| {
        git(&["rev-parse", "--abbrev-ref", "HEAD"]).filter(|name| name != "HEAD").map(Value::String)
    })
}

fn commit() -> Option<Value> {
    variable(&["GITHUB_SHA", "CI_COMMIT_SHA"]).or_else(|| git(&["rev-parse", "HEAD"]).map(Value::String))
}

fn git_parents() -> Vec<String> {
    let line = git(&["rev-list", "--parents", "-n", "1", "HEAD"]).unwrap_or_default();
    line.split_whitespace().skip(1).map(str::to_owned).collect()
}

/// GitHub says the pull request in the ref (`refs/pull/7/merge`), GitLab in a variable.
fn pull_request() -> Option<Value> {
    let from_ref = std::env::var("GITHUB_REF")
        .ok()
        .and_then(|name| name.strip_prefix("refs/pull/")?.split('/').next()?.parse::<i32>().ok());
    let number = from_ref.or_else(|| std::env::var("CI_MERGE_REQUEST_IID").ok()?.parse().ok());
    number.map(Value::from)
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = std::process::Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

/// The innermost cause: `reqwest` only says that a request failed.
pub(super) fn source(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
