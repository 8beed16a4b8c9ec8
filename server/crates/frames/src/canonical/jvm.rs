//! Java, Kotlin, Scala, Groovy: dotted names without the numbers of generated classes.

/// `a/b/C$D.m` and its relatives to `a.b.C$D.m`.
pub(super) fn reduce(name: &str) -> String {
    let name = without_descriptor(name);
    let mut dotted = String::with_capacity(name.len());
    let bytes = name.as_bytes();
    // Addresses of hidden classes (`/0x…`, `+0x…`, `/12345`) go before slashes become dots.
    let mut at = 0;
    while at < bytes.len() {
        let separator = matches!(bytes[at], b'/' | b'+' | b'.');
        if separator && let Some(end) = address_end(bytes, at + 1) {
            at = end;
        } else if bytes[at] == b'/' {
            dotted.push('.');
            at += 1;
        } else {
            let next = bytes[at + 1..].iter().position(|b| matches!(b, b'/' | b'+' | b'.'));
            let end = next.map_or(bytes.len(), |n| at + 1 + n);
            dotted.push_str(&name[at..end]);
            at = end;
        }
    }
    words(&dotted)
}

/// Cuts descriptors, types and line numbers, and undoes the spellings of perf-map agents: `La/B;::m`, `a/B:.m`, and
/// `a/B:::m` or `LB:::m` as collapsers of perf leave them.
fn without_descriptor(name: &str) -> std::borrow::Cow<'_, str> {
    let mut name = crate::ecosystem::java_method(name).unwrap_or(name);
    if let Some(at) = name.find('(').filter(|at| *at > 0) {
        name = name[..at].trim_end_matches(':');
    }
    if let Some((before, line)) = name.rsplit_once(':')
        && !line.is_empty()
        && line.bytes().all(|b| b.is_ascii_digit())
    {
        name = before;
    }
    if let Some((class, method)) = name.strip_prefix('L').and_then(|rest| rest.split_once(";::")) {
        return format!("{class}.{method}").into();
    }
    if let Some((class, method)) = name.split_once(":::") {
        // Collapsers take the descriptor's `L` off where they see a package.
        let class = if class.contains('/') { class } else { class.strip_prefix('L').unwrap_or(class) };
        return format!("{class}.{method}").into();
    }
    if name.contains(":.") { name.replace(":.", ".").into() } else { name.into() }
}

/// The end of a run of hexadecimal or decimal digits that a class loader made, if one starts at `at`.
fn address_end(bytes: &[u8], at: usize) -> Option<usize> {
    let (start, shortest) = if bytes[at..].starts_with(b"0x") { (at + 2, 1) } else { (at, 5) };
    let end = bytes[start..].iter().position(|b| !b.is_ascii_hexdigit()).map_or(bytes.len(), |n| start + n);
    let decimal = start > at || bytes[start..end].iter().all(u8::is_ascii_digit);
    let ends_word = bytes.get(end).is_none_or(|b| matches!(b, b'.' | b'/' | b'+'));
    (decimal && end >= start + shortest && ends_word).then_some(end)
}

/// Removes counters word by word; a word is what lies between dots.
fn words(dotted: &str) -> String {
    let mut out = String::with_capacity(dotted.len());
    for (i, word) in dotted.split('.').enumerate() {
        if i > 0 {
            out.push('.');
        }
        push_word(&mut out, word);
    }
    out
}

/// Names before a generated number, which is then written as `_`.
const NUMBERED: [&str; 4] = [
    "GeneratedMethodAccessor",
    "GeneratedConstructorAccessor",
    "GeneratedSerializationConstructorAccessor",
    "$Proxy",
];

/// Marks of class generators before a random part, which is then written as `_`.
const ENHANCERS: [&str; 6] = [
    "$$EnhancerBySpringCGLIB$$",
    "$$EnhancerByCGLIB$$",
    "$$FastClassBySpringCGLIB$$",
    "$$FastClassByCGLIB$$",
    "$$SpringCGLIB$$",
    "$$EnhancerByGuice$$",
];

fn push_word(out: &mut String, word: &str) {
    if let Some(at) = word.find("$$Lambda") {
        let (class, lambda) = word.split_at(at + "$$Lambda".len());
        out.push_str(class);
        out.push_str(without_counters(lambda));
        return;
    }
    for mark in NUMBERED {
        if let Some((before, number)) = word.split_once(mark)
            && !number.is_empty()
            && number.bytes().all(|b| b.is_ascii_digit())
        {
            out.push_str(before);
            out.push_str(mark);
            out.push('_');
            return;
        }
    }
    for mark in ENHANCERS {
        if let Some((before, random)) = word.split_once(mark)
            && !random.is_empty()
        {
            out.push_str(before);
            out.push_str(mark);
            out.push('_');
            return;
        }
    }
    let counted =
        word.starts_with("lambda$") || word.contains("$anonfun$") || word.contains("$$nestedInAnon");
    out.push_str(if counted { without_counters(word) } else { word });
}

/// Drops `$3`, `$2630016632` and the like from a word's end.
fn without_counters(word: &str) -> &str {
    let mut word = word;
    while let Some((before, counter)) = word.rsplit_once(['$', '+', '/']) {
        let number = counter.bytes().all(|b| b.is_ascii_digit());
        if !number || before == "lambda" {
            break;
        }
        word = before;
    }
    word
}
