//! `gramfold maxcut`: a heavy cut, and how heavy it could be. `gramfold bisect` is the same for light halves.

mod args;
mod claims;
mod question;
mod report;
mod watch;

use std::{process::ExitCode, time::Duration};

use anyhow::{Context, bail};
use gramfold::linalg::{Csr, Mat, Symmetric, symmetric_eigen};
use gramfold_io::{Asymmetry, read_graph, write_atomically, write_npy};
use gramfold_sdp::{Options, Primal, rounding, solve};

use crate::{factor::default_directory, interrupt, output, resources::Meter, saved};
use claims::{CutClaims, Files};
use watch::Watch;

pub(crate) use args::CutArgs;
pub(crate) use question::Question;

/// Runs `maxcut`.
pub(crate) fn run(args: &CutArgs) -> anyhow::Result<ExitCode> {
    answer(args, Question::MaxCut)
}

/// Reads, bounds, rounds, writes, says.
pub(crate) fn answer(args: &CutArgs, question: Question) -> anyhow::Result<ExitCode> {
    let meter = Meter::start();
    let asymmetry = if args.symmetrise { Asymmetry::Average } else { Asymmetry::Refuse };
    let graph = sparse(read_graph(&args.input, asymmetry)?.matrix)?;
    if graph.dim() < 2 {
        bail!("{} has only one node: there is nothing to cut", args.input.display());
    }
    let sdp = question.program(&graph)?;
    let directory = args.out.clone().unwrap_or_else(|| default_directory(&args.input));
    saved::prepare(&directory)?;

    let options = Options {
        tolerance: args.tol,
        rank: args.rank.0,
        time_limit: args.time_limit.and_then(|s| Duration::try_from_secs_f64(s).ok()),
        seed: args.seed,
        ..Options::default()
    };
    let mut watch = Watch::new(question, interrupt::flag());
    let solution = solve(&sdp, &options, &mut watch)?;
    watch.say("cutting …");
    let factor = factor(&solution.point.primal)?;
    let rounding = rounding::Options { planes: args.planes, seed: args.seed };
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
    write_atomically(&files.trace, |out| {
        for step in &watch.trace {
            serde_json::to_writer(&mut *out, step)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    })?;
    let claims = CutClaims::of(args, question, &graph, &solution, &cut, meter.read(), files);
    saved::write_solution(&claims.files.solution, &claims)?;
    if let Some(path) = &args.report {
        let page = report::page(&claims, question, &graph, &cut, &factor, &watch.trace);
        write_atomically(path, |out| out.write_all(page.to_html().as_bytes()))?;
    }
    if args.json {
        output::data(&(serde_json::to_string(&claims)? + "\n"))?;
    } else {
        output::data(&claims.summary(&directory))?;
    }
    Ok(if solution.status.is_answer() { ExitCode::SUCCESS } else { ExitCode::from(1) })
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
