//! The command line: help, man page and completions all come from these definitions.

mod input;
mod learn;
mod problems;
mod run;
mod sdp;

use std::{ops::RangeInclusive, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use gramfold::{
    Spec, Stop,
    registry::{ALGORITHMS, Component, Entry, RULES},
    start::Start,
};
use gramfold_cluster::{Diagonal, Normalise, Similarity};

pub(crate) use input::{ReadArgs, TableArgs, say};
pub(crate) use learn::{BiasesArg, CompleteArgs, LocateArgs};
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
    #[arg(long, global = true)]
    pub(crate) any_ratio: bool,
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

/// Approximate a symmetric matrix A by XXᵀ with few columns, and certify the answer.
///
/// Minimises ½‖A − XXᵀ‖² + h(X). Writes factor.npy (the answer ½(X+Y)), X.npy, Y.npy, the matrix,
/// trace.jsonl and solution.json.
#[derive(Args)]
pub(crate) struct FactorArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// The number of columns of X.
    #[arg(short, long, value_name = "R")]
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

/// Cluster a graph or points by symmetric NMF: labels, soft memberships and a certificate.
///
/// Reads Matrix Market, NumPy and SciPy matrices, lists of edges or neighbours, GML, GraphML, GEXF, Pajek, JSON and tables
/// of similarities, gzipped or not; with --points a table of feature vectors (.npy, .csv).
/// Writes labels.txt, memberships.npy, the graph, the known classes and the factors and the trace as `factor` does.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools)] // Flags are what they are.
pub(crate) struct ClusterArgs {
    /// The graph, or with --points the feature vectors; - is the standard input.
    #[arg(value_name = "INPUT", value_hint = ValueHint::FilePath)]
    pub(crate) input: PathBuf,

    /// The number of clusters, or a range A..B to choose from, as 2..20.
    #[arg(short, long, value_name = "K", value_parser = clusters)]
    pub(crate) k: RangeInclusive<usize>,

    /// Build a self-tuning nearest-neighbour graph of the rows of a table.
    #[arg(long, help_heading = "Input")]
    pub(crate) points: bool,

    /// Neighbours of each point [default: ⌊log₂ n⌋ + 1]
    #[arg(
        long,
        visible_alias = "neighbors",
        value_name = "N",
        requires = "points",
        help_heading = "Input"
    )]
    pub(crate) neighbours: Option<usize>,

    #[command(flatten)]
    pub(crate) table: TableArgs,

    #[command(flatten)]
    pub(crate) read: ReadArgs,

    /// Known classes, one a line, or lines of a node's name and its class: adds accuracy, NMI and ARI.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "label_column", help_heading = "Input")]
    pub(crate) truth: Option<PathBuf>,

    /// What is factorised: weights; walks[:window=T,samples=C,measure=root|logarithm|indicator], how much more often than by
    /// chance two nodes meet on a random walk of 1 to T steps; mixed[:…], the mean of both [default: chosen by the graph]
    #[arg(long, value_name = "HOW", help_heading = "Model")]
    pub(crate) similarity: Option<Similarity>,

    /// symmetric: D^-½AD^-½; regularised: with the mean degree added to D; none [default: none for walks, else regularised]
    #[arg(long, visible_alias = "normalize", value_name = "HOW", value_parser = normalise, help_heading = "Model")]
    pub(crate) normalise: Option<Normalise>,

    /// What to do with the diagonal: keep, zero, or set it to the degree.
    #[arg(long, value_name = "HOW", default_value = "keep", help_heading = "Model")]
    pub(crate) diagonal: Diagonal,

    /// Write overlap.csv, too: all clusters of a node whose membership is at least LEAST of the node's largest [default:
    /// 0.4]
    #[arg(long, value_name = "LEAST", num_args = 0..=1, require_equals = true, default_missing_value = "0.4",
          value_parser = fraction, help_heading = "Model")]
    pub(crate) overlap: Option<f64>,

    /// Runs from different starts, of which the best objective is kept [default: 1; 2 for a range of k]
    #[arg(long, value_name = "N", value_parser = at_least_one, help_heading = "Run")]
    pub(crate) restarts: Option<usize>,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    /// Say in the summary what each part of the work took.
    #[arg(long, help_heading = "Output")]
    pub(crate) verbose: bool,

    /// Write the labels here, too.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) labels: Option<PathBuf>,

    /// A method of the literature instead of ours.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["rule", "algorithm"], help_heading = "Advanced")]
    pub(crate) preset: Option<Preset>,

    #[command(flatten)]
    pub(crate) method: MethodArgs,
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

    /// Show neither the progress nor the summary.
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

