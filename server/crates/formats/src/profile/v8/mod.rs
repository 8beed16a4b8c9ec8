//! Profiles of V8 (Node.js, Chrome, Deno): `.cpuprofile` and `.heapprofile`.
//!
//! Description: the domains `Profiler` and `HeapProfiler` of <https://chromedevtools.github.io/devtools-protocol/>.

pub(super) mod cpu;
mod heap;

use super::parts::known;
use super::sink::Sink;
use crate::error::{At, ParseError};
use crate::read::Reader;

/// `.cpuprofile`.
pub(super) const CPU: Reader = Reader {
    name: cpu::NAME,
    about: "a processor profile of V8 (.cpuprofile)",
    sniff: cpu::sniff,
    read: cpu::read,
};

/// `.heapprofile`.
pub(super) const HEAP: Reader = Reader {
    name: heap::NAME,
    about: "a sampled heap profile of V8 (.heapprofile)",
    sniff: heap::sniff,
    read: heap::read,
};

/// Where a function stands.
#[derive(serde::Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct CallFrame {
    function_name: String,
    url: Option<String>,
}

impl CallFrame {
    fn frame(&self, sink: &mut Sink<'_>, at: impl FnOnce() -> At) -> Result<u32, ParseError> {
        let name = if self.function_name.is_empty() { "(anonymous)" } else { &self.function_name };
        sink.frame(at, name, None, known(self.url.as_deref()))
    }
}
