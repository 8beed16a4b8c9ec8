//! What the expectations of the corpus call otherwise than the readers do, folder by folder, each with its reason.

use std::path::Path;

use model::BenchmarkKey;
use serde_json::Value;

/// What one row asks for.
pub(crate) struct Wanted {
    pub(crate) side: Option<String>,
    pub(crate) name: String,
    pub(crate) parameters: Vec<(String, String)>,
    /// Names that the measure or figure may have.
    pub(crate) measures: Vec<String>,
    pub(crate) value: f64,
    pub(crate) unit: Option<String>,
    /// Values that parameters must have, whatever the parameters are called.
    pub(crate) parameter_values: Vec<String>,
    /// The row is a mean, median or standard deviation that the file does not hold: it follows from the readings.
    pub(crate) follows: Option<String>,
    /// The name may be the beginning of the benchmark's.
    pub(crate) may_go_on: bool,
    /// How the benchmark ended, in rows about that.
    pub(crate) status: Option<String>,
    /// The relative difference allowed. Expectations were computed in decimal, so the last bits may differ.
    pub(crate) tolerance: f64,
}

/// The folder below `benchmarks/`, or the pair's.
fn folder(path: &Path) -> &str {
    let mut parts = path.iter().map(|part| part.to_str().unwrap_or_default());
    parts.find(|part| matches!(*part, "benchmarks" | "pairs" | "reports"));
    parts.next().unwrap_or_default()
}

/// The format that a sender has to tell, because the bytes do not.
pub(crate) fn told_format(_path: &Path) -> Option<String> {
    None
}

/// The mapping that a sender has to tell.
pub(crate) fn told_mapping(_path: &Path) -> Option<String> {
    None
}

/// Whether a benchmark is the one that a row names: by its name, or by name and parameters in one of the ways in
/// which tools write them.
pub(crate) fn is_called(key: &BenchmarkKey, name: &str) -> bool {
    let own = key.name.as_str();
    // A row whose parameters say all needs no name.
    if name.is_empty() || own == name || key.to_string() == name {
        return true;
    }
    let Some(rest) = name.strip_prefix(own) else { return false };
    let values: Vec<&str> = key.parameters.values().map(String::as_str).collect();
    // `a/64/2`, `a/size=64`, `a(64)`.
    let pairs: Vec<String> = key.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    rest == format!("/{}", values.join("/"))
        || rest == format!("/{}", pairs.join("/"))
        || rest == format!("({})", values.join(", "))
        // pytest: `[10-x]`, in the order of the test's arguments.
        || (rest.starts_with('[') && rest.ends_with(']') && values.iter().all(|value| rest.contains(value)))
}

/// Rows of expectations that are no values of the file: differences and means that follow from other rows.
fn is_derived(row: &Value) -> bool {
    let measure = row["measure"].as_str().unwrap_or_default();
    measure.ends_with(" change") || measure == "delta" || row["name"] == "geomean"
}

fn parameters(row: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    ["params", "parameters", "labels"]
        .iter()
        .filter_map(|member| row[*member].as_object())
        .flatten()
        .map(|(name, value)| (name.clone(), text(value)))
        .collect()
}

