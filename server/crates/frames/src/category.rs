//! Canonical names to categories: the built-in tables and a project's own rules, compiled for fast look-up.

use model::Category;
use model::policy::UserCategory;

use crate::ecosystem::{Ecosystem, Family, is_kernel_module};
use crate::pattern::Matcher;
use crate::rules;

/// A Python module's own body. It runs once, on import, whatever the module is for: importing `json` is not
/// serialization.
const MODULE_BODY: &str = ":<module>";

/// The compiled rules. Building takes about a millisecond; keep one and share it.
#[derive(Debug, Clone)]
pub struct Rules {
    /// By the number that the matchers give.
    categories: Vec<Category>,
    user: Matcher,
    dotted: Matcher,
    native: Matcher,
    kernel: Matcher,
    script: Matcher,
    unknown: Matcher,
}

impl Rules {
    /// The built-in rules alone.
    pub fn built_in() -> Self {
        Self::new(&[])
    }

    /// The built-in rules under a project's own, which always win. Among a project's prefixes the longest wins, and
    /// the first of equals.
    pub fn new(user: &[UserCategory]) -> Self {
        let mut compiled = Self {
            categories: Vec::new(),
            user: Matcher::default(),
            dotted: Matcher::default(),
            native: Matcher::default(),
            kernel: Matcher::default(),
            script: Matcher::default(),
            unknown: Matcher::default(),
        };
        for rule in rules::built_in() {
            let index = compiled.number_of(rule.category.clone());
            let matcher = compiled.matcher_for(rule.ecosystem);
            for pattern in rule.patterns {
                matcher.insert(pattern, index);
            }
        }
        for category in user {
            // A project may also move frames into a built-in category by naming it.
            let index = compiled.number_of(Category::from(category.name.clone()));
            for prefix in &category.prefixes {
                compiled.user.insert_prefix(prefix, index);
            }
        }
        compiled
    }

    fn number_of(&mut self, category: Category) -> u32 {
        self.categories.push(category);
        (self.categories.len() - 1) as u32
    }

    fn matcher_for(&mut self, ecosystem: Ecosystem) -> &mut Matcher {
        match (ecosystem, ecosystem.family()) {
            (Ecosystem::Kernel, _) => &mut self.kernel,
            (_, Family::Dotted) => &mut self.dotted,
            (_, Family::Native) => &mut self.native,
            (_, Family::Script) => &mut self.script,
            (_, Family::Unknown) => &mut self.unknown,
        }
    }

    /// What a frame is for, by its canonical name and what is known about its module and file.
    pub fn category(&self, name: &str, module: Option<&str>, file: Option<&str>) -> Category {
        let index = self.find_user(name, module).or_else(|| self.find_built_in(name, module, file));
        index.and_then(|index| self.categories.get(index as usize)).cloned().unwrap_or(Category::Other)
    }

    fn find_user(&self, name: &str, module: Option<&str>) -> Option<u32> {
        let by_name = readings(name).find_map(|reading| self.user.find_prefix(reading));
        let by_module = || module.and_then(|module| self.user.find_prefix(module));
        by_name.or_else(by_module).map(|found| found.rule)
    }

    fn find_built_in(&self, name: &str, module: Option<&str>, file: Option<&str>) -> Option<u32> {
        match Ecosystem::of(name, module, file).family() {
            Family::Dotted => find(&self.dotted, name),
            Family::Script if name.ends_with(MODULE_BODY) => self.script.find_last_word(name),
            Family::Script => find(&self.script, name),
            Family::Unknown => find(&self.unknown, name),
            Family::Native => self.find_native(name, module),
        }
    }

    fn find_native(&self, name: &str, module: Option<&str>) -> Option<u32> {
        let may_be_kernel = module.is_none_or(is_kernel_module);
        let found = readings(name).find_map(|reading| {
            let kernel = if may_be_kernel { self.kernel.find_prefix(reading) } else { None };
            match (self.native.find_prefix(reading), kernel) {
                (Some(native), Some(kernel)) if kernel.length > native.length => Some(kernel),
                (Some(native), _) => Some(native),
                (None, kernel) => kernel,
            }
        });
        found.map(|found| found.rule).or_else(|| self.native.find_last_word(name))
    }
}

fn find(matcher: &Matcher, name: &str) -> Option<u32> {
    matcher.find_prefix(name).map(|found| found.rule).or_else(|| matcher.find_last_word(name))
}

/// The places where a name may begin: as it stands, and for Rust's `<Type as Trait>::method` the type, then the
/// trait.
fn readings(name: &str) -> impl Iterator<Item = &str> {
    let inside = name.strip_prefix('<').map(|rest| {
        let owner = rest.trim_start_matches(['&', '[', '(', '*']);
        let owner = ["mut ", "const ", "dyn ", "impl "]
            .iter()
            .fold(owner, |o, word| o.strip_prefix(word).unwrap_or(o));
        let interface = rest.split_once(" as ").map(|(_, interface)| interface);
        std::iter::once(owner).chain(interface)
    });
    std::iter::once(name).chain(inside.into_iter().flatten())
}
