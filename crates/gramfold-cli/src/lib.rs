//! The program `gramfold` as a library: [`main`] runs it, [`store`] writes and reads its directories, and [`memory`] writes them for answers
//! that did not come from a file.

#![forbid(unsafe_code)]

mod answer;
mod bounds;
mod check;
mod checkpoint;
mod cli;
mod cluster;
mod complete;
mod convergence;
mod correlation;
mod exit;
mod factor;
mod factorisation;
mod factors;
mod fit;
mod guard;
mod interrupt;
mod kernel;
mod learn;
mod line;
mod locate;
mod maxcut;
pub mod memory;
mod metric;
mod output;
mod pages;
mod paper;
mod recover;
#[cfg(test)]
mod reference;
mod resources;
mod sdp;
mod session;
mod solve;
mod source;
mod step;
pub mod store;
mod theta;
mod watch;

use std::{ffi::OsString, path::Path};

use anyhow::{Context, bail};
use clap::CommandFactory;
use rayon::{ThreadPool, ThreadPoolBuilder};

pub use exit::Exit;
pub use resources::{Cost, Spent, Timings};

use cli::{Cli, Command};
use maxcut::Question;

/// Runs the program with its arguments, the first of which is its own name, and returns the exit code.
///
/// 0 solved, 1 stopped before the tolerance or a check failed, 2 bad input or usage.
pub fn main<A: Into<OsString> + Clone>(arguments: impl IntoIterator<Item = A>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let command = match Cli::read(&arguments) {
        Ok(Cli { command, any_ratio }) => {
            if any_ratio {
                gramfold_io::lift_ratio_cap();
            }
            command
        }
        Err(error) => {
            // Help and version are printed this way, too; nobody can be told if that fails.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    let shared = command.shared();
    let (threads, quiet) =
        shared.map_or((None, false), |(run, output)| (run.threads, output.quiet));
    output::begin(quiet);
    // Commands without a run have nothing to stop with: Ctrl-C ends them.
    if shared.is_some() {
        interrupt::begin();
    }
    let outcome = pool(threads).and_then(|pool| pool.install(|| run(&command, &line(&arguments))));
    match outcome {
        Ok(exit) => exit.code(),
        Err(error) if output::is_broken_pipe(&error) => Exit::Solved.code(),
        Err(error) => {
            output::error(&error);
            Exit::Refused.code()
        }
    }
}

/// The length of the largest file that is an argument, roughly as it is unpacked.
pub fn largest_file(arguments: &[OsString]) -> u64 {
    let length = |path: &OsString| {
        let path = Path::new(path);
        let packed = path.extension().is_some_and(|extension| extension == "gz");
        source::file_size(path).saturating_mul(if packed { 3 } else { 1 })
    };
    arguments.iter().skip(1).map(length).max().unwrap_or(0)
}

/// The command line as it can be typed again.
fn line(arguments: &[OsString]) -> String {
    let quoted = |argument: &OsString| {
        let text = argument.to_string_lossy();
        let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
        if !text.is_empty() && text.chars().all(plain) {
            text.into_owned()
        } else {
            format!("'{}'", text.replace('\'', r"'\''"))
        }
    };
    let words: Vec<String> = arguments.iter().skip(1).map(quoted).collect();
    format!("gramfold {}", words.join(" "))
}

fn run(command: &Command, line: &str) -> anyhow::Result<Exit> {
    match command {
        Command::Factor(args) => factor::run(args, line),
        Command::Cluster(args) => cluster::run(args, line),
        Command::Complete(args) => complete::run(args, line),
        Command::Locate(args) => locate::run(args, line),
        Command::Factors(args) => factors::run(args, line),
        Command::Metric(args) => metric::run(args, line),
        Command::Fit(args) => fit::run(args, line),
        Command::Correlation(args) => correlation::run(args, line),
        Command::Recover(args) => recover::run(args, line),
        Command::Kernel(args) => kernel::run(args, line),
        Command::Solve(args) => solve::run(args, line),
        Command::Theta(args) => theta::run(args, line),
        Command::Maxcut(args) => maxcut::run(args, line, Question::MAX_CUT),
        Command::Bisect(args) => maxcut::run(args, line, Question::BISECTION),
        Command::Bounds(args) => bounds::run(args),
        Command::Check(args) => check::run(args),
        Command::Paper(args) => paper::run(args),
        Command::Man { command } => man(command.as_deref()),
        Command::Completions { shell } => completions(*shell),
    }
}

/// More threads than this take longer to start than they save; some tens of thousands never end to.
const MOST_THREADS: usize = 1024;

/// The threads. The command itself runs on one of them: a kernel called from outside would put the
/// caller to sleep and wake it again, which costs more than a small kernel does.
fn pool(threads: Option<usize>) -> anyhow::Result<ThreadPool> {
    if let Some(n) = threads
        && !(1..=MOST_THREADS).contains(&n)
    {
        bail!("--threads {n} is not allowed: use at least 1, and at most {MOST_THREADS}");
    }
    let builder = || ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0));
    // A thread less to start, and memory that it need not have of its own; refused where this thread is in a pool already.
    let whole = builder().use_current_thread().build();
    whole.or_else(|_| builder().build()).context("cannot start the threads")
}

/// The man page of the program, or of one of its commands.
fn man(command: Option<&str>) -> anyhow::Result<Exit> {
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
    Ok(Exit::Solved)
}

fn completions(shell: clap_complete::Shell) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "gramfold", &mut script);
    output::data(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Solved)
}
