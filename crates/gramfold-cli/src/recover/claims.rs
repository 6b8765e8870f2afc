//! What `recover` claims.

use gramfold::{Spec, certificate::significant, linalg::Mat};
use gramfold_learn::{Measured, Measurements, unknowns};
use serde::{Deserialize, Serialize};

use crate::{learn::Fit, store::Claims};

/// What only this command has to say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Details {
    #[serde(flatten)]
    pub(crate) fit: Fit,
    pub(crate) measured: Measured,
    /// How many there are, and how many numbers they are to determine.
    pub(crate) measurements: usize,
    pub(crate) unknowns: usize,
    /// ‖𝒜(XXᵀ) − b‖/‖b‖.
    pub(crate) relative_residual: f64,
}

pub(crate) type RecoverClaims = Claims<Spec, Details>;

impl Details {
    pub(crate) fn of(fit: Fit, measured: Measured, all: &Measurements, x: &Mat) -> Self {
        Self {
            fit,
            measured,
            measurements: all.targets.len(),
            unknowns: unknowns(x.rows(), x.cols()),
            relative_residual: all.relative_residual(x),
        }
    }
}

/// The summary for a person.
pub(super) fn summary(claims: &RecoverClaims) -> String {
    let details = &claims.details;
    format!(
        "X: {}x{} from {} measurements of {} unknowns; relative residual {}\n{}\n{}\n",
        claims.nodes,
        claims.rank,
        details.measurements,
        details.unknowns,
        significant(details.relative_residual),
        details.fit.run_in_words(claims),
        details.fit.certificate,
    )
}
