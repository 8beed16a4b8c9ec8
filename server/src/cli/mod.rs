//! The commands. Exit codes: 0 fine, 1 regression, 2 could not judge or usage, 3 server unreachable.

mod compare;
mod demo;
mod formats;
mod health;
mod hints;
mod import;
mod inspect;
mod migrate;
mod push;
mod serve;

use std::io::Write as _;
use std::process::ExitCode;

use model::{Outcome, Verdict};

/// Catches performance regressions and names the code that caused them.
#[derive(Debug, clap::Parser)]
#[command(name = "perfblame", version, propagate_version = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Serve the API and the pages.
    Serve(serve::Options),
    /// Serve with the demo data loaded, and print the links.
    Demo(serve::Options),
    /// Upload a run and print its verdict.
    Push(push::Options),
    /// Upload every run of a file that keeps many: what other tools remember.
    Import(import::Options),
    /// Compare two sides offline: no server, no database.
    Compare(compare::Options),
    /// Show what perfblame reads in a file, as JSON.
    Inspect(inspect::Options),
    /// List the formats that perfblame reads.
    Formats,
    /// Bring a database's schema up to date.
    Migrate(migrate::Options),
    /// Ask a server whether it is ready (for health checks).
    Health(health::Options),
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exit {
    /// Nothing to report.
    Fine = 0,
    /// A regression.
    Regression = 1,
    /// Could not judge, or wrong usage.
    CouldNotJudge = 2,
    /// The server cannot be reached.
    Unreachable = 3,
}

impl Exit {
    /// What a verdict means for CI.
    fn of(verdict: &Verdict) -> Self {
        match verdict.outcome {
            _ if !verdict.budgets.is_empty() => Self::Regression,
            Outcome::Regressed | Outcome::Mixed => Self::Regression,
            Outcome::Improved | Outcome::Unchanged => Self::Fine,
            Outcome::Unstable | Outcome::Inconclusive | Outcome::NoBaseline => Self::CouldNotJudge,
        }
    }
}

/// Runs a command.
pub fn run(cli: Cli) -> ExitCode {
    let done = match cli.command {
        Command::Serve(options) => block_on(serve::run(options, false)),
        Command::Demo(options) => block_on(serve::run(options, true)),
        Command::Push(options) => block_on(push::run(options)),
        Command::Import(options) => block_on(import::run(options)),
        Command::Compare(options) => compare::run(&options),
        Command::Inspect(options) => inspect::run(&options),
        Command::Formats => Ok(formats::run()),
        Command::Migrate(options) => block_on(migrate::run(options)),
        Command::Health(options) => block_on(health::run(options)),
    };
    let exit = done.unwrap_or_else(|error| {
        let _ = writeln!(std::io::stderr(), "perfblame: {error:#}");
        Exit::CouldNotJudge
    });
    ExitCode::from(exit as u8)
}

fn block_on(work: impl Future<Output = anyhow::Result<Exit>>) -> anyhow::Result<Exit> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(work)
}

/// Writes to standard output; a reader that went away (`| head`) is no error.
fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Installs the TLS provider once; needed by every outgoing HTTPS request.
fn install_tls() {
    // A second call finds one installed, which is what is wanted.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
