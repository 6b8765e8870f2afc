//! `gramfold theta`: the Lovász number of a graph, with a bound that is proved.

mod answer;

use std::path::Path;

use anyhow::bail;
use gramfold_sdp::theta::{self, lovasz};

use crate::{
    Exit,
    check::{Again, find},
    cli::ThetaArgs,
    sdp::{Watch, read_point},
    session::{Paths, Session},
    store::Saved,
};
use answer::Details;
pub(crate) use answer::{Answer, ThetaSpec};

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

    let (spec, graph, trace) = (ThetaSpec::of(args), &graph.matrix, &watch.trace());
    session.finish(&Answer { spec, graph, edges: &edges, loops, solution: &solution, trace })
}

/// Checks a directory.
pub(crate) fn check(directory: &Path) -> anyhow::Result<Again> {
    let saved = Saved::<ThetaSpec, Details>::open(directory)?;
    let claims = &saved.claims;
    let graph = &saved.symmetric("graph")?;
    let (edges, loops) = theta::edges(graph);
    let sdp = lovasz(graph.dim(), &edges, claims.spec.plus)?;
    let point = read_point(directory, &sdp)?;
    let asked = (claims.status, &claims.spec.program);
    let found = find(&sdp, point, &claims.details.program, None, asked)?;
    let (spec, solution) = (claims.spec.clone(), &found.solution);
    let answer = Answer { spec, graph, edges: &edges, loops, solution, trace: &[] };
    found.again(&saved, &answer)
}
