//! asv's JSON files.

use std::collections::BTreeMap;

use model::Better;

use super::{BENCHMARKS, KIND, RESULT, unit};
use crate::error::{At, ParseError};
use crate::json::{Field, Json, outline, parse, with_python_words};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading};

const MEASURE: &str = "result";

pub(super) fn sniff_result(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let has = |member: &str| outline.at_depth(1).any(|(path, _)| path.first().is_some_and(|p| p == member));
    if has("commit_hash") && (has("env_name") || has("result_columns") || has("requirements")) {
        Sniff::Yes
    } else {
        Sniff::No
    }
}

pub(super) fn sniff_benchmarks(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let has = |member: &str| outline.at_depth(2).any(|(path, _)| path.last().is_some_and(|p| p == member));
    if has("code") && has("param_names") && has("type") { Sniff::Yes } else { Sniff::No }
}

/// What `benchmarks.json` says of benchmarks: unit and names of parameters.
pub(in crate::report) type Declared = BTreeMap<String, (Option<String>, Vec<String>)>;

/// Reads `benchmarks.json`.
pub(in crate::report) fn declared(root: &Field<'_>) -> Result<Declared, ParseError> {
    let mut declared = Declared::new();
    for (name, benchmark) in root.members()? {
        // The version of the file is a member too.
        if !matches!(benchmark.json, Json::Object(_)) {
            continue;
        }
        let unit = benchmark.get("unit").map(|unit| unit.scalar()).transpose()?;
        let mut names = Vec::new();
        if let Some(list) = benchmark.get("param_names") {
            for item in list.items()? {
                names.push(item.scalar()?);
            }
        }
        declared.insert(name.to_owned(), (unit, names));
    }
    Ok(declared)
}

pub(super) fn read_benchmarks(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(BENCHMARKS.name, input.limits);
    let json = parse(BENCHMARKS.name, input.bytes, input.limits)?;
    let declared = declared(&Field::root(BENCHMARKS.name, &json))?;
    builder.fact("benchmarks", &declared.len().to_string());
    let text = "it declares benchmarks and holds no value; send the result files, or the folder of them as tar or zip";
    Ok(builder.finish_empty(At::File, text))
}

pub(super) fn read_result(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(RESULT.name, input.limits);
    let bytes = with_python_words(input.bytes);
    let json = parse(RESULT.name, &bytes, input.limits)?;
    results(&mut builder, &Field::root(RESULT.name, &json), &Declared::new())?;
    builder.finish(None)
}

/// Every result of a result file.
pub(in crate::report) fn results(
    builder: &mut Builder<'_>,
    root: &Field<'_>,
    declared: &Declared,
) -> Result<(), ParseError> {
    if let Some(params) = root.get("params") {
        for (name, value) in params.members()? {
            if let Ok(value) = value.scalar() {
                builder.fact(name, &value);
            }
        }
    }
    let mut columns = Vec::new();
    if let Some(list) = root.get("result_columns") {
        for column in list.items()? {
            columns.push(column.text()?.to_owned());
        }
    }
    for (name, result) in root.need("results")?.members()? {
        let result = Outcomes::of(&result, &columns)?;
        benchmark(builder, name, &result, declared.get(name))?;
    }
    Ok(())
}

/// One benchmark's results in whichever layout.
struct Outcomes {
    at: At,
    values: Vec<Json>,
    /// Values of each parameter.
    parameters: Vec<Vec<String>>,
    /// Statistics by name, in the order of `values`.
    statistics: Vec<(&'static str, Vec<Json>)>,
}

const STATISTICS: [(&str, &str); 4] = [
    ("stats_ci_99_a", "lower bound"),
    ("stats_ci_99_b", "upper bound"),
    ("stats_q_25", "q1"),
    ("stats_q_75", "q3"),
];

impl Outcomes {
    fn of(field: &Field<'_>, columns: &[String]) -> Result<Self, ParseError> {
        let mut result =
            Self { at: field.at(), values: Vec::new(), parameters: Vec::new(), statistics: Vec::new() };
        match field.json {
            // Columns by position.
            Json::List(_) => {
                for (column, value) in columns.iter().zip(field.items()?) {
                    result.column(column, &value)?;
                }
            }
            // Before 0.6: columns by name.
            Json::Object(_) => {
                for (column, value) in field.members()? {
                    result.column(column, &value)?;
                }
            }
            // Before 0.2: the value alone.
            _ => result.values.push(field.json.clone()),
        }
        Ok(result)
    }

