//! The flags of `maxcut` and `bisect`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::cli::{RankArg, fraction, positive};

/// A graph to cut.
#[derive(Args)]
pub(crate) struct CutArgs {
    /// The graph.
    #[arg(value_name = "GRAPH", value_hint = ValueHint::FilePath)]
    pub(crate) input: PathBuf,

    /// Take ½(A + Aᵀ) of a matrix that is not symmetric.
    #[arg(long)]
    pub(crate) symmetrise: bool,

    /// Stop the relaxation when its proved relative gap is below this.
    #[arg(long, value_name = "T", default_value = "1e-6", value_parser = fraction)]
    pub(crate) tol: f64,

    /// Columns of the factor to start with, or auto.
    #[arg(long, value_name = "R", default_value = "auto")]
    pub(crate) rank: RankArg,

    /// Random hyperplanes to round with.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) planes: usize,

    /// What the start and the hyperplanes are drawn from.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,

    /// The longest time for the relaxation, in seconds; certificate and cut come on top.
    #[arg(long, value_name = "S", value_parser = positive)]
    pub(crate) time_limit: Option<f64>,

    /// Threads to use [default: every core]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,

    /// Where to write [default: the input's name with .gramfold]
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,

    /// Write the partition here, too.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) partition: Option<PathBuf>,

    /// Write a self-contained page that shows the cut and the run.
    #[arg(long, value_name = "FILE.html", value_hint = ValueHint::FilePath)]
    pub(crate) report: Option<PathBuf>,

    /// Print one JSON object instead of the summary.
    #[arg(long)]
    pub(crate) json: bool,
}
