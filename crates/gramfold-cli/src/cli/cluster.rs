//! The flags of `cluster`.

use std::{ops::RangeInclusive, path::PathBuf};

use clap::{Args, ValueEnum, ValueHint};
use gramfold::{Spec, registry::Component};
use gramfold_cluster::{Diagonal, Normalise, Similarity};

use super::{MethodArgs, OutputArgs, ReadArgs, RunArgs, TableArgs, at_least_one, fraction};

/// Cluster a graph or points by symmetric NMF: labels, soft memberships and a certificate.
///
/// Reads Matrix Market, NumPy and SciPy matrices, lists of edges or neighbours, GML, GraphML, GEXF, Pajek, JSON and tables
/// of similarities, gzipped or not; with --points a table of feature vectors (.npy, .csv).
/// Writes labels.txt, memberships.npy, the graph, the known classes and the factors and the trace as `factor` does.
// A factor that is nearer to critical has the same labels, and its objective differs from the eighth digit on.
#[derive(Args)]
#[command(mut_arg("tol", |tol| tol.default_value("1e-4")))]
#[allow(clippy::struct_excessive_bools)] // Flags are what they are.
pub(crate) struct ClusterArgs {
    /// The graph, or with --points the feature vectors; - is the standard input.
    #[arg(value_name = "INPUT", value_hint = ValueHint::FilePath)]
    pub(crate) input: PathBuf,

    /// The number of clusters, or a range A..B to choose from, as 2..20.
    #[arg(short, long, value_name = "K", value_parser = clusters, allow_negative_numbers = true)]
    pub(crate) k: RangeInclusive<usize>,

    /// Build a self-tuning nearest-neighbour graph of the rows of a table.
    #[arg(long, help_heading = "Input")]
    pub(crate) points: bool,

    /// Neighbours of each point [default: ⌊log₂ n⌋ + 1]
    #[arg(
        long,
        visible_alias = "neighbors",
        value_name = "N",
        value_parser = at_least_one,
        allow_negative_numbers = true,
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
    #[arg(long, value_name = "N", value_parser = at_least_one, allow_negative_numbers = true, help_heading = "Run")]
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
    /// The run for one k and one restart.
    pub(crate) fn spec(&self, k: usize, restart: usize) -> Spec {
        let mut spec = self.method.spec(k, Component::named("nonnegative"), &self.run);
        spec.seed = spec.seed.wrapping_add(restart as u64);
        spec.start = self.method.start.of(restart);
        if let Some(preset) = self.preset {
            (spec.algorithm, spec.rule) = preset.method();
        }
        spec
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

/// Takes the American spelling, too.
fn normalise(text: &str) -> Result<Normalise, String> {
    text.replace("ized", "ised")
        .parse()
        .map_err(|error: <Normalise as std::str::FromStr>::Err| error.to_string())
}
