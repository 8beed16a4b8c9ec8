//! `warp analyze --analyze.out`: a table of segments, tab-separated. Each segment is a reading; rows of single hosts are
//! parts of those without a host.

use std::collections::BTreeMap;

use model::Better;

use crate::csv::Rows;
use crate::error::{At, Kind, ParseError};
use crate::number::{Marks, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::report::load::KIND;
use crate::text::text;

pub(in crate::report) const READER: Reader =
    Reader { name: "warp-segments", about: "warp's table of segments (--analyze.out)", sniff, read };

/// Columns that are measures: name, measure, unit, direction. `mb_per_sec` is MiB/s.
const COLUMNS: [(&str, &str, &str, Better); 5] = [
    ("mb_per_sec", "throughput", "MiB/s", Better::Higher),
    ("mib_per_sec", "throughput", "MiB/s", Better::Higher),
    ("objs_per_sec", "object rate", "obj/s", Better::Higher),
    ("reqs_ended_avg_ms", "Reqs Avg", "ms", Better::Lower),
    ("errors", "errors", "count", Better::Lower),
];

fn sniff(head: &[u8]) -> Sniff {
    if head.starts_with(b"index\top\t") { Sniff::Yes } else { Sniff::No }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut rows = Rows::new(READER.name, &text, '\t');
    let header = match rows.next() {
        Some(header) => header?,
        None => return Err(builder.error(At::File, Kind::Empty)),
    };
    let column = |name: &str| header.cells.iter().position(|cell| cell.trim() == name);
    let host = column("host");
    for row in rows {
        let row = row?;
        // The heading is repeated before each operation.
        if row.cell(1) == "op" || host.is_some_and(|host| !row.cell(host).is_empty()) {
            continue;
        }
        let Some(key) = builder.key(At::Line(row.line), row.cell(1), BTreeMap::new()) else { continue };
        for (name, measure, unit, better) in COLUMNS {
            let Some(value) = column(name).and_then(|at| number(row.cell(at), Marks::Point)) else {
                continue;
            };
            let reading = Reading::raw(measure, unit, value).towards(better);
            builder.observe(At::Line(row.line), &key, KIND, reading)?;
        }
    }
    builder.finish(None)
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn segments_are_readings_and_hosts_are_parts() {
        let text = "index\top\thost\terrors\tmb_per_sec\tobjs_per_sec\n0\tPUT\t\t0\t2.0\t4.0\n1\tPUT\t\t0\t3.0\t5.0\n0\tPUT\th1\t0\t1.0\t2.0\nindex\top\thost\terrors\tmb_per_sec\tobjs_per_sec\n0\tGET\t\t1\t9.0\t9.0\n";
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        assert_eq!(report.benchmarks.len(), 2);
        assert_eq!(report.benchmarks[0].measurements[0].observations, [2_097_152.0, 3_145_728.0]);
    }
}
