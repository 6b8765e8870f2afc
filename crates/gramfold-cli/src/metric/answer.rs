//! A metric as it is written: what is claimed, the files, and the page.

use gramfold::linalg::{Mat, multiply};
use gramfold_learn::{MetricModel, Supervision};
use gramfold_report::Page;

use super::{
    claims::{Accuracy, Details, MetricClaims},
    in_units,
    input::{self, Input},
    report,
};
use crate::{learn::Fitted, session::Envelope, store::Part};

/// A metric.
pub(crate) struct Answer<'a> {
    fitted: Fitted<'a>,
    input: &'a Input,
    model: &'a MetricModel,
    standardised: bool,
    accuracy: Option<Accuracy>,
    /// L for the features as they are.
    factor: Mat,
    transformed: Mat,
    compared: Mat,
}

impl<'a> Answer<'a> {
    /// `deviations` are the units in which features were taken, if they were standardised.
    pub(crate) fn of(
        fitted: Fitted<'a>,
        input: &'a Input,
        model: &'a MetricModel,
        supervision: &Supervision,
        (standardised, deviations): (bool, &[f64]),
        accuracy: Option<Accuracy>,
    ) -> Self {
        let factor = in_units(&fitted.solution.factor, deviations);
        let mut transformed = Mat::zeros(input.points.rows(), model.rank);
        multiply(1.0, &input.points, &factor, &mut transformed);
        let (columns, numbers) = input::table(supervision);
        let compared = Mat::from_row_major(numbers.len() / columns, columns, numbers);
        Self { fitted, input, model, standardised, accuracy, factor, transformed, compared }
    }

    pub(crate) fn claims(&self, envelope: &impl Envelope) -> MetricClaims {
        let details = Details::of(
            self.fitted.fit(),
            self.model.clone(),
            self.compared.rows(),
            self.standardised,
            self.input.known.loss(),
            self.accuracy,
        );
        self.fitted.claims(envelope, details)
    }

    pub(crate) fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = self.fitted.parts();
        parts.retain(|part| part.role != "factor");
        parts.extend([
            Part::array("factor", &self.factor),
            Part::array("points", &self.input.points),
            Part::array("transformed", &self.transformed),
            Part::array("compared", &self.compared),
        ]);
        parts.extend(self.input.nodes.part());
        parts
    }

    pub(crate) fn page(&self, claims: &MetricClaims, line: &str) -> Page {
        let Self { input, factor, transformed, .. } = self;
        report::page(claims, line, input, factor, transformed, self.fitted.trace)
    }
}
