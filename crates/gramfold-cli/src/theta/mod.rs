//! `gramfold theta`: the Lovász number of a graph, with a bound that is proved.

mod claims;
mod report;

use std::time::Instant;

use anyhow::bail;
use gramfold::linalg::Symmetric;
use gramfold_sdp::{Method, Sdp, Solution, theta::lovasz};

use crate::{
    Exit,
    cli::ThetaArgs,
    sdp::{Watch, parts},
    session::{Paths, Session},
    store::Part,
};

/// Nodes up to which interior points come first, and constraints up to which they come at all.
const INTERIOR_NODES: usize = 40;
const INTERIOR_CONSTRAINTS: usize = 4000;

/// Pairs of nodes up to which θ′ is set up: a constraint for each takes some 200 bytes.
const MOST_PAIRS: usize = 20_000_000;

/// Runs the command.
pub(crate) fn run(args: &ThetaArgs, line: &str) -> anyhow::Result<Exit> {
    let paths = Paths {
        input: &args.graph.input,
        kind: "txt",
        read: Vec::new(),
        written: Vec::new(),
        checkpoint: args.run.checkpoint.as_deref(),
    };
    let mut session = Session::open("theta", line, &args.run.output, paths)?;
    let graph = args.graph.read(session.input())?;
    let n = graph.matrix.dim();
    if n == 0 {
        bail!("{} has no nodes", session.named());
    }
    let pairs = n * (n - 1) / 2;
    if args.plus && pairs > MOST_PAIRS {
        let named = session.named();
        bail!(
            "{named} has {pairs} pairs of nodes, and θ′ has a constraint for each: at most {MOST_PAIRS} are taken"
        );
    }
    let (edges, loops) = edges(&graph.matrix);
    let sdp = lovasz(n, &edges, args.plus)?;
    let mut watch = Watch::new("theta", &args.run, &sdp, &args.run.options(), -1.0)?;
    session.claim()?;

    let solution = answer(&sdp, n, args, &mut watch);
    watch.say("");
    let solution = solution?;

    let claims = claims::claims(&session, args, (n, &edges, loops), &solution);
    let mut parts = parts(&solution, &watch.trace);
    parts.push(Part::symmetric("graph", &graph.matrix));
    let line = session.line;
    session.finish(claims, parts, claims::summary, |claims| {
        report::page(claims, line, &solution, &watch.trace)
    })
}

/// Pairs of different nodes with a weight between them, and the number of loops, which say nothing about
/// independent sets of different nodes.
fn edges(matrix: &Symmetric) -> (Vec<(u32, u32)>, usize) {
    let n = matrix.dim();
    let mut edges = Vec::new();
    let mut loops = 0;
    let mut note = |i: usize, j: usize, weight: f64| {
        if weight != 0.0 {
            loops += usize::from(i == j);
            if i < j {
                edges.push((i as u32, j as u32));
            }
        }
    };
    for i in 0..n {
        match matrix {
            Symmetric::Sparse(a) => a.row(i).for_each(|(j, weight)| note(i, j, weight)),
            dense => (i..n).for_each(|j| note(i, j, dense.get(i, j))),
        }
    }
    (edges, loops)
}

/// Low-rank factors first, except for small graphs; the other engine where the first comes to no proof.
fn answer(sdp: &Sdp, n: usize, args: &ThetaArgs, watch: &mut Watch) -> anyhow::Result<Solution> {
    let clock = Instant::now();
    let mut options = args.run.options();
    let limit = options.time_limit;
    let mut order = vec![Method::LowRank];
    if sdp.constraints() <= INTERIOR_CONSTRAINTS {
        // With a constraint for every pair the optimum has no low rank to gain from.
        let first = n <= INTERIOR_NODES || args.plus;
        order.insert(usize::from(!first), Method::Interior);
    }
    let mut best: Option<Solution> = None;
    for method in order {
        options.method = method;
        options.time_limit = limit.map(|limit| limit.saturating_sub(clock.elapsed()));
        let mut found = watch.solve(sdp, options.clone())?;
        found.why = match method {
            Method::Interior => "the graph is small enough to factorise its blocks".into(),
            _ => "the optimum has a low rank, and products with it are cheap".into(),
        };
        if let Some(earlier) = &best {
            found.why = format!("{} came to no proof", earlier.method);
        }
        let better = best.as_ref().is_none_or(|best| error(&found) < error(best));
        if better {
            best = Some(found);
        }
        let done = best.as_ref().is_some_and(|best| best.status.is_answer());
        let spent = limit.is_some_and(|limit| clock.elapsed() >= limit);
        if done || spent || watch.is_interrupted() {
            break;
        }
    }
    Ok(best.expect("invariant: one engine has run"))
}

/// The larger of the gap and the infeasibility.
fn error(solution: &Solution) -> f64 {
    let gap = solution.certificate.relative_gap.map_or(f64::INFINITY, f64::abs);
    gap.max(solution.certificate.infeasibility)
}
