//! `gramfold theta`: the Lovász number of a graph, with a bound that is proved.

pub(crate) mod claims;
pub(crate) mod report;

use anyhow::bail;
use gramfold_sdp::theta::{self, lovasz};

use crate::{
    Exit,
    cli::ThetaArgs,
    sdp::{Watch, parts},
    session::{Paths, Session},
    store::Part,
};

use claims::ThetaSpec;

/// Pairs of nodes up to which θ′ is set up: a constraint for each takes some 200 bytes.
const MOST_PAIRS: usize = 20_000_000;

/// Runs the command.
pub(crate) fn run(args: &ThetaArgs, line: &str) -> anyhow::Result<Exit> {
    let paths = Paths::new(&args.graph.input, "txt", &args.run);
    let mut session = Session::open("theta", line, &args.output, paths)?;
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
    let (edges, loops) = theta::edges(&graph.matrix);
    let sdp = lovasz(n, &edges, args.plus)?;
    let mut watch = Watch::new("theta", &args.run, &args.output, &sdp, &args.run.options(), -1.0)?;
    session.claim()?;

    let stops = watch.stopper();
    let mut solve = |options| watch.solve(&sdp, options);
    let options = args.run.options();
    let solution = theta::answer(&sdp, n, args.plus, options, &mut solve, &stops);
    watch.say("");
    let solution = solution?;

    let claims = claims::claims(&session, ThetaSpec::of(args), (n, &edges, loops), &solution);
    let trace = watch.trace();
    let mut parts = parts(&solution, &trace);
    parts.push(Part::symmetric("graph", &graph.matrix));
    let line = session.line;
    session.finish(claims, parts, claims::summary, |claims| {
        report::page(claims, line, &solution, &trace)
    })
}
