//! `gramfold maxcut`: a heavy cut, and how heavy it could be. `gramfold bisect` is the same for light halves.

mod claims;
mod question;
mod report;

use std::process::ExitCode;

use anyhow::{Context, bail};
use gramfold::linalg::{Csr, Mat, Symmetric, symmetric_eigen};
use gramfold_io::{write_atomically, write_npy};
use gramfold_sdp::{Options, Primal, rounding};

use crate::{
    cli::CutArgs,
    resources::Meter,
    saved,
    sdp::{Watch, finish},
};
use claims::{CutClaims, Files};

pub(crate) use question::Question;

/// What weights may add up to: squares of it can be computed with.
const LARGEST: f64 = 1e150;

/// Runs `maxcut`.
pub(crate) fn run(args: &CutArgs) -> anyhow::Result<ExitCode> {
    answer(args, Question::MaxCut)
}

/// Reads, bounds, rounds, writes, says.
pub(crate) fn answer(args: &CutArgs, question: Question) -> anyhow::Result<ExitCode> {
    let meter = Meter::start();
    let graph = sparse(args.graph.read()?.matrix)?;
    if graph.dim() < 2 {
        bail!("{} has only one node: there is nothing to cut", args.graph.input.display());
    }
    let total: f64 = graph.values().iter().map(|weight| weight.abs()).sum();
    if total > LARGEST {
        bail!("the weights of {} add up to {total:e}: scale them down", args.graph.input.display());
    }
    let sdp = question.program(&graph)?;
    let options = Options { rank: args.rank.0, ..args.run.options() };
    let mut watch = Watch::new(&args.run, &sdp, &options, question.weight(1.0))?;
    let directory = args.run.directory(&args.graph.input);
    saved::prepare(&directory)?;

    let solution = watch.solve(&sdp, options)?;
    watch.say("cutting …");
    let factor = factor(&solution.point.primal)?;
    let rounding =
        rounding::Options { planes: args.planes, sweeps: args.sweeps, seed: args.run.seed };
    let cut = question.round(&graph, &factor, rounding);
    watch.say("");

    let files = Files::in_directory(&directory);
    for path in [Some(&files.partition), args.partition.as_ref()].into_iter().flatten() {
        write_atomically(path, |out| {
            cut.side.iter().try_for_each(|side| writeln!(out, "{}", u8::from(*side)))
        })?;
    }
    write_npy(&files.factor, &factor)?;
    let y = &solution.point.dual;
    write_npy(&files.dual, &Mat::from_row_major(y.len(), 1, y.clone()))?;
    saved::write_trace(&files.trace, &watch.trace)?;
    let claims = CutClaims::of(args, question, &graph, &solution, &cut, meter.read(), files);
    finish(&args.run, &directory, &claims, || {
        report::page(&claims, question, &graph, &cut, &solution, &watch.trace)
    })
}

/// The weights without the loops, which no cut sees.
fn sparse(matrix: Symmetric) -> anyhow::Result<Csr> {
    let n = matrix.dim();
    let mut entries = Vec::new();
    match &matrix {
        Symmetric::Sparse(a) => {
            for i in 0..n {
                let row = a.row(i).filter(|&(j, weight)| i < j && weight != 0.0);
                entries.extend(row.map(|(j, weight)| (i as u32, j as u32, weight)));
            }
        }
        dense => {
            for i in 0..n {
                let row = (i + 1..n).map(|j| (i as u32, j as u32, dense.get(i, j)));
                entries.extend(row.filter(|entry| entry.2 != 0.0));
            }
        }
    }
    drop(matrix);
    match Csr::from_triangle(n, &entries) {
        Ok(graph) => Ok(graph),
        Err(_) => bail!("the graph has {n} nodes, more than can be numbered"),
    }
}

/// R with Z = RRᵀ, whatever form the engine left Z in.
fn factor(primal: &[Primal]) -> anyhow::Result<Mat> {
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
