//! `gramfold factor`: read, solve, certify, write, say.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use gramfold::{
    Problem, Status, certificate::significant, factorise, linalg::Symmetric, loss::Quadratic,
};
use gramfold_io::{Asymmetry, read_matrix_market};

use crate::{
    cli::{FactorArgs, InputArgs},
    interrupt, output,
    progress::Watch,
    resources::Meter,
    saved::{self, Claims, Outcome},
};

/// Runs the command.
pub(crate) fn run(args: &FactorArgs) -> anyhow::Result<ExitCode> {
    let meter = Meter::start();
    let spec = args.spec();
    let regulariser = spec.regulariser()?;
    spec.method()?; // A wrong name should not wait for a large file.
    let loss = Quadratic::new(read_matrix(&args.input)?);
    let problem = Problem::new(&loss, &*regulariser, spec.rank)?;

    let directory = args.out.clone().unwrap_or_else(|| default_directory(&args.input.matrix));
    saved::prepare(&directory)?;

    let mut watch = Watch::new(spec.stop.clone(), interrupt::flag());
    let solution = factorise(&problem, &spec, &mut watch)?;
    watch.say("certifying …");
    let stopped = solution.status.is_cut_short();
    let certificate = solution.certify_in_time(&problem, args.method.stop.tol, stopped)?;
    watch.say("");
    let words = certificate.to_string();

    let claims = saved::write(
        &directory,
        Outcome {
            input: &args.input.matrix,
            matrix: loss.matrix(),
            spec: &spec,
            solution: &solution,
            certificate,
            trace: &watch.trace,
            cost: meter.read(),
        },
    )?;
    if args.json {
        output::data(&(serde_json::to_string(&claims)? + "\n"))?;
    } else {
        output::data(&summary(&claims, &directory, &words))?;
    }
    let solved = solution.status == Status::Converged;
    Ok(if solved { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn summary(claims: &Claims, directory: &Path, words: &str) -> String {
    let Claims { objective, relative_error, iterations, products, cost, .. } = claims;
    let kind = if claims.stored == claims.dim * claims.dim { "dense" } else { "sparse" };
    format!(
        "A: {n}x{n}, {kind}, {} entries; X: {n}x{}, {}\n\
         {} after {iterations} iterations, {products:.0} products with A, {:.2} s\n\
         ½‖A−XXᵀ‖² = {}, relative error {}\n\
         {words}\n\
         written to {}\n",
        claims.stored,
        claims.spec.rank,
        claims.spec.regulariser,
        claims.status,
        cost.seconds,
        significant(*objective),
        significant(*relative_error),
        directory.display(),
        n = claims.dim,
    )
}

/// Reads the matrix that the flags name.
pub(crate) fn read_matrix(input: &InputArgs) -> anyhow::Result<Symmetric> {
    let asymmetry = if input.symmetrise { Asymmetry::Average } else { Asymmetry::Refuse };
    Ok(read_matrix_market(&input.matrix, asymmetry)?)
}

/// `graphs/karate.mtx.gz` gives `karate.gramfold`, in the current directory.
pub(crate) fn default_directory(input: &Path) -> PathBuf {
    let name = input.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    PathBuf::from(format!("{stem}.gramfold"))
}
