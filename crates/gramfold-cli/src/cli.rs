//! The command line: help, man page and completions all come from these definitions.

mod cluster;
mod input;
mod learn;
mod problems;
mod run;
mod sdp;

use std::{ffi::OsString, path::PathBuf, str::FromStr};

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use gramfold::{
    Spec,
    registry::{ALGORITHMS, Component, Entry, RULES},
    start::Start,
};

pub(crate) use cluster::ClusterArgs;
pub(crate) use input::{ReadArgs, TableArgs, say};
pub(crate) use learn::{BiasesArg, CompleteArgs, FOLDS, LocateArgs};
pub(crate) use problems::{
    CorrelationArgs, FactorsArgs, FitArgs, KernelArgs, MetricArgs, RecoverArgs,
};
pub(crate) use run::RunArgs;
pub(crate) use sdp::{CutArgs, RankArg, SolveArgs, ThetaArgs};

/// Learns low-rank positive semidefinite matrices, and proves that it did.
///
/// Exit codes: 0 solved, 1 stopped before the tolerance or a claim failed, 2 bad input or usage.
#[derive(Parser)]
#[command(name = "gramfold", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Read gzipped files however much larger they are unpacked; by default at most a hundred times, beyond 256 MiB.
    #[arg(long, global = true, help_heading = "Advanced")]
    pub(crate) any_ratio: bool,
}

/// One command as if it were the program.
#[derive(Parser)]
struct Alone<A: Args> {
    #[command(flatten)]
    args: A,

    #[arg(long)]
    any_ratio: bool,
}

impl Cli {
    /// What the arguments ask for. A command that runs is read as if there were no other: to describe them all takes a small run
    /// a tenth of its time. Where that fails, all are asked, for help and errors that know the whole program.
    pub(crate) fn read(arguments: &[OsString]) -> Result<Self, clap::Error> {
        let rest = arguments.get(1..).unwrap_or_default();
        let alone = match rest.first().and_then(|name| name.to_str()) {
            Some("cluster") => Self::alone(rest, |args| Command::Cluster(Box::new(args))),
            Some("factor") => Self::alone(rest, Command::Factor),
            Some("solve") => Self::alone(rest, Command::Solve),
            _ => None,
        };
        alone.map_or_else(|| Self::try_parse_from(arguments), Ok)
    }

    fn alone<A: Args>(arguments: &[OsString], command: fn(A) -> Command) -> Option<Self> {
        let Alone { args, any_ratio } = Alone::try_parse_from(arguments).ok()?;
        Some(Self { command: command(args), any_ratio })
    }
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Factor(FactorArgs),
    Cluster(Box<ClusterArgs>),
    Complete(CompleteArgs),
    Locate(LocateArgs),
    Factors(FactorsArgs),
    Metric(MetricArgs),
    Correlation(CorrelationArgs),
    Recover(RecoverArgs),
    Kernel(KernelArgs),
    Fit(FitArgs),
    Solve(SolveArgs),
    Theta(ThetaArgs),
    /// Cut a graph in two with much weight between the sides, and prove how much there can be.
    ///
    /// Solves the semidefinite relaxation, whose certified bound no cut exceeds, and rounds it by random hyperplanes
    /// and local search. Reads rudy and Gset files (`n m`, then `i j w`) and what `cluster` reads; weights may be
    /// negative. Writes partition.txt (0 or 1 a line, after the name of the node if it has one), factor.npy, dual.npy, the
    /// graph, trace.jsonl and solution.json.
    Maxcut(CutArgs),
    /// Halve a graph with little weight between the halves, and prove how little there can be.
    ///
    /// Solves the semidefinite relaxation, whose certified bound no bisection is below, and rounds it by random
    /// hyperplanes and local search. The halves of an odd number of nodes differ by one. Reads and writes what `maxcut`
    /// does.
    Bisect(CutArgs),
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

impl Command {
    /// The flags that every run has, of a command that makes one.
    pub(crate) fn shared(&self) -> Option<(&RunArgs, &OutputArgs)> {
        Some(match self {
            Self::Factor(args) => (&args.run, &args.output),
            Self::Cluster(args) => (&args.run, &args.output),
            Self::Complete(args) => (&args.run, &args.output),
            Self::Locate(args) => (&args.run, &args.output),
            Self::Factors(args) => (&args.run, &args.output),
            Self::Metric(args) => (&args.run, &args.output),
            Self::Correlation(args) => (&args.run, &args.output),
            Self::Recover(args) => (&args.run, &args.output),
            Self::Kernel(args) => (&args.run, &args.output),
            Self::Fit(args) => (&args.run, &args.output),
            Self::Solve(args) => (&args.run, &args.output),
            Self::Theta(args) => (&args.run, &args.output),
            Self::Maxcut(args) | Self::Bisect(args) => (&args.run, &args.output),
            _ => return None,
        })
    }
}

/// Approximate a symmetric matrix A by XXᵀ with few columns, and certify the answer.
///
/// Minimises ½‖A − XXᵀ‖² + h(X). Writes factor.npy (the answer ½(X+Y)), X.npy, Y.npy, the matrix,
/// trace.jsonl and solution.json.
#[derive(Args)]
pub(crate) struct FactorArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// The number of columns of X.
    #[arg(short, long, value_name = "R", value_parser = whole, allow_negative_numbers = true)]
    pub(crate) rank: usize,

    #[command(flatten)]
    pub(crate) regulariser: RegulariserArgs,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(flatten)]
    pub(crate) method: MethodArgs,
}

impl FactorArgs {
    /// The run that the flags describe.
    pub(crate) fn spec(&self) -> Spec {
        self.method.spec(self.rank, self.regulariser.component(), &self.run)
    }
}

