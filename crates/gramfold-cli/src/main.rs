//! `gramfold`: parse, run, exit code.
//!
//! 0 solved, 1 stopped before the tolerance or a check failed, 2 bad input or usage.

#![forbid(unsafe_code)]

mod cli;
mod output;
mod paper;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Paper(args) => paper::run(&args),
    };
    match outcome {
        Ok(code) => code,
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::message(&format!("error: {error:#}"));
            ExitCode::from(2)
        }
    }
}