    fn column(&mut self, column: &str, value: &Field<'_>) -> Result<(), ParseError> {
        match column {
            "result" => self.values = list(value),
            "params" => {
                for parameter in value.items()? {
                    let values = parameter.items()?.map(|value| value.scalar());
                    self.parameters.push(values.collect::<Result<_, _>>()?);
                }
            }
            _ => {
                if let Some((_, name)) = STATISTICS.iter().find(|(known, _)| *known == column) {
                    self.statistics.push((name, list(value)));
                }
            }
        }
        Ok(())
    }

    /// The values of the parameters of the result at an index: the last parameter varies fastest.
    fn parameters_at(&self, index: usize) -> Vec<&str> {
        let mut rest = index;
        let mut values = Vec::new();
        for parameter in self.parameters.iter().rev() {
            let n = parameter.len().max(1);
            values.push(parameter.get(rest % n).map_or("", String::as_str));
            rest /= n;
        }
        values.reverse();
        values
    }
}

/// A list, or the one value that stands for it; null for all of them failed.
fn list(field: &Field<'_>) -> Vec<Json> {
    match field.json {
        Json::List(items) => items.to_vec(),
        other => vec![other.clone()],
    }
}

fn benchmark(
    builder: &mut Builder<'_>,
    name: &str,
    result: &Outcomes,
    declared: Option<&(Option<String>, Vec<String>)>,
) -> Result<(), ParseError> {
    let unit = declared.and_then(|(unit, _)| unit.as_deref()).or_else(|| unit(name)).unwrap_or("");
    // Only what is tracked has no direction of its own.
    let better = super::unit(name).map(|_| Better::Lower);
    for (index, value) in result.values.iter().enumerate() {
        let given = result.parameters_at(index);
        let all_failed = result.values.len() == 1 && *value == Json::Null;
        let parameters: BTreeMap<String, String> = given
            .iter()
            .enumerate()
            .filter(|_| !all_failed)
            .map(|(i, value)| {
                let named = declared.and_then(|(_, names)| names.get(i)).cloned();
                (named.unwrap_or_else(|| format!("param{}", i + 1)), (*value).to_owned())
            })
            .collect();
        let Some(key) = builder.key(result.at.clone(), name, parameters) else { continue };
        match value {
            Json::Number(value) => {
                let reading = Reading { better, ..Reading::summary(MEASURE, unit, *value) };
                builder.observe(result.at.clone(), &key, KIND, reading)?;
                for (name, values) in &result.statistics {
                    if let Some(Json::Number(value)) = values.get(index) {
                        builder.figure(
                            result.at.clone(),
                            &key,
                            MEASURE,
                            FigureReading { name, unit, value: *value },
                        );
                    }
                }
            }
            Json::Null => builder.fail(&key, KIND, "it failed")?,
            _ => builder
                .warn(result.at.clone(), format!("{name} was skipped by its setup for {}", given.join(", "))),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use model::Status;

    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn three_layouts_of_results_are_read() {
        let text = r#"{"commit_hash":"a","env_name":"e","result_columns":["result","params","stats_q_25"],"results":{
            "m.time_a":[[1.0,NaN,2.0,null],[["1","2"],["x","y"]],[0.5,null,1.5,null]],
            "m.mem_b":{"result":[3],"params":[]},
            "m.track_c":5.0,
            "m.time_d":[null,[["1","2"]]]}}"#;
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let shown: Vec<String> = report
            .benchmarks
            .iter()
            .map(|b| match &b.status {
                Status::Ok => format!("{} {}", b.key, b.measurements[0].observations[0]),
                Status::Failed(_) => format!("{} failed", b.key),
            })
            .collect();
        assert_eq!(
            shown,
            [
                "m.time_a [param1=1, param2=x] 1000000000",
                "m.time_a [param1=2, param2=x] 2000000000",
                "m.time_a [param1=2, param2=y] failed",
                "m.mem_b 3",
                "m.track_c 5",
                "m.time_d failed"
            ]
        );
        assert_eq!(report.benchmarks[0].measurements[0].figures[0].value, 0.5e9);
        assert!(parsed.warnings[0].text.contains("m.time_a was skipped"), "{:?}", parsed.warnings);
    }
}
