//! `gramfold`: parse, run, exit code.
//!
//! 0 solved, 1 stopped before the tolerance or a check failed, 2 bad input or usage.

#![forbid(unsafe_code)]

mod bisect;
mod bounds;
mod check;
mod checkpoint;
mod cli;
mod cluster;
mod factor;
mod interrupt;
mod line;
mod maxcut;
mod output;
mod paper;
mod progress;
mod resources;
mod saved;
mod sdp;
mod solve;
mod theta;

use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{CommandFactory, Parser};
use rayon::{ThreadPool, ThreadPoolBuilder};

use cli::{Cli, Command};

/// Asks for huge pages, with which products with large random sparse matrices wait less for their gathered rows,
/// and keeps what is freed for what is asked for next.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Bytes of an input from which huge pages pay.
const LARGE: u64 = 1 << 20;

fn main() -> ExitCode {
    spare_huge_pages();
    let command = Cli::parse().command;
    let threads = match &command {
        Command::Factor(args) => args.method.threads,
        Command::Cluster(args) => args.method.threads,
        Command::Solve(args) => args.run.threads,
        Command::Theta(args) => args.run.threads,
        Command::Maxcut(args) | Command::Bisect(args) => args.run.threads,
        _ => None,
    };
    std::thread::spawn(gramfold::linalg::know_the_caches);
    let outcome = pool(threads).and_then(|pool| pool.install(|| run(&command)));
    match outcome {
        Ok(code) => code,
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&error);
            ExitCode::from(2)
        }
    }
}

/// Does without huge pages where no argument is a large file: each is cleared as a whole when it is first touched, which
/// takes a small command a fifth of its time.
fn spare_huge_pages() {
    let large = |path| std::fs::metadata(path).is_ok_and(|file| file.len() > LARGE);
    #[cfg(target_os = "linux")]
    if !std::env::args_os().skip(1).any(large) {
        // A kernel that cannot is none the worse.
        let _ = rustix::thread::disable_transparent_huge_pages(true);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = large;
}

fn run(command: &Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Factor(args) => factor::run(args),
        Command::Cluster(args) => cluster::run(args),
        Command::Solve(args) => solve::run(args),
        Command::Theta(args) => theta::run(args),
        Command::Maxcut(args) => maxcut::run(args),
        Command::Bisect(args) => bisect::run(args),
        Command::Bounds(args) => bounds::run(args),
        Command::Check(args) => check::run(args),
        Command::Paper(args) => paper::run(args),
        Command::Man { command } => man(command.as_deref()),
        Command::Completions { shell } => completions(*shell),
    }
}

/// The threads. The command itself runs on one of them: a kernel called from outside would put the
/// caller to sleep and wake it again, which costs more than a small kernel does.
fn pool(threads: Option<usize>) -> anyhow::Result<ThreadPool> {
    if threads == Some(0) {
        bail!("--threads 0 is not allowed: use at least 1");
    }
    let builder = ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0));
    builder.build().context("cannot start the threads")
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
