//! The command line: help, man page and completions all come from these definitions.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Learns low-rank positive semidefinite matrices, and proves that it did.
#[derive(Parser)]
#[command(name = "gramfold", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Paper(PaperArgs),
}

/// Reproduce the paper's examples digit for digit, and the experiments it leaves open.
#[derive(Args)]
pub(crate) struct PaperArgs {
    /// Write every result as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Write a self-contained page with the eight panels, the tables and the experiments.
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,

    /// Run the experiment files of this directory instead of the built-in ones.
    #[arg(long, value_name = "DIR")]
    pub(crate) experiments: Option<PathBuf>,
}
