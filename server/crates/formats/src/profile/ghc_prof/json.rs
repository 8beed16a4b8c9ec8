//! GHC's cost centre profile as JSON (`+RTS -pj`): nested cost centres with ticks and allocated bytes.
//!
//! Time and allocation are two profiles.

use model::{Event, Node as TreeNode, Profile, Unit};
use rustc_hash::FxHashMap;

use crate::error::{At, Kind, ParseError};
use crate::json::{Nested, Pull};
use crate::profile::parts::{shows, time};
use crate::profile::sink::Sink;
use crate::read::{Content, Input, Parsed, Sniff};
use crate::warnings::Warnings;

pub(super) const NAME: &str = "ghc-prof";

#[derive(Default)]
struct File {
    tick_interval: f64,
    total_time: Option<f64>,
    cost_centres: Vec<Centre>,
    profile: Nested<Node>,
}

#[derive(serde::Deserialize)]
struct Centre {
    id: u64,
    label: String,
    #[serde(default)]
    module: String,
    #[serde(default)]
    src_loc: String,
}

#[derive(Default)]
struct Node {
    id: u64,
    ticks: u64,
    alloc: f64,
}

pub(super) fn sniff(head: &[u8]) -> Sniff {
    if shows(head, &[&["total_ticks"], &["tick_interval"]]) { Sniff::Yes } else { Sniff::No }
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let file = file(&input)?;
    let centres: FxHashMap<u64, &Centre> =
        file.cost_centres.iter().map(|centre| (centre.id, centre)).collect();
    let interval = file.tick_interval * 1e3;
    let ticks =
        tree(&file, &centres, &input, &mut warnings, |node| (node.ticks, node.ticks as f64 * interval))?;
    let mut cpu = Profile::new(time("cpu"), ticks);
    cpu.period = Some(interval).filter(|interval| *interval > 0.0);
    cpu.duration_ns = file.total_time.map(|seconds| seconds * 1e9);
    // Allocation is counted, not sampled: a cost centre that allocated is one reading.
    let bytes =
        tree(&file, &centres, &input, &mut warnings, |node| (u64::from(node.alloc > 0.0), node.alloc))?;
    let event = Event { name: "alloc_space".to_owned(), unit: Unit::Bytes };
    Ok(warnings.parsed(NAME, Content::Profiles(vec![cpu, Profile::new(event, bytes)])))
}

fn file(input: &Input<'_>) -> Result<File, ParseError> {
    let (mut file, mut interval) = (File::default(), None);
    let mut pull = Pull::new(NAME, input.bytes);
    pull.members(|pull, name| {
        match name {
            "tick_interval" => interval = Some(pull.value()?),
            "total_time" => file.total_time = pull.value()?,
            "cost_centres" => file.cost_centres = pull.value()?,
            "profile" => file.profile = pull.nested(input.limits, member)?,
            _ => pull.skip()?,
        }
        Ok(())
    })?;
    pull.end()?;
    let missing = |name: &str| pull.error(Kind::Invalid(format!("the field {name:?} is missing")));
    file.tick_interval = interval.ok_or_else(|| missing("tick_interval"))?;
    if file.profile.is_empty() {
        return Err(missing("profile"));
    }
    Ok(file)
}

fn member(pull: &mut Pull<'_>, name: &str, node: &mut Node) -> Result<(), ParseError> {
    match name {
        "id" => node.id = pull.value()?,
        "ticks" => node.ticks = pull.value()?,
        "alloc" => node.alloc = pull.value()?,
        _ => pull.skip()?,
    }
    Ok(())
}

fn tree(
    file: &File,
    centres: &FxHashMap<u64, &Centre>,
    input: &Input<'_>,
    warnings: &mut Warnings,
    cost: impl Fn(&Node) -> (u64, f64),
) -> Result<model::CallTree, ParseError> {
    let mut sink = Sink::new(NAME, input.limits);
    let mut places: Vec<u32> = Vec::with_capacity(file.profile.len());
    for (caller, node) in &file.profile {
        let at = || At::Field(format!("cost centre {}", node.id));
        sink.count_stack(at, 0)?;
        let Some(centre) = centres.get(&node.id) else {
            return Err(ParseError::new(NAME, at(), Kind::Dangling { what: "cost centre", id: node.id }));
        };
        let place =
            centre.src_loc.split(':').next().filter(|file| !file.is_empty() && !file.starts_with('<'));
        let module = Some(centre.module.as_str()).filter(|module| !module.is_empty());
        let frame = sink.frame(at, &centre.label, module, place)?;
        // The node around comes first.
        let caller = caller.and_then(|caller| places.get(caller).copied()).unwrap_or(TreeNode::ROOT);
        let place = sink.child(at, caller, frame, false)?;
        places.push(place);
        let (samples, weight) = cost(node);
        sink.add(place, samples, weight);
    }
    Ok(sink.finish(warnings))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hints, Limits};

    #[test]
    fn ticks_and_bytes_are_two_profiles_and_a_missing_centre_is_an_error() {
        let text = |id: u64| {
            format!(
                r#"{{"program":"p","total_time":0.5,"total_ticks":5,"tick_interval":1000,"total_alloc":64,"cost_centres":[
                {{"id":1,"label":"MAIN","module":"MAIN","src_loc":"<built-in>","is_caf":false}},
                {{"id":2,"label":"work","module":"Main","src_loc":"a.hs:3:1-9","is_caf":false}}],"profile":{{"id":1,
                "entries":0,"alloc":0,"ticks":1,"children":[{{"id":{id},"entries":7,"alloc":64,"ticks":4,"children":[]}}]}}}}"#
            )
        };
        let (hints, limits) = (Hints::default(), Limits::default());
        let parse = |text: &str| {
            assert_eq!(sniff(text.as_bytes()), Sniff::Yes);
            read(Input { bytes: text.as_bytes(), hints: &hints, limits: &limits })
        };
        let Content::Profiles(profiles) = parse(&text(2)).unwrap().content else { panic!("not profiles") };
        assert_eq!((profiles[0].tree.samples(), profiles[0].tree.weight()), (5, 5e6));
        assert_eq!((profiles[1].tree.samples(), profiles[1].tree.weight()), (1, 64.0));
        assert_eq!(profiles[0].tree.frames[1].file.as_deref(), Some("a.hs"));
        assert!(parse(&text(9)).unwrap_err().to_string().contains("cost centre 9 does not exist"));
    }
}
