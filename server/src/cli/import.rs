//! `import`: posts each run of a file that keeps many, in order, as if it had been pushed when it was measured.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use formats::{Content, Hints, Limits, Parsed, Point};
use model::{Benchmark, Measurement, Status};
use serde_json::{Map, Value, json};

use super::{Exit, print};
use crate::report::text::printable;

/// Bytes that an idempotency key may have.
const KEY_BYTES: usize = 256;
/// How often a point is sent again when the server asks to wait, and for how long at most.
const RETRIES: u32 = 5;
const WAIT: Duration = Duration::from_secs(30);

#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// The history: github-action-benchmark's data.js, an asv results folder as tar or zip, a CSV with a column of
    /// commits; `-` reads standard input.
    file: PathBuf,
    /// The project; created on first use.
    #[arg(long, short, env = "PERFBLAME_PROJECT")]
    project: String,
    /// The server.
    #[arg(long, alias = "server", env = "PERFBLAME_URL", default_value = "http://127.0.0.1:8700")]
    url: String,
    /// A token of the project, when the server asks for one.
    #[arg(long, env = "PERFBLAME_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// The branch of points whose file names none.
    #[arg(long, default_value = "main")]
    branch: String,
    /// The class of machine of points whose file names none.
    #[arg(long, env = "PERFBLAME_TESTBED")]
    testbed: Option<String>,
    /// The format, instead of sniffing.
    #[arg(long)]
    format: Option<String>,
    /// Where the benchmarks of a JSON or CSV document stand, for `--format json-mapping` and `--format csv`.
    #[arg(long)]
    mapping: Option<String>,
    /// Say what would be sent, and send nothing.
    #[arg(long)]
    dry_run: bool,
}

/// What became of the points.
#[derive(Debug, Default)]
struct Tally {
    stored: usize,
    known: usize,
    refused: usize,
}

enum Sent {
    Stored,
    /// Its idempotency key had been seen.
    Known,
    Refused(String),
    /// The server cannot be reached or is in trouble.
    Unreachable(String),
}

pub(super) async fn run(options: Options) -> anyhow::Result<Exit> {
    super::install_tls();
    let points = points(&options)?;
    let documents = documents(&points, &options);
    if options.dry_run {
        for (point, (key, document)) in points.iter().zip(&documents) {
            let n_values: usize = point
                .report
                .benchmarks
                .iter()
                .flat_map(|b| &b.measurements)
                .map(|m| m.observations.len())
                .sum();
            let n = document["benchmarks"].as_array().map_or(0, Vec::len);
            print(&format!("{}: {n} benchmarks, {n_values} values\n", printable(key)));
        }
        print(&format!("{} points would be imported into {}\n", points.len(), options.project));
        return Ok(Exit::Fine);
    }
    let base = options.url.trim_end_matches('/');
    let mut url = reqwest::Url::parse(&format!("{base}/api/v1/projects/{}/runs", options.project))
        .context("failed to understand the server's address")?;
    url.query_pairs_mut().append_pair("wait", "0");
    let client = reqwest::Client::builder().connect_timeout(Duration::from_secs(10)).build()?;
    let mut tally = Tally::default();
    for (index, (key, document)) in documents.iter().enumerate() {
        let sent = send(&client, &url, &options, document).await?;
        let said = match &sent {
            Sent::Stored => "stored".to_owned(),
            Sent::Known => "known already".to_owned(),
            Sent::Refused(why) => format!("refused: {why}"),
            Sent::Unreachable(why) => format!("not sent: {why}"),
        };
        let progress = format!("{}/{} {}: {said}", index + 1, documents.len(), key);
        let _ = writeln!(std::io::stderr(), "{}", printable(&progress));
        match sent {
            Sent::Stored => tally.stored += 1,
            Sent::Known => tally.known += 1,
            Sent::Refused(_) => tally.refused += 1,
            Sent::Unreachable(why) => {
                print(&summary(&tally, documents.len()));
                let rest = "import the file again to go on where it stopped";
                print(&format!("perfblame: {base} cannot be reached: {}; {rest}\n", printable(&why)));
                return Ok(Exit::Unreachable);
            }
        }
    }
    print(&summary(&tally, documents.len()));
    Ok(if tally.refused > 0 { Exit::CouldNotJudge } else { Exit::Fine })
}

fn summary(tally: &Tally, total: usize) -> String {
    let Tally { stored, known, refused } = tally;
    format!("imported {stored} of {total} points; {known} were known already, {refused} were refused\n")
}

