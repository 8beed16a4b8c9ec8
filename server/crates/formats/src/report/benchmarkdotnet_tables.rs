//! BenchmarkDotNet's summary: the table that it prints, its Markdown and CSV reports.
//!
//! Written from BenchmarkDotNet 0.9 to 0.15 (<https://benchmarkdotnet.org/articles/configs/columns.html>). Columns come in
//! the order target, job, parameters, statistics, diagnosers. Every cell has its unit, or the head has it in brackets;
//! its KB are 1024 bytes. `Mean` is the observation; `NA` in its place is a benchmark that threw. Where the file is named
//! as the tool names it (`Ns.Type-report-github.md`) the type stands before the method, as in the JSON.

use std::borrow::Cow;
use std::collections::BTreeMap;

use model::{Better, Kind};

use crate::csv::Rows;
use crate::error::{At, ParseError};
use crate::number::{Marks, lines, split_unit};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::report::entry::Entry;
use crate::text::{excerpt, text, without_colours};

pub(super) const READER: Reader = Reader {
    name: "benchmarkdotnet-tables",
    about: "BenchmarkDotNet's summary as printed, Markdown or CSV",
    sniff,
    read,
};

const TIME: &str = "time";
const KIND: Option<Kind> = Some(Kind::Micro);

/// Columns of what is compared with another benchmark, and other words of no use here.
const PASSED_OVER: [&str; 10] = [
    "Ratio",
    "RatioSD",
    "Scaled",
    "ScaledSD",
    "Rank",
    "Baseline",
    "Alloc Ratio",
    "Categories",
    "LogicalGroup",
    "Skewness",
];
/// Columns that may stand between the target and the parameters and tell how a job ran. The job's name tells jobs apart.
const JOB: [&str; 44] = [
    "Affinity",
    "AllowVeryLargeObjects",
    "AnalyzeLaunchVariance",
    "Arguments",
    "BuildConfiguration",
    "Clock",
    "Concurrent",
    "CpuGroups",
    "EngineFactory",
    "EnvironmentVariables",
    "EvaluateOverhead",
    "Force",
    "HeapAffinitizeMask",
    "HeapCount",
    "InvocationCount",
    "IsMutator",
    "IterationCount",
    "IterationTime",
    "Jit",
    "LargeAddressAware",
    "LaunchCount",
    "MaxAbsoluteError",
    "MaxIterationCount",
    "MaxRelativeError",
    "MaxWarmupIterationCount",
    "MemoryRandomization",
    "MinInvokeCount",
    "MinIterationCount",
    "MinIterationTime",
    "MinWarmupIterationCount",
    "NoAffinitize",
    "NuGetReferences",
    "OutlierMode",
    "Platform",
    "PowerPlanMode",
    "RetainVm",
    "RunStrategy",
    "Runtime",
    "Server",
    "TargetCount",
    "Toolchain",
    "UnrollFactor",
    "WarmupCount",
    "RemoveOutliers",
];

/// A row's cells with its line.
struct Line<'t> {
    at: usize,
    cells: Vec<Cow<'t, str>>,
}

fn is_head(cells: &[Cow<'_, str>]) -> bool {
    let has = |name: &str| cells.iter().any(|cell| cell.split(" [").next() == Some(name));
    has("Method") && has("Mean")
}

/// The cells between bars of a line of a table, whichever of the exporters wrote it.
fn bars(line: &str) -> Option<Vec<Cow<'_, str>>> {
    let line = line.trim().trim_start_matches(['|', ' ']).trim_end_matches(['|', ' ']);
    let cells: Vec<Cow<'_, str>> = line.split('|').map(|cell| cell.trim().trim_matches('*').into()).collect();
    (cells.len() > 1).then_some(cells)
}

