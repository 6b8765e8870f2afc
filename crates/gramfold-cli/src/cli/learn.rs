//! The flags of the commands that learn from measurements.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use gramfold::{
    Spec,
    registry::{Component, SCALARS},
};

use super::{MethodArgs, OutputArgs, ReadArgs, RunArgs, at_least_one, listing, nonnegative, whole};

/// In how many parts entries are held out.
pub(crate) const FOLDS: usize = 5;

/// Complete a symmetric matrix from some of its entries, and say how good the predictions are.
///
/// Fits b_ij ≈ a_i + a_j + x_i·x_j with a factor X of low rank; (i, j) stands for (j, i), too. Reads lists `i j value` and
/// matrices in any format that docs/inputs.md lists; what is not in the file is missing. Rank, ridge and biases that are not
/// given are chosen by the error on held-out entries, which is said with its confidence interval. Writes factor.npy (X, in node
/// order), biases.npy (a), predictions.csv, the entries, names.txt, X.npy, Y.npy, trace.jsonl and solution.json.
#[derive(Args)]
pub(crate) struct CompleteArgs {
    /// The entries that are known; - is the standard input.
    #[arg(value_name = "ENTRIES", value_hint = ValueHint::FilePath)]
    pub(crate) input: PathBuf,

    #[command(flatten)]
    pub(crate) read: ReadArgs,

    /// How an entry is judged: square; huber, for gross errors; logistic, for entries ±1; poisson, for counts; NAME or
    /// NAME:key=value,…
    #[arg(long, value_name = "NAME", default_value = "square", help_heading = "Model", long_help = listing("How an entry is judged: NAME or NAME:key=value,…; the delta of huber is 1.345 deviations of what a first fit leaves, by their median, if it is not given", SCALARS))]
    pub(crate) loss: Component,

    /// The number of columns of X [default: chosen]
    #[arg(short, long, value_name = "R", value_parser = at_least_one, allow_negative_numbers = true, help_heading = "Model")]
    pub(crate) rank: Option<usize>,

    /// λ in (λ/2)‖X‖² [default: chosen]
    #[arg(long, value_name = "λ", value_parser = nonnegative, allow_negative_numbers = true, help_heading = "Model")]
    pub(crate) ridge: Option<f64>,

    /// Whether every node has a bias a_i: auto, none, or how strongly biases are drawn to their mean.
    #[arg(long, value_name = "HOW", default_value = "auto", help_heading = "Model")]
    pub(crate) biases: BiasesArg,

    /// In how many parts the entries are held out, one after the other, to choose and to judge; one part only where there are
    /// more than 20 000; 0 for none.
    #[arg(long, value_name = "N", default_value_t = FOLDS, value_parser = whole, allow_negative_numbers = true, help_heading = "Model")]
    pub(crate) folds: usize,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    /// Predict these pairs: two nodes a line.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) predict: Option<PathBuf>,

    /// How many of the largest missing entries to predict where no pairs are given [default: 20, and none beyond 4096 nodes]
    #[arg(long, value_name = "N", value_parser = whole, allow_negative_numbers = true, conflicts_with = "predict", help_heading = "Output")]
    pub(crate) top: Option<usize>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(flatten)]
    pub(crate) method: MethodArgs,
}

impl CompleteArgs {
    /// The run that the flags describe, but for the model.
    pub(crate) fn base(&self) -> Spec {
        self.method.spec(self.rank.unwrap_or(1), Component::named("zero"), &self.run)
    }
}

/// Biases, or none, or what the data say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum BiasesArg {
    Auto,
    None,
    Shrunk(f64),
}

impl std::str::FromStr for BiasesArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse()) {
            ("auto", _) => Ok(Self::Auto),
            ("none", _) => Ok(Self::None),
            (_, Ok(shrinkage)) if shrinkage >= 0.0 && f64::is_finite(shrinkage) => {
                Ok(Self::Shrunk(shrinkage))
            }
            _ => Err("expected `auto`, `none` or a number from 0".into()),
        }
    }
}

/// Find positions from some of the distances between points, and say which points are not determined.
///
/// Reads lists `i j distance` and matrices in any format that docs/inputs.md lists; what is not in the file is not known.
/// Writes positions.npy (a row a node, in node order: in the frame of the anchors where at least D + 1 are given, else centred on
/// principal axes), residuals.csv (each distance and what the positions make of it), undetermined.csv, the distances, the
/// anchors, names.txt, trace.jsonl and solution.json.
#[derive(Args)]
pub(crate) struct LocateArgs {
    /// The distances that are known; - is the standard input.
    #[arg(value_name = "DISTANCES", value_hint = ValueHint::FilePath)]
    pub(crate) input: PathBuf,

    #[command(flatten)]
    pub(crate) read: ReadArgs,

    /// The dimension of the space.
    #[arg(short, long, value_name = "D", value_parser = at_least_one, allow_negative_numbers = true, help_heading = "Model")]
    pub(crate) dim: usize,

    /// Nodes whose positions are known: a node and D coordinates a line.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Model")]
    pub(crate) anchors: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    /// The most Gauss–Newton steps.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = whole, allow_negative_numbers = true, help_heading = "Advanced")]
    pub(crate) max_iter: usize,
}

impl LocateArgs {
    /// The run that the flags describe.
    pub(crate) fn spec(&self, framed: bool) -> Spec {
        Spec {
            rank: self.dim,
            loss: Component::named("square"),
            data: "distances".into(),
            regulariser: Component::named(if framed { "anchors" } else { "zero" }),
            algorithm: Component::named("gauss-newton"),
            ..self.run.spec(self.max_iter)
        }
    }
}
