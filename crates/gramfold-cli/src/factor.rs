//! `gramfold factor`: read, solve, certify, write, say.

pub(crate) mod report;

use gramfold::{Problem, Spec, certificate::significant, loss::Quadratic};
use gramfold_io::Graph;

use crate::{
    Exit,
    cli::FactorArgs,
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
        kind: "txt",
        read: Vec::new(),
        written: Vec::new(),
        checkpoint: args.run.checkpoint.as_deref(),
    };
    let mut session = Session::open("factor", line, &args.output, paths)?;
    let Graph { matrix, names, .. } = args.input.read.read(session.input())?;
    let loss = Quadratic::new(matrix);
    let problem = Problem::new(&loss, &*regulariser, spec.rank)?;
    let fingerprint = || Fingerprint::new("factor").with_spec(&spec).with_matrix(loss.matrix());
    let mut watch = args.run.watch(&args.output, fingerprint)?.at_most(args.method.max_iter);
    session.claim()?;

    let turn = Turn { run: 0, of: 1, label: String::new() };
    let solution = factorisation::run(&problem, &spec, turn, &mut watch)?;
    let certificate = watch.certify(&problem, &solution, args.run.tol)?;

    let matrix = loss.matrix();
    let last = &solution.last;
    let details = Factorisation::of(matrix, last.products, certificate);
    let sizes = Sizes { rank: spec.rank, nodes: matrix.dim(), iterations: last.iteration };
    let claims = details.claims(&session, spec, solution.status, &sizes, details.clone());
    let line = session.line;
    session.finish(claims, parts(("A", matrix), &solution, &watch.trace), summary, |claims| {
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
        run_in_words(claims, details),
        significant(details.loss),
        error_in_words(details),
        details.certificate,
        n = claims.nodes,
    )
}
