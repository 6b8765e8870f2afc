//! `gramfold maxcut`: a heavy cut, and how heavy it could be. `gramfold bisect` is the same for light halves.

mod answer;
mod question;

use std::path::Path;

use anyhow::{Context, bail};
use gramfold::linalg::{Csr, Mat, Symmetric, symmetric_eigen};
use gramfold_io::read_labels;
use gramfold_sdp::{
    Options, Point, Primal,
    rounding::{self, Cut},
};

use crate::{
    Exit,
    answer::Answer as _,
    answer::Head,
    check::{Again, Report, find, is_single},
    cli::CutArgs,
    sdp::Watch,
    session::{Paths, Session},
    store::Saved,
};
use answer::Details;
pub(crate) use answer::{Answer, CutSpec};
pub(crate) use question::Question;

/// What weights may add up to: squares of it can be computed with.
const LARGEST: f64 = 1e150;

/// Share of a time limit that is kept for the rounding.
const ROUNDING: f64 = 0.2;

/// How the rounding was asked for.
const ASKED: &[&str] = &["spec.planes", "spec.sweeps"];

/// Reads, bounds, rounds, writes, says.
pub(crate) fn run(args: &CutArgs, line: &str, question: Question) -> anyhow::Result<Exit> {
    let paths = Paths::new(&args.graph.input, "txt", &args.run)
        .writes("--partition", args.partition.as_ref());
    let mut session = Session::open(question.command, line, &args.output, paths)?;
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
    let sdp = (question.program)(&graph)?;
    let mut options = Options { rank: args.rank.0, ..args.run.options() };
    options.time_limit = options.time_limit.map(|limit| limit.mul_f64(1.0 - ROUNDING));
    let sign = question.weight(1.0);
    let mut watch = Watch::new(question.command, &args.run, &args.output, &sdp, &options, sign)?;
    session.claim()?;

    let solution = watch.solve(&sdp, options)?;
    watch.say("cutting …");
    let factor = factor(&solution.point.primal)?;
    let rounding =
        rounding::Options { planes: args.planes, sweeps: args.sweeps, seed: args.run.seed };
    let cut = (question.round)(&graph, &factor, rounding, &watch.stopper());
    watch.say("");

    session.finish(&Answer {
        spec: CutSpec::of(args),
        question,
        graph: &graph,
        names: names.as_deref(),
        cut: &cut,
        factor: &factor,
        solution: &solution,
        trace: &watch.trace(),
    })
}

/// Checks a directory of `maxcut` or `bisect`.
pub(crate) fn check(directory: &Path, report: &mut Report) -> anyhow::Result<Again> {
    let saved = Saved::<CutSpec, Details>::open(directory)?;
    let claims = &saved.claims;
    let bisection = claims.command == "bisect";
    let question = if bisection { Question::BISECTION } else { Question::MAX_CUT };
    let graph = sparse(&saved.symmetric("graph")?)?;
    let sdp = (question.program)(&graph)?;
    let factor = saved.array("factor")?;
    if !is_single(&sdp, factor.rows()) {
        bail!("the factor does not fit the graph");
    }
    let primal = if claims.files.contains_key("block-1-dense") {
        Primal::Dense(saved.array("block-1-dense")?)
    } else {
        Primal::Factor(factor.clone())
    };
    let point = Point { primal: vec![primal], dual: saved.column("dual")? };
    let asked = (claims.status, &claims.spec.program);
    let mut found = find(&sdp, point, &claims.details.program, None, asked)?;
    found.unchecked.extend(ASKED);
    let sides = read_labels(&saved.path("partition")?, None)?.labels;
    let side = |label: Option<usize>| label.filter(|label| *label < 2).map(|label| label == 1);
    let side: Option<Vec<bool>> = sides.into_iter().map(side).collect();
    let side = side.context("the partition has a side that is neither 0 nor 1")?;
    if side.len() != graph.dim() {
        bail!("the partition has {} nodes, but the graph has {}", side.len(), graph.dim());
    }
    let second = side.iter().filter(|side| **side).count();
    if bisection {
        let balanced = (side.len() - second).abs_diff(second) <= 1;
        report.claim("the halves differ by at most one node", balanced);
    }
    let answer = Answer {
        spec: claims.spec.clone(),
        question,
        graph: &graph,
        names: None,
        cut: &Cut { weight: weight(&graph, &side), side },
        factor: &factor,
        solution: &found.solution,
        trace: &[],
    };
    let mut again = answer.claims(Head::of(claims));
    // The weight may have been added up in another order, and differ in the last bits: `optimal` compares it exactly.
    let claimed = claims.objective;
    if (again.objective - claimed).abs() <= found.scales.value() {
        let bound = again.bound;
        again.details.optimal = bound.is_some_and(|bound| bound.value == claimed);
        let scale = found.solution.certificate.scale.objective;
        again = again.valued_in(scale, claimed, bound);
    }
    found.claimed(again)
}

/// The weight between the sides.
fn weight(graph: &Csr, side: &[bool]) -> f64 {
    let below = |i: usize| graph.row(i).filter(move |&(j, _)| j < i && side[i] != side[j]);
    (0..graph.dim()).flat_map(below).map(|(_, weight)| weight).sum()
}

/// The weights without the loops, which no cut sees.
fn sparse(matrix: &Symmetric) -> anyhow::Result<Csr> {
    let n = matrix.dim();
    let graph = matrix.without_diagonal();
    graph.ok().with_context(|| format!("the graph has {n} nodes, more than can be numbered"))
}

/// R with Z = RRᵀ, whatever form the engine left Z in.
pub fn factor(primal: &[Primal]) -> anyhow::Result<Mat> {
    match primal.first().context("invariant: one block")? {
        Primal::Factor(factor) => Ok(factor.clone()),
        Primal::Dense(z) => {
            let eigen = symmetric_eigen(z).context("Z is not finite")?;
            let n = z.rows();
            Ok(Mat::from_fn(n, n, |i, k| eigen.vectors[(k, i)] * eigen.values[k].max(0.0).sqrt()))
        }
        Primal::Diagonal(z) => {
            let root = |i: usize, j: usize| if i == j { z[i].max(0.0).sqrt() } else { 0.0 };
            Ok(Mat::from_fn(z.len(), z.len(), root))
        }
    }
}
