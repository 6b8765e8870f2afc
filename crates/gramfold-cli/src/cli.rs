//! The command line: help, man page and completions all come from these definitions.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueHint};
use gramfold::{
    Spec, Stop,
    registry::{ALGORITHMS, Component, Entry, RULES},
};

/// Learns low-rank positive semidefinite matrices, and proves that it did.
///
/// Exit codes: 0 solved, 1 stopped before the tolerance or a claim failed, 2 bad input or usage.
#[derive(Parser)]
#[command(name = "gramfold", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Factor(FactorArgs),
    Bounds(BoundsArgs),
    Check(CheckArgs),
    Paper(PaperArgs),
    /// Print the man page of the program, or of one of its commands.
    Man {
        /// The command.
        command: Option<String>,
    },
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// Approximate a symmetric matrix A by XXᵀ with few columns, and certify the answer.
///
/// Minimises ½‖A − XXᵀ‖² + h(X). Writes factor.npy (the answer ½(X+Y)), X.npy, Y.npy, the matrix,
/// trace.jsonl and, last, solution.json.
#[derive(Args)]
pub(crate) struct FactorArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// The number of columns of X.
    #[arg(short, long, value_name = "R")]
    pub(crate) rank: usize,

    #[command(flatten)]
    pub(crate) regulariser: RegulariserArgs,

    /// How γ is set: NAME or NAME:key=value,…
    #[arg(long, value_name = "NAME", default_value = "spectral", long_help = listing("How γ is set: NAME or NAME:key=value,…", RULES))]
    pub(crate) rule: Component,

    /// How the factors move: NAME or NAME:key=value,…
    #[arg(long, value_name = "NAME", default_value = "auto", long_help = listing("How the factors move: NAME or NAME:key=value,…", ALGORITHMS))]
    pub(crate) algorithm: Component,

    #[command(flatten)]
    pub(crate) stop: StopArgs,

    /// What the start is drawn from.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,

    /// Threads to use [default: every core]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,

    /// Where to write [default: the input's name with .gramfold]
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,

    /// Print one JSON object instead of the summary.
    #[arg(long)]
    pub(crate) json: bool,
}

impl FactorArgs {
    /// The run that the flags describe.
    pub(crate) fn spec(&self) -> Spec {
        Spec {
            rank: self.rank,
            regulariser: self.regulariser.component(),
            algorithm: self.algorithm.clone(),
            rule: self.rule.clone(),
            stop: self.stop.stop(),
            seed: self.seed,
        }
    }
}

/// Print every bound on γ that applies, and how far each is above what is needed.
#[derive(Args)]
pub(crate) struct BoundsArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,

    #[command(flatten)]
    pub(crate) regulariser: RegulariserArgs,

    /// The start Y₀ that some bounds depend on, as an n×r NumPy file [default: random]
    #[arg(long, value_name = "FILE.npy", value_hint = ValueHint::FilePath)]
    pub(crate) start: Option<PathBuf>,

    /// Columns of a random start [default: the smaller of 10 and n]
    #[arg(short, long, value_name = "R", conflicts_with = "start")]
    pub(crate) rank: Option<usize>,

    /// What a random start is drawn from.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,

    /// Print one JSON object instead of the table.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Recompute the certificate of a saved solution and compare every claim.
///
/// Reads only the directory's own files. Exits 0 only if every claim in solution.json holds.
#[derive(Args)]
pub(crate) struct CheckArgs {
    /// A directory written by `gramfold factor`.
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: PathBuf,
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

/// The matrix to read.
#[derive(Args)]
pub(crate) struct InputArgs {
    /// A symmetric matrix in Matrix Market form, plain or gzipped.
    #[arg(value_name = "A.mtx", value_hint = ValueHint::FilePath)]
    pub(crate) matrix: PathBuf,

    /// Take ½(A + Aᵀ) of a matrix that is not symmetric.
    #[arg(long)]
    pub(crate) symmetrise: bool,
}

/// h.
#[derive(Args)]
pub(crate) struct RegulariserArgs {
    /// Ask for X ≥ 0 (symmetric NMF).
    #[arg(long, conflicts_with = "ridge")]
    pub(crate) nonnegative: bool,

    /// Add (λ/2)‖X‖².
    #[arg(long, value_name = "λ", allow_negative_numbers = true)]
    pub(crate) ridge: Option<f64>,
}

impl RegulariserArgs {
    /// The regulariser that the flags describe.
    pub(crate) fn component(&self) -> Component {
        match (self.nonnegative, self.ridge) {
            (true, _) => Component::named("nonnegative"),
            (false, Some(lambda)) => Component::named("ridge").with("lambda", lambda),
            (false, None) => Component::named("zero"),
        }
    }
}

/// When to stop.
#[derive(Args)]
pub(crate) struct StopArgs {
    /// Stop when stationarity and ‖X−Y‖/‖X‖ are both below this.
    #[arg(long, value_name = "T", default_value = "1e-6", value_parser = positive)]
    pub(crate) tol: f64,

    /// The most iterations.
    #[arg(long, value_name = "K", default_value_t = 10_000)]
    pub(crate) max_iter: usize,

    /// The longest time, in seconds.
    #[arg(long, value_name = "S", value_parser = positive)]
    pub(crate) time_limit: Option<f64>,
}

impl StopArgs {
    /// The limits that the flags describe.
    pub(crate) fn stop(&self) -> Stop {
        let mut stop = Stop::default().tolerance(self.tol).max_iterations(self.max_iter);
        stop.time_limit =
            self.time_limit.and_then(|s| std::time::Duration::try_from_secs_f64(s).ok());
        stop
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if value > 0.0 => Ok(value),
        _ => Err("expected a positive number".into()),
    }
}

/// Every component of a kind, for the long help.
fn listing<T: ?Sized>(intro: &str, table: &[Entry<T>]) -> String {
    let mut text = format!("{intro}\n");
    for entry in table {
        text += &format!("\n  {:<12} {}", entry.name, entry.summary);
        for p in entry.parameters {
            let default = match p.default {
                None => "required".into(),
                Some(value) if value.is_nan() => "from the data".into(),
                Some(value) => value.to_string(),
            };
            text += &format!("\n  {:<12}   {} = {default}: {}", "", p.name, p.meaning);
        }
    }
    text
}
