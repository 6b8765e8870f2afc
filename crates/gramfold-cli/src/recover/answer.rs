//! What was recovered as it is written: what is claimed, the files, the summary and the page.

use gramfold::{Error, Spec, certificate::significant};
use gramfold_learn::{Measured, Measurements, unknowns};
use gramfold_report::{Axis, Chart, Item, Page};
use serde::{Deserialize, Serialize};

use super::Given;
use crate::{
    answer::{self, Head},
    learn::{Fit, Fitted},
    pages::{factor_picture, names, short},
    store::{Claims, Part},
};

/// Measurements beyond which only the first are drawn.
const DRAWN: usize = 3000;

/// What only this command has to say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Details {
    #[serde(flatten)]
    pub(crate) fit: Fit,
    pub(crate) measured: Measured,
    /// How many there are, and how many numbers they are to determine.
    measurements: usize,
    unknowns: usize,
    /// ‖𝒜(XXᵀ) − b‖/‖b‖.
    relative_residual: f64,
}

/// A matrix, and the measurements that it came from.
pub(crate) struct Answer<'a> {
    fitted: Fitted<'a>,
    given: &'a Given,
    measured: Measurements,
}

impl<'a> Answer<'a> {
    pub(crate) fn of(fitted: Fitted<'a>, given: &'a Given) -> Result<Self, Error> {
        Ok(Self { fitted, given, measured: given.measured()? })
    }
}

impl answer::Answer for Answer<'_> {
    type Spec = Spec;
    type Details = Details;

    fn claims(&self, head: Head) -> Claims<Spec, Details> {
        let x = &self.fitted.solution.factor;
        let details = Details {
            fit: self.fitted.fit(),
            measured: self.given.kind(),
            measurements: self.measured.targets.len(),
            unknowns: unknowns(x.rows(), x.cols()),
            relative_residual: self.measured.relative_residual(x),
        };
        self.fitted.claims(head, details)
    }

    fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = self.fitted.parts();
        parts.extend(self.given.parts());
        parts
    }

    fn summary(&self, claims: &Claims<Spec, Details>) -> String {
        let Details { measurements, unknowns, relative_residual, .. } = claims.details;
        format!(
            "X: {}x{} from {measurements} measurements of {unknowns} unknowns; relative residual {}\n{}\n{}\n",
            claims.nodes,
            claims.rank,
            significant(relative_residual),
            self.fitted.run_in_words(claims),
            self.fitted.certificate,
        )
    }

    fn page(&self, claims: &Claims<Spec, Details>, line: &str) -> Page {
        let (details, x) = (&claims.details, &self.fitted.solution.factor);
        let Measurements { map, targets, .. } = &self.measured;
        let title = format!("Recovered from {}", claims.input.name());
        let subtitle =
            format!("{} measurements of {} unknowns", details.measurements, details.unknowns);
        let met = short(details.relative_residual);
        let headline = format!("The measurements are met to {met} of their size");
        let mut image = vec![0.0; map.len()];
        map.image(x, x, &mut image);
        let pairs = targets.iter().copied().zip(image).take(DRAWN).collect();
        let fit = Chart::new("Measured and explained")
            .x(Axis::linear("b"))
            .y(Axis::linear("⟨A, XXᵀ⟩"))
            .points("measurements", pairs);
        let picture: Item = if claims.rank == 1 {
            let signal = Chart::new("X, up to its sign").x(Axis::count("row")).y(Axis::linear("x"));
            let entries = x.column(0).enumerate().map(|(i, v)| (i as f64, v)).collect();
            vec![signal.series("x", entries)].into()
        } else {
            let order: Vec<usize> = (0..x.rows()).collect();
            factor_picture("X", x, &order, &names(x.rows(), None)).into()
        };
        Page::new(title, subtitle)
            .section("Answer", vec![Item::headline(headline)])
            .section("Certificate", self.fitted.result(claims, line))
            .section("Pictures", vec![vec![fit].into(), picture])
            .section("Convergence", self.fitted.convergence("f(XYᵀ)"))
    }
}