fn is_rule(cells: &[Cow<'_, str>]) -> bool {
    cells.iter().all(|cell| !cell.is_empty() && cell.trim_matches([':', ' ', '-']).is_empty())
}

/// The separator of a CSV report, by its first line.
fn separator(text: &str) -> Option<char> {
    let first = text.lines().next()?;
    [',', ';', '\t'].into_iter().find(|separator| {
        let mut rows = Rows::new(READER.name, first, *separator);
        matches!(rows.next(), Some(Ok(row)) if is_head(&row.cells))
    })
}

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let printed =
        || head.lines().any(|line| bars(&without_colours(line)).is_some_and(|cells| is_head(&cells)));
    if separator(&head).is_some() || printed() { Sniff::Yes } else { Sniff::No }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let prefix = prefix(input.hints.file_name.as_deref());
    let mut table: Option<Vec<String>> = None;
    let mut row = |builder: &mut Builder<'_>, line: Line<'_>| {
        if is_head(&line.cells) {
            table = Some(line.cells.into_iter().map(Cow::into_owned).collect());
            return Ok(());
        }
        match &table {
            Some(_) if is_rule(&line.cells) || line.cells.iter().all(|cell| cell.is_empty()) => Ok(()),
            Some(head) if head.len() == line.cells.len() => benchmark(builder, &prefix, head, &line),
            Some(head) => {
                let (has, wants) = (line.cells.len(), head.len());
                let text = format!("{has} cells where the head has {wants}, skipped");
                builder.warn(At::Line(line.at), text);
                Ok(())
            }
            None => Ok(()),
        }
    };
    if let Some(separator) = separator(&text) {
        for found in Rows::new(READER.name, &text, separator) {
            let found = found?;
            row(&mut builder, Line { at: found.line, cells: found.cells })?;
        }
    } else {
        for (at, line) in lines(&text) {
            let plain = without_colours(line);
            if let Some(cells) = bars(&plain) {
                row(&mut builder, Line { at, cells })?;
            }
        }
    }
    builder.finish(None)
}

/// `Ns.Type.` of `Ns.Type-report-github.md`.
fn prefix(file: Option<&str>) -> String {
    let stem = file.and_then(|name| name.rsplit(['/', '\\']).next()?.split_once("-report"));
    stem.map(|(name, _)| format!("{name}.")).unwrap_or_default()
}

/// A head's name and the unit in brackets behind it.
fn split_head(head: &str) -> (&str, &str) {
    match head.split_once(" [") {
        Some((name, unit)) => (name, unit.trim_end_matches(']')),
        None => (head, ""),
    }
}

/// `1,234.5 ns`, `1.02 KB`, `188`: KB of this tool are 1024 bytes. `?s` is what an old console makes of `μs`.
fn value(cell: &str, unit: &str) -> Option<(f64, String)> {
    let (number, own) = split_unit(cell, Marks::ThousandsComma)?;
    let own = own.trim();
    let unit = if own.is_empty() { unit } else { own };
    let unit = match unit {
        "KB" => "KiB",
        "MB" => "MiB",
        "GB" => "GiB",
        "?s" => "us",
        other => other,
    };
    Some((number, unit.to_owned()))
}

fn benchmark(
    builder: &mut Builder<'_>,
    prefix: &str,
    head: &[String],
    line: &Line<'_>,
) -> Result<(), ParseError> {
    let columns = || head.iter().map(|head| split_head(head)).zip(&line.cells);
    let cell = |wanted: &str| columns().find(|((name, _), _)| *name == wanted).map(|(_, cell)| cell.trim());
    let method = cell("Method").unwrap_or_default().trim_matches('\'');
    let target = [cell("Namespace"), cell("Type"), Some(method)].into_iter().flatten().collect::<Vec<_>>();
    let name = if target.len() > 1 { target.join(".") } else { format!("{prefix}{method}") };
    let mut parameters = BTreeMap::new();
    for ((name, _), cell) in columns().take_while(|((name, _), _)| *name != "Mean") {
        let cell = cell.trim();
        let is_target = matches!(name, "Namespace" | "Type" | "Method");
        if is_target || JOB.contains(&name) || PASSED_OVER.contains(&name) || matches!(cell, "" | "?") {
            continue;
        }
        if name != "Job" {
            parameters.insert(name.to_owned(), cell.to_owned());
        } else if cell != "DefaultJob" {
            parameters.insert("job".to_owned(), cell.to_owned());
        }
    }
    let Some(mut entry) = Entry::new(builder, At::Line(line.at), &name, parameters, KIND) else {
        return Ok(());
    };
    let behind = columns().skip_while(|((name, _), _)| *name != "Mean");
    for ((name, unit), cell) in behind.filter(|((name, _), _)| !PASSED_OVER.contains(name)) {
        statistic(&mut entry, name, unit, cell.trim())?;
    }
    Ok(())
}

