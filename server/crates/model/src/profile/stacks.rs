//! What a whole stack is about: the categories along it, and whether a thread of the runtime itself owns it.
//!
//! One number per node answers for the stack that ends there, so that each question costs one forward pass.

use std::collections::BTreeMap;

use super::{CallTree, Category, Node};

/// Three answers about the stack that ends at a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackCategories<'a> {
    /// What the processor is doing: the category of the node's own frame.
    pub leaf: &'a Category,
    /// Which primitive is at work: the classified frame nearest to the leaf, the leaf included.
    pub deepest: Option<&'a Category>,
    /// Who asked for it: the outermost frame that is a cause ([`Category::is_cause`]).
    pub outermost: Option<&'a Category>,
}

impl<'a> StackCategories<'a> {
    /// The one category that the stack's cost is charged to: the outermost cause, else the leaf's. Allocation
    /// below a log call is logging; allocation below plain code is allocation.
    pub fn charged(&self) -> &'a Category {
        self.outermost.unwrap_or(self.leaf)
    }
}

/// Whether a reflective call is still the cause below a frame of this category. `Method.invoke` stands at the
/// root of many whole programs; it is to blame for its own work and for the memory it moves, not for what the
/// method that it found goes on to do.
fn reflection_reaches(category: &Category) -> bool {
    use Category::{Allocation, Copy, Gc, Hashing, Lock, Reflection};
    matches!(category, Reflection | Copy | Allocation | Gc | Lock | Hashing)
}

/// Where a thread of the runtime itself begins: compilers, collectors and the housekeeping of a virtual
/// machine. Names are canonical; a raw name with arguments after it counts too.
///
/// Not here on purpose: V8's `(garbage collector)` and Go's `runtime.gcAssistAlloc`, which run on the program's
/// own thread and stop it, and schedulers, which run because the program blocks.
const SERVICE_ENTRIES: &[&str] = &[
    // HotSpot: just-in-time compilers, the VM thread, collectors, housekeeping.
    "CompileBroker::compiler_thread_loop",
    "CompilerThread::thread_entry",
    "VMThread::run",
    "VMThread::loop",
    "WatcherThread::run",
    "WorkerThread::run",
    "GangWorker::run",
    "GangWorker::loop",
    "AbstractGangWorker::run",
    "GCTaskThread::run",
    "ConcurrentGCThread::run",
    "ConcurrentMarkSweepThread::run",
    "ConcurrentMarkThread::run",
    "ConcurrentG1RefineThread::run",
    "G1ConcurrentMarkThread::run_service",
    "G1ConcurrentRefineThread::run_service",
    "G1ServiceThread::run_service",
    "G1YoungRemSetSamplingThread::run_service",
    "ShenandoahControlThread::run_service",
    "ZDirector::run_service",
    "ZDriver::run_service",
    "ZStat::run_service",
    "NMethodSweeper::sweeper_loop",
    "CodeCacheSweeperThread::run",
    "ServiceThread::service_thread_entry",
    "NotificationThread::notification_thread_entry",
    "MonitorDeflationThread::monitor_deflation_thread_entry",
    "JfrThreadSampler::run",
    "JfrSamplerThread::run",
    "signal_thread_entry",
    "java.lang.ref.Reference$ReferenceHandler.run",
    // Go: the collector's workers and the monitor.
    "runtime.gcBgMarkWorker",
    "runtime.bgsweep",
    "runtime.bgscavenge",
    "runtime.forcegchelper",
    "runtime.(*scavengerState).run",
    "runtime.sysmon",
    // V8 and Node: concurrent marking, sweeping and compiling.
    "node::(anonymous namespace)::PlatformWorkerThread",
    "v8::platform::DefaultWorkerThreadsTaskRunner::WorkerThread::Run",
    // .NET: server and background collections, tiered compilation.
    "SVR::gc_heap::gc_thread_function",
    "SVR::gc_heap::bgc_thread_function",
    "WKS::gc_heap::bgc_thread_function",
    "TieredCompilationManager::BackgroundWorkerStart",
    "FinalizerThread::FinalizerThreadStart",
];

