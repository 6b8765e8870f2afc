//! A fit as it is written: what is claimed, the files, and the page.

use gramfold::{Problem, Spec, bounds};
use gramfold_report::Page;

use super::{Details, description::Described, report};
use crate::{
    learn::{Constants, Fitted, Nodes},
    session::Envelope,
    store::{Claims, Part},
};

/// A fit.
pub(crate) struct Answer<'a> {
    pub(crate) fitted: Fitted<'a>,
    pub(crate) problem: &'a Problem<'a>,
    pub(crate) described: &'a Described,
    /// The role, the name and the bytes of each file of data.
    pub(crate) files: Vec<(String, String, Vec<u8>)>,
    pub(crate) nodes: &'a Nodes,
}

impl Answer<'_> {
    pub(crate) fn claims(&self, envelope: &impl Envelope) -> Claims<Spec, Details> {
        let terms = self.described.description.terms.len();
        let constants = Constants::of(self.problem);
        self.fitted.claims(envelope, Details { fit: self.fitted.fit(), terms, constants })
    }

    pub(crate) fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = self.fitted.parts();
        parts.push(Part::bytes("problem", "problem.toml", &self.described.text));
        parts.extend(self.files.iter().map(|(role, name, bytes)| Part::bytes(role, name, bytes)));
        parts.extend(self.nodes.part());
        parts
    }

    pub(crate) fn page(&self, claims: &Claims<Spec, Details>, line: &str) -> Page {
        let Fitted { spec, solution, trace, .. } = self.fitted;
        let start = spec.start.factor(self.problem, spec.seed);
        let bounds = start.and_then(|start| bounds::all(self.problem, &start)).unwrap_or_default();
        report::page(claims, line, self.nodes, &solution.factor, &bounds, trace)
    }
}
