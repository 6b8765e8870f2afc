//! `gramfold factor`: read, solve, certify, write, say.

use std::path::Path;

use gramfold::{Problem, Spec, certificate::significant, linalg::Symmetric, loss::Quadratic};
use gramfold_io::{Asymmetry, read_matrix_market};
use gramfold_report::Page;

use crate::{
    Exit,
    cli::{FactorArgs, InputArgs},
    factorisation::{self, Factorisation, Turn, error_in_words, parts, run_in_words},
    session::{Paths, Session, Sizes},
    store::{Claims, Fingerprint},
};

/// Runs the command.
pub(crate) fn run(args: &FactorArgs, line: &str) -> anyhow::Result<Exit> {
    let spec = args.spec();
    let regulariser = spec.regulariser()?;
    spec.method()?; // A wrong name should not wait for a large file.
    let paths = Paths {
        input: &args.input.matrix,
        kind: "mtx",
        read: Vec::new(),
        written: Vec::new(),
        checkpoint: args.run.checkpoint.as_deref(),
    };
    let mut session = Session::open("factor", line, &args.output, paths)?;
    let loss = Quadratic::new(read_matrix(&args.input, session.input())?);
    let problem = Problem::new(&loss, &*regulariser, spec.rank)?;
    let fingerprint = || Fingerprint::new("factor").with_spec(&spec).with_matrix(loss.matrix());
    let mut watch = args.run.watch(&args.output, fingerprint)?.at_most(args.method.max_iter);
    session.claim()?;

    let turn = Turn { run: 0, of: 1, label: String::new() };
    let solution = factorisation::run(&problem, &spec, false, turn, &mut watch)?;
    let certificate = watch.certify(&problem, &solution, args.run.tol)?;

    let matrix = loss.matrix();
    let last = &solution.last;
    let details = Factorisation::of(matrix, last.products, certificate);
    let sizes = Sizes { rank: spec.rank, nodes: matrix.dim(), iterations: last.iteration };
    let claims = details.claims(&session, spec, solution.status, &sizes, details.clone());
    let line = session.line;
    session.finish(claims, parts(("A", matrix), &solution, &watch.trace), summary, |claims| {
        let title = format!("A factor of {}", claims.input.path.display());
        let subtitle = format!("{n} × {n}, rank {}", claims.rank, n = claims.nodes);
        let charts = factorisation::charts(claims.spec.stop.stationarity, &watch.trace);
        Page::new(title, subtitle)
            .section("Result", factorisation::result(claims, &claims.details, line))
            .section("Convergence", vec![charts.into()])
    })
}

fn summary(claims: &Claims<Spec, Factorisation>) -> String {
    let details = &claims.details;
    let kind = if details.stored == claims.nodes * claims.nodes { "dense" } else { "sparse" };
    format!(
        "A: {n}x{n}, {kind}, {} entries; X: {n}x{}, {}\n\
         {}\n\
         ½‖A−XXᵀ‖² = {}, {}\n\
         {}\n",
        details.stored,
        claims.rank,
        claims.spec.regulariser,
        run_in_words(claims, details),
        significant(details.loss),
        error_in_words(details),
        details.certificate,
        n = claims.nodes,
    )
}

/// Reads the matrix that the flags name, from where it is.
pub(crate) fn read_matrix(input: &InputArgs, path: &Path) -> anyhow::Result<Symmetric> {
    let asymmetry = if input.symmetrise { Asymmetry::Average } else { Asymmetry::Refuse };
    Ok(read_matrix_market(path, asymmetry)?)
}
