//! `gramfold correlation`: the nearest correlation matrix of low rank, and a proof of how near it can be.

mod answer;

use std::path::Path;

use anyhow::Context;
use gramfold::{Record, Solution, Stop};
use gramfold_io::Graph;
use gramfold_learn::{Correlation, SphereState};

use crate::{
    Exit,
    answer::Answer as _,
    answer::Head,
    check::{Again, Report, Scales},
    cli::CorrelationArgs,
    learn::Nodes,
    session::{Paths, Session},
    store::{Fingerprint, Saved, Status},
    watch::Watch,
};
pub(crate) use answer::{Answer, CorrelationSpec};
use answer::{Details, proof};

/// Iterations between checkpoints.
const CHECKPOINT_EVERY: usize = 20;

/// A residual that was measured within the tolerance may be this much beyond it when it is measured again.
const AGAIN: f64 = 1.001;

/// How the run was asked for.
const ASKED: &[&str] = &["spec.tolerance", "spec.max_iterations"];

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
    let factor = &solution.factor;
    let certificate = question.certify(factor, spec.tolerance, &stop)?;
    watch.say("");
    let answer = Answer {
        spec,
        status: solution.status.into(),
        question: &question,
        a: &a,
        nodes: &nodes,
        factor,
        certificate: &certificate,
        dual: &question.multipliers(factor),
        last: &solution.last,
        trace: &watch.trace,
    };
    session.timed("certificate");
    session.finish(&answer)
}

/// Checks a directory.
pub(crate) fn check(directory: &Path, report: &mut Report) -> anyhow::Result<Again> {
    let saved = Saved::<CorrelationSpec, Details>::open(directory)?;
    let claimed = &saved.claims;
    let (a, x) = (saved.array("A")?, saved.array("factor")?);
    let question = Correlation::new(&a, claimed.spec.rank)?;
    anyhow::ensure!(
        (x.rows(), x.cols()) == (a.rows(), claimed.spec.rank)
            && x.is_finite()
            && a == a.transposed(),
        "the factor does not fit the matrix"
    );
    let nodes = Nodes::saved(&saved, a.rows())?;
    let trace = saved.lines::<Record>("trace")?;
    let last = trace.last().context("the trace is empty")?;
    let dual = saved.column("dual")?;
    let near =
        |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * a.abs().max(question.matrix.as_mat().norm());
    let multipliers = question.multipliers(&x);
    let same = dual.len() == multipliers.len() && dual.iter().zip(&multipliers).all(near);
    report.claim("dual holds the multipliers of the factor", same);
    let residual = last.stationarity.unwrap_or(f64::INFINITY);
    let converged = residual <= AGAIN * claimed.spec.tolerance;
    let possible = match claimed.status {
        Status::Converged => converged,
        Status::MaxIterations => last.iteration >= claimed.spec.max_iterations,
        status => !status.is_answer(),
    };
    let status = if possible { claimed.status } else { Status::Stalled };
    // A proof that was cut short is made again as far as it went.
    let brief = claimed.details.certificate.brief;
    let certificate = question.certify(&x, claimed.spec.tolerance, &|| brief)?;
    let answer = Answer {
        spec: claimed.spec.clone(),
        status,
        question: &question,
        a: &a,
        nodes: &nodes,
        factor: &x,
        certificate: &certificate,
        dual: &dual,
        last,
        trace: &trace,
    };
    let again = answer.claims(Head::of(claimed));
    report.claim("every row has length one", again.details.length_error <= 1e-12);
    let scales =
        Scales::of_values(again.objective + question.matrix.as_mat().norm_squared(), a.norm());
    let words = proof(&again) + "\n";
    let mut unchecked = ASKED.to_vec();
    if possible && !matches!(status, Status::Converged | Status::MaxIterations) {
        unchecked.push("status");
    }
    Again::new(again, scales, unchecked, words)
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
