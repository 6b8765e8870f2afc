//! What `kernel` claims.

use gramfold::{Spec, linalg::Mat};
use gramfold_learn::Links;
use serde::{Deserialize, Serialize};

use crate::{learn::Fit, pages::percent, store::Claims};

/// What only this command has to say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Details {
    #[serde(flatten)]
    pub(crate) fit: Fit,
    /// The weight of ⟨L, Z⟩.
    pub(crate) smoothness: f64,
    /// Pairs that belong together, and that do not.
    pub(crate) together: usize,
    pub(crate) apart: usize,
    /// The share of pairs whose entry of XXᵀ has the right sign.
    pub(crate) kept: f64,
}

pub(crate) type KernelClaims = Claims<Spec, Details>;

impl Details {
    pub(crate) fn of(fit: Fit, smoothness: f64, links: &Links, x: &Mat) -> Self {
        let together = links.signs.iter().filter(|sign| **sign > 0.0).count();
        let apart = links.signs.len() - together;
        Self { fit, smoothness, together, apart, kept: links.kept(x) }
    }
}

/// The summary for a person.
pub(super) fn summary(claims: &KernelClaims) -> String {
    let details = &claims.details;
    format!(
        "{} nodes, rank {}; {} pairs together, {} apart: {} have the right sign\n{}\n{}\n",
        claims.nodes,
        claims.rank,
        details.together,
        details.apart,
        percent(details.kept),
        details.fit.run_in_words(claims),
        details.fit.certificate,
    )
}
