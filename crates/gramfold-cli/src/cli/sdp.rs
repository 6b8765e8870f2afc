//! The flags of the commands that solve semidefinite programs.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::bail;
use clap::{Args, ValueHint};
use gramfold_io::{Asymmetry, Graph, read_graph};
use gramfold_sdp::{Method, Options};

use super::{OutputArgs, fraction, positive};

/// Solve a linear semidefinite program, and prove how good the answer is.
///
/// Reads the SDPA sparse format (.dat-s, gzipped or not): max ⟨F_0, Y⟩ s.t. ⟨F_i, Y⟩ = c_i, Y ⪰ 0. Objectives have the
/// signs that SDPLIB reports. `solved` means that infeasibility and the gap to a proved bound are both within the
/// tolerance; an infeasible problem is proved so by a ray. Writes Y block by block (block-I-factor.npy, block-I.npy or
/// block-I-diagonal.npy), y.npy, trace.jsonl and, last, solution.json.
#[derive(Args)]
pub(crate) struct SolveArgs {
    /// The program in SDPA sparse form.
    #[arg(value_name = "FILE.dat-s", value_hint = ValueHint::FilePath)]
    pub(crate) input: PathBuf,

    /// Columns of the factors to start with, or auto.
    #[arg(long, value_name = "R", default_value = "auto")]
    pub(crate) rank: RankArg,

    /// auto; interior: blocks factorised, for small ones or many constraints; lowrank: Y = RRᵀ; split: the
    /// same from Y = XZᵀ with an exact γ; diagonal: Y = RRᵀ with
    /// a fixed diagonal.
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub(crate) method: Method,

    /// Start from the solution in this directory, as of a similar problem or a looser tolerance.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) warm: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// The Lovász number θ of a graph, with a proved upper bound.
///
/// θ(G) = max ⟨J, Z⟩ s.t. tr Z = 1, Z_ij = 0 where i and j are joined, Z ⪰ 0; θ of the pentagon is √5. It is at least the
/// largest number of nodes of which no two are joined, and at most the number of cliques that cover G; bounds for
/// cliques and colourings of G are those of its complement. Weights only say that there is an edge, and loops are left
/// out. Reads what `cluster` reads, writes what `solve` writes.
#[derive(Args)]
pub(crate) struct ThetaArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,

    /// Ask for Z ≥ 0 in every entry, too: Schrijver's number (written θ′, θ⁻, or θ⁺ after the sign of Z), which lies
    /// between the independence number and θ.
    #[arg(long)]
    pub(crate) plus: bool,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// A graph to cut.
#[derive(Args)]
pub(crate) struct CutArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,

    /// Columns of the factor to start with, or auto.
    #[arg(long, value_name = "R", default_value = "auto")]
    pub(crate) rank: RankArg,

    /// Random hyperplanes to round with.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) planes: usize,

    /// Sweeps of simulated annealing from the best cuts so found; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) sweeps: usize,

    /// Write the partition here, too.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) partition: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// The graph to read.
#[derive(Args)]
pub(crate) struct GraphArgs {
    /// The graph.
    #[arg(value_name = "GRAPH", value_hint = ValueHint::FilePath)]
    pub(crate) input: PathBuf,

    /// Take ½(A + Aᵀ) of a matrix that is not symmetric.
    #[arg(long)]
    pub(crate) symmetrise: bool,
}

impl GraphArgs {
    /// Reads it from where it is.
    pub(crate) fn read(&self, path: &Path) -> anyhow::Result<Graph> {
        let name = path.to_string_lossy();
        if name.trim_end_matches(".gz").ends_with(".dat-s") {
            bail!("{name} is a semidefinite program, not a graph: use `gramfold solve`");
        }
        let asymmetry = if self.symmetrise { Asymmetry::Average } else { Asymmetry::Refuse };
        Ok(read_graph(path, asymmetry)?)
    }
}

/// How a semidefinite program is to be solved, and where the answer goes.
#[derive(Args)]
pub(crate) struct RunArgs {
    /// Stop when infeasibility and the proved relative gap are both below this.
    #[arg(long, value_name = "T", default_value = "1e-6", value_parser = fraction)]
    pub(crate) tol: f64,

    /// The longest time to iterate, to prove and to round, in seconds; the writing of files comes on top.
    #[arg(long, value_name = "S", value_parser = positive)]
    pub(crate) time_limit: Option<f64>,

    /// Keep the state of the run in this file, to go on from with --resume.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) checkpoint: Option<PathBuf>,

    /// Go on from the checkpoint, to the same bits as without the interruption.
    #[arg(long, requires = "checkpoint")]
    pub(crate) resume: bool,

    /// Threads to use [default: every core]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,

    /// What is random is drawn from this.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl RunArgs {
    /// The limits and the seed; everything else as by default.
    pub(crate) fn options(&self) -> Options {
        Options {
            tolerance: self.tol,
            time_limit: self.time_limit.and_then(|s| Duration::try_from_secs_f64(s).ok()),
            seed: self.seed,
            ..Options::default()
        }
    }
}

/// A number of columns, or none to have it chosen.
#[derive(Clone, Copy)]
pub(crate) struct RankArg(pub(crate) Option<usize>);

impl std::str::FromStr for RankArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse()) {
            ("auto", _) => Ok(Self(None)),
            (_, Ok(rank)) if rank > 0 => Ok(Self(Some(rank))),
            _ => Err("expected `auto` or a number from 1".into()),
        }
    }
}
