//! The commands for learning problems that are one loss each.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use gramfold::{Spec, registry::Component};
use gramfold_learn::{Measured, MetricModel, Rotation, folded_spec, recover_spec};

use super::{
    InputArgs, MethodArgs, OutputArgs, ReadArgs, RunArgs, TableArgs, at_least_one, nonnegative,
    positive, whole,
};

/// Explain correlations by a few common factors, and rotate them to a simple structure.
///
/// Minimises the squared residual correlations off the diagonal (minres, where principal axes end). Reads a matrix of
/// correlations or covariances, or with --points a table with a variable a column. Writes factor.npy (the unrotated
/// loadings), loadings.npy and loadings.csv (rotated), communalities.npy, factor-correlations.npy, the
/// correlations, names.txt (of the variables), X.npy, Y.npy, trace.jsonl and solution.json.
#[derive(Args)]
pub(crate) struct FactorsArgs {
    /// The correlations, or with --points the observations; - is the standard input.
    #[arg(value_name = "INPUT", value_hint = ValueHint::FilePath)]
    pub(crate) input: PathBuf,

    /// The number of factors.
    #[arg(short, long, value_name = "K", value_parser = at_least_one, allow_negative_numbers = true)]
    pub(crate) k: usize,

    /// Read a table: an observation a row, a variable a column.
    #[arg(long, help_heading = "Input")]
    pub(crate) points: bool,

    #[command(flatten)]
    pub(crate) table: TableArgs,

    #[command(flatten)]
    pub(crate) read: ReadArgs,

    /// How the loadings are rotated.
    #[arg(long, value_enum, value_name = "HOW", default_value = "varimax", help_heading = "Model")]
    pub(crate) rotate: RotateArg,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(flatten)]
    pub(crate) method: MethodArgs,
}

impl FactorsArgs {
    /// The run that the flags describe.
    pub(crate) fn spec(&self) -> Spec {
        let base = self.method.spec(self.k, Component::named("zero"), &self.run);
        gramfold_learn::factors_spec(self.k, &base)
    }
}

/// How loadings are rotated.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum RotateArg {
    /// To columns of few large loadings, at right angles.
    Varimax,
    /// Varimax, and then off the right angle: factors may correlate.
    Promax,
    /// Not at all: principal axes.
    None,
}

impl From<RotateArg> for Rotation {
    fn from(how: RotateArg) -> Self {
        match how {
            RotateArg::Varimax => Self::Varimax,
            RotateArg::Promax => Self::Promax,
            RotateArg::None => Self::None,
        }
    }
}

/// Learn a metric of low rank in which points are near to their like.
///
/// Reads a table of points and what is known of them: classes, pairs that belong together or apart, or triplets. Learns a
/// Mahalanobis metric M = LLᵀ by comparisons of squared distances, from the Euclidean one on, and says how often the
/// nearest neighbours of points that were held out vote for the right class before and after. Writes factor.npy (L, for
/// the features as they are in the table), transformed.npy (the points times L), points.npy, names.txt (of the points), what was
/// compared, X.npy and Y.npy (L for standardised features), trace.jsonl and solution.json.
// Neighbours, and what they vote for, do not depend on further digits.
#[derive(Args)]
#[command(mut_arg("tol", |tol| tol.default_value("1e-4")))]
pub(crate) struct MetricArgs {
    /// The points, one a row (.csv, .npy); - is the standard input.
    #[arg(value_name = "POINTS", value_hint = ValueHint::FilePath)]
    pub(crate) points: PathBuf,

    /// The class of each point, one a line, or lines of a point's name and its class.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["label_column", "pairs", "triplets"], help_heading = "Input")]
    pub(crate) labels: Option<PathBuf>,

    /// Pairs of points, by name or number from zero, and 1 where they belong together, -1 where they do not.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["label_column", "triplets"], help_heading = "Input")]
    pub(crate) pairs: Option<PathBuf>,

