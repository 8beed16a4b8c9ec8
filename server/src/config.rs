//! Configuration: every flag has a `PERFBLAME_…` variable, and its doc comment is its help text.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// How `serve` and `demo` run.
#[derive(Debug, Clone, clap::Args)]
pub struct ServerOptions {
    /// Address to listen on.
    #[arg(long, env = "PERFBLAME_LISTEN", default_value = "127.0.0.1:8700")]
    pub listen: SocketAddr,
    /// PostgreSQL 15 or later, such as postgres://user:password@host/perfblame. Without it perfblame runs a
    /// private PostgreSQL of its own in --data-dir.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<String>,
    /// Where the private PostgreSQL keeps its data.
    #[arg(long, env = "PERFBLAME_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
    /// The user that the private PostgreSQL runs as when perfblame runs as root (PostgreSQL refuses root).
    #[arg(long, env = "PERFBLAME_POSTGRES_USER", default_value = "postgres")]
    pub postgres_user: String,
    /// Connections to PostgreSQL.
    #[arg(long, env = "PERFBLAME_DATABASE_CONNECTIONS", default_value_t = 16)]
    pub database_connections: u32,
    /// How links in answers and comments begin; the listening address by default.
    #[arg(long, env = "PERFBLAME_PUBLIC_URL")]
    pub public_url: Option<String>,
    /// Offers /debug/pprof/profile: a CPU profile of perfblame itself.
    #[arg(long, env = "PERFBLAME_DEBUG_PPROF")]
    pub debug_pprof: bool,
    /// Logs as JSON lines.
    #[arg(long, env = "PERFBLAME_LOG_JSON")]
    pub log_json: bool,
    /// Bounds on what is accepted.
    #[command(flatten)]
    pub limits: LimitOptions,
}

/// Bounds on uploads. Each is named in the error that it causes.
#[derive(Debug, Clone, clap::Args)]
pub struct LimitOptions {
    /// Largest request body, in bytes as sent.
    #[arg(long, env = "PERFBLAME_MAX_BODY_BYTES", default_value_t = 64 << 20)]
    pub max_body_bytes: usize,
    /// Largest file after decompression, in bytes.
    #[arg(long, env = "PERFBLAME_MAX_DECOMPRESSED_BYTES", default_value_t = formats::Limits::default().decompressed_bytes)]
    pub max_decompressed_bytes: usize,
    /// Most benchmarks in one run.
    #[arg(long, env = "PERFBLAME_MAX_BENCHMARKS", default_value_t = formats::Limits::default().benchmarks)]
    pub max_benchmarks: usize,
    /// Most observations of one measure.
    #[arg(long, env = "PERFBLAME_MAX_OBSERVATIONS", default_value_t = formats::Limits::default().observations)]
    pub max_observations: usize,
    /// Deepest stack of a profile.
    #[arg(long, env = "PERFBLAME_MAX_STACK_DEPTH", default_value_t = formats::Limits::default().stack_depth)]
    pub max_stack_depth: usize,
    /// Most different functions in one profile.
    #[arg(long, env = "PERFBLAME_MAX_FRAMES", default_value_t = formats::Limits::default().frames)]
    pub max_frames: usize,
    /// Most samples in one profile.
    #[arg(long, env = "PERFBLAME_MAX_SAMPLES", default_value_t = formats::Limits::default().samples)]
    pub max_samples: usize,
    /// Most nodes in one call tree.
    #[arg(long, env = "PERFBLAME_MAX_NODES", default_value_t = formats::Limits::default().nodes)]
    pub max_nodes: usize,
    /// Longest symbol in bytes; longer ones are cut with a warning.
    #[arg(long, env = "PERFBLAME_MAX_SYMBOL_BYTES", default_value_t = formats::Limits::default().symbol_bytes)]
    pub max_symbol_bytes: usize,
    /// Most files in one upload.
    #[arg(long, env = "PERFBLAME_MAX_FILES", default_value_t = 100)]
    pub max_files: usize,
    /// Seconds that a request may take.
    #[arg(long, env = "PERFBLAME_REQUEST_TIMEOUT_SECONDS", default_value_t = 60)]
    pub request_timeout_seconds: u64,
    /// Milliseconds that an upload waits for its verdict before it answers 202 with the link.
    #[arg(long, env = "PERFBLAME_VERDICT_WAIT_MS", default_value_t = 10_000)]
    pub verdict_wait_ms: u64,
}

impl LimitOptions {
    /// The bounds for the readers.
    pub fn formats(&self) -> formats::Limits {
        formats::Limits {
            decompressed_bytes: self.max_decompressed_bytes,
            benchmarks: self.max_benchmarks,
            observations: self.max_observations,
            stack_depth: self.max_stack_depth,
            frames: self.max_frames,
            samples: self.max_samples,
            nodes: self.max_nodes,
            symbol_bytes: self.max_symbol_bytes,
            ..formats::Limits::default()
        }
    }

    /// How long an upload waits for its verdict.
    pub fn verdict_wait(&self) -> Duration {
        Duration::from_millis(self.verdict_wait_ms)
    }
}

impl Default for LimitOptions {
    /// The defaults of the flags.
    fn default() -> Self {
        #[derive(clap::Parser)]
        struct Alone {
            #[command(flatten)]
            limits: LimitOptions,
        }
        <Alone as clap::Parser>::parse_from(["perfblame"]).limits
    }
}

/// What handlers need to know of the configuration.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// How links begin, without a slash at the end.
    pub public_url: String,
    /// Bounds on uploads.
    pub limits: LimitOptions,
    /// Whether /debug/pprof is offered.
    pub debug_pprof: bool,
}
