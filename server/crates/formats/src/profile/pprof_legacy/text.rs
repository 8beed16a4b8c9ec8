//! Pages of text: a heading that says what was counted, samples `counts @ addresses`, and what follows them.

use super::maps::Maps;
use super::stacks::{Sample, Stacks, Symbol, Type, addresses, unsampled};
use super::{TEXT, java};
use crate::error::{At, Kind, ParseError};
use crate::number::{Marks, lines, number};
use crate::read::{Input, Parsed, Sniff};
use crate::text::text;
use crate::warnings::Warnings;

/// What a page is.
#[derive(Debug, Clone, PartialEq)]
enum Page {
    /// `heap profile: 1: 2 [3: 4] @ heap_v2/524288`: whether samples are scaled, and the mean bytes between two.
    Heap { rate: Option<f64>, has_alloc: bool },
    /// `… @ growthz`: every growth of the heap, not sampled.
    Growth,
    /// `--- contentionz 1 ---`, `--- mutex:`.
    Contention,
    /// `--- heapz 1 ---` of Java.
    JavaHeap,
    /// `goroutine profile: total 5`; holds what is counted.
    Count(&'static str),
    /// `--- threadz 1 ---`.
    Threads,
}

/// What counts are of; names of pages that Go's runtime writes.
const COUNTED: [&str; 5] = ["goroutine", "threadcreate", "block", "mutex", "profile"];

fn page(line: &str) -> Option<Page> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix("heap profile:") {
        let (counts, kind) = rest.split_once('@')?;
        let digits: Vec<f64> =
            counts.split([':', '[', ']', ' ']).filter_map(|word| number(word, Marks::Point)).collect();
        let [in_use, in_use_bytes, alloc, alloc_bytes] = digits.as_slice() else { return None };
        let has_alloc =
            (alloc != in_use && *alloc != 0.0) || (alloc_bytes != in_use_bytes && *alloc_bytes != 0.0);
        let (kind, rate) = kind.trim().split_once('/').unwrap_or((kind.trim(), ""));
        let rate = number(rate, Marks::Point).unwrap_or(1.0);
        return match kind {
            "growthz" | "growth" => Some(Page::Growth),
            "heapz_v2" | "heap_v2" => Some(Page::Heap { rate: Some(rate), has_alloc }),
            // Go writes twice the rate.
            "heap" => Some(Page::Heap { rate: Some(rate / 2.0), has_alloc }),
            "heapprofile" => Some(Page::Heap { rate: None, has_alloc }),
            _ => None,
        };
    }
    if let Some(total) = line.split_once(" profile: total ") {
        total.1.parse::<u64>().ok()?;
        return COUNTED.into_iter().find(|name| *name == total.0).map(Page::Count);
    }
    match line.trim_matches(['-', ' ', ':']) {
        "mutex" | "contention" if line.starts_with("---") => Some(Page::Contention),
        name if line.starts_with("--- ") && name.starts_with("contentionz") => Some(Page::Contention),
        name if line.starts_with("--- ") && name.starts_with("heapz") => Some(Page::JavaHeap),
        name if line.starts_with("--- ") && name.starts_with("threadz") => Some(Page::Threads),
        _ => None,
    }
}

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let first = head.lines().find(|line| !line.trim().is_empty());
    if first.and_then(page).is_some() { Sniff::Yes } else { Sniff::No }
}

/// Attributes in front of samples: `cycles/second = 3201000000`.
#[derive(Default)]
struct Attributes {
    cycles_per_second: Option<f64>,
    sampling_period: Option<f64>,
    duration_ms: Option<f64>,
    is_java: bool,
    resolution: Option<&'static str>,
}

