//! Which events become which profiles, and what of them is counted.

use std::collections::HashMap;

use model::Unit;

use super::metadata::Types;

/// The profiles that a recording can give, in the order in which they are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Slot {
    /// Running threads, sampled; of async-profiler those that its processor timer met.
    Cpu,
    /// Threads met by async-profiler's other timer, whatever they did.
    OtherState,
    /// The JDK's profiler of processor time (JDK 25).
    CpuTime,
    /// All threads, sampled.
    Wall,
    /// Allocated bytes.
    Alloc,
    /// Bytes of objects that still live.
    Live,
    /// Time spent waiting for locks.
    Lock,
    /// Bytes of `malloc`.
    NativeMemory,
    /// Threads in native methods, sampled by the JDK.
    Native,
    /// Time in traced methods.
    Trace,
}

/// What a sample weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// One.
    One,
    /// A number of samples of one stack, in this field.
    Samples(usize),
    /// A value, in this field.
    Field(usize),
}

/// What to read of an event; numbers are places among its fields.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spec {
    pub(super) slot: Slot,
    pub(super) weight: Weight,
    pub(super) stack: usize,
    pub(super) thread: Option<usize>,
    pub(super) state: Option<usize>,
    /// A class that becomes the leaf: of the object allocated or locked.
    pub(super) class: Option<usize>,
    /// The sampler could not walk the stack.
    pub(super) failed: Option<usize>,
    /// The last field that matters.
    pub(super) last: usize,
}

/// What is done with the events of a type.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Use {
    /// They become samples.
    Samples(Spec),
    /// Settings of the recorder: places of name and value.
    Setting(usize, usize),
    /// They hold private data of the machine and are dropped.
    Private,
    /// They are counted.
    Other,
}

/// Events that hold the command lines, environment and properties of the machine.
const PRIVATE: [&str; 5] = [
    "jdk.SystemProcess",
    "jdk.InitialEnvironmentVariable",
    "jdk.InitialSystemProperty",
    "jdk.InitialSecurityProperty",
    "jdk.JVMInformation",
];

impl Slot {
    /// The event's name and unit.
    pub(super) fn event(self) -> (&'static str, Unit) {
        let samples = || Unit::Count("samples".to_owned());
        match self {
            Self::Cpu => ("cpu", samples()),
            Self::OtherState | Self::Wall => ("wall", samples()),
            Self::CpuTime => ("cpu", Unit::Nanoseconds),
            Self::Alloc => ("alloc_space", Unit::Bytes),
            Self::Live => ("inuse_space", Unit::Bytes),
            Self::Lock => ("lock", Unit::Nanoseconds),
            Self::NativeMemory => ("nativemem", Unit::Bytes),
            Self::Native => ("native", samples()),
            Self::Trace => ("trace", Unit::Nanoseconds),
        }
    }
}

/// The use of every event type of a chunk, by the number of the type.
pub(super) fn uses(types: &Types) -> HashMap<u64, (usize, Use)> {
    types.classes.iter().enumerate().map(|(index, class)| (class.id, (index, usage(types, index)))).collect()
}

fn usage(types: &Types, index: usize) -> Use {
    let Some(class) = types.classes.get(index) else { return Use::Other };
    // JDK 9 and Oracle's JDK 10 had their own prefix.
    let name = class.name.strip_prefix("com.oracle.").unwrap_or(&class.name);
    let name = if ["jdk.", "profiler.", "datadog."].iter().any(|prefix| name.starts_with(prefix)) {
        name
    } else {
        class.name.as_str()
    };
    if PRIVATE.contains(&name) {
        return Use::Private;
    }
    if name == "jdk.ActiveSetting"
        && let (Some(name), Some(value)) = (class.field("name"), class.field("value"))
    {
        return Use::Setting(name, value);
    }
    samples(name, |field| class.field(field)).map_or(Use::Other, Use::Samples)
}

fn samples(name: &str, field: impl Fn(&str) -> Option<usize>) -> Option<Spec> {
    let first = |names: &[&str]| names.iter().find_map(|name| field(name));
    let value = |names: &[&str]| first(names).map_or(Weight::One, Weight::Field);
    let (slot, weight, class) = match name {
        "jdk.ExecutionSample" | "datadog.ExecutionSample" => (Slot::Cpu, Weight::One, None),
        "jdk.NativeMethodSample" => (Slot::Native, Weight::One, None),
        "jdk.CPUTimeSample" => (Slot::CpuTime, value(&["samplingPeriod"]), None),
        "profiler.WallClockSample" => {
            (Slot::Wall, field("samples").map_or(Weight::One, Weight::Samples), None)
        }
        // Datadog's profiler, whose walls stand for as many samples as they weigh.
        "datadog.MethodSample" => (Slot::Wall, field("weight").map_or(Weight::One, Weight::Samples), None),
        "datadog.HeapLiveObject" => (Slot::Live, value(&["size"]), field("objectClass")),
        // A new buffer stands for all that was allocated since the one before.
        "jdk.ObjectAllocationInNewTLAB" => {
            (Slot::Alloc, value(&["tlabSize", "allocationSize"]), field("objectClass"))
        }
        "jdk.ObjectAllocationOutsideTLAB" => (Slot::Alloc, value(&["allocationSize"]), field("objectClass")),
        "jdk.ObjectAllocationSample" => (Slot::Alloc, value(&["weight"]), field("objectClass")),
        "profiler.LiveObject" => (Slot::Live, value(&["allocationSize"]), field("objectClass")),
        "jdk.JavaMonitorEnter" => (Slot::Lock, value(&["duration"]), field("monitorClass")),
        "jdk.ThreadPark" => (Slot::Lock, value(&["duration"]), field("parkedClass")),
        "profiler.NativeLock" => (Slot::Lock, value(&["duration"]), None),
        "profiler.Malloc" => (Slot::NativeMemory, value(&["size"]), None),
        "jdk.MethodTrace" | "profiler.MethodTrace" => (Slot::Trace, value(&["duration"]), None),
        _ => return None,
    };
    let stack = field("stackTrace")?;
    let thread = first(&["sampledThread", "eventThread", "thread"]);
    let (state, failed) = (first(&["state", "threadState"]), field("failed"));
    let number = match weight {
        Weight::One => None,
        Weight::Samples(at) | Weight::Field(at) => Some(at),
    };
    let last = [Some(stack), thread, state, class, failed, number].into_iter().flatten().max()?;
    Some(Spec { slot, weight, stack, thread, state, class, failed, last })
}
