//! Loadings as they are written: what is claimed, the files, and the page.

use std::io::{self, Write};

use gramfold::linalg::{Dense, Mat};
use gramfold_learn::{FactorSummary, Rotated, Rotation};
use gramfold_report::Page;

use super::{
    claims::{Details, FactorsClaims},
    report,
};
use crate::{learn::Fitted, session::Envelope, store::Part};

/// Loadings.
pub(crate) struct Answer<'a> {
    fitted: Fitted<'a>,
    matrix: &'a Dense,
    names: &'a [String],
    rotation: Rotation,
    rotated: Rotated,
    pub(crate) analysis: FactorSummary,
}

impl<'a> Answer<'a> {
    /// Of the correlations of variables.
    pub(crate) fn of(
        fitted: Fitted<'a>,
        matrix: &'a Dense,
        names: &'a [String],
        rotation: Rotation,
    ) -> Self {
        let factor = &fitted.solution.factor;
        let (rotated, analysis) = (rotation.of(factor), FactorSummary::of(matrix, factor));
        Self { fitted, matrix, names, rotation, rotated, analysis }
    }

    pub(crate) fn claims(&self, envelope: &impl Envelope) -> FactorsClaims {
        let (fit, analysis) = (self.fitted.fit(), self.analysis.clone());
        self.fitted.claims(envelope, Details::of(fit, self.rotation, &self.rotated, analysis))
    }

    pub(crate) fn parts(&self) -> Vec<Part<'_>> {
        let loadings = &self.rotated.loadings;
        let mut parts = self.fitted.parts();
        parts.extend([
            Part::array("correlations", self.matrix.as_mat()),
            Part::array("loadings", loadings),
            Part::array("factor-correlations", &self.rotated.correlations),
            Part::column("communalities", &self.analysis.communalities),
            Part::new("table", "loadings.csv", |out| table(out, loadings, self.names)),
        ]);
        parts
    }

    pub(crate) fn page(&self, claims: &FactorsClaims, line: &str) -> Page {
        report::page(claims, line, self.matrix, self.names, &self.rotated, self.fitted.trace)
    }
}

/// A line for each variable: its name and its loadings.
fn table(out: &mut dyn Write, loadings: &Mat, names: &[String]) -> io::Result<()> {
    let heads: Vec<String> = (1..=loadings.cols()).map(|j| format!("factor {j}")).collect();
    writeln!(out, "variable,{}", heads.join(","))?;
    for (i, name) in names.iter().enumerate() {
        let values: Vec<String> = loadings.row(i).iter().map(f64::to_string).collect();
        writeln!(out, "\"{}\",{}", name.replace('"', "\"\""), values.join(","))?;
    }
    Ok(())
}