/// Where the answer goes.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Where to write [default: the input's name with the command after it, as karate.cluster]
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,

    /// Write a self-contained page that shows the answer and the run.
    #[arg(long, value_name = "FILE.html", value_hint = ValueHint::FilePath)]
    pub(crate) report: Option<PathBuf>,

    /// Print one JSON object instead of the summary.
    #[arg(long)]
    pub(crate) json: bool,

    /// Show neither the progress nor the summary; warnings stay.
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Where a run starts.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum StartArg {
    /// Spectral for the first run, random for further ones.
    Auto,
    /// Random entries, scaled to the data.
    Random,
    /// Leading eigenvectors, roughly; where X ≥ 0, rotated towards it.
    Spectral,
}

impl StartArg {
    /// The start of a run.
    fn of(self, restart: usize) -> Start {
        match self {
            Self::Auto if restart > 0 => Start::Random,
            Self::Random => Start::Random,
            Self::Auto | Self::Spectral => Start::Spectral,
        }
    }
}

/// Print every bound on γ that applies, and how far each is above what is needed.
///
/// Of ½‖A − XXᵀ‖² + h(X) for a matrix, or of any problem that a file `.toml` describes as for `fit`. The constants that the bounds
/// are made of are printed, too: σ_f, l_f, σ_h, and whether h(0) = min h.
#[derive(Args)]
pub(crate) struct BoundsArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,

    #[command(flatten)]
    pub(crate) regulariser: RegulariserArgs,

    /// The start Y₀ that some bounds depend on, as an n×r NumPy file [default: random]
    #[arg(long, value_name = "FILE.npy", value_hint = ValueHint::FilePath)]
    pub(crate) from: Option<PathBuf>,

    /// Columns of a random start [default: the smaller of 10 and n]
    #[arg(short, long, value_name = "R", value_parser = whole, allow_negative_numbers = true, conflicts_with = "from")]
    pub(crate) rank: Option<usize>,

    /// What a random start is drawn from.
    #[arg(long, default_value_t = 0, value_parser = seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,

    /// Print one JSON object instead of the table.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Recompute every claim of a saved answer, whichever command wrote it.
///
/// Reads only the directory's own files. Exits 0 if every claim in solution.json holds and every file is as it was
/// written, else 1, and says which; what cannot be recomputed, such as times, is listed as not checked.
#[derive(Args)]
pub(crate) struct CheckArgs {
    /// A directory that gramfold wrote.
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: PathBuf,
}

/// Reproduce the paper's examples digit for digit, and the experiments it leaves open.
#[derive(Args)]
pub(crate) struct PaperArgs {
    /// Write every result as JSON to this file.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Print every result as one JSON object instead of the tables.
    #[arg(long)]
    pub(crate) json: bool,

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
    /// A symmetric matrix or a graph, in any format that docs/inputs.md lists, plain or gzipped; - is the standard input.
    #[arg(value_name = "MATRIX", value_hint = ValueHint::FilePath)]
    pub(crate) matrix: PathBuf,

    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// h.
#[derive(Args)]
pub(crate) struct RegulariserArgs {
    /// Ask for X ≥ 0 (symmetric NMF).
    #[arg(long, conflicts_with = "ridge", help_heading = "Model")]
    pub(crate) nonnegative: bool,

    /// Add (λ/2)‖X‖².
    #[arg(long, value_name = "λ", allow_negative_numbers = true, help_heading = "Model")]
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

/// How a factorisation is made.
#[derive(Args)]
#[command(next_help_heading = "Advanced")]
pub(crate) struct MethodArgs {
    /// How γ is set: NAME or NAME:key=value,…
    #[arg(long, value_name = "NAME", default_value = "spectral", long_help = listing("How γ is set: NAME or NAME:key=value,…", RULES))]
    pub(crate) rule: Component,

    /// How the factors move: NAME or NAME:key=value,…
    #[arg(long, value_name = "NAME", default_value = "auto", long_help = listing("How the factors move: NAME or NAME:key=value,…", ALGORITHMS))]
    pub(crate) algorithm: Component,

    /// Where to start.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) start: StartArg,

    /// The most iterations.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = whole, allow_negative_numbers = true)]
    pub(crate) max_iter: usize,
}

impl MethodArgs {
    /// The run that the flags describe.
    fn spec(&self, rank: usize, regulariser: Component, run: &RunArgs) -> Spec {
        Spec {
            rank,
            regulariser,
            algorithm: self.algorithm.clone(),
            rule: self.rule.clone(),
            start: self.start.of(0),
            ..run.spec(self.max_iter)
        }
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

/// A number that is as it should be.
fn number<T: FromStr>(text: &str, fits: fn(&T) -> bool, expected: &str) -> Result<T, String> {
    text.parse().ok().filter(fits).ok_or_else(|| format!("expected {expected}"))
}

fn positive(text: &str) -> Result<f64, String> {
    number(text, |value| *value > 0.0, "a positive number")
}

fn nonnegative(text: &str) -> Result<f64, String> {
    number(text, |value| *value >= 0.0 && f64::is_finite(*value), "a number from 0")
}

fn whole(text: &str) -> Result<usize, String> {
    number(text, |_| true, "a whole number from 0")
}

fn seed(text: &str) -> Result<u64, String> {
    number(text, |_| true, "a whole number from 0")
}

fn at_least_one(text: &str) -> Result<usize, String> {
    number(text, |count| *count > 0, "a number from 1")
}

fn fraction(text: &str) -> Result<f64, String> {
    number(text, |value| *value > 0.0 && *value < 1.0, "a number between 0 and 1")
}
