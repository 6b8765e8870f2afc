//! `gramfold maxcut`: a heavy cut, and how heavy it could be. `gramfold bisect` is the same for light halves.

pub(crate) mod claims;
mod question;
pub(crate) mod report;

use anyhow::{Context, bail};
use gramfold::linalg::{Csr, Mat, Symmetric, symmetric_eigen};
use gramfold_sdp::{Options, Primal, Progress, Solution, rounding};

use crate::{
    Exit,
    cli::CutArgs,
    sdp::{Watch, blocks},
    session::{Paths, Session},
    store::Part,
};

use claims::CutSpec;
pub(crate) use question::Question;

/// What weights may add up to: squares of it can be computed with.
const LARGEST: f64 = 1e150;

/// Share of a time limit that is kept for the rounding.
const ROUNDING: f64 = 0.2;

/// Runs `maxcut`.
pub(crate) fn run(args: &CutArgs, line: &str) -> anyhow::Result<Exit> {
    answer(args, line, Question::MaxCut)
}

/// Reads, bounds, rounds, writes, says.
pub(crate) fn answer(args: &CutArgs, line: &str, question: Question) -> anyhow::Result<Exit> {
    let paths = Paths::new(&args.graph.input, "txt", &args.run)
        .writes("--partition", args.partition.as_ref());
    let mut session = Session::open(question.command(), line, &args.output, paths)?;
    let read = args.graph.read(session.input())?;
    let (names, graph) = (read.names, sparse(&read.matrix)?);
    drop(read.matrix);
    if graph.dim() < 2 {
        bail!("{} has only one node: there is nothing to cut", session.named());
    }
    let total: f64 = graph.values().iter().map(|weight| weight.abs()).sum();
    if total > LARGEST {
        bail!("the weights of {} add up to {total:e}: scale them down", session.named());
    }
    let sdp = question.program(&graph)?;
    let mut options = Options { rank: args.rank.0, ..args.run.options() };
    options.time_limit = options.time_limit.map(|limit| limit.mul_f64(1.0 - ROUNDING));
    let sign = question.weight(1.0);
    let mut watch = Watch::new(question.command(), &args.run, &args.output, &sdp, &options, sign)?;
    session.claim()?;

    let solution = watch.solve(&sdp, options)?;
    watch.say("cutting …");
    let factor = factor(&solution.point.primal)?;
    let rounding =
        rounding::Options { planes: args.planes, sweeps: args.sweeps, seed: args.run.seed };
    let cut = question.round(&graph, &factor, rounding, &watch.stopper());
    watch.say("");

    let sides: Vec<usize> = cut.side.iter().map(|side| usize::from(*side)).collect();
    let claims = claims::claims(&session, CutSpec::of(args), question, &graph, &solution, &cut);
    let trace = watch.trace();
    let weights = Symmetric::from(graph.clone());
    let parts = parts(&sides, names.as_deref(), &factor, &weights, &solution, &trace);
    let line = session.line;
    session.finish(
        claims,
        parts,
        |claims| claims::summary(question, claims),
        |claims| {
            report::page(&report::Shown {
                claims,
                line,
                question,
                graph: &graph,
                cut: &cut,
                solution: &solution,
                trace: &trace,
                names: names.as_deref(),
            })
        },
    )
}

/// The files of a cut.
pub(crate) fn parts<'a>(
    sides: &'a [usize],
    names: Option<&'a [String]>,
    factor: &'a Mat,
    weights: &'a Symmetric,
    solution: &'a Solution,
    trace: &'a [Progress],
) -> Vec<Part<'a>> {
    let mut parts = vec![
        Part::labels("partition", sides, names),
        Part::array("factor", factor),
        Part::column("dual", &solution.point.dual),
        Part::symmetric("graph", weights),
        Part::lines("trace", trace),
    ];
    if let Some(z @ Primal::Dense(_)) = solution.point.primal.first() {
        // What the certificate is of; its factor is rounded.
        parts.extend(blocks("block", std::slice::from_ref(z)));
    }
    parts
}

/// The weights without the loops, which no cut sees.
pub(crate) fn sparse(matrix: &Symmetric) -> anyhow::Result<Csr> {
    let n = matrix.dim();
    match matrix.without_diagonal() {
        Ok(graph) => Ok(graph),
        Err(_) => bail!("the graph has {n} nodes, more than can be numbered"),
    }
}

/// R with Z = RRᵀ, whatever form the engine left Z in.
pub(crate) fn factor(primal: &[Primal]) -> anyhow::Result<Mat> {
    match primal.first().context("invariant: one block")? {
        Primal::Factor(factor) => Ok(factor.clone()),
        Primal::Dense(z) => {
            let eigen = symmetric_eigen(z).context("Z is not finite")?;
            let n = z.rows();
            Ok(Mat::from_fn(n, n, |i, k| eigen.vectors[(k, i)] * eigen.values[k].max(0.0).sqrt()))
        }
        Primal::Diagonal(z) => {
            Ok(Mat::from_fn(
                z.len(),
                z.len(),
                |i, j| if i == j { z[i].max(0.0).sqrt() } else { 0.0 },
            ))
        }
    }
}
