//! `gramfold factor`: read, solve, certify, write, say.

pub(crate) mod report;

use gramfold::{Problem, Spec, certificate::significant, loss::Quadratic};
use gramfold_io::Graph;

use crate::{
    Exit,
    cli::FactorArgs,
    factorisation::{self, Factorisation, Turn},
    learn::Fitted,
    session::{Paths, Session},
    store::{Claims, Fingerprint, Part},
};

/// Runs the command.
pub(crate) fn run(args: &FactorArgs, line: &str) -> anyhow::Result<Exit> {
    let spec = args.spec();
    let regulariser = spec.regulariser()?;
    spec.method()?; // A wrong name should not wait for a large file.
    let paths = Paths::new(&args.input.matrix, "txt", &args.run);
    let mut session = Session::open("factor", line, &args.output, paths)?;
    let Graph { matrix, names, .. } = args.input.read.read(session.input())?;
    let loss = Quadratic::new(matrix);
    let problem = Problem::new(&loss, &*regulariser, spec.rank)?;
    let fingerprint = || Fingerprint::new("factor").with_spec(&spec).with_matrix(loss.matrix());
    let mut watch = args.run.watch(&args.output, fingerprint)?.at_most(args.method.max_iter);
    session.claim()?;

    let solution = factorisation::run(&problem, &spec, None, Turn::only(), &mut watch)?;
    let certificate = watch.certify(&problem, &solution, args.run.tol)?;

    let matrix = loss.matrix();
    let fitted =
        Fitted { spec: &spec, solution: &solution, certificate: &certificate, trace: &watch.trace };
    let claims = fitted.claims(&session, Factorisation::of(matrix, fitted.fit()));
    let mut parts = fitted.parts();
    parts.push(Part::symmetric("A", matrix));
    let line = session.line;
    session.finish(claims, parts, summary, |claims| {
        report::page(claims, line, matrix, names.as_deref(), &solution.factor, &watch.trace)
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
        details.fit.run_in_words(claims),
        significant(details.fit.loss),
        details.error_in_words(),
        details.fit.certificate,
        n = claims.nodes,
    )
}
