//! A completion as it is written: what is claimed, the files, and the page.

use gramfold::linalg::Symmetric;
use gramfold_learn::{Biases, Choice, Determined, Observations};
use gramfold_report::Page;

use super::{
    claims::{CompleteClaims, Completed, Sampling},
    judged::Judged,
    predictions::Predictions,
    report,
};
use crate::{
    learn::{Fitted, Nodes},
    session::Envelope,
    store::Part,
};

/// A completion.
pub(crate) struct Answer<'a> {
    pub(crate) fitted: Fitted<'a>,
    pub(crate) entries: &'a Symmetric,
    pub(crate) observed: &'a Observations,
    pub(crate) nodes: &'a Nodes,
    pub(crate) choice: &'a Choice,
    pub(crate) biases: &'a Biases,
    pub(crate) predicted: &'a Predictions,
    /// Whether predictions of certain pairs were asked for.
    pub(crate) pairs_given: bool,
}

impl<'a> Answer<'a> {
    pub(crate) fn claims(&self, envelope: &impl Envelope) -> CompleteClaims {
        let rank = self.fitted.spec.rank;
        let determined = Determined::of(self.observed, rank);
        let details = Completed {
            fit: self.fitted.fit(),
            observations: self.observed.len(),
            shrinkage: self.choice.model.shrinkage,
            held_out: self.choice.score,
            trials: self.choice.trials.clone(),
            sampling: Sampling::of(&determined),
            warning: determined.warning(rank),
            predictions: self.predicted.list.len(),
            pairs_given: self.pairs_given,
        };
        self.fitted.claims(envelope, details)
    }

    /// How its predictions are judged.
    pub(super) fn judged(&self) -> Judged {
        Judged::by(&self.choice.model.loss.name)
    }

    pub(crate) fn parts(&self) -> Vec<Part<'a>> {
        let mut parts = self.fitted.parts();
        parts.push(Part::symmetric("entries", self.entries));
        if self.choice.model.shrinkage.is_some() {
            parts.push(Part::column("biases", self.biases.values()));
        }
        let predictions = self.predicted.csv(self.nodes, self.judged());
        parts.push(Part::bytes("predictions", "predictions.csv", predictions));
        parts.extend(self.nodes.part());
        parts
    }

    pub(crate) fn page(&self, claims: &CompleteClaims, line: &str) -> Page {
        report::page(self, claims, line)
    }
}
