//! What was recovered as it is written: what is claimed, the files, and the page.

use gramfold::Error;
use gramfold_learn::Measurements;
use gramfold_report::Page;

use super::{
    claims::{Details, RecoverClaims},
    given::Given,
    report,
};
use crate::{learn::Fitted, session::Envelope, store::Part};

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

    pub(crate) fn claims(&self, envelope: &impl Envelope) -> RecoverClaims {
        let (fit, x) = (self.fitted.fit(), &self.fitted.solution.factor);
        self.fitted.claims(envelope, Details::of(fit, self.given.kind(), &self.measured, x))
    }

    pub(crate) fn parts(&self) -> Vec<Part<'a>> {
        let mut parts = self.fitted.parts();
        parts.extend(self.given.parts());
        parts
    }

    pub(crate) fn page(&self, claims: &RecoverClaims, line: &str) -> Page {
        let Fitted { solution, trace, .. } = self.fitted;
        report::page(claims, line, &self.measured, &solution.factor, trace)
    }
}
