//! Samples to leaves of one tree, with their values beside.

use model::profile::PathCursor;
use model::{CallTreeBuilder, Node};

use super::labels::Labels;
use super::proto::Message;
use super::tables::{Function, Location, Tables};
use super::{error, limit};
use crate::error::{At, Kind, ParseError};
use crate::limits::Limits;
use crate::warnings::Warnings;

/// Values of all samples together may outnumber samples by this much: a heap profile has four a sample.
const VALUES_PER_SAMPLE: usize = 4;
/// The name of a frame of which neither function nor binary is known.
const UNKNOWN: &str = "[unknown]";

/// The samples of a file.
#[derive(Debug)]
pub(super) struct Samples {
    /// The tree of all stacks; nodes have no values yet.
    pub(super) tree: model::CallTree,
    /// The leaf of each sample; [`Node::ROOT`] for a sample without a stack.
    pub(super) leaves: Vec<PathCursor>,
    /// The values, sample by sample, each as many as there are sample types.
    pub(super) values: Vec<i64>,
    /// Their labels.
    pub(super) labels: Labels,
}

/// A frame of a location.
#[derive(Debug, Clone, Copy)]
struct Step {
    frame: u32,
    inlined: bool,
}

/// Walks samples: what each location stands for, and the path of the previous sample, which the next one often
/// begins with.
struct Walk<'t> {
    limits: &'t Limits,
    tree: CallTreeBuilder,
    /// Frames of all locations, outermost first, and where each location's begin and end.
    steps: Vec<Step>,
    ranges: Vec<(usize, usize)>,
    /// Places of the locations of the previous sample, outermost first, with the node and the depth after each.
    path: Vec<(u32, PathCursor, usize)>,
}

/// Stacks kept until they are walked together: in order they begin like their neighbours, so most of a stack is
/// the one before it and costs no look-up.
#[derive(Default)]
struct Batch {
    /// Places of locations in the table, outermost first, stack after stack.
    places: Vec<u32>,
    /// Where each stack ends.
    ends: Vec<usize>,
}

/// Locations in a batch before it is walked: 16 MB, whatever the file's size.
const BATCH: usize = 4_000_000;

/// Reads all samples.
pub(super) fn read(
    mut message: Message<'_>,
    tables: &Tables<'_>,
    limits: &Limits,
    warnings: &mut Warnings,
) -> Result<Samples, ParseError> {
    let n_types = tables.sample_types.len();
    let most = limits.samples.saturating_mul(VALUES_PER_SAMPLE);
    if tables.n_samples.saturating_mul(n_types) > most {
        return Err(limit(At::File, "values of samples", most, "max_samples"));
    }
    let mut walk = Walk {
        limits,
        tree: CallTreeBuilder::new(),
        steps: Vec::new(),
        ranges: Vec::with_capacity(tables.locations.items.len()),
        path: Vec::new(),
    };
    for location in &tables.locations.items {
        walk.resolve(location, tables, warnings)?;
    }
    // Capacities follow what was counted in the file, not what it claims.
    let mut leaves = Vec::with_capacity(tables.n_samples);
    let mut values = Vec::with_capacity(tables.n_samples * n_types);
    let mut locations: Vec<u64> = Vec::new();
    let mut batch = Batch::default();
    let mut labels = Labels::default();
    let mut n_read = 0_usize;
    while let Some((number, value)) = message.field()? {
        if number != 2 {
            continue;
        }
        let at = || At::Field(format!("sample {}", n_read + 1));
        let mut sample = value.message(message.offset)?;
        let before = values.len();
        locations.clear();
        while let Some((number, value)) = sample.field()? {
            match number {
                1 => value.numbers(sample.offset, |id| locations.push(id))?,
                2 => {
                    value.numbers(sample.offset, |number| {
                        // One more than allowed is enough to be refused below.
                        if values.len() <= before + n_types {
                            values.push(number.cast_signed());
                        }
                    })?;
                }
                3 => labels.push(n_read, value.message(sample.offset)?, limits)?,
                _ => {}
            }
        }
        let found = values.len() - before;
        if found != n_types {
            let found = if found > n_types { format!("more than {n_types}") } else { found.to_string() };
            let text = format!("{found} values for {n_types} sample types");
            return Err(error(at(), Kind::Invalid(text)));
        }
        batch.push(&locations, tables, at)?;
        n_read += 1;
        if batch.places.len() >= BATCH {
            walk.batch(&mut batch, &mut leaves)?;
        }
    }
    walk.batch(&mut batch, &mut leaves)?;
    Ok(Samples { tree: walk.tree.finish(), leaves, values, labels })
}

