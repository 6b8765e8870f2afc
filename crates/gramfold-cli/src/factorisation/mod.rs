//! What `factor` and `cluster` share: how a factorisation is run, what is claimed of it, and the files that hold it.

mod run;

use gramfold::{Certificate, Record, Solution, Spec, certificate::significant, linalg::Symmetric};
use gramfold_report::{Chart, Item};
use serde::{Deserialize, Serialize};

use crate::{
    convergence::{Names, convergence},
    session::{Envelope, Sizes},
    store::{Bound, Claims, Part, Side, Status},
};

pub(crate) use run::{Turn, Watch, run, run_from, run_kept};

/// What is claimed of a factorisation besides its objective and the bound on that.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Factorisation {
    /// ½‖A − XXᵀ‖² at X = ½(X + Y); the objective is this and the regularisation.
    pub(crate) loss: f64,
    /// h at X = ½(X + Y).
    #[serde(with = "gramfold::extended")]
    pub(crate) regularisation: f64,
    /// ‖A − XXᵀ‖/‖A‖.
    pub(crate) relative_error: f64,
    /// Products of A with an n×r matrix.
    pub(crate) products: f64,
    pub(crate) gamma: f64,
    #[serde(with = "gramfold::extended")]
    pub(crate) threshold: f64,
    pub(crate) asymmetry: f64,
    pub(crate) exact: bool,
    pub(crate) optimal: bool,
    /// The entries stored for the matrix.
    pub(crate) stored: usize,
    pub(crate) certificate: Certificate,
}

impl Factorisation {
    pub(crate) fn of(matrix: &Symmetric, products: f64, certificate: Certificate) -> Self {
        Self {
            loss: certificate.loss,
            regularisation: certificate.regularisation,
            relative_error: relative_error(certificate.loss, matrix),
            products,
            gamma: certificate.gamma,
            threshold: certificate.threshold,
            asymmetry: certificate.asymmetry,
            exact: certificate.exact,
            optimal: certificate.optimal,
            stored: matrix.stored(),
            certificate,
        }
    }

    /// The best proved bound on the objective.
    pub(crate) fn bound(&self) -> Option<Bound> {
        let bound = self.certificate.lower_bound?;
        Some(Bound { value: bound.value, side: Side::Lower, proof: bound.proof })
    }

    /// The claims, with a command's own beside the factorisation.
    pub(crate) fn claims<D>(
        &self,
        envelope: &impl Envelope,
        spec: Spec,
        status: impl Into<Status>,
        sizes: &Sizes,
        details: D,
    ) -> Claims<Spec, D> {
        envelope
            .claims(spec, status, sizes, details)
            .valued(self.loss + self.regularisation, self.bound())
    }
}

/// The files of a factorisation; the matrix is called by its role.
pub(crate) fn parts<'a>(
    (role, matrix): (&str, &'a Symmetric),
    solution: &'a Solution,
    trace: &'a [Record],
) -> Vec<Part<'a>> {
    vec![
        Part::array("factor", &solution.factor),
        Part::array("X", &solution.x),
        Part::array("Y", &solution.y),
        Part::symmetric(role, matrix),
        Part::lines("trace", trace),
    ]
}

/// How the run went.
pub(crate) fn charts(tolerance: f64, trace: &[Record]) -> Vec<Chart> {
    let names = Names { primal: "f(XYᵀ)", dual: "" };
    convergence(trace, &names, tolerance)
}

/// What is proved, the run and the command that made it, for a page.
pub(crate) fn result<D>(
    claims: &Claims<Spec, D>,
    factorisation: &Factorisation,
    line: &str,
) -> Vec<Item> {
    let words = factorisation.certificate.to_string();
    let (exact, optimal) = words.split_once('\n').unwrap_or((&words, ""));
    vec![
        if factorisation.exact { Item::good(exact) } else { Item::bad(exact) },
        if factorisation.optimal { Item::good(optimal) } else { Item::finding("Bound", optimal) },
        Item::text(format!("{}.", run_in_words(claims, factorisation))),
        Item::command(line),
    ]
}

/// ‖A − Z‖/‖A‖ from ½‖A − Z‖²; zero for a zero matrix.
pub(crate) fn relative_error(loss: f64, matrix: &Symmetric) -> f64 {
    let norm_squared = matrix.norm_squared();
    if norm_squared == 0.0 { 0.0 } else { (2.0 * loss / norm_squared).sqrt() }
}

/// `converged after 40 iterations, 176 products with A, 0.01 s`.
pub(crate) fn run_in_words<D>(claims: &Claims<Spec, D>, factorisation: &Factorisation) -> String {
    format!(
        "{} after {} iterations, {:.0} products with A, {:.2} s",
        claims.status, claims.iterations, factorisation.products, claims.cost.seconds
    )
}

/// `relative error 0.745076`.
pub(crate) fn error_in_words(factorisation: &Factorisation) -> String {
    format!("relative error {}", significant(factorisation.relative_error))
}
