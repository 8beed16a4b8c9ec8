use super::*;
use crate::{Hints, Limits};

fn parse(rows: &str) -> Result<(Profile, usize), ParseError> {
    let text = format!(
        "<?xml version=\"1.0\"?><trace-query-result><node><schema name=\"time-profile\"/>{rows}</node></trace-query-result>"
    );
    assert_eq!(sniff(text.as_bytes()), Sniff::Yes);
    let (hints, limits) = (Hints::default(), Limits::default());
    let parsed = read(Input { bytes: text.as_bytes(), hints: &hints, limits: &limits })?;
    let Content::Profiles(mut profiles) = parsed.content else { panic!("not profiles") };
    Ok((profiles.remove(0), parsed.warnings.len()))
}

fn stacks(profile: &Profile) -> Vec<(String, u64)> {
    let tree = &profile.tree;
    let name = |frame: u32| tree.frames[frame as usize].name.as_str();
    let path = |node| tree.path(node).into_iter().map(name).collect::<Vec<_>>().join(";");
    let nodes = (0..).zip(&tree.nodes).filter(|(_, node)| node.self_samples > 0);
    nodes.map(|(index, node)| (path(index), node.self_samples)).collect()
}

#[test]
fn references_to_frames_weights_threads_and_backtraces_are_followed() {
    let (profile, warnings) = parse(
        "<row><thread id='1' fmt='main'><tid id='2'>7</tid></thread><weight id='3' fmt='1 ms'>1000000</weight>\
         <tagged-backtrace id='4'><backtrace id='5'><frame id='6' name='f&lt;a>' addr='0x1'><binary id='7' name='a'/></frame>\
         <frame id='8' name='main' addr='0x2'><binary ref='7'/></frame></backtrace></tagged-backtrace></row>\
         <row><thread ref='1'/><weight ref='3'/><tagged-backtrace ref='4'/></row>\
         <row><thread ref='1'/><weight ref='3'/><backtrace id='9'><frame ref='8'/></backtrace></row>\
         <row><thread ref='1'/><weight ref='3'/><sentinel/></row>",
    )
    .unwrap();
    let wanted = [("main;f<a>".to_owned(), 2), ("main".to_owned(), 1)];
    let mut found = stacks(&profile);
    found.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    assert_eq!(found, wanted);
    assert_eq!((profile.tree.weight(), warnings), (3e6, 1));
    assert_eq!(profile.tree.frames[0].module.as_deref(), Some("a"));
    assert_eq!((profile.labels[0].value.as_str(), profile.labels[0].samples), ("main", 3));
}

#[test]
fn addresses_are_frames_and_the_innermost_is_named() {
    let (profile, _) = parse(
        "<row><weight id='3'>5</weight><backtrace id='1' fmt='trap \u{2190} (2 other frames)'>\
         <text-addresses id='2' fmt='frag'>16 32</text-addresses><text-addresses id='4'>48 0</text-addresses></backtrace></row>\
         <row><weight ref='3'/><backtrace id='6' fmt='0x40 \u{2190} (1 other frames)'><text-addresses id='7'>64</text-addresses>\
         <text-addresses ref='4'/></backtrace></row>",
    )
    .unwrap();
    assert_eq!(stacks(&profile), [("0x30;0x20;trap".to_owned(), 1), ("0x30;0x40".to_owned(), 1)]);
}

#[test]
fn what_is_missing_is_named() {
    let error = parse("<row><weight ref='9'/><backtrace id='1'/></row>").unwrap_err().to_string();
    assert!(error.contains("element 9 does not exist"), "{error}");
    assert!(parse("<row><weight id='1'>5</weight></row>").unwrap_err().to_string().contains("time-profile"));
    assert!(parse("<row><weight id='1'>x</weight></row>").is_err());
}
