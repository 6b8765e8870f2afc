//! `gramfold recover`: a matrix of low rank from measurements of it.

pub(crate) mod claims;
mod report;

use anyhow::bail;
use gramfold::{Problem, Spec, linalg::Mat, registry::Data};
use gramfold_io::{TableOptions, read_points};
use gramfold_learn::{Measured, Measurements, leading_start, unknowns};

use crate::{
    Exit,
    cli::{RecoverArgs, say},
    factorisation::{self, Turn},
    learn::{Fit, parts},
    output,
    session::{Paths, Session, Sizes},
    store::{Fingerprint, Part},
};
use claims::{Details, summary};

/// Runs the command.
pub(crate) fn run(args: &RecoverArgs, line: &str) -> anyhow::Result<Exit> {
    let paths = Paths {
        input: &args.input,
        kind: "csv",
        read: Vec::new(),
        written: Vec::new(),
        checkpoint: args.run.checkpoint.as_deref(),
    };
    let mut session = Session::open("recover", line, &args.output, paths)?;
    let points = read_points(session.input(), &TableOptions::default())?;
    say(session.input(), &points.notes);
    let (table, kind) = (points.matrix, Measured::from(args.of));
    session.timed("read");
    let measured = Measurements::of(&table, kind)?;
    let (n, m) = (measured.map.dim(), measured.targets.len());
    if args.rank > n {
        bail!("-r {} is not allowed: the matrix has only {n} rows", args.rank);
    }
    let mut spec = args.spec(measured.map.name());
    let loss = loss(&spec, measured)?;
    // A tenth, for errors of the signal itself.
    spec.stop.stationarity *= 0.1;
    let regulariser = spec.regulariser()?;
    let problem = Problem::new(&*loss, &*regulariser, spec.rank)?;
    let fingerprint =
        || Fingerprint::new("recover").with_spec(&spec).with_numbers(table.as_slice());
    let mut watch = args.run.watch(&args.output, fingerprint)?.at_most(args.max_iter);
    session.claim()?;
    if m < unknowns(n, args.rank) {
        output::warning(&format!(
            "{m} measurements do not determine the {} numbers of a matrix of rank {}",
            unknowns(n, args.rank),
            args.rank
        ));
    }

    let turn = Turn { run: 0, of: 1, label: String::new() };
    let start = leading_start(&problem, spec.seed)?;
    let solution = factorisation::run_from(&problem, &spec, &start, turn, &mut watch)?;
    session.timed("run");
    let certificate = watch.certify(&problem, &solution, spec.stop.stationarity)?;
    session.timed("certificate");

    let again = Measurements::of(&table, kind)?;
    let fit = Fit::of(solution.last.products, certificate);
    let details = Details::of(fit.clone(), kind, &again, &solution.factor);
    let sizes = Sizes { rank: spec.rank, nodes: n, iterations: solution.last.iteration };
    let claims = fit.claims(&session, spec, solution.status, &sizes, details);
    let line = session.line;
    let mut files = parts(&solution, &watch.trace);
    files.push(Part::array("measurements", &table));
    session.finish(claims, files, summary, |claims| {
        report::page(claims, line, &again, &solution.factor, &watch.trace)
    })
}

/// The loss that a spec names, on measurements.
pub(crate) fn loss(spec: &Spec, measured: Measurements) -> anyhow::Result<Box<dyn gramfold::Loss>> {
    let Measurements { map, targets } = measured;
    Ok(spec.loss(Data::Measured { map, targets, weights: None })?)
}

/// 𝒜(XXᵀ).
fn image(measured: &Measurements, x: &Mat) -> Vec<f64> {
    let mut image = vec![0.0; measured.map.len()];
    measured.map.image(x, x, &mut image);
    image
}
