//! The bounds on what is read. All configurable, all named in the error that they cause.

/// Bounds on one input. The defaults fit CI; a service passes its configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes after decompression (`max_decompressed_bytes`).
    pub decompressed_bytes: usize,
    /// Benchmarks in one file (`max_benchmarks`).
    pub benchmarks: usize,
    /// Measures of one benchmark (`max_measures`).
    pub measures: usize,
    /// Observations of one measure (`max_observations`).
    pub observations: usize,
    /// Values in one JSON document, members and elements counted (`max_json_values`).
    pub json_values: usize,
    /// Frames on one stack (`max_stack_depth`).
    pub stack_depth: usize,
    /// Different functions in one profile (`max_frames`).
    pub frames: usize,
    /// Nodes of one call tree (`max_nodes`).
    pub nodes: usize,
    /// Samples (stacks) in one profile file (`max_samples`).
    pub samples: usize,
    /// Bytes of one frame's name; longer ones are cut with a warning (`max_symbol_bytes`).
    pub symbol_bytes: usize,
    /// Warnings kept; the rest is counted (`max_warnings`).
    pub warnings: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            decompressed_bytes: 256 << 20,
            benchmarks: 20_000,
            measures: 1_000,
            observations: 100_000,
            json_values: 5_000_000,
            stack_depth: 20_000,
            frames: 1_000_000,
            nodes: 5_000_000,
            samples: 5_000_000,
            symbol_bytes: 16_384,
            warnings: 100,
        }
    }
}
