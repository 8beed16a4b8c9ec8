//! `inspect`: what perfblame reads in a file, as JSON.

use std::path::PathBuf;

use anyhow::Context as _;
use axum::body::Bytes;
use formats::{Limits, Point};
use frames::Rules;
use model::{Benchmark, Measurement, Profile};
use serde_json::{Value, json};

use super::{Exit, print};
use crate::ingest::{FileHints, ReadRun, UploadFile, read_runs};

#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// The file; `-` reads standard input.
    file: PathBuf,
    /// The format, instead of sniffing.
    #[arg(long)]
    format: Option<String>,
    /// The column of a file that holds several sides.
    #[arg(long)]
    column: Option<String>,
    /// The profile's event.
    #[arg(long)]
    event: Option<String>,
    /// The unit of the profile's weights.
    #[arg(long)]
    unit: Option<String>,
    /// Units of weight between two samples of the profile.
    #[arg(long)]
    period: Option<f64>,
    /// Where the benchmarks of a JSON or CSV document stand, for `--format json-mapping` and `--format csv`.
    #[arg(long)]
    mapping: Option<String>,
    /// Top frames shown.
    #[arg(long, default_value_t = 10)]
    top: usize,
}

pub(super) fn run(options: &Options) -> anyhow::Result<Exit> {
    let bytes = super::compare::bytes_of(&options.file)?;
    let limits = Limits::default();
    let tried = tried(&bytes, &limits);
    let hints = FileHints {
        format: options.format.clone(),
        column: options.column.clone(),
        event: options.event.clone(),
        unit: options.unit.clone(),
        period: options.period,
        mapping: options.mapping.clone(),
        ..FileHints::default()
    };
    let name = options.file.file_name().map(|name| name.to_string_lossy().into_owned());
    let file = UploadFile { name, role: None, bytes: Bytes::from(bytes), hints };
    let read = read_runs(&[file], &Rules::built_in(), &limits).context("failed to read the file")?;
    let text = serde_json::to_string_pretty(&shown(&read, &tried, options.top))?;
    print(&format!("{text}\n"));
    Ok(Exit::Fine)
}

/// What every reader said of the bytes in the order in which they are asked, for people whose file is read as
/// something else.
fn tried(bytes: &[u8], limits: &Limits) -> Value {
    let Ok(plain) = formats::decompress(bytes, limits) else { return Value::Null };
    let attempts = formats::sniff(&plain);
    let said = |sure: formats::Sniff| -> Vec<&'static str> {
        attempts.iter().filter(|attempt| attempt.answer == sure).map(|attempt| attempt.format).collect()
    };
    json!({
        "yes": said(formats::Sniff::Yes), "maybe": said(formats::Sniff::Maybe), "no": said(formats::Sniff::No),
    })
}

fn shown(read: &ReadRun, tried: &Value, top: usize) -> Value {
    let file = read.files.first();
    json!({
        "format": file.map(|file| file.format),
        "tried": tried,
        "columns": file.map(|file| &file.columns),
        "warnings": file.map(|file| &file.warnings),
        "remarks": file.map(|file| file.remarks),
        "environment": read.environment,
        // Members of an archive that was read file by file.
        "members": read.files.iter().skip(1).collect::<Vec<_>>(),
        "benchmarks": read.run.benchmarks.iter().map(benchmark).collect::<Vec<_>>(),
        "history": read.history.iter().map(point).collect::<Vec<_>>(),
        "profiles": read.run.profiles.iter().map(|p| profile(p, top)).collect::<Vec<_>>(),
    })
}

fn point(point: &Point) -> Value {
    json!({
        "commit": point.commit, "at": point.at, "branch": point.branch, "testbed": point.testbed,
        "benchmarks": point.report.benchmarks.iter().map(benchmark).collect::<Vec<_>>(),
    })
}

fn benchmark(benchmark: &Benchmark) -> Value {
    let figures = |m: &Measurement| -> Vec<Value> {
        m.figures.iter().map(|f| json!({"name": f.name, "unit": f.unit, "value": f.value})).collect()
    };
    let mut measures = serde_json::Map::new();
    for m in &benchmark.measurements {
        let mut name = m.measure.name.to_string();
        if measures.contains_key(&name) {
            // One name in two units is two measures.
            name = format!("{name} ({})", m.measure.unit);
        }
        let value = json!({
            "unit": m.measure.unit, "better": m.measure.better, "observations": m.observations,
            "summarised": m.summarised, "figures": figures(m),
        });
        measures.insert(name, value);
    }
    json!({
        "name": benchmark.key.name, "parameters": benchmark.key.parameters, "kind": benchmark.kind,
        "status": benchmark.status, "measures": measures,
    })
}

fn profile(profile: &Profile, top: usize) -> Value {
    let tree = &profile.tree;
    let costs = tree.frame_costs();
    let name = |frame: usize| {
        tree.frames.get(frame).map(|info| json!({"name": info.name, "category": info.category}))
    };
    let ranked = |weight: fn(&model::profile::FrameCost) -> f64| {
        let mut order: Vec<usize> = (0..costs.len()).collect();
        order.sort_by(|&a, &b| weight(&costs[b]).total_cmp(&weight(&costs[a])).then(a.cmp(&b)));
        let rows = order.into_iter().take(top).map(|i| {
            let mut row = name(i).unwrap_or_default();
            row["weight"] = json!(weight(&costs[i]));
            row
        });
        rows.collect::<Vec<_>>()
    };
    json!({
        "event": profile.event.name, "unit": profile.event.unit, "period": profile.period,
        "duration_ns": profile.duration_ns, "benchmark": profile.benchmark, "operations": profile.operations,
        "partial": profile.partial, "handwritten": profile.handwritten,
        "samples": tree.samples(), "weight": tree.weight(), "frames": tree.frames.len(), "nodes": tree.nodes.len(),
        "top_self": ranked(|cost| cost.self_weight), "top_total": ranked(|cost| cost.total_weight),
        "categories": tree.category_weights(), "labels": profile.labels,
    })
}