impl Batch {
    /// Adds a stack, given innermost first.
    fn push(
        &mut self,
        locations: &[u64],
        tables: &Tables<'_>,
        at: impl Fn() -> At,
    ) -> Result<(), ParseError> {
        for id in locations.iter().rev() {
            let Some(place) = tables.locations.position(*id) else {
                return Err(error(at(), Kind::Dangling { what: "location", id: *id }));
            };
            self.places.push(place as u32);
        }
        self.ends.push(self.places.len());
        Ok(())
    }

    /// The samples in the order of their stacks. A quicksort by one place at a time (Bentley and Sedgewick 1997): what
    /// many stacks begin with is looked at once and not in every comparison.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.ends.len()).collect();
        let mut ranges = vec![(0, order.len(), 0)];
        while let Some((from, to, depth)) = ranges.pop() {
            let Some(part) = order.get_mut(from..to).filter(|part| part.len() > 1) else { continue };
            // A stack that ends here has no place at this depth, and `None` comes first.
            let place = |n: usize| self.stack(n).get(depth).copied();
            let pivot = part.get(part.len() / 2).and_then(|n| place(*n));
            let (mut low, mut at, mut high) = (0, 0, part.len());
            while let Some(n) = part.get(at).copied().filter(|_| at < high) {
                match place(n).cmp(&pivot) {
                    std::cmp::Ordering::Less => {
                        part.swap(low, at);
                        low += 1;
                        at += 1;
                    }
                    std::cmp::Ordering::Equal => at += 1,
                    std::cmp::Ordering::Greater => {
                        high -= 1;
                        part.swap(at, high);
                    }
                }
            }
            ranges.push((from, from + low, depth));
            ranges.push((from + high, to, depth));
            if pivot.is_some() {
                ranges.push((from + low, from + high, depth + 1));
            }
        }
        order
    }

    /// The stack of the n-th sample of the batch.
    fn stack(&self, n: usize) -> &[u32] {
        let start = n.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(n).copied().unwrap_or(start);
        self.places.get(start..end).unwrap_or_default()
    }
}

