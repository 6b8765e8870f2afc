//! What was recovered as it is written: what is claimed, the files, and the page.

use gramfold::{Error, linalg::Mat};
use gramfold_learn::{Measured, Measurements};
use gramfold_report::Page;

use super::{
    claims::{Details, RecoverClaims},
    report,
};
use crate::{learn::Fitted, session::Envelope, store::Part};

/// A matrix, and the measurements that it came from.
pub(crate) struct Answer<'a> {
    fitted: Fitted<'a>,
    table: &'a Mat,
    kind: Measured,
    measured: Measurements,
}

impl<'a> Answer<'a> {
    pub(crate) fn of(fitted: Fitted<'a>, table: &'a Mat, kind: Measured) -> Result<Self, Error> {
        Ok(Self { fitted, table, kind, measured: Measurements::of(table, kind)? })
    }

    pub(crate) fn claims(&self, envelope: &impl Envelope) -> RecoverClaims {
        let (fit, x) = (self.fitted.fit(), &self.fitted.solution.factor);
        self.fitted.claims(envelope, Details::of(fit, self.kind, &self.measured, x))
    }

    pub(crate) fn parts(&self) -> Vec<Part<'a>> {
        let mut parts = self.fitted.parts();
        parts.push(Part::array("measurements", self.table));
        parts
    }

    pub(crate) fn page(&self, claims: &RecoverClaims, line: &str) -> Page {
        let Fitted { solution, trace, .. } = self.fitted;
        report::page(claims, line, &self.measured, &solution.factor, trace)
    }
}
