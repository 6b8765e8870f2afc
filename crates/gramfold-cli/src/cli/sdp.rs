//! The flags of the commands that solve semidefinite programs.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::{Args, ValueHint};
use gramfold_io::Graph;
use gramfold_sdp::Method;

use super::{OutputArgs, ReadArgs, RunArgs, whole};

/// Solve a linear semidefinite program, and prove how good the answer is.
///
/// Reads the SDPA sparse format (.dat-s, gzipped or not): max ⟨F_0, Y⟩ s.t. ⟨F_i, Y⟩ = c_i, Y ⪰ 0. Objectives have the
/// signs that SDPLIB reports. `solved` means that infeasibility and the gap to a proved bound are both within the
/// tolerance; an infeasible problem is proved so by a ray. Writes Y block by block (block-I-factor.npy, block-I-dense.npy
/// or block-I-diagonal.npy), dual.npy, the program, trace.jsonl and solution.json.
#[derive(Args)]
pub(crate) struct SolveArgs {
    /// The program in SDPA sparse form; - is the standard input.
    #[arg(value_name = "FILE.dat-s", value_hint = ValueHint::FilePath)]
    pub(crate) input: PathBuf,

    /// Start from the solution in this directory, as of a similar problem or a looser tolerance.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Run")]
    pub(crate) warm: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    /// Columns of the factors to start with, or auto.
    #[arg(
        short,
        long,
        value_name = "R",
        default_value = "auto",
        allow_negative_numbers = true,
        help_heading = "Advanced"
    )]
    pub(crate) rank: RankArg,

    /// auto; interior: blocks factorised, for small ones or many constraints; lowrank: Y = RRᵀ; split: the
    /// same from Y = XZᵀ with an exact γ; diagonal: Y = RRᵀ with
    /// a fixed diagonal.
    #[arg(long, value_name = "NAME", default_value = "auto", help_heading = "Advanced")]
    pub(crate) method: Method,
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
    #[arg(long, help_heading = "Model")]
    pub(crate) plus: bool,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// A graph to cut.
#[derive(Args)]
pub(crate) struct CutArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    /// Write the partition here, too.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) partition: Option<PathBuf>,

    /// Columns of the factor to start with, or auto.
    #[arg(
        short,
        long,
        value_name = "R",
        default_value = "auto",
        allow_negative_numbers = true,
        help_heading = "Advanced"
    )]
    pub(crate) rank: RankArg,

    /// Random hyperplanes to round with.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole, allow_negative_numbers = true, help_heading = "Advanced")]
    pub(crate) planes: usize,

    /// Sweeps of simulated annealing from the best cuts so found; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = whole, allow_negative_numbers = true, help_heading = "Advanced")]
    pub(crate) sweeps: usize,
}

/// The graph to read.
#[derive(Args)]
pub(crate) struct GraphArgs {
    /// The graph; - is the standard input.
    #[arg(value_name = "GRAPH", value_hint = ValueHint::FilePath)]
    pub(crate) input: PathBuf,

    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

impl GraphArgs {
    /// Reads it from where it is.
    pub(crate) fn read(&self, path: &Path) -> anyhow::Result<Graph> {
        let name = path.to_string_lossy();
        if name.trim_end_matches(".gz").ends_with(".dat-s") {
            bail!("{name} is a semidefinite program, not a graph: use `gramfold solve`");
        }
        self.read.read(path)
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
