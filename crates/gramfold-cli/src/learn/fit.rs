//! A factor that was fitted to measurements: what is claimed of it, and the files that hold it.

use gramfold::{Certificate, Record, Solution, Spec};
use gramfold_report::Item;
use serde::{Deserialize, Serialize};

use crate::{
    answer::{Head, Sizes},
    convergence::{Names, convergence},
    sdp::counted,
    store::{Bound, Claims, Part, Side},
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
        let certificate = self.certificate.clone();
        Fit {
            loss: certificate.loss,
            regularisation: certificate.regularisation,
            products: self.solution.last.products,
            exact: certificate.exact,
            optimal: certificate.optimal,
            certificate,
        }
    }

    /// The claims, with a command's own beside the fit.
    pub(crate) fn claims<D>(&self, head: Head, details: D) -> Claims<Spec, D> {
        let (spec, Solution { factor, last, status, .. }) = (self.spec, self.solution);
        let sizes = Sizes { rank: spec.rank, nodes: factor.rows(), iterations: last.iteration };
        let Certificate { loss, regularisation, lower_bound, .. } = self.certificate;
        let bound = lower_bound.map(|bound| Bound {
            value: bound.value,
            side: Side::Lower,
            proof: bound.proof,
        });
        head.claims(spec.clone(), *status, &sizes, details).valued(loss + regularisation, bound)
    }

    /// Its files: the factor, both halves of the split and the trace.
    pub(crate) fn parts(&self) -> Vec<Part<'a>> {
        let Solution { factor, x, y, .. } = self.solution;
        vec![
            Part::array("factor", factor),
            Part::array("X", x),
            Part::array("Y", y),
            Part::lines("trace", self.trace),
        ]
    }

    /// `converged after 12 iterations, 140 passes over the data, 0.02 s`.
    pub(crate) fn run_in_words<D>(&self, claims: &Claims<Spec, D>) -> String {
        let factorises = matches!(&claims.command[..], "factor" | "cluster");
        let passes = if factorises { "products with A" } else { "passes over the data" };
        let products = self.solution.last.products;
        format!(
            "{} after {}, {products:.0} {passes}, {:.2} s",
            claims.status,
            counted(claims.iterations, "iteration"),
            claims.cost.seconds
        )
    }

    /// What is proved, the run and the command that made it, for a page.
    pub(crate) fn result<D>(&self, claims: &Claims<Spec, D>, line: &str) -> Vec<Item> {
        let Certificate { exact, optimal, .. } = *self.certificate;
        let words = self.certificate.to_string();
        let (first, second) = words.split_once('\n').unwrap_or((&words, ""));
        vec![
            if exact { Item::good(first) } else { Item::bad(first) },
            if optimal { Item::good(second) } else { Item::finding("Bound", second) },
            Item::text(format!("{}.", self.run_in_words(claims))),
            Item::command(line),
        ]
    }

    /// How the run went, for a page; `objective` is what its loss is called.
    pub(crate) fn convergence(&self, objective: &'static str) -> Vec<Item> {
        let names = Names { primal: objective, dual: "" };
        vec![convergence(self.trace, &names, self.spec.stop.stationarity).into()]
    }
}