impl Attributes {
    fn take(&mut self, line: &str) -> bool {
        let Some((name, value)) = line.split_once('=').filter(|(name, _)| !name.contains('@')) else {
            return false;
        };
        let value = value.trim();
        match name.trim() {
            "cycles/second" => self.cycles_per_second = number(value, Marks::Point),
            "sampling period" => self.sampling_period = number(value, Marks::Point),
            "ms since reset" => self.duration_ms = number(value, Marks::Point),
            "format" => self.is_java = value == "java",
            "resolution" => {
                self.resolution = match value {
                    "microseconds" => Some("us"),
                    "milliseconds" => Some("ms"),
                    "nanoseconds" => Some("ns"),
                    _ => None,
                };
            }
            "discarded samples" => {}
            _ => return false,
        }
        true
    }
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let text = text(&input, &mut warnings);
    let mut numbered = lines(&text).filter(|(_, line)| !line.trim().is_empty());
    let Some((_, page)) = numbered.next().and_then(|(at, line)| Some((at, page(line)?))) else {
        let expected = "a heading such as `heap profile: 1: 2 [3: 4] @ heap/524288`";
        let found = text.lines().next().unwrap_or_default().chars().take(60).collect();
        return Err(ParseError::new(TEXT.name, At::Line(1), Kind::Expected { expected, found }));
    };
    if page == Page::Threads {
        return threads(&text, input, warnings);
    }
    let mut attributes = Attributes::default();
    let mut stacks = Stacks::default();
    for (at, line) in numbered {
        let line = line.trim();
        if let Some((address, symbol)) = symbol(line) {
            stacks.symbols.insert(address, symbol);
        } else if let Some((counts, stack)) = line.split_once('@') {
            if stacks.samples.len() >= input.limits.samples {
                let limit = input.limits.samples as u64;
                let kind = Kind::Limit { what: "samples", limit, setting: "max_samples" };
                return Err(ParseError::new(TEXT.name, At::Line(at), kind));
            }
            match values(&page, &attributes, counts) {
                Some(values) => {
                    // Return addresses point behind the call; Java's are no addresses.
                    let by = u64::from(!(attributes.is_java || page == Page::JavaHeap));
                    stacks.samples.push(Sample { at: At::Line(at), stack: addresses(stack, by), values });
                }
                None => warnings.add_with(At::Line(at), || format!("not a sample and skipped: {line:?}")),
            }
        } else if is_end(line) {
            break;
        } else if !attributes.take(line) && !line.starts_with('#') && !line.starts_with("0x") {
            warnings.add_with(At::Line(at), || format!("not understood and skipped: {line:?}"));
        }
    }
    if attributes.is_java || page == Page::JavaHeap {
        stacks.symbols = java::symbols(&text);
    }
    stacks.maps = Maps::read(&text);
    stacks.types = types(&page, &attributes);
    stacks.period = match page {
        Page::Heap { rate, .. } => Some(rate.unwrap_or(1.0)),
        _ => None,
    };
    stacks.duration_ns = attributes.duration_ms.map(|ms| ms * 1e6);
    stacks.finish(TEXT.name, input.limits, warnings)
}

/// What follows the samples.
fn is_end(line: &str) -> bool {
    let name = line.trim_matches(['-', ' ', ':']);
    name == "MAPPED_LIBRARIES" || name == "Memory map" || line.starts_with("# runtime.MemStats")
}

/// Go's `# 0x4ebac5 sync.(*Mutex).Unlock+0x45 sync/mutex.go:65`, with tabs between.
fn symbol(line: &str) -> Option<(u64, Symbol)> {
    let mut words = line.strip_prefix('#')?.split_whitespace();
    let address = u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
    let name = words.next()?;
    let name = name.rsplit_once("+0x").map_or(name, |(name, _)| name);
    let file = words.next().map(|place| place.rsplit_once(':').map_or(place, |(file, _)| file).to_owned());
    Some((address, Symbol { name: name.to_owned(), file }))
}

fn types(page: &Page, attributes: &Attributes) -> Vec<Type> {
    match page {
        Page::Heap { has_alloc: true, .. } => vec![
            Type { name: "alloc_objects", unit: "", count: 0 },
            Type { name: "alloc_space", unit: "B", count: 0 },
            Type { name: "inuse_objects", unit: "", count: 2 },
            Type { name: "inuse_space", unit: "B", count: 2 },
        ],
        Page::Heap { .. } | Page::Growth | Page::JavaHeap => {
            vec![Type { name: "objects", unit: "", count: 0 }, Type { name: "space", unit: "B", count: 0 }]
        }
        Page::Contention => vec![
            Type { name: "contentions", unit: "", count: 0 },
            Type { name: "delay", unit: attributes.resolution.unwrap_or("ns"), count: 0 },
        ],
        Page::Count(name) => vec![Type { name, unit: "", count: 0 }],
        Page::Threads => vec![Type { name: "thread", unit: "", count: 0 }],
    }
}

