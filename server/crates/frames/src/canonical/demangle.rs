//! Mangled names of Rust and C++ to text.

use cpp_demangle::{DemangleOptions, ParseOptions, Symbol};

/// Mangled names longer than this are left as they are: a demangled name can be exponentially longer.
const LONGEST_MANGLED: usize = 2048;

/// How deep the C++ demangler may recurse; the default of the crate is 96, and real names stay below 40.
const DEEPEST: u32 = 80;

/// The text of a mangled name; `None` if it is not one.
pub(super) fn demangle(name: &str) -> Option<String> {
    if name.len() > LONGEST_MANGLED {
        return None;
    }
    // Mach-O puts one more underscore in front.
    let name = if name.starts_with("__Z") || name.starts_with("__R") { &name[1..] } else { name };
    if !name.starts_with("_Z") && !name.starts_with("_R") {
        return None;
    }
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        let mut text = Bounded::default();
        let complete = std::fmt::Write::write_fmt(&mut text, format_args!("{rust:#}")).is_ok();
        return complete.then_some(text.0);
    }
    cpp(name)
}

fn cpp(name: &str) -> Option<String> {
    let parse = ParseOptions::default().recursion_limit(DEEPEST);
    let print = DemangleOptions::new().no_params().no_return_type().recursion_limit(DEEPEST);
    let symbol = Symbol::new_with_options(name, &parse).ok()?;
    let mut text = Bounded::default();
    symbol.structured_demangle(&mut text, &print).ok()?;
    Some(text.0)
}

/// Text that refuses to grow beyond a limit, because substitutions in a short mangled name can repeat a long part
/// many times over.
#[derive(Default)]
struct Bounded(String);

impl std::fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        if self.0.len() + text.len() > 8 * super::LONGEST {
            return Err(std::fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}
