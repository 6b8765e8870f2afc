//! `gramfold correlation`: the nearest correlation matrix of low rank, and a proof of how near it can be.

pub(crate) mod claims;
pub(crate) mod report;

use gramfold::{Record, Solution, Stop, linalg::Mat};
use gramfold_io::Graph;
use gramfold_learn::{Correlation, SphereState};

use crate::{
    Exit,
    cli::CorrelationArgs,
    learn::Nodes,
    session::{Paths, Session},
    store::{Fingerprint, Part},
    watch::Watch,
};
use claims::{CorrelationSpec, claims, summary};

/// Iterations between checkpoints.
const CHECKPOINT_EVERY: usize = 20;

/// Runs the command.
pub(crate) fn run(args: &CorrelationArgs, line: &str) -> anyhow::Result<Exit> {
    let paths = Paths::new(&args.input.matrix, "txt", &args.run);
    let mut session = Session::open("correlation", line, &args.output, paths)?;
    let Graph { matrix, names, .. } =
        args.input.read.read_values(session.input(), "a correlation")?;
    let nodes = Nodes::new(matrix.dim(), names);
    session.timed("read");
    let a = matrix.to_dense();
    let question = Correlation::new(&a, args.rank)?;
    let spec = CorrelationSpec {
        rank: args.rank,
        tolerance: args.run.tol,
        max_iterations: args.max_iter,
        time_limit: args.run.time_limit,
        seed: args.run.seed,
    };
    let fingerprint = || {
        let spec = CorrelationSpec { time_limit: None, ..spec.clone() };
        Fingerprint::new("correlation").with("spec", format!("{spec:?}")).with_matrix(&matrix)
    };
    let watch = args.run.watch::<Record, SphereState>(&args.output, fingerprint)?;
    let mut watch = watch.at_most(args.max_iter);
    session.claim()?;

    let solution = solve(&question, &spec, &mut watch)?;
    session.timed("run");
    watch.say("certifying …");
    let stop = watch.proof_stopper(solution.status.is_cut_short());
    let x = &solution.factor;
    let proved = (x, question.certify(x, spec.tolerance, &stop)?);
    let claims = claims(&session, spec, solution.status, &question, proved, &solution.last);
    watch.say("");
    session.timed("certificate");
    let dual = question.multipliers(&solution.factor);
    let line = session.line;
    let mut files = parts(&solution, &a, &dual, &watch.trace);
    files.extend(nodes.part());
    session.finish(claims, files, summary, |claims| {
        report::page(claims, line, &a, nodes.names(), &solution.factor, &watch.trace)
    })
}

/// X, A, the multipliers and the trace.
pub(crate) fn parts<'a>(
    solution: &'a Solution,
    a: &'a Mat,
    dual: &'a [f64],
    trace: &'a [Record],
) -> Vec<Part<'a>> {
    vec![
        Part::array("factor", &solution.factor),
        Part::array("A", a),
        Part::column("dual", dual),
        Part::lines("trace", trace),
    ]
}

/// Runs from where the checkpoint says.
fn solve(
    question: &Correlation,
    spec: &CorrelationSpec,
    watch: &mut Watch<Record, SphereState>,
) -> anyhow::Result<Solution> {
    let mut stop = Stop::default().tolerance(spec.tolerance).max_iterations(spec.max_iterations);
    stop.time_limit = watch.time_left();
    let from = match watch.begin(0, 1, String::new()) {
        Some(kept) => {
            watch.trace.pop(); // It is shown again.
            kept.state
        }
        None => SphereState::at(question.start(spec.seed)?),
    };
    let mut last = None;
    let solution = question.solve(from, &stop, &mut |record, state| {
        let due = record.iteration > 0 && record.iteration.is_multiple_of(CHECKPOINT_EVERY);
        let flow = watch.step(record.clone());
        if due && watch.checkpoint.is_some() {
            watch.keep(state);
        }
        if watch.checkpoint.is_some() {
            last = Some(state());
        }
        flow
    });
    if let (Some(state), false) = (last, watch.is_over()) {
        watch.end(|| state);
    }
    Ok(solution)
}
