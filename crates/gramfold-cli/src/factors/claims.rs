//! What `factors` claims.

use gramfold::{Spec, certificate::significant};
use gramfold_learn::{FactorSummary, Rotated, Rotation};
use serde::{Deserialize, Serialize};

use crate::{learn::Fit, pages::percent, store::Claims};

/// What only this command has to say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Details {
    #[serde(flatten)]
    pub(crate) fit: Fit,
    pub(crate) rotation: Rotation,
    /// The share of all variance that each rotated factor explains by itself.
    pub(crate) shares: Vec<f64>,
    #[serde(flatten)]
    pub(crate) analysis: FactorSummary,
}

pub(crate) type FactorsClaims = Claims<Spec, Details>;

impl Details {
    pub(crate) fn of(
        fit: Fit,
        rotation: Rotation,
        rotated: &Rotated,
        analysis: FactorSummary,
    ) -> Self {
        let l = &rotated.loadings;
        let share = |j: usize| l.column(j).map(|v| v * v).sum::<f64>() / l.rows() as f64;
        let shares = (0..l.cols()).map(share).collect();
        Self { fit, rotation, shares, analysis }
    }
}

/// The summary for a person.
pub(super) fn summary(claims: &FactorsClaims, names: &[String]) -> String {
    let Details { fit, analysis, shares, rotation, .. } = &claims.details;
    let shares: Vec<String> = shares.iter().map(|share| percent(*share)).collect();
    let mut text = format!(
        "{} variables, {} factors: {} of the variance; rotated ({rotation:?}): {}\n\
         residual correlations: {} (root of the mean square), {} at most\n",
        claims.nodes,
        claims.rank,
        percent(analysis.explained),
        shares.join(", "),
        significant(analysis.rmsr),
        significant(analysis.largest_residual),
    );
    for &i in &analysis.heywood {
        let value = significant(analysis.communalities[i]);
        text += &format!("Heywood case: {} has a communality of {value}\n", names[i]);
    }
    text + &format!("{}\n{}\n", fit.run_in_words(claims), fit.certificate)
}
