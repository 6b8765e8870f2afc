//! `gramfold factor`: read, solve, certify, write, say.

use std::path::Path;

use gramfold::{
    Problem, Spec, certificate::significant, factorise, linalg::Symmetric, loss::Quadratic,
};
use gramfold_io::{Asymmetry, read_matrix_market};
use gramfold_report::{Item, Page};

use crate::{
    Exit,
    cli::{FactorArgs, InputArgs},
    factorisation::{Factorisation, error_in_words, parts, run_in_words},
    interrupt,
    progress::Watch,
    session::{Paths, Session},
    store::Claims,
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
        checkpoint: None,
    };
    let mut session = Session::open("factor", line, &args.output, paths)?;
    let loss = Quadratic::new(read_matrix(&args.input, session.input())?);
    let problem = Problem::new(&loss, &*regulariser, spec.rank)?;
    session.claim()?;

    let mut watch = Watch::new(spec.stop.clone(), interrupt::flag());
    let solution = factorise(&problem, &spec, &mut watch)?;
    watch.say("certifying …");
    let stopped = solution.status.is_cut_short();
    let certificate = solution.certify_in_time(&problem, args.method.stop.tol, stopped)?;
    watch.say("");

    let matrix = loss.matrix();
    let details = Factorisation::of(matrix, &solution, certificate);
    let claims = details.claims(&session, spec, matrix.dim(), &solution, details.clone());
    session.finish(claims, parts(matrix, &solution, &watch.trace), summary, |claims| {
        Page::new(format!("A factor of {}", claims.input.path.display()), String::new())
            .section("Result", vec![Item::text(claims.details.certificate.to_string())])
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
