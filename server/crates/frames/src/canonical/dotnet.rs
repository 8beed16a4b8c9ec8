//! .NET: types and methods without arity marks, closures and state machines.

/// `Module!Ns.Type+<M>d__12.MoveNext(…)` to `Ns.Type.M`.
pub(super) fn reduce(name: &str) -> String {
    let name = name.rsplit_once('!').filter(|(_, rest)| !rest.is_empty()).map_or(name, |(_, rest)| rest);
    let name = name.find('(').filter(|at| *at > 0).map_or(name, |at| &name[..at]).trim_end();
    compiler_generated(&without_arity(name))
}

/// Removes `` `2 ``, `[System.__Canon]` and `!!0`.
fn without_arity(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut depth = 0_usize;
    let mut in_arity = false;
    for c in name.chars() {
        in_arity = c == '`' || (in_arity && c.is_ascii_digit());
        match c {
            '[' => depth += 1,
            ']' if depth > 0 => depth -= 1,
            _ if depth > 0 || in_arity => {}
            '+' => out.push('.'),
            c => out.push(c),
        }
    }
    out
}

/// `<M>d__12.MoveNext` is the method `M`; `<>c__DisplayClass3_0.<M>b__1` and `<>c.<M>b__1_0` are lambdas in it.
fn compiler_generated(name: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut lambda = false;
    for word in name.split('.') {
        if word.starts_with("<>c") {
            continue;
        }
        match word.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
            Some((method, mark)) if mark.starts_with(['b', 'g', 'd']) && !method.is_empty() => {
                lambda |= mark.starts_with('b');
                words.push(method.to_owned());
                // A local function `<M>g__Local|3_0` is named by itself.
                if let Some(local) = mark.strip_prefix("g__") {
                    words.push(local.split('|').next().unwrap_or(local).to_owned());
                }
            }
            _ => words.push(word.to_owned()),
        }
    }
    if name.contains(">d__") && words.last().is_some_and(|last| last == "MoveNext") {
        words.pop();
    }
    let joined = words.join(".");
    if lambda { format!("{joined} lambda") } else { joined }
}