/// Frames that only start a thread: what may stand above a service entry.
const THREAD_STARTS: &[&str] = &[
    "clone",
    "clone3",
    "__clone",
    "__clone3",
    "__GI___clone",
    "start_thread",
    "_pthread_start",
    "thread_start",
    "thread_native_entry",
    "java_start",
    "Thread::call_run",
    "Thread::run",
    "JavaThread::run",
    "JavaThread::thread_main_inner",
    "ConcurrentGCThread::run",
    "java.lang.Thread.run",
    "runtime.goexit",
    "runtime.mstart",
    "runtime.mstart0",
    "runtime.mstart1",
    "runtime.systemstack",
    "unknown",
    "all",
    "root",
];

/// Whether `name` is one of `names`, or one of them followed by something that cannot continue an identifier.
fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|entry| {
        name.strip_prefix(entry)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':'))
    })
}

/// Where a stack stands, seen from its root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Thread {
    /// Only frames that start a thread so far.
    Starting,
    /// A service of the runtime took the thread.
    Service,
    /// The program took the thread.
    Program,
}

impl CallTree {
    /// Weight of each category that stacks are charged to, in the order of reports.
    pub fn category_weights(&self) -> BTreeMap<Category, f64> {
        let mut weights = BTreeMap::new();
        for (node, categories) in self.nodes.iter().zip(self.stack_categories()) {
            *weights.entry(categories.charged().clone()).or_insert(0.0) += node.self_weight;
        }
        weights
    }

    /// The categories of the stack that ends at each node, in node order.
    pub fn stack_categories(&self) -> Vec<StackCategories<'_>> {
        const OTHER: &Category = &Category::Other;
        let mut answers: Vec<StackCategories<'_>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let leaf = self.frames.get(node.frame as usize).map_or(OTHER, |frame| &frame.category);
            let caller = answers.get(node.parent as usize);
            let inherited = caller
                .and_then(|caller| caller.outermost)
                .filter(|cause| **cause != Category::Reflection || reflection_reaches(leaf));
            answers.push(StackCategories {
                leaf,
                deepest: (*leaf != Category::Other)
                    .then_some(leaf)
                    .or(caller.and_then(|caller| caller.deepest)),
                outermost: inherited.or_else(|| leaf.is_cause().then_some(leaf)),
            });
        }
        answers
    }

    /// For each node, whether its stack belongs to a thread of the runtime itself (a compiler, a collector, a VM
    /// thread), with no frame of the program above the thread's entry. Such cost depends on how long a run was
    /// and not on what an operation does.
    ///
    /// Frames that start a thread are not background themselves, because programs' threads share them. A first
    /// frame that names the process (`java;start_thread;…`) is tolerated.
    pub fn background(&self) -> Vec<bool> {
        let kinds: Vec<Thread> = self.frames.iter().map(|frame| thread_kind(&frame.name)).collect();
        let mut states: Vec<Thread> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let own = kinds.get(node.frame as usize).copied().unwrap_or(Thread::Program);
            let state = match (states.get(node.parent as usize), own) {
                (None, Thread::Program) => Thread::Starting,
                (None | Some(Thread::Starting), own) => own,
                (Some(decided), _) => *decided,
            };
            states.push(state);
        }
        states.into_iter().map(|state| state == Thread::Service).collect()
    }
}

fn thread_kind(name: &str) -> Thread {
    if is_one_of(name, SERVICE_ENTRIES) {
        Thread::Service
    } else if name.starts_with('[') || is_one_of(name, THREAD_STARTS) {
        Thread::Starting
    } else {
        Thread::Program
    }
}

