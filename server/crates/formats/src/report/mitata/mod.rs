//! mitata: the JSON of `run({ format: 'json' })`, the table on the terminal and the table of `format: 'markdown'`.
//!
//! See <https://github.com/evanwashere/mitata>. Times are nanoseconds in the JSON, in the unit of each cell in the texts.
//! Version 0 has the statistics beside the name, version 1 a list of runs with their arguments.

mod json;
mod line;
mod markdown;
mod text;

use model::Kind;

use crate::read::Reader;

pub(super) const JSON: Reader =
    Reader { name: "mitata", about: "mitata's JSON", sniff: json::sniff, read: json::read };
pub(super) const TEXT: Reader =
    Reader { name: "mitata-text", about: "mitata's table", sniff: text::sniff, read: text::read };
pub(super) const MARKDOWN: Reader = Reader {
    name: "mitata-markdown",
    about: "mitata's Markdown tables",
    sniff: markdown::sniff,
    read: markdown::read,
};

const KIND: Option<Kind> = Some(Kind::Micro);
const AVERAGE: &str = "avg";

#[cfg(test)]
mod tests {
    use crate::read::{Content, Hints, Report};
    use crate::{Limits, read as read_any};

    fn report(text: &str) -> Report {
        match read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap().content {
            Content::Report(report) => report,
            _ => panic!("a report"),
        }
    }

    fn values(report: &Report, index: usize) -> Vec<(String, f64)> {
        let of = &report.benchmarks[index].measurements;
        of.iter().map(|m| (m.measure.name.to_string(), m.observations[0])).collect()
    }

    #[test]
    fn the_table_of_version_one_has_two_lines_a_benchmark() {
        let report = report(
            "clk: ~3.05 GHz\ncpu: Apple M1\nruntime: bun 1.1.34 (arm64-darwin)\n\n\
             benchmark                   avg (min \u{2026} max) p75 / p99    (min \u{2026} top 1%)\n\
             ------------------------------------------- -------------------------------\n\
             \u{2022} json\nfib(10)                       1.23 \u{b5}s/iter   1.25 \u{b5}s   \u{2588}\n\
             \x20                    (1.20 \u{b5}s \u{2026} 1.40 \u{b5}s)   1.31 \u{b5}s  \u{2582}\u{2588}\u{2583}\n\
             throws                error: boom\n\nsummary\n  fib(10)\n   2x faster than b\n",
        );
        assert_eq!(
            values(&report, 0),
            [("avg".to_owned(), 1230.0), ("p75".to_owned(), 1250.0), ("p99".to_owned(), 1310.0)]
        );
        assert_eq!(report.benchmarks[0].measurements[0].figures.len(), 2);
        assert_eq!(report.benchmarks[0].key.parameters["group"], "json");
        assert!(matches!(report.benchmarks[1].status, model::Status::Failed(_)));
    }

    #[test]
    fn the_table_of_version_zero_has_one() {
        let report = report(
            "cpu: x\nruntime: node v18\n\nbenchmark      time (avg)             (min \u{2026} max)       p75       p99      p995\n\
             ------------------------------------------------- -----------------------------\n\
             noop        86.85 ps/iter    (81.39 ps \u{2026} 1.2 ns)  88.25 ps  100.1 ps  120 ps\n",
        );
        assert_eq!(report.benchmarks[0].measurements.len(), 4);
        assert!((values(&report, 0)[0].1 - 0.08685).abs() < 1e-9);
    }

