//! A layout as it is written: what is claimed, the files, and the page.

use gramfold::linalg::Symmetric;
use gramfold_learn::{
    Observations,
    locate::{Anchors, Reason, undetermined},
};
use gramfold_report::Page;

use super::{
    claims::{self, LocateClaims, Located, Residuals},
    input, report,
};
use crate::{
    learn::{Fitted, Nodes},
    session::Envelope,
    store::Part,
};

/// A layout.
pub(crate) struct Answer<'a> {
    pub(super) fitted: Fitted<'a>,
    pub(super) matrix: &'a Symmetric,
    pub(super) distances: &'a Observations,
    pub(super) anchors: &'a Anchors,
    pub(super) nodes: &'a Nodes,
    pub(super) free: Vec<(usize, Reason)>,
    pub(super) residuals: Residuals,
}

impl<'a> Answer<'a> {
    /// `distances` are those of `matrix`.
    pub(crate) fn of(
        fitted: Fitted<'a>,
        matrix: &'a Symmetric,
        distances: &'a Observations,
        anchors: &'a Anchors,
        nodes: &'a Nodes,
    ) -> Self {
        let positions = &fitted.solution.factor;
        let free = undetermined(distances, anchors, fitted.spec.rank, positions);
        let residuals = Residuals::of(distances, positions);
        Self { fitted, matrix, distances, anchors, nodes, free, residuals }
    }

    pub(crate) fn claims(&self, envelope: &impl Envelope) -> LocateClaims {
        let details = Located {
            fit: self.fitted.fit(),
            distances: self.distances.len(),
            anchors: self.anchors.len(),
            framed: self.anchors.len() > self.fitted.spec.rank,
            relative_error: self.residuals.relative_error(),
            largest_residual: self.residuals.largest().map_or(0.0, |(_, _, _, off)| off.abs()),
            outliers: self.residuals.outliers(),
            undetermined: self.free.len(),
            named: claims::named(&self.free, self.nodes),
        };
        self.fitted.claims(envelope, details)
    }

    pub(crate) fn parts(&self) -> Vec<Part<'a>> {
        let (anchors, nodes) = (self.anchors, self.nodes);
        let mut parts = vec![
            Part::array("positions", &self.fitted.solution.factor),
            Part::lines("trace", self.fitted.trace),
            Part::symmetric("distances", self.matrix),
            Part::bytes("residuals", "residuals.csv", self.residuals.csv(nodes)),
            Part::bytes("undetermined", "undetermined.csv", claims::free_csv(&self.free, nodes)),
        ];
        if !anchors.is_empty() {
            parts.push(Part::bytes("anchors", "anchors.csv", input::anchors_csv(anchors, nodes)));
        }
        parts.extend(nodes.part());
        parts
    }

    pub(crate) fn page(&self, claims: &LocateClaims, line: &str) -> Page {
        report::page(self, claims, line)
    }
}
