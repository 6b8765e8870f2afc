//! `gramfold`: parse, run, exit code.
//!
//! 0 solved, 1 stopped before the tolerance or a check failed, 2 bad input or usage.

#![forbid(unsafe_code)]

mod bounds;
mod check;
mod cli;
mod factor;
mod interrupt;
mod output;
mod paper;
mod progress;
mod resources;
mod saved;

use std::process::ExitCode;

use anyhow::Context;
use clap::{CommandFactory, Parser};

use cli::{Cli, Command};

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Factor(args) => factor::run(&args),
        Command::Bounds(args) => bounds::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Paper(args) => paper::run(&args),
        Command::Man { command } => man(command.as_deref()),
        Command::Completions { shell } => completions(shell),
    };
    match outcome {
        Ok(code) => code,
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&error);
            ExitCode::from(2)
        }
    }
}

/// The man page of the program, or of one of its commands.
fn man(command: Option<&str>) -> anyhow::Result<ExitCode> {
    let mut program = Cli::command();
    program.build();
    let page = match command {
        None => program,
        Some(name) => program
            .find_subcommand(name)
            .cloned()
            .with_context(|| format!("there is no command `{name}`; see `gramfold --help`"))?,
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    output::data(&String::from_utf8_lossy(&text))?;
    Ok(ExitCode::SUCCESS)
}

fn completions(shell: clap_complete::Shell) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "gramfold", &mut script);
    output::data(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
