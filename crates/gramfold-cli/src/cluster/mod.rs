//! `gramfold cluster`: read, normalise, factorise, label, say.

mod checkpoint;
mod claims;
mod input;
mod report;
mod search;

use std::process::ExitCode;

use anyhow::bail;
use gramfold::{Problem, Status, linalg::Symmetric, loss::Quadratic, regulariser::Nonnegative};
use gramfold_cluster::{components, hard, permute_columns, relabel, soft};
use gramfold_io::{write_atomically, write_labels, write_npy};

use crate::{
    cli::{ClusterArgs, Precision},
    factor::default_directory,
    interrupt, output,
    resources::Meter,
    saved::{self, Outcome},
};
use checkpoint::Store;
use claims::ClusterClaims;
use search::Search;

/// Runs the command.
pub(crate) fn run(args: &ClusterArgs) -> anyhow::Result<ExitCode> {
    let meter = Meter::start();
    args.spec(1, 0).method()?; // A wrong name should not wait for a large file.
    if let Some(flag) = args.beyond_single() {
        bail!("--precision f32 has only the default method and no checkpoints: leave out {flag}");
    }
    let graph = input::read(args)?;
    let truth = input::truth(args, &graph)?;
    let prepared = gramfold_cluster::prepare(&graph.matrix, args.normalise, args.diagonal)?;
    let components = components(&graph.matrix);
    drop(graph.matrix);
    let matrix = match (args.precision, prepared.matrix) {
        (Precision::F32, Symmetric::Sparse(a)) => a.into_single().into(),
        (Precision::F32, _) => bail!(
            "--precision f32 is for sparse graphs: {} is dense, leave the flag out",
            args.input.display()
        ),
        (Precision::F64, matrix) => matrix,
    };
    let loss = Quadratic::new(matrix);
    Problem::new(&loss, &Nonnegative, *args.k.end())?;
    let directory = args.out.clone().unwrap_or_else(|| default_directory(&args.input));
    saved::prepare(&directory)?;

    let store = Store::open(args, &loss)?;
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
    let words = certificate.to_string();
    let outcome = Outcome {
        input: &args.input,
        matrix: loss.matrix(),
        spec: &best.spec,
        solution: &solution,
        certificate,
        trace: &best.watch.trace,
        cost: meter.read(),
    };
    let claims = saved::write_parts(&directory, outcome)?;
    let labels_file = directory.join("labels.txt");
    let memberships_file = directory.join("memberships.npy");
    for path in [Some(&labels_file), args.labels.as_ref()].into_iter().flatten() {
        write_labels(path, &relabelling.labels, graph.names.as_deref())?;
    }
    write_npy(&memberships_file, &memberships)?;
    let score =
        truth.map(|truth| gramfold_cluster::score(&truth, &relabelling.labels)).transpose()?;
    let claims = ClusterClaims {
        claims,
        clusters: relabelling.sizes.len(),
        sizes: relabelling.sizes,
        accuracy: score.as_ref().map(|score| score.accuracy),
        nmi: score.as_ref().map(|score| score.nmi),
        ari: score.as_ref().map(|score| score.ari),
        components: components.count(),
        singletons: components.singletons(),
        isolated: prepared.isolated,
        self_loops: prepared.self_loops,
        normalise: args.normalise.to_string(),
        diagonal: args.diagonal.to_string(),
        precision: args.precision,
        restarts: found.restarts,
        scan: found.scan,
        labels: labels_file,
        memberships: memberships_file,
    };
    saved::write_solution(&claims.claims.files.solution, &claims)?;
    if let Some(path) = &args.report {
        let page = report::page(
            &claims,
            &words,
            &loss,
            &relabelling.labels,
            &memberships,
            &best.watch.trace,
        );
        write_atomically(path, |out| out.write_all(page.to_html().as_bytes()))?;
    }
    if args.json {
        output::data(&(serde_json::to_string(&claims)? + "\n"))?;
    } else {
        output::data(&claims.summary(&directory, &words))?;
    }
    let solved = solution.status == Status::Converged && !found.interrupted;
    Ok(if solved { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
