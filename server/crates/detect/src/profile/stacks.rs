//! What a whole stack is for: the category it is charged to, and whether it is the runtime's own thread.

use model::profile::{CallTree, Category, Node};

/// For every node, the category that a stack ending there is charged to: the outermost frame that says why work is
/// done (logging, compression …), else the leaf's own category.
pub(crate) fn charged_categories(tree: &CallTree) -> Vec<&Category> {
    let mut causes: Vec<Option<&Category>> = Vec::with_capacity(tree.nodes.len());
    for node in &tree.nodes {
        let own = category_of(tree, node);
        let above = causes.get(node.parent as usize).copied().flatten();
        causes.push(above.or(own.filter(|category| category.is_cause())));
    }
    let leaf = |node| category_of(tree, node).unwrap_or(&Category::Other);
    causes.iter().zip(&tree.nodes).map(|(cause, node)| cause.unwrap_or_else(|| leaf(node))).collect()
}

fn category_of<'a>(tree: &'a CallTree, node: &Node) -> Option<&'a Category> {
    tree.frames.get(node.frame as usize).map(|frame| &frame.category)
}

/// Frames that only threads of the runtime itself have on their stacks: compilers, collectors, watchers.
const RUNTIME_THREADS: [&str; 20] = [
    "CompileBroker::compiler_thread_loop",
    "GangWorker::",
    "WorkerThread::run",
    "AbstractGangWorker::",
    "ConcurrentGCThread::",
    "G1ConcurrentRefineThread::",
    "VMThread::",
    "WatcherThread::",
    "ServiceThread::",
    "MonitorDeflationThread::",
    "ZWorker",
    "runtime.gcBgMarkWorker",
    "runtime.bgsweep",
    "runtime.bgscavenge",
    "runtime.sysmon",
    "runtime.forcegchelper",
    "v8::platform::",
    "node::WorkerThreadsTaskRunner",
    "v8::internal::ConcurrentMarking",
    "v8::internal::OptimizingCompileDispatcher",
];

/// Where a JVM enters Java code; a native thread of it that never does is its own.
const JVM_THREAD: &str = "thread_native_entry";
const JAVA_ENTRIES: [&str; 4] = ["JavaCalls::", "call_stub", "JVM_", "java."];

/// For every node, whether a stack ending there belongs to a thread of the runtime.
pub(crate) fn background(tree: &CallTree) -> Vec<bool> {
    let marks: Vec<(bool, bool, bool)> = tree
        .frames
        .iter()
        .map(|frame| {
            let name = frame.name.as_str();
            let runtime = RUNTIME_THREADS.iter().any(|prefix| name.starts_with(prefix));
            (runtime, name == JVM_THREAD, JAVA_ENTRIES.iter().any(|prefix| name.starts_with(prefix)))
        })
        .collect();
    // Per node: seen a runtime thread, seen a JVM thread's entry, seen Java code.
    let mut seen: Vec<(bool, bool, bool)> = Vec::with_capacity(tree.nodes.len());
    for node in &tree.nodes {
        let above = seen.get(node.parent as usize).copied().unwrap_or_default();
        let here = marks.get(node.frame as usize).copied().unwrap_or_default();
        seen.push((above.0 | here.0, above.1 | here.1, above.2 | here.2));
    }
    seen.into_iter().map(|(runtime, jvm, java)| runtime || (jvm && !java)).collect()
}
