//! What the heads of columns and the names of members say: the unit, and whether a column names, tells apart or numbers.

use std::borrow::Cow;

/// Columns that name the benchmark.
pub(super) const NAMES: [&str; 11] = [
    "benchmark",
    "bench",
    "name",
    "benchmark_name",
    "test",
    "test_name",
    "case",
    "task",
    "query",
    "workload",
    "label",
];
/// Columns that number the repetitions.
pub(super) const COUNTERS: [&str; 8] =
    ["run", "rep", "repetition", "iteration", "round", "trial", "index", "seq"];
/// Whole numbers that tell benchmarks apart rather than measure them.
const DIMENSIONS: [&str; 22] = [
    "threads",
    "n_threads",
    "num_threads",
    "size",
    "n",
    "clients",
    "concurrency",
    "connections",
    "workers",
    "procs",
    "batch",
    "batch_size",
    "batchsize",
    "depth",
    "iodepth",
    "block_size",
    "cpus",
    "cores",
    "nodes",
    "shards",
    "scale",
    "seed",
];
/// Members of a log line that say when and how loud.
const LOGGED: [&str; 13] = [
    "time",
    "timestamp",
    "ts",
    "t",
    "date",
    "datetime",
    "@timestamp",
    "level",
    "lvl",
    "severity",
    "msg",
    "message",
    "caller",
];

/// `Batch Size` is `batch_size`.
pub(super) fn canonical(head: &str) -> String {
    head.trim().to_ascii_lowercase().replace([' ', '-'], "_")
}

pub(super) fn is_dimension(head: &str) -> bool {
    DIMENSIONS.contains(&canonical(head).as_str())
}

pub(super) fn is_logged(head: &str) -> bool {
    LOGGED.contains(&canonical(head).as_str())
}

/// Splits a head into the measure's name and its unit: `latency (us)`, `throughput [MB/s]`, `Size, B`, `time_ms`. The last
/// keeps its whole name, as programs write it.
pub(super) fn split_head(head: &str) -> (&str, Cow<'_, str>) {
    let head = head.trim();
    for (open, close) in [('(', ')'), ('[', ']')] {
        if let Some((name, unit)) = head.strip_suffix(close).and_then(|rest| rest.rsplit_once(open))
            && !name.trim().is_empty()
            && !unit.trim().is_empty()
        {
            return (name.trim(), Cow::Borrowed(unit.trim()));
        }
    }
    (head, Cow::Owned(unit_of(&head.replace([' ', '-', '.'], "_"))))
}

/// The unit that a key speaks of: `ops_per_s` is `ops/s`, `cpu_us_per_op` is `us`, `heap_mb` is `MB`.
pub(super) fn unit_of(key: &str) -> String {
    let words: Vec<&str> = key.split('_').filter(|word| !word.is_empty()).collect();
    match words.as_slice() {
        [.., of, "per", "s" | "sec" | "second"] => format!("{}/s", scale_word(of).unwrap_or(of)),
        ["per", "s"] => "/s".to_owned(),
        [.., of, "per", "op" | "request" | "call" | "iter" | "iteration" | "page"] => {
            scale_word(of).map_or_else(|| format!("{of}/op"), str::to_owned)
        }
        [.., "tps" | "qps" | "rps" | "iops"] if words.len() == 1 => "1/s".to_owned(),
        [.., last] => scale_word(last).unwrap_or_default().to_owned(),
        [] => String::new(),
    }
}

/// The unit that the last word of a key is; a bare `m`, `b` or `h` is too short to mean one.
fn scale_word(word: &str) -> Option<&str> {
    Some(match word {
        "s" | "sec" | "secs" | "seconds" => "s",
        "ms" | "millis" | "milliseconds" => "ms",
        "us" | "micros" | "microseconds" | "\u{b5}s" | "\u{3bc}s" => "us",
        "ns" | "nanos" | "nanoseconds" => "ns",
        "bytes" | "B" => "B",
        "kb" | "kB" | "KB" => "kB",
        "mb" | "MB" => "MB",
        "gb" | "GB" => "GB",
        "kib" | "KiB" => "KiB",
        "mib" | "MiB" => "MiB",
        "gib" | "GiB" => "GiB",
        "mbps" | "MBps" => "MB/s",
        "pct" | "percent" => "%",
        "ratio" => "ratio",
        "cycles" => "cycles",
        "instructions" => "instructions",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_in_the_keys() {
        for (key, unit) in [
            ("ops_per_s", "ops/s"),
            ("MiB_per_s", "MiB/s"),
            ("cpu_us_per_op", "us"),
            ("allocs_per_op", "allocs/op"),
            ("rss_bytes", "B"),
            ("heap_mb", "MB"),
            ("wall_s", "s"),
            ("checksum", ""),
            ("tps", "1/s"),
        ] {
            assert_eq!(unit_of(key), unit, "{key}");
        }
    }

    #[test]
    fn heads_name_their_unit_in_brackets_or_behind() {
        for (head, name, unit) in [
            ("latency (us)", "latency", "us"),
            ("throughput [MB/s]", "throughput", "MB/s"),
            ("time_ms", "time_ms", "ms"),
            ("(ms)", "(ms)", ""),
            ("wall time seconds", "wall time seconds", "s"),
        ] {
            let (got, of) = split_head(head);
            assert_eq!((got, of.as_ref()), (name, unit), "{head}");
        }
    }
}