/// The points of the file, oldest first where it says when they were measured.
fn points(options: &Options) -> anyhow::Result<Vec<Point>> {
    let bytes = super::compare::bytes_of(&options.file)?;
    let hints = Hints {
        format: options.format.clone(),
        mapping: options.mapping.clone(),
        file_name: options.file.file_name().map(|name| name.to_string_lossy().into_owned()),
        ..Hints::default()
    };
    let parsed = formats::read(&bytes, &hints, &Limits::default()).context("failed to read the file")?;
    for warning in &parsed.warnings {
        let text = format!("warning: {}: {}", warning.at, warning.text);
        let _ = writeln!(std::io::stderr(), "{}", printable(&text));
    }
    let Parsed { content, format, .. } = parsed;
    let Content::History(mut points) = content else {
        anyhow::bail!("the file holds one run ({format}); use `perfblame push` for it");
    };
    if points.iter().all(|point| point.at.is_some()) {
        points.sort_by_key(|point| point.at);
    }
    Ok(points)
}

/// Each point's idempotency key and its document in perfblame's own JSON. Keys are made of what identifies a point, so
/// that a file that has grown is imported again without harm.
fn documents(points: &[Point], options: &Options) -> Vec<(String, Value)> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    points
        .iter()
        .map(|point| {
            let branch = point.branch.as_deref().unwrap_or(&options.branch);
            let testbed = point.testbed.as_deref().or(options.testbed.as_deref());
            let mut key = format!("import {}", point.commit.as_deref().unwrap_or("no commit"));
            for part in [Some(branch), testbed, point.at.map(|at| at.to_rfc3339()).as_deref()] {
                key.extend([" ", part.unwrap_or("-")]);
            }
            key.retain(|c| !c.is_control());
            key.truncate(key.floor_char_boundary(KEY_BYTES - 12));
            let times = seen.entry(key.clone()).and_modify(|times| *times += 1).or_insert(1);
            if *times > 1 {
                key.extend([" #", &times.to_string()]);
            }
            let mut run = Map::new();
            let mut say =
                |name: &str, value: Option<Value>| run.extend(value.map(|value| (name.to_owned(), value)));
            say("branch", Some(json!(branch)));
            say("commit", point.commit.as_deref().map(Value::from));
            say("testbed", testbed.map(Value::from));
            say("started_at", point.at.map(|at| json!(at.to_rfc3339())));
            say("idempotency_key", Some(json!(key)));
            say("environment", Some(json!(point.report.environment)));
            let benchmarks: Vec<Value> = point.report.benchmarks.iter().map(benchmark).collect();
            (key, json!({"run": run, "benchmarks": benchmarks}))
        })
        .collect()
}

fn benchmark(benchmark: &Benchmark) -> Value {
    let mut value =
        json!({"name": benchmark.key.name, "parameters": benchmark.key.parameters, "kind": benchmark.kind});
    if let Status::Failed(reason) = &benchmark.status {
        value["status"] = json!("failed");
        value["reason"] = json!(reason);
        return value;
    }
    let mut measures = Map::new();
    for Measurement { measure, observations, summarised, .. } in &benchmark.measurements {
        let mut name = measure.name.to_string();
        if measures.contains_key(&name) {
            // One name in two units is two measures.
            name = format!("{name} ({})", measure.unit);
        }
        let of = json!({
            "unit": measure.unit, "better": measure.better, "observations": observations, "summarised": summarised,
        });
        measures.insert(name, of);
    }
    value["measures"] = Value::Object(measures);
    value
}

async fn send(
    client: &reqwest::Client,
    url: &reqwest::Url,
    options: &Options,
    document: &Value,
) -> anyhow::Result<Sent> {
    let mut tries = 0;
    loop {
        let mut request = client.post(url.clone()).json(document);
        if let Some(token) = &options.token {
            request = request.bearer_auth(token);
        }
        let answer = match request.send().await {
            Ok(answer) => answer,
            Err(error) => return Ok(Sent::Unreachable(super::push::source(&error))),
        };
        let status = answer.status();
        let asked =
            answer.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        if matches!(status.as_u16(), 429 | 503) && tries < RETRIES {
            tries += 1;
            tokio::time::sleep(asked.map_or(Duration::from_secs(1), Duration::from_secs).min(WAIT)).await;
            continue;
        }
        let body: Value =
            answer.json().await.with_context(|| format!("the server answered {status} without JSON"))?;
        let detail = || body["detail"].as_str().unwrap_or("no reason given").to_owned();
        return Ok(match status.as_u16() {
            200 => Sent::Known,
            _ if status.is_success() => Sent::Stored,
            429 => Sent::Unreachable(detail()),
            _ if status.is_server_error() => Sent::Unreachable(detail()),
            _ => Sent::Refused(format!("({status}) {}", detail())),
        });
    }
}
