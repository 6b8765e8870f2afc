//! `gramfold cluster`: read, normalise, factorise, label, say.

mod checkpoint;
mod claims;
mod input;
mod report;
mod search;

use anyhow::bail;
use gramfold::{Problem, linalg::Symmetric, loss::Quadratic, regulariser::Nonnegative};
use gramfold_cluster::{Similarity, components, hard, permute_columns, relabel, similar, soft};

use crate::{
    Exit,
    cli::{ClusterArgs, Precision},
    factorisation::{Factorisation, parts},
    guard::Named,
    interrupt,
    session::{Paths, Session},
    store::{Part, Status},
};
use checkpoint::Store;
use claims::Clustering;
use search::Search;

/// Runs the command.
pub(crate) fn run(args: &ClusterArgs, line: &str) -> anyhow::Result<Exit> {
    args.spec(1, 0).method()?; // A wrong name should not wait for a large file.
    if let Some(flag) = args.beyond_single() {
        bail!("--precision f32 has only the default method and no checkpoints: leave out {flag}");
    }
    let paths = Paths {
        input: &args.input,
        kind: if args.points { "csv" } else { "txt" },
        read: args.truth.iter().map(|path| Named { flag: "--truth", path }).collect(),
        written: args.labels.iter().map(|path| Named { flag: "--labels", path }).collect(),
        checkpoint: args.checkpoint.as_deref(),
    };
    let mut session = Session::open("cluster", line, &args.output, paths)?;
    let graph = input::read(args, session.input())?;
    let truth = input::truth(args, &graph)?;
    let similarity = args.similarity.unwrap_or_else(|| Similarity::of(&graph.matrix));
    let normalise = args.normalise.unwrap_or(similarity.normalise());
    let seed = args.method.seed;
    let prepared = similar(&graph.matrix, similarity, normalise, args.diagonal, seed)?;
    let components = components(&graph.matrix);
    drop(graph.matrix);
    let matrix = match (args.precision, prepared.matrix) {
        (Precision::F32, Symmetric::Sparse(a)) => a.into_single().into(),
        (Precision::F32, _) => bail!(
            "--precision f32 is for sparse graphs: {} is dense, leave the flag out",
            session.named()
        ),
        (Precision::F64, matrix) => matrix,
    };
    let loss = Quadratic::new(matrix);
    Problem::new(&loss, &Nonnegative, *args.k.end())?;
    let store = Store::open(args, &loss)?;
    session.claim()?;

    let interrupted = interrupt::flag();
    let search = Search { args, loss: &loss, components: &components, interrupted, store };
    let found = search.run()?;
    let best = found.best;
    let problem = Problem::new(&loss, &Nonnegative, best.spec.rank)?;
    best.watch.say("certifying …");
    let mut solution = best.solution;
    let stopped = found.interrupted || solution.status.is_cut_short();
    let certificate = solution.certify_in_time(&problem, args.method.stop.tol, stopped)?;
    best.watch.say("");

    // Clusters are numbered by size, and the columns of every factor with them.
    let relabelling = relabel(&hard(&solution.factor, Some(&components)), best.spec.rank);
    for factor in [&mut solution.factor, &mut solution.x, &mut solution.y] {
        *factor = permute_columns(factor, &relabelling.permutation);
    }
    let memberships = soft(&solution.factor);
    let score =
        truth.map(|truth| gramfold_cluster::score(&truth, &relabelling.labels)).transpose()?;
    let matrix = loss.matrix();
    let factorisation = Factorisation::of(matrix, &solution, certificate);
    let details = Clustering {
        factorisation: factorisation.clone(),
        clusters: relabelling.sizes.len(),
        sizes: relabelling.sizes,
        accuracy: score.as_ref().map(|score| score.accuracy),
        nmi: score.as_ref().map(|score| score.nmi),
        ari: score.as_ref().map(|score| score.ari),
        components: components.count(),
        singletons: components.singletons(),
        isolated: prepared.isolated,
        self_loops: prepared.self_loops,
        similarity: similarity.to_string(),
        normalise: normalise.to_string(),
        diagonal: args.diagonal.to_string(),
        precision: args.precision,
        restarts: found.restarts,
        scan: found.scan,
    };
    let mut claims = factorisation.claims(&session, best.spec, matrix.dim(), &solution, details);
    if found.interrupted {
        claims.status = Status::Interrupted;
    }
    let mut parts = parts(matrix, &solution, &best.watch.trace);
    parts.push(Part::labels("labels", &relabelling.labels, graph.names.as_deref()));
    parts.push(Part::array("memberships", &memberships));
    let line = session.line;
    session.finish(claims, parts, claims::summary, |claims| {
        report::page(claims, line, &loss, &relabelling.labels, &memberships, &best.watch.trace)
    })
}
