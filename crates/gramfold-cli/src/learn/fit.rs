//! A factor that was fitted to measurements: what is claimed of it, and the files that hold it.

use gramfold::{Certificate, Record, Solution, Spec};
use gramfold_report::Item;
use serde::{Deserialize, Serialize};

use crate::{
    session::{Envelope, Sizes},
    store::{Bound, Claims, Part, Side, Status},
};

/// What is claimed of a fit besides its objective and the bound on that.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Fit {
    /// f at X = ½(X + Y); the objective is this and the regularisation.
    pub(crate) loss: f64,
    /// h at X = ½(X + Y).
    #[serde(with = "gramfold::extended")]
    pub(crate) regularisation: f64,
    /// Passes over the measurements, each for a factor as wide as X.
    pub(crate) products: f64,
    pub(crate) exact: bool,
    pub(crate) optimal: bool,
    pub(crate) certificate: Certificate,
}

impl Fit {
    pub(crate) fn of(products: f64, certificate: Certificate) -> Self {
        Self {
            loss: certificate.loss,
            regularisation: certificate.regularisation,
            products,
            exact: certificate.exact,
            optimal: certificate.optimal,
            certificate,
        }
    }

    /// The best proved bound on the objective.
    fn bound(&self) -> Option<Bound> {
        let bound = self.certificate.lower_bound?;
        Some(Bound { value: bound.value, side: Side::Lower, proof: bound.proof })
    }

    /// The claims, with a command's own beside the fit.
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

    /// `converged after 12 iterations, 140 passes over the data, 0.02 s`.
    pub(crate) fn run_in_words<D>(&self, claims: &Claims<Spec, D>) -> String {
        let factorises = matches!(&claims.command[..], "factor" | "cluster");
        let passes = if factorises { "products with A" } else { "passes over the data" };
        format!(
            "{} after {} iterations, {:.0} {passes}, {:.2} s",
            claims.status, claims.iterations, self.products, claims.cost.seconds
        )
    }
}

/// A run and what is proved of its answer.
#[derive(Clone, Copy)]
pub struct Fitted<'a> {
    /// All that the run depended on but the data.
    pub spec: &'a Spec,
    /// Its answer.
    pub solution: &'a Solution,
    /// What is proved of that.
    pub certificate: &'a Certificate,
    /// What was seen of each iteration.
    pub trace: &'a [Record],
}

impl<'a> Fitted<'a> {
    /// What is claimed of it.
    pub(crate) fn fit(&self) -> Fit {
        Fit::of(self.solution.last.products, self.certificate.clone())
    }

    /// The claims, with a command's own beside the fit.
    pub(crate) fn claims<D>(&self, envelope: &impl Envelope, details: D) -> Claims<Spec, D> {
        let Solution { factor, last, status, .. } = self.solution;
        let sizes =
            Sizes { rank: self.spec.rank, nodes: factor.rows(), iterations: last.iteration };
        self.fit().claims(envelope, self.spec.clone(), *status, &sizes, details)
    }

    /// Its files.
    pub(crate) fn parts(&self) -> Vec<Part<'a>> {
        parts(self.solution, self.trace)
    }
}

/// The factor, both halves of the split and the trace.
fn parts<'a>(solution: &'a Solution, trace: &'a [Record]) -> Vec<Part<'a>> {
    vec![
        Part::array("factor", &solution.factor),
        Part::array("X", &solution.x),
        Part::array("Y", &solution.y),
        Part::lines("trace", trace),
    ]
}

/// What is proved, the run and the command that made it, for a page.
pub(crate) fn result<D>(claims: &Claims<Spec, D>, fit: &Fit, line: &str) -> Vec<Item> {
    let words = fit.certificate.to_string();
    let (exact, optimal) = words.split_once('\n').unwrap_or((&words, ""));
    vec![
        if fit.exact { Item::good(exact) } else { Item::bad(exact) },
        if fit.optimal { Item::good(optimal) } else { Item::finding("Bound", optimal) },
        Item::text(format!("{}.", fit.run_in_words(claims))),
        Item::command(line),
    ]
}
