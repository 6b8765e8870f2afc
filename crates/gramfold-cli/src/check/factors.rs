//! What `factors` claims: the run, and what follows from the loadings.

use std::path::Path;

use anyhow::bail;
use gramfold::{
    Problem, Spec,
    linalg::{Dense, Mat},
    loss::Quadratic,
};
use gramfold_learn::{FactorSummary, factors_spec};

use super::{
    Again,
    factorisation::{Factors, certified, measured},
    report::Report,
};
use crate::{factors::claims::Details, learn::Nodes, store::Saved};

/// How far a loading may be from the one that is computed again.
const NEAR: f64 = 1e-8;

/// Checks a directory of `factors`.
pub(super) fn check(directory: &Path, report: &mut Report) -> anyhow::Result<Again> {
    let saved = Saved::<Spec, Details>::open(directory)?;
    let claims = &saved.claims;
    let matrix = saved.array("correlations")?;
    let p = matrix.rows();
    if matrix.cols() != p || matrix != matrix.transposed() {
        bail!("the correlations are not symmetric");
    }
    Nodes::saved(&saved, p)?;
    report.claim("every variance is 1", (0..p).all(|i| matrix[(i, i)] == 1.0));
    let matrix = Dense::symmetrised(matrix);
    let loss = Quadratic::off_diagonal(matrix.clone());
    let spec = factors_spec(claims.spec.rank, &claims.spec);
    let regulariser = spec.regulariser()?;
    let problem = Problem::new(&loss, &*regulariser, spec.rank)?;
    let claimed = &claims.details.fit.certificate;
    let found =
        certified(&problem, &saved, Factors::of(&saved)?, claimed, measured(&problem), report)?;

    let factor = saved.array("factor")?;
    let rotated = claims.details.rotation.of(&factor);
    let near = |role: &str, found: &Mat| -> anyhow::Result<bool> {
        let claimed = saved.array(role)?;
        let same = (claimed.rows(), claimed.cols()) == (found.rows(), found.cols());
        Ok(same && claimed.distance(found) <= NEAR * (1.0 + found.norm()))
    };
    report.claim("loadings are the factor, rotated", near("loadings", &rotated.loadings)?);
    let same = near("factor-correlations", &rotated.correlations)?;
    report.claim("factor-correlations are those of the rotation", same);
    let analysis = FactorSummary::of(&matrix, &factor);
    let communalities = Mat::from_row_major(p, 1, analysis.communalities.clone());
    report.claim("communalities are those of the factor", near("communalities", &communalities)?);
    let details = Details::of(found.fit.clone(), claims.details.rotation, &rotated, analysis);
    found.again(claims, spec, details)
}
