//! The call graph: functions with costs of their own, and calls between them with theirs.

use rustc_hash::FxHashMap;

/// Index of a name: 0 for none.
pub(super) type Name = u32;

/// A function: a name in a file in an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Function {
    pub(super) name: Name,
    pub(super) file: Name,
    pub(super) object: Name,
}

/// The graph. Costs are kept flat, `events` numbers for each function and each call.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) events: usize,
    functions: FxHashMap<Function, u32>,
    pub(super) list: Vec<Function>,
    own: Vec<f64>,
    calls: FxHashMap<(u32, u32), u32>,
    pub(super) edges: Vec<(u32, u32)>,
    paid: Vec<f64>,
}

/// Adds what there is; costs that a line leaves out are zero.
fn add(all: &mut [f64], index: u32, events: usize, costs: &[f64]) {
    let begin = index as usize * events;
    for (sum, cost) in all.iter_mut().skip(begin).take(events).zip(costs) {
        *sum += cost;
    }
}

impl Graph {
    pub(super) fn function(&mut self, function: Function) -> u32 {
        let next = self.list.len() as u32;
        let index = *self.functions.entry(function).or_insert(next);
        if index == next {
            self.list.push(function);
            self.own.resize(self.list.len() * self.events, 0.0);
        }
        index
    }

    pub(super) fn add_own(&mut self, function: u32, costs: &[f64]) {
        add(&mut self.own, function, self.events, costs);
    }

    pub(super) fn add_call(&mut self, caller: u32, callee: u32, costs: &[f64]) {
        let next = self.edges.len() as u32;
        let index = *self.calls.entry((caller, callee)).or_insert(next);
        if index == next {
            self.edges.push((caller, callee));
            self.paid.resize(self.edges.len() * self.events, 0.0);
        }
        add(&mut self.paid, index, self.events, costs);
    }

    /// Own cost of each function for one event.
    pub(super) fn own(&self, event: usize) -> Vec<f64> {
        self.own.iter().skip(event).step_by(self.events.max(1)).copied().collect()
    }

    /// Cost of each call for one event.
    pub(super) fn paid(&self, event: usize) -> Vec<f64> {
        self.paid.iter().skip(event).step_by(self.events.max(1)).copied().collect()
    }
}
