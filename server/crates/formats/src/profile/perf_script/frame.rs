//! One line of a stack: `    7f89e341d84f __GI___libc_write+0x4f (/usr/lib/libc-2.28.so)`.

/// A line's parts, as perf wrote them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// The symbol with its offset cut.
    pub(super) symbol: &'a str,
    /// The binary, without parentheses and `(deleted)`; absent where it was not printed.
    pub(super) module: Option<&'a str>,
    /// perf says that the compiler inlined it into the frame of the next line.
    pub(super) inlined: bool,
}

/// Reads what follows the address. `None` for a line that names neither symbol nor module, and for a process's name
/// in place of a symbol, which perf prints for lines that are no frames.
pub(super) fn parse(after_address: &str) -> Option<Line<'_>> {
    let text = after_address.trim();
    let (symbol, module) = split_module(text);
    let symbol = without_offset(symbol.trim_end());
    if symbol.starts_with('(') || (symbol.is_empty() && module.is_none()) {
        return None;
    }
    let inlined = module == Some("inlined");
    let module = module
        .filter(|_| !inlined)
        .map(|module| module.strip_suffix("(deleted)").map_or(module, str::trim_end));
    Some(Line { symbol: if symbol.is_empty() { "[unknown]" } else { symbol }, module, inlined })
}

/// Whether a line is an address, a symbol, and a module in parentheses.
pub(super) fn is_frame(line: &str) -> bool {
    let Some((address, rest)) = line.trim().split_once(' ') else { return false };
    address.len() >= 2
        && is_hexadecimal(address)
        && parse(rest).is_some_and(|line| line.module.is_some() || line.inlined)
}

/// Whether a line is an address and a symbol, as `-F ip,sym` prints it. Only long numbers count as addresses, because
/// words can be made of their digits.
pub(super) fn is_bare(line: &str) -> bool {
    let split = line.trim().split_once(' ');
    split.is_some_and(|(address, rest)| {
        address.len() >= 8 && is_hexadecimal(address) && !rest.trim().is_empty()
    })
}

fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The symbol, and what stands in the parentheses that close with the line.
fn split_module(text: &str) -> (&str, Option<&str>) {
    if !text.ends_with(')') {
        return (text, None);
    }
    let mut depth = 0_usize;
    let mut open = None;
    for (at, byte) in text.bytes().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            open = Some(at);
            break;
        }
    }
    let inside = |at: usize| Some((text.get(..at)?, text.get(at + 1..text.len() - 1)));
    // A module in parentheses stands behind a blank; otherwise they are a function's arguments.
    let is_apart = |at: &usize| *at == 0 || text.as_bytes().get(at - 1).is_some_and(u8::is_ascii_whitespace);
    open.filter(is_apart)
        .or_else(|| text.rfind(" (").map(|at| at + 1))
        .and_then(inside)
        .unwrap_or((text, None))
}

fn without_offset(symbol: &str) -> &str {
    match symbol.rsplit_once("+0x") {
        Some((name, offset)) if !offset.is_empty() && offset.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            name
        }
        _ => symbol,
    }
}

/// The name under which an unknown symbol goes: its module's base name in brackets.
pub(super) fn unknown(module: Option<&str>) -> String {
    let base = module.and_then(|module| module.rsplit('/').next()).unwrap_or_default();
    match base {
        "" | "unknown" | "[unknown]" => "[unknown]".to_owned(),
        base => format!("[{base}]"),
    }
}

/// A symbol without what differs between the calls of one function: arguments go, `;` becomes `:` because it
/// separates frames elsewhere, and the `L` of a Java class's descriptor goes too.
pub(super) fn tidy(symbol: &str, is_java: bool) -> String {
    let mut name = without_arguments(symbol).replace(';', ":");
    if is_java && name.starts_with('L') && name.contains('/') {
        name.remove(0);
    }
    name
}

/// Cuts at the first parenthesis that opens a list of arguments: one outside of `<…>` and `{…}` that follows a name,
/// not a receiver of Go (`net/http.(*Client).Do`) nor `(anonymous namespace)`. `operator()` loses its own as well, as
/// it does in collapsers.
fn without_arguments(symbol: &str) -> &str {
    let bytes = symbol.as_bytes();
    let mut depth = 0_i32;
    let mut skip_to = 0;
    for (at, byte) in symbol.bytes().enumerate() {
        if at < skip_to {
            continue;
        }
        match byte {
            b'<' | b'{' | b'[' => depth += 1,
            b'>' if at > 0 && bytes.get(at - 1) == Some(&b'-') => {}
            b'>' | b'}' | b']' => depth -= 1,
            b'(' if depth <= 0 && at > 0 => {
                let rest = symbol.get(at..).unwrap_or_default();
                let before = bytes.get(at - 1);
                if rest.starts_with("(anonymous namespace)") {
                    skip_to = at + "(anonymous namespace)".len();
                } else if before != Some(&b'.') {
                    return symbol.get(..at).unwrap_or(symbol);
                }
            }
            _ => {}
        }
    }
    symbol
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_symbol_and_a_module() {
        let line = |text| parse(text).unwrap();
        let plain = |symbol, module| Line { symbol, module, inlined: false };
        assert_eq!(line("fput+0xb ([kernel.kallsyms])"), plain("fput", Some("[kernel.kallsyms]")));
        assert_eq!(line("[unknown] (/tmp/x y (deleted))"), plain("[unknown]", Some("/tmp/x y")));
        assert_eq!(line("f(int, char)+0x1 (/bin/a)\r"), plain("f(int, char)", Some("/bin/a")));
        assert_eq!(line("f(int)"), plain("f(int)", None));
        assert_eq!(line("native_write_msr_safe"), plain("native_write_msr_safe", None));
        assert_eq!(line("(/bin/a)"), plain("[unknown]", Some("/bin/a")));
        assert_eq!(line("f (/a) b)"), plain("f", Some("/a) b")));
        assert_eq!(line("main (inlined)"), Line { symbol: "main", module: None, inlined: true });
        assert_eq!((parse(""), parse("(perf) (/bin/a)")), (None, None));
    }

    #[test]
    fn arguments_go() {
        for (symbol, name) in [
            ("f(int)", "f"),
            ("std::ostream::flush()", "std::ostream::flush"),
            ("net/http.(*Client).Do", "net/http.(*Client).Do"),
            ("a::(anonymous namespace)::f(int)", "a::(anonymous namespace)::f"),
            (
                "h<int (int), main::{lambda(int)#1}>::_M_invoke(x)",
                "h<int (int), main::{lambda(int)#1}>::_M_invoke",
            ),
            ("A::operator()(int) const", "A::operator"),
            ("operator->(x)", "operator->"),
            ("RegExp:[&<>\"']", "RegExp:[&<>\"']"),
            ("a;b", "a:b"),
        ] {
            assert_eq!(tidy(symbol, false), name, "{symbol}");
        }
        assert_eq!(tidy("Ljava/lang/A;::m(Ljava/lang/B;)V", true), "java/lang/A:::m");
        assert_eq!(tidy("LBusy;::main", true), "LBusy:::main");
    }

    #[test]
    fn unknown_symbols_are_named_by_their_module() {
        assert_eq!(unknown(Some("/usr/lib/libc.so.6")), "[libc.so.6]");
        assert_eq!(unknown(Some("[kernel.kallsyms]")), "[[kernel.kallsyms]]");
        assert_eq!(unknown(Some("[unknown]")), "[unknown]");
        assert_eq!(unknown(None), "[unknown]");
    }
}