/// A method of the literature, with the penalty of its paper.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Preset {
    /// Zhu et al. 2018: exact alternating least squares, their bound as γ.
    Symanls,
    /// Zhu et al. 2018: one pass over columns, their bound as γ.
    Symhals,
    /// Kuang et al. 2015: exact alternating least squares, γ = (max A)².
    Kuang,
    /// Li et al. (TKDE): one pass over columns, adaptive γ.
    Adaptive,
}

impl Preset {
    fn method(self) -> (Component, Component) {
        let (algorithm, rule) = match self {
            Self::Symanls => ("am", "zhu"),
            Self::Symhals => ("ham", "zhu"),
            Self::Kuang => ("am", "kuang"),
            Self::Adaptive => ("ham", "adp"),
        };
        (Component::named(algorithm), Component::named(rule))
    }
}

impl ClusterArgs {
    /// The run for one k and one restart, by itself or in a scan.
    pub(crate) fn spec(&self, k: usize, restart: usize, scanning: bool) -> Spec {
        let mut spec = self.method.spec(k, Component::named("nonnegative"), &self.run);
        spec.seed = spec.seed.wrapping_add(restart as u64);
        spec.start = self.method.start.of(restart);
        if let Some(preset) = self.preset {
            (spec.algorithm, spec.rule) = preset.method();
        }
        if scanning && spec.algorithm == Component::named("auto") {
            // Exchanges make runs agree at every k, and stability is what a scan is after.
            spec.algorithm = spec.algorithm.with("exchange", 0.0);
        }
        spec
    }

    /// Whether k is to be chosen.
    pub(crate) fn scans(&self) -> bool {
        self.k.end() > self.k.start()
    }

    /// Runs for each k of a range.
    pub(crate) fn restarts_of_scan(&self) -> usize {
        self.restarts.unwrap_or(2)
    }
}

/// `7` or `2..9`, both ends included.
fn clusters(text: &str) -> Result<RangeInclusive<usize>, String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    match (first.trim().parse::<usize>(), last.trim().parse::<usize>()) {
        (Ok(first), Ok(last)) if 1 <= first && first <= last => Ok(first..=last),
        _ => Err("expected a number from 1, or a range such as 2..9".into()),
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
    pub(crate) from: Option<PathBuf>,

    /// Columns of a random start [default: the smaller of 10 and n]
    #[arg(short, long, value_name = "R", conflicts_with = "from")]
    pub(crate) rank: Option<usize>,

    /// What a random start is drawn from.
    #[arg(long, default_value_t = 0)]
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
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) max_iter: usize,
}

impl MethodArgs {
    /// The run that the flags describe.
    fn spec(&self, rank: usize, regulariser: Component, run: &RunArgs) -> Spec {
        let mut stop = Stop::default().tolerance(run.tol).max_iterations(self.max_iter);
        stop.time_limit = run.limit();
        Spec {
            rank,
            regulariser,
            algorithm: self.algorithm.clone(),
            rule: self.rule.clone(),
            stop,
            start: self.start.of(0),
            seed: run.seed,
            ..Spec::default()
        }
    }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count) if count > 0 => Ok(count),
        _ => Err("expected a number from 1".into()),
    }
}

/// Takes the American spelling, too.
fn normalise(text: &str) -> Result<Normalise, String> {
    text.replace("ized", "ised")
        .parse()
        .map_err(|error: <Normalise as std::str::FromStr>::Err| error.to_string())
}

fn fraction(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if value > 0.0 && value < 1.0 => Ok(value),
        _ => Err("expected a number between 0 and 1".into()),
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
