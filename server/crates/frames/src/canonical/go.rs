//! Go: import paths stay, instantiations and the numbers of closures and wrappers go.

/// `pkg.(*T[...]).M.func1.2` to `pkg.(*T).M.func`.
pub(super) fn reduce(name: &str) -> String {
    let mut name = name.replace('\u{b7}', ".").replace("%2e", ".");
    if let Some(at) = name.rfind("/vendor/") {
        name.drain(..at + "/vendor/".len());
    }
    without_closure_numbers(&without_instantiation(&name))
}

/// Removes `[…]` of generic functions and types, nested ones too.
fn without_instantiation(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut depth = 0_usize;
    for c in name.chars() {
        match c {
            '[' => depth += 1,
            ']' if depth > 0 => depth -= 1,
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

/// Writes any chain of closures, wrappers and loop bodies at the end as one `.func`: the compiler numbers them in
/// source order, so a new closure above would rename all that follow.
fn without_closure_numbers(name: &str) -> String {
    let mut base = name;
    let mut closure = false;
    loop {
        if let Some(rest) = base.strip_suffix("-fm") {
            base = rest;
        } else if let Some((before, number)) = base.rsplit_once("-range")
            && is_number(number)
        {
            base = before;
        } else if let Some((before, last)) = base.rsplit_once('.')
            && !before.is_empty()
            && (is_closure(last)
                || (is_number(last) && (ends_in_closure(before) || before.ends_with(".init"))))
        {
            closure |= is_closure(last);
            base = before;
        } else {
            break;
        }
    }
    if closure { format!("{base}.func") } else { base.to_owned() }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// `func`, `func12`, `gowrap1`, `deferwrap2`.
fn is_closure(word: &str) -> bool {
    word == "func"
        || ["func", "gowrap", "deferwrap"].iter().any(|kind| word.strip_prefix(kind).is_some_and(is_number))
}

/// Whether the words at the end are a closure followed by numbers only.
fn ends_in_closure(name: &str) -> bool {
    let mut words = name.rsplit('.').skip_while(|word| is_number(word));
    words.next().is_some_and(|word| is_closure(word.split_once("-range").map_or(word, |(word, _)| word)))
}