const _: () = assert!(Node::ROOT == u32::MAX, "a root's parent must lie beyond every vector of answers");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::CallTreeBuilder;

    /// A tree of stacks; a frame is `name` or `name=category`.
    fn tree(stacks: &[&str]) -> CallTree {
        let mut builder = CallTreeBuilder::new();
        for stack in stacks {
            let leaf = stack.split(';').fold(Node::ROOT, |at, frame| {
                let index = builder.frame(frame, None, None);
                builder.child(at, index, false)
            });
            builder.add(leaf, 1, 1.0);
        }
        let mut tree = builder.finish();
        for frame in &mut tree.frames {
            if let Some((name, category)) = frame.name.clone().split_once('=') {
                frame.name = name.to_owned();
                frame.category = Category::from(category.to_owned());
            }
        }
        tree
    }

    fn charged(stack: &str) -> String {
        let tree = tree(&[stack]);
        tree.stack_categories().last().map(|answer| answer.charged().name().to_owned()).unwrap()
    }

    #[test]
    fn the_three_answers_differ() {
        let tree = tree(&["main;Logger.log=logging;format=formatting;helper;malloc=allocation;inner"]);
        let answers = tree.stack_categories();
        let last = answers.last().unwrap();
        assert_eq!(last.leaf, &Category::Other);
        assert_eq!(last.deepest, Some(&Category::Allocation));
        assert_eq!(last.outermost, Some(&Category::Logging));
        assert_eq!(answers[0], StackCategories { leaf: &Category::Other, deepest: None, outermost: None });
    }

    #[test]
    fn cost_is_charged_to_the_outermost_cause_and_else_to_the_leaf() {
        assert_eq!(charged("main;Logger.log=logging;mallocgc=allocation"), "logging");
        assert_eq!(charged("main;json=serialization;Logger.log=logging"), "serialization");
        assert_eq!(charged("main;growslice=allocation;memmove=copy"), "copy");
        assert_eq!(charged("main;growslice=allocation;mine"), "other");
        assert_eq!(charged("main;pool=buffer management;memmove=copy"), "buffer management");
    }

    #[test]
    fn reflection_is_not_to_blame_for_the_method_that_it_calls() {
        assert_eq!(charged("Method.invoke=reflection;App.run;memmove=copy"), "copy");
        assert_eq!(charged("Method.invoke=reflection;App.run;Logger.log=logging;x"), "logging");
        assert_eq!(charged("Method.invoke=reflection;Arrays.copyOf=copy"), "reflection");
        assert_eq!(charged("Method.invoke=reflection;App.run;Class.getMethods=reflection"), "reflection");
    }

    #[test]
    fn threads_of_the_runtime_are_background_and_those_of_the_program_are_not() {
        for (stack, background) in [
            (
                "clone3;start_thread;thread_native_entry;Thread::call_run;JavaThread::thread_main_inner;CompileBroker::compiler_thread_loop;C2Compiler::compile_method",
                true,
            ),
            (
                "clone3;start_thread;thread_native_entry;Thread::call_run;VMThread::run;VMThread::inner_execute",
                true,
            ),
            (
                "[C2 CompilerThre];clone3;start_thread;thread_native_entry;Thread::call_run;JavaThread::thread_main_inner;CompileBroker::compiler_thread_loop;x",
                true,
            ),
            (
                "java;start_thread;java_start(Thread*);GCTaskThread::run();PSPromotionManager::drain_stacks_depth",
                true,
            ),
            ("java;[unknown];[libjvm.so];WorkerThread::run", true),
            ("runtime.gcBgMarkWorker;runtime.systemstack;runtime.gcBgMarkWorker.func2;runtime.gcDrain", true),
            ("runtime.goexit;runtime.bgsweep;runtime.sweepone", true),
            ("runtime.systemstack;runtime.gcBgMarkWorker.func", true),
            ("runtime.mcall;runtime.park_m;runtime.schedule;runtime.findRunnable", false),
            (
                "clone3;start_thread;thread_native_entry;Thread::call_run;JavaThread::thread_main_inner;thread_entry;JavaCalls::call_virtual;App.run",
                false,
            ),
            ("App.main;App.run;CompileBroker::compile_method", false),
            ("main;run;VMThread::run", false),
            ("PagerReads.main;PagerReads$Pager.fetchPage;runtime.bgsweep", false),
            ("(root);(garbage collector)", false),
            ("clone3;start_thread;thread_native_entry", false),
            ("VMThread::runner::x", false),
        ] {
            assert_eq!(tree(&[stack]).background().last(), Some(&background), "{stack}");
        }
    }

    #[test]
    fn shared_starts_are_not_background_themselves() {
        let tree = tree(&["clone3;start_thread;VMThread::run;gc", "clone3;start_thread;App::run"]);
        assert_eq!(tree.background(), [false, false, true, true, false]);
    }

    #[test]
    fn broken_trees_are_answered_without_panics() {
        let tree = CallTree {
            frames: Vec::new(),
            nodes: vec![Node { parent: 9, frame: 9, inlined: false, self_samples: 1, self_weight: 1.0 }],
        };
        assert_eq!((tree.stack_categories().len(), tree.background()), (1, vec![false]));
    }
}