    #[test]
    fn bytes_collections_and_counters_stand_below_a_result() {
        let report = report(
            "benchmark                   avg (min \u{2026} max) p75 / p99    (min \u{2026} top 1%)\n------- ----\n\
             \u{2022} g\n------- ----\n\
             compact                   12.24 ns/iter  12.59 ns  24.19 ns \u{2582}\u{2582} !\n\
             a                         70.40 ns/iter  70.57 ns \u{2588}\n    (57.64 ns \u{2026} 280.36 ns) 194.58 ns \u{2588}\n\
             \x20    gc(  6.60 ms \u{2026}  31.10 ms)   2.00 kb ( 56.10  b\u{2026}  4.00 kb)\n\
             \x20   2.10 ipc ( 99.10% cache)    0.02 branch misses\n\
             \x20 1.02k cycles   2.14k instructions   12.00 c-refs    0.10 c-misses\n\n\
             ------- ----\nb    1.00 m/iter   1.00 m \u{2588}\n (1.00 s \u{2026} 2.00 m) 1.50 m \u{2588}\n\
             \x20 ( 19.49  b \u{2026} 129.43  b)  56.31  b \u{2582}\u{2588}\n",
        );
        assert_eq!(values(&report, 0)[2], ("p99".to_owned(), 24.19));
        let names: Vec<String> = values(&report, 1).into_iter().map(|(name, _)| name).skip(3).collect();
        let counted =
            ["heap", "ipc", "cache hits", "bmispred", "cycles", "instructions", "cache", "cache misses"];
        assert_eq!(names, counted);
        assert_eq!(values(&report, 1)[3].1, 2048.0);
        assert_eq!(values(&report, 1)[7].1, 1020.0);
        assert_eq!(report.benchmarks[2].key.to_string(), "b");
        assert_eq!(values(&report, 2)[0].1, 60e9);
        assert_eq!(report.benchmarks[2].measurements[3].figures[1].value, 129.43);
    }

    #[test]
    fn thousands_of_version_zero_have_apostrophes() {
        let report = report(
            "benchmark      time (avg)             (min \u{2026} max)       p75       p99      p995\n------- ----\n\
             base      1'204 ns/iter    (5.48 ns \u{2026} 1'304 ns)   6.27 ns   18.5 ns    192 ns\n",
        );
        let named: Vec<(String, f64)> = values(&report, 0);
        assert_eq!((named[0].1, named[3].clone()), (1204.0, ("p995".to_owned(), 192.0)));
    }

    #[test]
    fn markdown_has_a_table_a_group() {
        let report = report(
            "clk: ~1.24 GHz\n\n| benchmark |              avg |         min |         p75 |         p99 |         max |\n\
             | ------- | --- | --- | --- | --- | --- |\n\
             | a | b   | `190.84 ps/iter` | ` 95.21 ps` | `208.01 ps` | `281.25 ps` | `211.58 ns` |\n\n\
             | \u{2022} g    |              avg |         min |         p75 |         p99 |         max |\n\
             | throws | error: x |\n",
        );
        assert_eq!(report.benchmarks[0].key.to_string(), "a | b");
        assert_eq!(report.benchmarks[0].measurements[0].figures.len(), 2);
        assert_eq!(report.benchmarks[1].key.to_string(), "throws [group=g]");
        assert!(matches!(report.benchmarks[1].status, model::Status::Failed(_)));
    }

    #[test]
    fn json_of_both_versions_is_read() {
        let old = report(
            r#"{"cpu": "x", "runtime": "node", "benchmarks": [{"name": "a", "group": null, "stats": {"min": 1, "max": 3, "p50": 2, "avg": 2.5}}]}"#,
        );
        assert_eq!(values(&old, 0), [("avg".to_owned(), 2.5), ("p50".to_owned(), 2.0)]);
        let new = report(
            r#"{"layout": [{"name": "g"}], "benchmarks": [{"alias": "f $n", "group": 0, "runs": [
                {"name": "f 1", "args": {"n": 1}, "stats": {"samples": [1, 2], "avg": 1.5, "min": 1}},
                {"name": "f 2", "args": {"n": 2}, "error": {"message": "boom"}}]}]}"#,
        );
        assert_eq!(new.benchmarks[0].measurements[0].observations, [1.0, 2.0]);
        assert_eq!(new.benchmarks[0].key.to_string(), "f 1 [group=g, n=1]");
        assert!(matches!(new.benchmarks[1].status, model::Status::Failed(_)));
        let counters = report(
            r#"{"layout": [], "benchmarks": [{"alias": "a", "runs": [{"name": "a", "stats": {"avg": 1, "counters": {
                "cycles": {"avg": 5, "stalls": {"avg": 1}}, "_bmispred": {"avg": 2}}}}]}]}"#,
        );
        let names: Vec<String> = values(&counters, 0).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["avg", "cycles", "cycles stalls", "bmispred"]);
    }
}