impl Walk<'_> {
    /// Walks a batch, appends the leaf of each of its samples, and empties it.
    fn batch(&mut self, batch: &mut Batch, leaves: &mut Vec<PathCursor>) -> Result<(), ParseError> {
        let first = leaves.len();
        leaves.resize(first + batch.ends.len(), Node::ROOT);
        let order = batch.order();
        for n in order {
            let leaf = self.leaf(batch.stack(n), || At::Field(format!("sample {}", first + n + 1)))?;
            if let Some(slot) = leaves.get_mut(first + n) {
                *slot = leaf;
            }
        }
        batch.places.clear();
        batch.ends.clear();
        Ok(())
    }

    /// The node of a stack, given outermost first as places in the table of locations.
    fn leaf(&mut self, places: &[u32], at: impl Fn() -> At) -> Result<PathCursor, ParseError> {
        let shared = self.path.iter().zip(places).take_while(|((known, ..), place)| known == *place).count();
        self.path.truncate(shared);
        let (mut node, mut depth) =
            self.path.last().map_or((Node::ROOT, 0), |(_, node, depth)| (*node, *depth));
        for place in places.iter().skip(shared) {
            let (start, end) = self.ranges.get(*place as usize).copied().unwrap_or_default();
            for step in self.steps.get(start..end).unwrap_or_default() {
                node = self.tree.child(node, step.frame, step.inlined);
                depth += 1;
            }
            if depth > self.limits.stack_depth {
                return Err(limit(at(), "frames on a stack", self.limits.stack_depth, "max_stack_depth"));
            }
            if self.tree.n_nodes() > self.limits.nodes {
                return Err(limit(at(), "nodes of the call tree", self.limits.nodes, "max_nodes"));
            }
            self.path.push((*place, node, depth));
        }
        Ok(node)
    }

    /// Interns the frames of a location: its last line is the function at the address, the ones before it were
    /// inlined there, the first one innermost.
    fn resolve(
        &mut self,
        location: &Location,
        tables: &Tables<'_>,
        warnings: &mut Warnings,
    ) -> Result<(), ParseError> {
        let at = || format!("location {}", location.id);
        let start = self.steps.len();
        let module = module(location, tables)?;
        for (i, id) in tables.lines_of(location).iter().rev().enumerate() {
            // A line without a function says no more than the address.
            if *id == 0 {
                continue;
            }
            let Some(function) = tables.functions.get(*id) else {
                return Err(error(At::Field(at()), Kind::Dangling { what: "function", id: *id }));
            };
            let frame = self.function(function, *id, module.as_deref(), tables, warnings)?;
            self.steps.push(Step { frame, inlined: i > 0 && self.steps.len() > start });
        }
        if self.steps.len() == start {
            // Addresses keep their number, so that the file's own figures can be found again; comparisons put those
            // of one binary together.
            let name = match (location.address, &module) {
                (0, Some(module)) => format!("[{}]", bare(module)),
                (0, None) => UNKNOWN.to_owned(),
                (address, _) => format!("{address:#x}"),
            };
            let frame = self.tree.frame(&name, module.as_deref(), None);
            self.steps.push(Step { frame, inlined: false });
        }
        if self.tree.n_frames() > self.limits.frames {
            return Err(limit(At::Field(at()), "different functions", self.limits.frames, "max_frames"));
        }
        self.ranges.push((start, self.steps.len()));
        Ok(())
    }

    fn function(
        &mut self,
        function: &Function,
        id: u64,
        module: Option<&str>,
        tables: &Tables<'_>,
        warnings: &mut Warnings,
    ) -> Result<u32, ParseError> {
        let whose = || format!("function {id}");
        let text = |index| tables.string(index, whose).map(|string| String::from_utf8_lossy(string.bytes));
        let (name, system_name, file) =
            (text(function.name)?, text(function.system_name)?, text(function.file)?);
        let name = [&name, &system_name].into_iter().find(|name| !name.is_empty());
        let name = name.map_or(UNKNOWN, |name| name.as_ref());
        let most = self.limits.symbol_bytes;
        let short = shorten(name, most);
        if short.len() < name.len() {
            warnings.add_with(At::Field(whose()), || {
                format!("its name was cut to {most} bytes (max_symbol_bytes)")
            });
        }
        let file = Some(shorten(&file, most)).filter(|file| !file.is_empty());
        Ok(self.tree.frame(short, module, file))
    }
}

fn shorten(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

/// The binary's name without its folder, which differs between machines and builds.
fn module(location: &Location, tables: &Tables<'_>) -> Result<Option<String>, ParseError> {
    if location.mapping == 0 {
        return Ok(None);
    }
    let Some(mapping) = tables.mappings.get(location.mapping) else {
        let kind = Kind::Dangling { what: "mapping", id: location.mapping };
        return Err(error(At::Field(format!("location {}", location.id)), kind));
    };
    let string = tables.string(mapping.file, || format!("mapping {}", location.mapping))?;
    let path = String::from_utf8_lossy(string.bytes);
    let base = path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or_default();
    Ok(Some(shorten(base, 1024).to_owned()).filter(|base| !base.is_empty()))
}

/// A module without brackets of its own, as `[vdso]` has them.
fn bare(module: &str) -> &str {
    module.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(module)
}
