//! `gramfold kernel`: a kernel on the nodes of a graph, from pairs that belong together or apart.

mod answer;

use std::path::Path;

use anyhow::bail;
use gramfold::{Problem, Spec};
use gramfold_learn::Links;

use crate::{
    Exit,
    check::{Again, Factors, Report, certified},
    cli::KernelArgs,
    factorisation::{self, Turn},
    learn::{Fitted, Link, Nodes, read_links, warn_of_contradictions},
    session::{Paths, Session},
    store::{Fingerprint, Saved},
};
pub(crate) use answer::Answer;
use answer::Details;

/// Runs the command.
pub(crate) fn run(args: &KernelArgs, line: &str) -> anyhow::Result<Exit> {
    let paths = Paths::new(&args.input, "txt", &args.run).reads("--pairs", Some(&args.pairs));
    let mut session = Session::open("kernel", line, &args.output, paths)?;
    let graph = args.read.read(session.input())?;
    let n = graph.matrix.dim();
    let nodes = Nodes::new(n, graph.names);
    let read = read_links(&nodes, &args.pairs, "nodes")?;
    refuse_apart_from_itself(&read, &nodes, &args.pairs)?;
    warn_of_contradictions(&read, &nodes, &args.pairs);
    let links = links(&read);
    session.timed("read");
    let rank = args.rank.unwrap_or_else(|| links.rank(n));
    if rank > n {
        bail!("-r {rank} is not allowed: the graph has only {n} nodes");
    }
    let spec = args.spec(rank);
    spec.method()?;
    let loss = links.loss(&graph.matrix, args.smoothness, &spec.loss)?;
    let regulariser = spec.regulariser()?;
    let problem = Problem::new(&loss, &*regulariser, rank)?;
    let fingerprint = || {
        let pairs: Vec<f64> =
            links.pairs.iter().flat_map(|(i, j)| [f64::from(*i), f64::from(*j)]).collect();
        let fingerprint = Fingerprint::new("kernel").with_spec(&spec).with_matrix(&graph.matrix);
        let fingerprint = fingerprint.with("smoothness", args.smoothness);
        fingerprint.with_numbers(&pairs).with_numbers(&links.signs)
    };
    let mut watch = args.run.watch(&args.output, fingerprint)?.at_most(args.method.max_iter);
    session.claim()?;
    let solution = factorisation::run(&problem, &spec, None, Turn::only(), &mut watch)?;
    session.timed("run");
    let certificate = watch.certify(&problem, &solution, args.run.tol)?;
    session.timed("certificate");
    let fitted =
        Fitted { spec: &spec, solution: &solution, certificate: &certificate, trace: &watch.trace };
    let (graph, smoothness) = (&graph.matrix, args.smoothness);
    session.finish(&Answer { fitted, graph, nodes: &nodes, links: &links, smoothness })
}

/// Checks a directory.
pub(crate) fn check(directory: &Path, report: &mut Report) -> anyhow::Result<Again> {
    let saved = Saved::<Spec, Details>::open(directory)?;
    let (spec, claimed) = (&saved.claims.spec, &saved.claims.details);
    let graph = saved.symmetric("graph")?;
    let nodes = Nodes::saved(&saved, graph.dim())?;
    let links = links(&read_links(&nodes, &saved.path("pairs")?, "nodes")?);
    let loss = links.loss(&graph, claimed.smoothness, &spec.loss)?;
    let regulariser = spec.regulariser()?;
    let problem = Problem::new(&loss, &*regulariser, spec.rank)?;
    let found = certified(&problem, &saved, Factors::of(&saved)?, &claimed.fit, report)?;
    let spec = Spec { data: "entries".into(), ..spec.clone() };
    let (fitted, smoothness) = (found.fitted(&spec), claimed.smoothness);
    let answer = Answer { fitted, graph: &graph, nodes: &nodes, links: &links, smoothness };
    found.again(&saved, &answer)
}

/// Refuses a node that is to be apart from itself: z_ii is never below 0.
fn refuse_apart_from_itself(read: &[Link], nodes: &Nodes, path: &Path) -> anyhow::Result<()> {
    let refused = read.iter().find(|link| link.pair.0 == link.pair.1 && !link.together);
    if let Some(Link { pair, line, .. }) = refused {
        let name = nodes.name(pair.0 as usize);
        bail!("{}:{line}: {name} cannot be apart from itself: leave it out", path.display());
    }
    Ok(())
}

/// Pairs and their signs.
fn links(read: &[Link]) -> Links {
    let sign = |link: &Link| if link.together { 1.0 } else { -1.0 };
    Links {
        pairs: read.iter().map(|link| link.pair).collect(),
        signs: read.iter().map(sign).collect(),
    }
}