fn statistic(entry: &mut Entry<'_, '_>, name: &str, unit: &str, cell: &str) -> Result<(), ParseError> {
    let Some((value, unit)) = value(cell, unit) else {
        match (name, cell) {
            ("Mean", "NA" | "?") => return entry.fail("it has no mean: it threw or was not run"),
            // Nothing was allocated, nothing was collected.
            ("Allocated", "-") => {
                return entry.observe(Reading::summary(name, "B", 0.0).towards(Better::Lower));
            }
            (_, "-" | "NA" | "?" | "" | "N/A" | "n/a") => {}
            _ => {
                let text = format!("{name} is {:?}, not a number, and skipped", excerpt(cell));
                entry.builder.warn(entry.at.clone(), text);
            }
        }
        return Ok(());
    };
    match name {
        "Mean" => entry.observe(Reading::summary(TIME, &unit, value).towards(Better::Lower))?,
        "Allocated" | "Code Size" => {
            entry.observe(Reading::summary(name, &unit, value).towards(Better::Lower))?;
        }
        "Op/s" => entry.figure(TIME, name, "1/s", value),
        "Iterations" | "Kurtosis" | "MValue" => entry.figure(TIME, name, "count", value),
        // Collections for a thousand operations, events of a diagnoser.
        _ if unit.is_empty() => {
            entry.observe(Reading::summary(name, "count", value).towards(Better::Neither))?;
        }
        _ => entry.figure(TIME, name, &unit, value),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use model::{Benchmark, Status};

    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    fn benchmarks(text: &str, file: &str) -> (Vec<Benchmark>, usize) {
        let hints = Hints { file_name: Some(file.to_owned()), ..Hints::default() };
        let parsed = read(text.as_bytes(), &hints, &Limits::default()).unwrap();
        assert_eq!(parsed.format, super::READER.name);
        let Content::Report(report) = parsed.content else { panic!("a report") };
        (report.benchmarks, parsed.warnings.len())
    }

    #[test]
    fn a_markdown_report_has_units_in_cells_and_binary_kilobytes() {
        let text = "```\n\nBenchmarkDotNet v0.14.0, Windows 11\n```\n| Method | Job | Runtime | N | Mean | Error | StdDev | Ratio | Gen0 | Allocated | Alloc Ratio |\n\
                    |------- |---- |---- |--: |----: |----: |----:|----:|----:|----:|----:|\n\
                    | 'Sort it' | .NET 8.0 | .NET 8.0 | 10 | 1,234.5 μs | 1.0 ns | 2.00 ns | 1.00 | 0.5 | 1.5 KB | 1.00 |\n\
                    | **Bad** | DefaultJob | .NET 8.0 | 10 | NA | NA | NA | ? | NA | NA | ? |\n\
                    | Free | DefaultJob | .NET 8.0 | 10 | 2 ms | NA | NA | ? | - | - | ? |\n";
        let (found, warned) = benchmarks(text, "Ns.Sorts-report-github.md");
        let [sort, bad, free] = &found[..] else { panic!("{found:?}") };
        assert_eq!(sort.key.to_string(), "Ns.Sorts.Sort it [N=10, job=.NET 8.0]");
        let values: Vec<_> = sort
            .measurements
            .iter()
            .map(|m| (m.measure.name.as_str(), m.measure.unit.to_string(), m.observations[0]))
            .collect();
        assert_eq!(
            values,
            [
                ("time", "ns".to_owned(), 1_234_500.0),
                ("Gen0", "count".to_owned(), 0.5),
                ("Allocated", "B".to_owned(), 1536.0)
            ]
        );
        assert!(matches!(bad.status, Status::Failed(_)));
        assert_eq!(free.measurements[1].observations, [0.0]);
        assert_eq!(warned, 0);
    }

    #[test]
    fn the_printed_table_has_no_outer_bars() {
        let text = "BenchmarkDotNet=v0.10.1\n\n  Type | Method |        Mean |    StdDev |\n ----- |------- |------------ |---------- |\n Hash  | Sha256 | 130.5169 us | 1.8489 us |\n\n// * Legends *\n";
        let (found, warned) = benchmarks(text, "log.txt");
        assert_eq!(found[0].key.to_string(), "Hash.Sha256");
        assert_eq!((found[0].measurements[0].observations[0], warned), (130_516.9, 0));
    }

    #[test]
    fn a_csv_report_keeps_the_jobs_settings_out_of_the_parameters() {
        let text = "Method,Job,AnalyzeLaunchVariance,Runtime,WarmupCount,Size,Mean [us],Error [us],Allocated [B]\n\
                    A,DefaultJob,False,.NET 8.0,Default,5,\"1,000.25\",0.5,32\nB,DefaultJob,False\n";
        let (found, warned) = benchmarks(text, "x.csv");
        assert_eq!(found[0].key.to_string(), "A [Size=5]");
        assert_eq!(found[0].measurements[0].observations, [1_000_250.0]);
        assert_eq!((found[0].measurements[1].observations[0], warned), (32.0, 1));
    }
}
