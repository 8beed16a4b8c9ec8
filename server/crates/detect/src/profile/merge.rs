//! One suspect from a group of frames that hold the same change: the place where somebody can act.

use model::Node;

use super::cost::Scale;
use super::describe::outermost_nodes;
use super::frames::FrameStats;
use super::pool::Union;

/// A frame speaks for its group while it carries this much of the group's change; FBDetect's overlap of stacks.
const CARRIES: f64 = 0.6;
/// A library frame is named instead of a caller of the program when its own growth is this much purer: the caller
/// merely contains it.
const MUCH_PURER: f64 = 2.0;

/// A frame below the group's top with what it carries.
#[derive(Debug, Clone, Copy)]
struct Carrier {
    frame: u32,
    change: f64,
    depth: f64,
    purity: f64,
    own: bool,
}

/// The frame that stands for the change under `top`: the deepest of the program's own code that still carries most
/// of it. `is_hit` says which frames changed by themselves; others only contain or follow.
pub(super) fn representative(
    union: &Union,
    scale: &Scale,
    top: u32,
    claimed: &[bool],
    frames: &[FrameStats],
    is_hit: impl Fn(u32) -> bool,
) -> u32 {
    let carriers = carriers(union, scale, top, claimed, frames);
    let Some(whole) = carriers.iter().find(|carrier| carrier.frame == top).map(|carrier| carrier.change)
    else {
        return top;
    };
    let most = |carrier: &&Carrier| carrier.change / whole >= CARRIES && is_hit(carrier.frame);
    let deepest = |a: &&Carrier, b: &&Carrier| {
        a.depth
            .total_cmp(&b.depth)
            .then((a.change / whole).total_cmp(&(b.change / whole)))
            .then(b.frame.cmp(&a.frame))
    };
    let own = carriers.iter().filter(most).filter(|carrier| carrier.own).max_by(deepest);
    let library = carriers.iter().filter(most).filter(|carrier| !carrier.own);
    let chosen = match own {
        Some(own) => {
            library.filter(|other| other.purity >= MUCH_PURER * own.purity).min_by(deepest).unwrap_or(own)
        }
        // Nothing of the program's own: where the library is entered says more than what it does inside.
        None => return top,
    };
    chosen.frame
}

/// What is added up of one frame below the top.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    weight: [f64; 2],
    /// Depth times size of change.
    depth: f64,
    /// Sizes of change, and the part of them where the frame is a place to act.
    pull: f64,
    pull_of_places: f64,
}

/// Every frame on stacks below `top`, counted once a stack.
fn carriers(union: &Union, scale: &Scale, top: u32, claimed: &[bool], frames: &[FrameStats]) -> Vec<Carrier> {
    let mut weights = vec![[0.0_f64; 2]; union.nodes.len()];
    for stack in union.stacks.iter().filter(|stack| !claimed[stack.node as usize]) {
        let slot = &mut weights[stack.node as usize];
        slot[0] += stack.weight[0];
        slot[1] += stack.weight[1];
    }
    for at in (0..union.nodes.len()).rev() {
        let weight = weights[at];
        if let Some(caller) = weights.get_mut(union.nodes[at].parent as usize) {
            caller[0] += weight[0];
            caller[1] += weight[1];
        }
    }
    let depths = depths(union);
    let mut sums = vec![Sum::default(); union.frames.len()];
    for root in outermost_nodes(union, top) {
        union.walk(root, |node, first| {
            if first {
                let at = node as usize;
                let sum = &mut sums[union.nodes[at].frame as usize];
                let pull = scale.delta(weights[at]).abs();
                sum.weight[0] += weights[at][0];
                sum.weight[1] += weights[at][1];
                sum.depth += pull * f64::from(depths[at]);
                sum.pull += pull;
                sum.pull_of_places += if union.is_place_to_act[at] { pull } else { 0.0 };
            }
        });
    }
    let carrier = |(frame, sum): (usize, Sum)| Carrier {
        frame: frame as u32,
        change: scale.delta(sum.weight),
        depth: sum.depth / sum.pull,
        purity: purity(scale, frames[frame].total_weight),
        own: sum.pull_of_places >= 0.5 * sum.pull,
    };
    sums.into_iter().enumerate().filter(|(_, sum)| sum.pull > 0.0).map(carrier).collect()
}

/// How much of a frame's cost is change: 1 for new and gone frames, near 0 for those that merely contain one.
pub(super) fn purity(scale: &Scale, weight: [f64; 2]) -> f64 {
    let [base, head] = scale.cost(weight);
    let purity = (head - base).abs() / base.max(head);
    if purity.is_finite() { purity } else { 0.0 }
}

fn depths(union: &Union) -> Vec<u32> {
    let mut depths: Vec<u32> = Vec::with_capacity(union.nodes.len());
    for node in &union.nodes {
        let above = if node.parent == Node::ROOT { None } else { depths.get(node.parent as usize) };
        depths.push(above.map_or(0, |depth| depth + 1));
    }
    depths
}