    /// Triplets i j l of points, by name or number from zero: i is nearer to j than to l.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "label_column", help_heading = "Input")]
    pub(crate) triplets: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) table: TableArgs,

    /// Learn from the features as they are, not standardised.
    #[arg(long, help_heading = "Input")]
    pub(crate) raw: bool,

    /// The number of columns of L [default: as many as there are features, up to 64]
    #[arg(short, long, value_name = "R", value_parser = at_least_one, allow_negative_numbers = true, help_heading = "Model")]
    pub(crate) rank: Option<usize>,

    /// Near neighbours of the same class that each point is compared with.
    #[arg(long, value_name = "N", value_parser = at_least_one, allow_negative_numbers = true, help_heading = "Model")]
    pub(crate) targets: Option<usize>,

    /// Near neighbours of other classes [default: 5]
    #[arg(long, value_name = "N", value_parser = at_least_one, allow_negative_numbers = true, help_heading = "Model")]
    pub(crate) impostors: Option<usize>,

    /// The margin at the start, as a share of the mean squared distance to near neighbours [default: 0.3, or 1 where a class has few points for each feature]
    #[arg(long, value_name = "M", value_parser = positive, allow_negative_numbers = true, help_heading = "Model")]
    pub(crate) margin: Option<f64>,

    /// How much the mean squared distance to near neighbours of the same class counts [default: 0.2, or 0]
    #[arg(long, value_name = "W", value_parser = nonnegative, allow_negative_numbers = true, help_heading = "Model")]
    pub(crate) pull: Option<f64>,

    /// How much the squared distance to the Euclidean metric counts [default: 0.1, or 0.03; 0 beyond 512 features]
    #[arg(long, value_name = "W", value_parser = nonnegative, allow_negative_numbers = true, help_heading = "Model")]
    pub(crate) stay: Option<f64>,

    /// The neighbours that vote where classes are known.
    #[arg(long, visible_alias = "neighbors", value_name = "K", default_value_t = 3, value_parser = at_least_one, allow_negative_numbers = true, help_heading = "Model")]
    pub(crate) neighbours: usize,

    /// In how many parts the points are held out, one after the other, to measure accuracy; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = whole, allow_negative_numbers = true, help_heading = "Model")]
    pub(crate) folds: usize,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    /// The most iterations.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = whole, allow_negative_numbers = true, help_heading = "Advanced")]
    pub(crate) max_iter: usize,
}

impl MetricArgs {
    /// The model that suits the points, with what the flags say.
    pub(crate) fn model(&self, points: usize, features: usize, classes: usize) -> MetricModel {
        let suited = MetricModel::suited(points, features, classes);
        MetricModel {
            rank: self.rank.unwrap_or(suited.rank),
            targets: self.targets.unwrap_or(suited.targets),
            impostors: self.impostors.unwrap_or(suited.impostors),
            margin: self.margin.unwrap_or(suited.margin),
            pull: self.pull.unwrap_or(suited.pull),
            stay: self.stay.unwrap_or(suited.stay),
        }
    }

    /// The run that the flags describe.
    pub(crate) fn spec(&self, rank: usize, loss: &str) -> Spec {
        folded_spec(rank, Component::named(loss), "lifted", &self.run.spec(self.max_iter))
    }
}

/// Find the nearest correlation matrix of a given rank, and prove how near one can be.
///
/// Minimises ½‖XXᵀ − A‖² over X with rows of length one. The bound holds for every correlation matrix of the rank. Writes
/// factor.npy (X), dual.npy (the multipliers that prove the bound), A.npy, names.txt, trace.jsonl and solution.json.
#[derive(Args)]
pub(crate) struct CorrelationArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// The number of columns of X.
    #[arg(short, long, value_name = "R", value_parser = at_least_one, allow_negative_numbers = true)]
    pub(crate) rank: usize,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    /// The most iterations.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = whole, allow_negative_numbers = true, help_heading = "Advanced")]
    pub(crate) max_iter: usize,
}

/// Recover a matrix of low rank from measurements of it: phase retrieval, matrix sensing.
///
/// Reads a table with a measurement a row and what was measured, b, in its last column. With vectors a before it b = aᵀZa, an
/// intensity; with matrices A, row by row, b = ⟨A, Z⟩. Sparse matrices are listed by their entries. Finds X with Z = XXᵀ from a
/// spectral start. Writes factor.npy (X; of rank one the signal, up to its sign), the measurements, X.npy, Y.npy, trace.jsonl and
/// solution.json.
#[derive(Args)]
pub(crate) struct RecoverArgs {
    /// The measurements (.npy, .csv); - is the standard input.
    #[arg(value_name = "MEASUREMENTS", value_hint = ValueHint::FilePath)]
    pub(crate) input: PathBuf,

    /// What stands before b.
    #[arg(
        long,
        value_enum,
        value_name = "WHAT",
        default_value = "vectors",
        help_heading = "Input"
    )]
    pub(crate) of: MeasuredArg,

    /// What the matrices of --of sparse measured: b, a line each.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Input")]
    pub(crate) targets: Option<PathBuf>,

    /// The number of columns of X.
    #[arg(short, long, value_name = "R", default_value_t = 1, value_parser = at_least_one, allow_negative_numbers = true, help_heading = "Model")]
    pub(crate) rank: usize,

    /// How a measurement is judged: square, or huber:delta=… for gross errors; NAME or NAME:key=value,…
    #[arg(long, value_name = "NAME", default_value = "square", help_heading = "Model")]
    pub(crate) loss: Component,

    /// λ in (λ/2)‖X‖².
    #[arg(long, value_name = "λ", default_value_t = 0.0, value_parser = nonnegative, allow_negative_numbers = true, help_heading = "Model")]
    pub(crate) ridge: f64,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    /// The most iterations.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = whole, allow_negative_numbers = true, help_heading = "Advanced")]
    pub(crate) max_iter: usize,
}

