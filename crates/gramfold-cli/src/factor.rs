//! `gramfold factor`: read, solve, certify, write, say.

use std::path::Path;

use gramfold::{Problem, Spec, certificate::significant, linalg::Symmetric, loss::Quadratic};
use gramfold_io::Graph;
use gramfold_report::{Cell, Item, Page, Table};

use crate::{
    Exit,
    answer::{self, Head},
    check::{Again, Factors, Report, factorised, whole},
    cli::FactorArgs,
    factorisation::{self, Factorisation, Turn},
    learn::Fitted,
    pages::{factor_picture, matrix_picture, names, percent},
    session::{Paths, Session},
    store::{Claims, Fingerprint, Part, Saved},
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
    let fitted =
        Fitted { spec: &spec, solution: &solution, certificate: &certificate, trace: &watch.trace };
    session.finish(&Answer { fitted, matrix: loss.matrix(), names: names.as_deref() })
}

/// Checks a directory.
pub(crate) fn check(directory: &Path, report: &mut Report) -> anyhow::Result<Again> {
    let saved = Saved::<Spec, Factorisation>::open(directory)?;
    let claims = &saved.claims;
    let (loss, factors) = (Quadratic::new(saved.symmetric("A")?), Factors::of(&saved)?);
    let found = factorised(&loss, &saved, factors, &claims.details.fit, report)?;
    let spec = whole(&claims.spec);
    let answer = Answer { fitted: found.fitted(&spec), matrix: loss.matrix(), names: None };
    found.again(&saved, &answer)
}

/// A matrix, and its factor.
pub(crate) struct Answer<'a> {
    pub(crate) fitted: Fitted<'a>,
    pub(crate) matrix: &'a Symmetric,
    pub(crate) names: Option<&'a [String]>,
}

impl answer::Answer for Answer<'_> {
    type Spec = Spec;
    type Details = Factorisation;

    fn claims(&self, head: Head) -> Claims<Spec, Factorisation> {
        self.fitted.claims(head, Factorisation::of(self.matrix, self.fitted.fit()))
    }

    fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = self.fitted.parts();
        parts.push(Part::symmetric("A", self.matrix));
        parts
    }

    fn summary(&self, claims: &Claims<Spec, Factorisation>) -> String {
        let details = &claims.details;
        let kind = if details.stored == claims.nodes * claims.nodes { "dense" } else { "sparse" };
        format!(
            "A: {n}x{n}, {kind}, {} entries; X: {n}x{}{}\n\
             {}\n\
             ½‖A−XXᵀ‖² = {}, {}\n\
             {}\n",
            details.stored,
            claims.rank,
            asked(claims),
            self.fitted.run_in_words(claims),
            significant(details.fit.loss),
            details.error_in_words(),
            self.fitted.certificate,
            n = claims.nodes,
        )
    }

    fn page(&self, claims: &Claims<Spec, Factorisation>, line: &str) -> Page {
        let n = self.matrix.dim();
        let names = names(n, self.names);
        let order: Vec<usize> = (0..n).collect();
        let a = matrix_picture("A", self.matrix, &order, &names).caption(
            "Means of entries where there are many; rows and columns in the order of the file",
        );
        let x = factor_picture("X", &self.fitted.solution.factor, &order, &names);
        let x = x.caption("Rows in the same order");
        let title = format!("A factor of {}", claims.input.name());
        let subtitle = format!("{n} rows, {} columns{}", claims.rank, asked(claims));
        Page::new(title, subtitle)
            .section("Answer", answer_section(claims))
            .section("Certificate", self.fitted.result(claims, line))
            .section("Pictures", vec![a.into(), x.into()])
            .section("Convergence", self.fitted.convergence("f(XYᵀ)"))
    }
}

/// What is asked of X, after a comma; nothing where nothing is.
fn asked(claims: &Claims<Spec, Factorisation>) -> String {
    let regulariser = &claims.spec.regulariser;
    if regulariser.name == "zero" { String::new() } else { format!(", {regulariser}") }
}

fn answer_section(claims: &Claims<Spec, Factorisation>) -> Vec<Item> {
    let Factorisation { fit, relative_error, .. } = &claims.details;
    let explained = percent((1.0 - relative_error * relative_error).max(0.0));
    vec![
        Item::headline(format!("XXᵀ with {} columns holds {explained} of ‖A‖²", claims.rank)),
        Table::new(
            "The answer X = factor.npy",
            ["½‖A − XXᵀ‖²", "‖A − XXᵀ‖/‖A‖", "h(X)", "least possible", "iterations"],
        )
        .row(vec![
            fit.loss.into(),
            (*relative_error).into(),
            fit.regularisation.into(),
            claims.bound.map_or(Cell::from("not known"), |bound| bound.value.into()),
            Cell::from(claims.iterations as f64),
        ])
        .into(),
    ]
}