/// The values of a sample, in the order of the page's types.
fn values(page: &Page, attributes: &Attributes, counts: &str) -> Option<Vec<f64>> {
    let digits: Vec<f64> =
        counts.split([':', '[', ']', ' ', '\t']).filter_map(|word| number(word, Marks::Point)).collect();
    match page {
        Page::Heap { rate, has_alloc } => {
            let [in_use, in_use_bytes, alloc, alloc_bytes] = digits.as_slice() else { return None };
            let scaled =
                |count: f64, size: f64| rate.map_or((count, size), |rate| unsampled(count, size, rate));
            let (in_use, alloc) = (scaled(*in_use, *in_use_bytes), scaled(*alloc, *alloc_bytes));
            Some(if *has_alloc {
                vec![alloc.0, alloc.1, in_use.0, in_use.1]
            } else {
                vec![in_use.0, in_use.1]
            })
        }
        Page::Growth => {
            let [count, size, ..] = digits.as_slice() else { return None };
            Some(vec![*count, *size])
        }
        Page::Contention => {
            let [delay, count] = digits.as_slice() else { return None };
            let period = attributes.sampling_period.filter(|period| *period > 0.0).unwrap_or(1.0);
            // Delays of native programs are cycles of one processor.
            let per_unit = attributes.cycles_per_second.filter(|hz| *hz > 0.0).map_or(1.0, |hz| hz / 1e9);
            Some(vec![count * period, (delay * period / per_unit).trunc()])
        }
        Page::JavaHeap => {
            let [size, count] = digits.as_slice() else { return None };
            let rate = attributes.sampling_period.unwrap_or(1.0);
            let (count, size) = unsampled(*count, *size, rate);
            Some(vec![count, size])
        }
        Page::Count(_) | Page::Threads => {
            let [count] = digits.as_slice() else { return None };
            Some(vec![*count])
        }
    }
}

/// `--- Thread 7f (name: main/1) stack: ---` and below it addresses, or `[same as previous thread]`.
fn threads(text: &str, input: Input<'_>, warnings: Warnings) -> Result<Parsed, ParseError> {
    let mut stacks = Stacks { types: types(&Page::Threads, &Attributes::default()), ..Stacks::default() };
    let mut current: Option<Sample> = None;
    for (at, line) in lines(text) {
        let line = line.trim();
        if line.starts_with("--- Thread ") || line.starts_with("---  Thread ") {
            stacks.samples.extend(current.take());
            current = Some(Sample { at: At::Line(at), stack: Vec::new(), values: vec![1.0] });
        } else if line.starts_with("---") && current.is_some() {
            stacks.samples.extend(current.take());
        } else if line.contains("[same as previous thread]") {
            let before = stacks.samples.last().map(|sample| sample.stack.clone()).unwrap_or_default();
            if let Some(sample) = &mut current {
                sample.stack = before;
            }
        } else if let Some(sample) = &mut current {
            let found = addresses(line.trim_start_matches("PC:").trim_start_matches('@'), 0);
            for address in found {
                // The leaf is where the thread is, callers point behind the call.
                let by = u64::from(!sample.stack.is_empty());
                sample.stack.push(address.wrapping_sub(by));
            }
        }
    }
    stacks.samples.extend(current);
    stacks.maps = Maps::read(text);
    stacks.finish(TEXT.name, input.limits, warnings)
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read as read_any};

    fn profiles(text: &str) -> Vec<model::Profile> {
        match read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap().content {
            Content::Profiles(profiles) => profiles,
            _ => panic!("profiles"),
        }
    }

    #[test]
    fn gos_symbols_name_the_addresses_before_calls() {
        let profiles = profiles(
            "goroutine profile: total 3\n2 @ 0x11 0x21\n#\t0x10\tmain.wait+0x5\t\tapp/main.go:7\n#\t0x20\tmain.main+0x9\tapp/main.go:3\n\n1 @ 0x31\n",
        );
        let tree = &profiles[0].tree;
        let names: Vec<&str> = tree.frames.iter().map(|frame| frame.name.as_str()).collect();
        assert_eq!((names, tree.samples()), (vec!["main.main", "main.wait", "0x30"], 3));
    }

    #[test]
    fn threads_that_repeat_the_one_before_are_counted() {
        let profiles = profiles(
            "--- threadz 1 ---\n\n--- Thread 7f (name: main/1) stack: ---\n  PC: 0x10 0x21\n    0x31\n--- Thread 80 (name: b/2) stack: ---\n [same as previous thread]\n--- Memory map: ---\n",
        );
        assert_eq!((profiles[0].tree.samples(), profiles[0].tree.nodes.len()), (2, 3));
    }
}