impl RecoverArgs {
    /// The run that the flags describe.
    pub(crate) fn spec(&self, data: &str) -> Spec {
        let base = self.run.spec(self.max_iter);
        let base = Spec { rank: self.rank, regulariser: ridge(self.ridge), ..base };
        recover_spec(self.loss.clone(), data, &base)
    }
}

/// What stands before b in a row of measurements.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum MeasuredArg {
    /// The n entries of a vector a: b = aᵀZa.
    Vectors,
    /// The n² entries of a matrix A, row by row: b = ⟨A, Z⟩.
    Matrices,
    /// Lines `measurement row column value`, counted from zero; b is in the file of --targets.
    Sparse,
}

impl From<MeasuredArg> for Measured {
    fn from(of: MeasuredArg) -> Self {
        match of {
            MeasuredArg::Vectors => Self::Vectors,
            MeasuredArg::Matrices => Self::Matrices,
            MeasuredArg::Sparse => Self::Sparse,
        }
    }
}

/// Learn a kernel on the nodes of a graph from pairs that belong together or apart.
///
/// Minimises W·⟨L, Z⟩ + mean φ(y_ij·Z_ij) + (λ/2)·tr Z over Z = XXᵀ, with the normalised Laplacian L of the graph and a squared
/// hinge or logistic loss φ: convex in Z, and with enough columns proved to be optimal. Writes factor.npy (X, in node order),
/// pairs.csv, the graph, names.txt, X.npy, Y.npy, trace.jsonl and solution.json.
// The gap of a residual of 1e-6 is too large for the proof.
#[derive(Args)]
#[command(mut_arg("tol", |tol| tol.default_value("1e-8")))]
pub(crate) struct KernelArgs {
    /// The graph, in any format that docs/inputs.md lists; - is the standard input.
    #[arg(value_name = "GRAPH", value_hint = ValueHint::FilePath)]
    pub(crate) input: PathBuf,

    /// Pairs of nodes, by name or number from zero, and 1 where they belong together, -1 where they do not.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Input")]
    pub(crate) pairs: PathBuf,

    #[command(flatten)]
    pub(crate) read: ReadArgs,

    /// How a pair is judged: squared-hinge or logistic; NAME or NAME:key=value,…
    #[arg(long, value_name = "NAME", default_value = "squared-hinge", help_heading = "Model")]
    pub(crate) loss: Component,

    /// How much the kernel's roughness along edges counts.
    #[arg(long, value_name = "W", default_value_t = 0.1, value_parser = nonnegative, allow_negative_numbers = true, help_heading = "Model")]
    pub(crate) smoothness: f64,

    /// λ in (λ/2)·tr Z.
    #[arg(long, value_name = "λ", default_value_t = 0.01, value_parser = nonnegative, allow_negative_numbers = true, help_heading = "Model")]
    pub(crate) ridge: f64,

    /// The number of columns of X [default: r with r(r + 1)/2 at least the number of pairs, up to 30]
    #[arg(short, long, value_name = "R", value_parser = at_least_one, allow_negative_numbers = true, help_heading = "Model")]
    pub(crate) rank: Option<usize>,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(flatten)]
    pub(crate) method: MethodArgs,
}

impl KernelArgs {
    /// The run that the flags describe.
    pub(crate) fn spec(&self, rank: usize) -> Spec {
        let spec = self.method.spec(rank, ridge(self.ridge), &self.run);
        Spec { loss: self.loss.clone(), data: "entries".into(), ..spec }
    }
}

/// A ridge, or nothing.
fn ridge(lambda: f64) -> Component {
    if lambda > 0.0 {
        Component::named("ridge").with("lambda", lambda)
    } else {
        Component::named("zero")
    }
}

/// Fit any problem that a file describes: data files, loss, regulariser, rank, method.
///
/// The file is TOML: `rank`, `regulariser`, `algorithm`, `rule`, `start`, `seed`, a table `[stop]`, one `[[term]]` or more with
/// `map`, `file`, `loss` and `scale`, and perhaps `[linear]`; docs/fit.md has it all. Components are named as everywhere:
/// NAME or NAME:key=value,… What the file does not say, the flags do. Writes factor.npy, X.npy, Y.npy, the description and
/// its data, trace.jsonl and solution.json.
#[derive(Args)]
pub(crate) struct FitArgs {
    /// The description; data files are looked for beside it.
    #[arg(value_name = "PROBLEM.toml", value_hint = ValueHint::FilePath)]
    pub(crate) input: PathBuf,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
