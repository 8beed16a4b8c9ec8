//! Addresses of pages. Every part that came from outside is percent-encoded here and nowhere else.

use std::fmt::Write as _;

use model::{BenchmarkKey, ProfileId, RunId};

/// Percent-encodes everything but RFC 3986's unreserved characters, so the text is safe as one path segment and as
/// one query value.
pub(crate) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// A query string from pairs, with its `?`; empty when there are none. Pairs with an empty value are left out, as
/// an untouched form field says nothing.
pub(crate) fn query<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut out = String::new();
    for (name, value) in pairs.into_iter().filter(|(_, value)| !value.is_empty()) {
        out.push(if out.is_empty() { '?' } else { '&' });
        out.push_str(&encode(name));
        out.push('=');
        out.push_str(&encode(value));
    }
    out
}

/// A project's page.
pub(crate) fn project(project: &str) -> String {
    format!("/p/{}", encode(project))
}

/// A run's page.
pub(crate) fn run(project: &str, run: RunId) -> String {
    format!("/p/{}/runs/{run}", encode(project))
}

/// The page of one finding: the n-th of its run's verdict.
pub(crate) fn finding(project: &str, run: RunId, n: usize) -> String {
    format!("/p/{}/runs/{run}/findings/{n}", encode(project))
}

/// A profile's page.
pub(crate) fn profile(project: &str, profile: ProfileId) -> String {
    format!("/p/{}/profiles/{profile}", encode(project))
}

/// The comparison of two runs, named by id, commit or branch.
pub(crate) fn compare(project: &str, base: &str, head: &str) -> String {
    format!("/p/{}/compare{}", encode(project), query([("base", base), ("head", head)]))
}

/// The history of one measure of one benchmark.
pub(crate) fn series(
    project: &str,
    benchmark: &BenchmarkKey,
    measure: &str,
    testbed: &str,
    branch: &str,
) -> String {
    let parameters: Vec<String> = benchmark.parameters.iter().map(|(k, v)| parameter(k, v)).collect();
    let mut pairs = vec![("benchmark", benchmark.name.as_str())];
    pairs.extend(parameters.iter().map(|parameter| ("param", parameter.as_str())));
    pairs.extend([("measure", measure), ("testbed", testbed), ("branch", branch)]);
    format!("/p/{}/series{}", encode(project), query(pairs))
}

/// `name=value`; an equals sign in the name is escaped, because the first bare one ends it.
fn parameter(name: &str, value: &str) -> String {
    format!("{}={value}", name.replace('\\', "\\\\").replace('=', "\\="))
}

/// What `param=` in the address of a series says; `None` without a bare equals sign.
pub(crate) fn split_parameter(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '=' => return Some((name, &text[at + 1..])),
            '\\' => name.extend(chars.next().map(|(_, escaped)| escaped)),
            c => name.push(c),
        }
    }
    None
}

/// A run in the API: the same verdict for machines.
pub(crate) fn api_run(project: &str, run: RunId) -> String {
    format!("/api/v1/projects/{}/runs/{run}", encode(project))
}

/// A comparison in the API.
pub(crate) fn api_compare(project: &str, base: &str, head: &str) -> String {
    format!("/api/v1/projects/{}/compare{}", encode(project), query([("base", base), ("head", head)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_stays_one_segment_and_one_value() {
        assert_eq!(encode("../a b\"<é"), "..%2Fa%20b%22%3C%C3%A9");
        assert_eq!(query([("a", "1&b=2"), ("empty", ""), ("c", "#")]), "?a=1%26b%3D2&c=%23");
    }

    #[test]
    fn a_parameter_reads_back_whatever_its_name() {
        for (name, value) in [("size", "64"), ("a=b", "=c"), ("\\=", "\\"), ("", "x")] {
            assert_eq!(split_parameter(&parameter(name, value)), Some((name.to_owned(), value)));
        }
        assert_eq!(split_parameter("size"), None);
    }

    #[test]
    fn a_series_link_repeats_param_for_each_parameter() {
        let key = BenchmarkKey {
            name: model::BenchmarkName::parse("Send").unwrap(),
            parameters: [("size".to_owned(), "64".to_owned()), ("threads".to_owned(), "2".to_owned())].into(),
        };
        assert_eq!(
            series("kv", &key, "ns/op", "ci", "main"),
            "/p/kv/series?benchmark=Send&param=size%3D64&param=threads%3D2&measure=ns%2Fop&testbed=ci&branch=main"
        );
    }
}
