//! `gramfold cluster`: read, normalise, factorise, label, say.

pub(crate) mod claims;
mod input;
pub(crate) mod overlap;
mod report;
mod search;

use gramfold::{Problem, loss::Quadratic, regulariser::Nonnegative};
use gramfold_cluster::{Chosen, components, permute_columns, relabel, similar_or_default, soft};

use crate::{
    Exit,
    cli::ClusterArgs,
    factorisation::{Factorisation, parts},
    guard::Named,
    resources::{Spent, timings_in_words},
    session::{Paths, Session, Sizes},
    store::{Fingerprint, Part},
};
use claims::{ClusterClaims, Clustering};
use input::Input;
use overlap::Overlap;
use search::Search;

/// Runs the command.
pub(crate) fn run(args: &ClusterArgs, line: &str) -> anyhow::Result<Exit> {
    args.spec(1, 0, false).method()?; // A wrong name should not wait for a large file.
    let paths = Paths {
        input: &args.input,
        kind: if args.points { "csv" } else { "txt" },
        read: args.truth.iter().map(|path| Named { flag: "--truth", path }).collect(),
        written: args.labels.iter().map(|path| Named { flag: "--labels", path }).collect(),
        checkpoint: args.run.checkpoint.as_deref(),
    };
    let mut session = Session::open("cluster", line, &args.output, paths)?;
    let Input { graph, truth } = input::read(args, session.input())?;
    session.timed("read");
    let seed = args.run.seed;
    let Chosen { similarity, normalise, prepared } =
        similar_or_default(&graph.matrix, args.similarity, args.normalise, args.diagonal, seed)?;
    let components = components(&graph.matrix);
    let loss = Quadratic::new(prepared.matrix);
    Problem::new(&loss, &Nonnegative, *args.k.end())?;
    let watch =
        args.run.watch(&args.output, || fingerprint(args, &loss))?.at_most(args.method.max_iter);
    session.claim()?;
    session.timed("similarity");

    let mut search = Search {
        args,
        graph: &graph.matrix,
        loss: &loss,
        components: &components,
        watch,
        starts: Spent::default(),
    };
    let found = search.run()?;
    session.timed_but("run", "start", search.starts);
    let best = found.best;
    let problem = Problem::new(&loss, &Nonnegative, best.spec.rank)?;
    let mut solution = best.solution;
    // Clusters are numbered by size, and the columns of every factor with them: what is certified is what is written.
    let relabelling = relabel(&best.labels, best.spec.rank);
    for factor in [&mut solution.factor, &mut solution.x, &mut solution.y] {
        *factor = permute_columns(factor, &relabelling.permutation);
    }
    let certificate = search.watch.certify(&problem, &solution, args.run.tol)?;
    session.timed("certificate");
    let memberships = soft(&solution.factor);
    let score = truth.as_ref().map(|truth| &truth.classes);
    let score =
        score.map(|truth| gramfold_cluster::score(truth, &relabelling.labels)).transpose()?;
    let overlap =
        args.overlap.map(|least| Overlap::of(&solution.factor, &relabelling.labels, least));
    let matrix = loss.matrix();
    let last = &solution.last;
    let factorisation = Factorisation::of(matrix, last.products, certificate);
    let sizes = Sizes { rank: best.spec.rank, nodes: matrix.dim(), iterations: last.iteration };
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
        similarity_seed: seed,
        normalise: normalise.to_string(),
        diagonal: args.diagonal.to_string(),
        restarts: found.restarts,
        scan: found.scan,
        overlap: overlap.as_ref().map(|(overlap, _)| overlap.clone()),
    };
    let mut claims = factorisation.claims(&session, best.spec, solution.status, &sizes, details);
    claims.status = found.cut_short.unwrap_or(claims.status);
    let mut parts = parts(("graph", &graph.matrix), &solution, &best.trace);
    parts.push(Part::labels("labels", &relabelling.labels, graph.names.as_deref()));
    parts.push(Part::array("memberships", &memberships));
    if let Some((_, memberships)) = &overlap {
        let table = overlap::table(memberships, graph.names.as_deref());
        parts.push(Part::bytes("overlap", overlap::FILE, table));
    }
    if let Some(truth) = &truth {
        let lines: Vec<String> = truth.classes.iter().map(|class| format!("{class}\n")).collect();
        parts.push(Part::bytes("truth", "truth.txt", lines.concat()));
    }
    let line = session.line;
    let summary = |claims: &ClusterClaims| {
        let text = claims::summary(claims);
        if args.verbose { text + &timings_in_words(&claims.timings) + "\n" } else { text }
    };
    session.finish(claims, parts, summary, |claims| {
        report::page(&report::Shown {
            claims,
            line,
            graph: &graph.matrix,
            loss: &loss,
            labels: &relabelling.labels,
            factor: &solution.factor,
            memberships: &memberships,
            overlap: overlap.as_ref(),
            trace: &best.trace,
            names: graph.names.as_deref(),
            truth: truth.as_ref(),
        })
    })
}

/// All that the path of the runs depends on; only the time limit and the threads may change.
fn fingerprint(args: &ClusterArgs, loss: &Quadratic) -> Fingerprint {
    // One k and one restart differ from the next by the rank, the seed and the start alone.
    let k = *args.k.start();
    let mut fingerprint = Fingerprint::new("cluster")
        .with("k", format!("{:?}", args.k))
        .with("restarts", format!("{:?}", args.restarts));
    for spec in [args.spec(k, 0, false), args.spec(k, 1, false)] {
        fingerprint = fingerprint.with_spec(&spec);
    }
    fingerprint.with_matrix(loss.matrix())
}
