//! `gramfold factors`: factor analysis.

mod answer;

use std::path::Path;

use anyhow::{Context, bail};
use gramfold::{
    Problem, Spec,
    certificate::significant,
    linalg::{Dense, Mat},
    loss::Quadratic,
};
use gramfold_io::read_points;
use gramfold_learn::{
    FactorSummary, Rotated, correlations, factors_spec, normalised, turn_to_axes,
};

use crate::{
    Exit,
    check::{Again, Factors, Report, certified},
    cli::{FactorsArgs, say},
    factorisation::{self, Turn},
    learn::{Fitted, Nodes},
    output,
    pages::names,
    session::{Paths, Session},
    store::{Claims, Fingerprint, Saved},
};
pub(crate) use answer::Answer;
use answer::Details;

/// A correlation beyond one by no more than this was rounded.
const ROUNDED: f64 = 1e-6;

/// How far a loading may be from the one that is computed again.
const NEAR: f64 = 1e-8;

/// Runs the command.
pub(crate) fn run(args: &FactorsArgs, line: &str) -> anyhow::Result<Exit> {
    let spec = args.spec();
    spec.method()?; // A wrong name should not wait for a large file.
    let paths = Paths::new(&args.input, "txt", &args.run);
    let mut session = Session::open("factors", line, &args.output, paths)?;
    let (matrix, called) = read(args, session.input())?;
    session.timed("read");
    let p = matrix.dim();
    if args.k >= p {
        bail!("-k {} is not allowed: there are only {p} variables", args.k);
    }
    let loss = Quadratic::off_diagonal(matrix.clone());
    let regulariser = spec.regulariser()?;
    let problem = Problem::new(&loss, &*regulariser, spec.rank)?;
    let fingerprint = || Fingerprint::new("factors").with_spec(&spec).with_matrix(loss.matrix());
    let mut watch = args.run.watch(&args.output, fingerprint)?.at_most(args.method.max_iter);
    session.claim()?;

    let mut solution = factorisation::run(&problem, &spec, None, Turn::only(), &mut watch)?;
    turn_to_axes(&mut solution);
    session.timed("run");
    let certificate = watch.certify(&problem, &solution, args.run.tol)?;
    session.timed("certificate");

    let nodes = Nodes::new(p, called);
    let fitted =
        Fitted { spec: &spec, solution: &solution, certificate: &certificate, trace: &watch.trace };
    let answer = Answer::of(fitted, &matrix, &nodes, args.rotate.into());
    warn(&answer.analysis, &answer.names, args.k);
    session.finish(&answer)
}

/// Checks a directory.
pub(crate) fn check(directory: &Path, report: &mut Report) -> anyhow::Result<Again> {
    let saved = Saved::<Spec, Details>::open(directory)?;
    let Claims { spec, details: claimed, .. } = &saved.claims;
    let matrix = saved.array("correlations")?;
    let p = matrix.rows();
    if matrix.cols() != p || matrix != matrix.transposed() {
        bail!("the correlations are not symmetric");
    }
    let nodes = Nodes::saved(&saved, p)?;
    report.claim("every variance is 1", (0..p).all(|i| matrix[(i, i)] == 1.0));
    let matrix = Dense::symmetrised(matrix);
    let loss = Quadratic::off_diagonal(matrix.clone());
    let spec = factors_spec(spec.rank, spec);
    let regulariser = spec.regulariser()?;
    let problem = Problem::new(&loss, &*regulariser, spec.rank)?;
    let found = certified(&problem, &saved, Factors::of(&saved)?, &claimed.fit, report)?;
    let answer = Answer::of(found.fitted(&spec), &matrix, &nodes, claimed.rotation);
    let holds = |role: &str, found: &Mat| saved.holds(role, found, NEAR * (1.0 + found.norm()));
    let Rotated { loadings, correlations } = &answer.rotated;
    report.claim("loadings are the factor, rotated", holds("loadings", loadings)?);
    let same = holds("factor-correlations", correlations)?;
    report.claim("factor-correlations are those of the rotation", same);
    let communalities = Mat::from_row_major(p, 1, answer.analysis.communalities.clone());
    report.claim("communalities are those of the factor", holds("communalities", &communalities)?);
    found.again(&saved, &answer)
}

/// The correlations, and what the variables are called.
fn read(args: &FactorsArgs, path: &Path) -> anyhow::Result<(Dense, Option<Vec<String>>)> {
    if args.points {
        let points = read_points(path, &args.table.options())?;
        say(path, &points.notes);
        let matrix = correlations(&points.matrix).with_context(|| path.display().to_string())?;
        if points.matrix.rows() <= points.matrix.cols() {
            output::warning(&format!(
                "{} observations of {} variables: their correlations are rough",
                points.matrix.rows(),
                points.matrix.cols()
            ));
        }
        return Ok((matrix, points.columns));
    }
    let graph = args.read.read_values(path, "a correlation")?;
    let (matrix, covariances) =
        normalised(&graph.matrix).with_context(|| path.display().to_string())?;
    if covariances {
        output::note(&format!(
            "{}: the diagonal is not all ones: taken for covariances",
            path.display()
        ));
    }
    warn_beyond_one(&matrix, &names(matrix.dim(), graph.names.as_deref()), path);
    Ok((matrix, graph.names))
}

/// Names the first correlation that is none.
fn warn_beyond_one(matrix: &Dense, names: &[String], path: &Path) {
    let pairs = (0..matrix.dim()).flat_map(|i| (0..i).map(move |j| (j, i)));
    for (i, j) in pairs {
        let value = matrix.as_mat()[(i, j)];
        if value.abs() > 1.0 + ROUNDED {
            output::warning(&format!(
                "{}: the correlation of {} and {} is {}, not between -1 and 1: doubt the file",
                path.display(),
                names[i],
                names[j],
                significant(value)
            ));
            return;
        }
    }
}

/// Says what makes the loadings doubtful.
fn warn(analysis: &FactorSummary, names: &[String], k: usize) {
    if analysis.degrees_of_freedom < 0 {
        output::warning(&format!(
            "{} variables do not determine {k} factors: there are {} more parameters than correlations",
            names.len(),
            -analysis.degrees_of_freedom
        ));
    }
    if !analysis.heywood.is_empty() {
        let called: Vec<&str> = analysis.heywood.iter().map(|i| names[*i].as_str()).collect();
        output::warning(&format!(
            "Heywood case: more than all of the variance of {} would be explained; take fewer factors, or doubt the correlations",
            called.join(", ")
        ));
    }
}