/// What a row asks for; `None` where it is no value of the file.
pub(crate) fn wanted(path: &Path, format: &str, row: &Value) -> Option<Wanted> {
    if is_derived(row) {
        return None;
    }
    let text = |name: &str| row[name].as_str().map(str::to_owned);
    let measure = text("measure")?;
    let mut wanted = Wanted {
        side: text("side"),
        // Names that go over lines are joined.
        name: match text("name")? {
            name if name.contains('\n') => name.split_whitespace().collect::<Vec<_>>().join(" "),
            name => name,
        },
        parameters: parameters(row),
        measures: vec![measure.clone()],
        parameter_values: row["params"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            .collect(),
        follows: None,
        may_go_on: false,
        value: row["value"].as_f64().unwrap_or(f64::NAN),
        unit: text("unit"),
        status: (measure == "status").then(|| text("value").unwrap_or_default()),
        tolerance: 1e-9,
    };
    match folder(path) {
        "go-bench" | "go-eager-debug-args" | "go-null" if format == "go-bench" => {
            for (name, value) in [("pkg", &row["pkg"]), ("procs", &row["procs"])] {
                if !value.is_null() {
                    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    wanted.parameters.push((name.to_owned(), value));
                }
            }
        }
        // Expectations name the file of each grepped line; here all are repetitions of one benchmark.
        "warp" if row["unit"] == "obj/s" => {
            "warp".clone_into(&mut wanted.name);
            wanted.measures = vec!["object rate".to_owned()];
        }
        "warp" => "warp".clone_into(&mut wanted.name),
        // The measures there are the sides here.
        "table-text" => {
            let (size, threads) = wanted.name.split_once("/threads=")?;
            wanted.parameters =
                vec![("size".to_owned(), size.to_owned()), ("threads".to_owned(), threads.to_owned())];
            wanted.name = String::new();
            wanted.side = Some(std::mem::replace(&mut wanted.measures[0], "throughput".to_owned()));
        }
        // benchstat's prefixes were rounded to nine digits; text tables drop `/op` of `wire-B/op`.
        "benchstat" => {
            wanted.tolerance = 5e-9;
            if row["unit"] == "wire-B" {
                wanted.unit = Some(measure);
            }
        }
        // Intervals of perf are readings of one command.
        "perf-stat" if wanted.name.starts_with("interval ") => wanted.name.clear(),
        // Rates of k6's text were rounded; it writes rates of data without their time.
        "k6" if path.extension().is_some_and(|ext| ext == "txt") => wanted.tolerance = 1e-6,
        "k6" if measure == "rate" && row["unit"] == "B" => wanted.unit = Some("B/s".to_owned()),
        // A count of lines is no value of the load.
        "locust" if measure == "rows" => return None,
        // Sums so far are figures behind the intervals that they repeat.
        "jmeter" => wanted.measures.extend((1..=50).map(|i| format!("total {measure} {i}"))),
        // wrk2's spectrum belongs to what was loaded.
        "wrk2" if wanted.name == "histogram" => wanted.name.clear(),
        // siege's megabytes and ab's kilobytes are binary, which expectations leave open.
        "siege" if matches!(row["unit"].as_str(), Some("MB" | "MB/s")) => wanted.unit = None,
        "ab" if row["unit"] == "Kbytes/s" => wanted.unit = Some("KiB/s".to_owned()),
        // Where a long name goes on beside the values, expectations have its first line only.
        "catch2" => wanted.may_go_on = true,
        // pyperf's file holds values only.
        "pyperf" => {
            wanted.follows = Some(measure);
            wanted.measures = vec!["time".to_owned()];
            wanted.tolerance = 1e-8;
        }
        // asv's result files do not hold the unit of what is tracked.
        "asv" if wanted.name.rsplit('.').next().is_some_and(|name| name.starts_with("track")) => {
            wanted.unit = None;
        }
        // asv prints sizes with a decimal prefix and no unit.
        "asv-text" => {
            for (prefix, scale) in [("k", 1e3), ("M", 1e6), ("G", 1e9)] {
                if wanted.unit.as_deref() == Some(prefix) {
                    wanted.value *= scale;
                    wanted.unit = None;
                }
            }
        }
        // Aggregates over repetitions are figures of what they aggregate.
        "google-benchmark" => {
            for aggregate in ["mean", "median", "stddev", "cv"] {
                if let Some(run) = wanted.name.strip_suffix(&format!("_{aggregate}")).map(str::to_owned) {
                    wanted.name = run;
                    wanted.measures = vec![aggregate.to_owned()];
                    break;
                }
            }
        }
        // The mode of JMH is a parameter here.
        "jmh" => {
            let mode = row["mode"].as_str().unwrap_or_default();
            wanted.parameters.push(("mode".to_owned(), mode.to_owned()));
        }
        // Valgrind's rates are percentages; expectations of some files call them counts.
        "gungraun" if measure.ends_with("Rate") => wanted.unit = None,
        // The tool divides by 1024 and prints `KB`.
        "memtier" if row["unit"] == "KB/s" => wanted.unit = Some("KiB/s".to_owned()),
        // The table is made for people: the head names the unit, the cell is `value ± spread`.
        "tinybench" if format == "tinybench-table" => {
            let cell = row["value"].as_str().and_then(|cell| cell.split(' ').next());
            if let Some(value) = cell.and_then(|cell| cell.parse().ok()) {
                wanted.value = value;
                let unit = measure_unit(&wanted.measures[0]).map(str::to_owned);
                wanted.unit = unit;
            }
        }
        // The format has no units; those that Bencher gives its own measures scale by one.
        "bencher-bmf" => wanted.unit = None,
        _ => {}
    }
    if wanted.value.is_nan() && wanted.status.is_none() {
        return no_number(row, wanted);
    }
    Some(wanted)
}

/// The unit in a column's head: `Latency avg (ns)`.
fn measure_unit(head: &str) -> Option<&str> {
    head.strip_suffix(')')?.rsplit_once('(').map(|(_, unit)| unit)
}

/// A row without a number says that the tool had none: the benchmark or the measure failed.
fn no_number(row: &Value, wanted: Wanted) -> Option<Wanted> {
    let status = row["status"].as_str().map(str::to_owned);
    // A counter that the machine does not have leaves the benchmark whole.
    status.filter(|status| !status.starts_with('<')).map(|status| Wanted { status: Some(status), ..wanted })
}
