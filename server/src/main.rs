//! The binary: parses the command line, runs a command, turns its answer into an exit code.

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = perfblame::cli::Cli::parse();
    perfblame::cli::run(cli)
}
