//! The constants of a problem, in which every bound on γ is stated.

use gramfold::{Problem, certificate::significant, loss};
use gramfold_report::Table;
use serde::{Deserialize, Serialize};

/// What is known of f and h.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Constants {
    /// σ_f, the modulus of strong convexity of f.
    pub(crate) sigma_f: f64,
    /// l_f, the smoothness of f; infinite if it has none.
    #[serde(with = "gramfold::extended")]
    pub(crate) l_f: f64,
    /// l₁ ≤ l_f, along directions uuᵀ.
    #[serde(with = "gramfold::extended")]
    pub(crate) l_1: f64,
    /// A lower bound on f.
    #[serde(with = "gramfold::extended")]
    pub(crate) infimum_f: f64,
    /// σ_h, the modulus of strong convexity of h; negative if h is not convex.
    pub(crate) sigma_h: f64,
    /// min h.
    pub(crate) infimum_h: f64,
    /// Whether h(0) = min h.
    pub(crate) h_is_least_at_zero: bool,
}

impl Constants {
    pub(crate) fn of(problem: &Problem<'_>) -> Self {
        let (f, h) = (problem.loss.constants(), problem.regulariser);
        let loss::Constants { sigma, smoothness, rank_one_smoothness, infimum, .. } = f;
        Self {
            sigma_f: sigma,
            l_f: smoothness,
            l_1: rank_one_smoothness,
            infimum_f: infimum,
            sigma_h: h.sigma(),
            infimum_h: h.infimum(),
            h_is_least_at_zero: h.is_least_at_zero(),
        }
    }

    /// What each is, and its value.
    pub(crate) fn rows(&self) -> [(&'static str, String); 7] {
        let least = if self.h_is_least_at_zero { "yes" } else { "no" };
        [
            ("σ_f, strong convexity of f", significant(self.sigma_f)),
            ("l_f, smoothness of f", significant(self.l_f)),
            ("l₁, the same along uuᵀ", significant(self.l_1)),
            ("inf f, at least", significant(self.infimum_f)),
            ("σ_h, strong convexity of h", significant(self.sigma_h)),
            ("min h", significant(self.infimum_h)),
            ("h(0) = min h", least.into()),
        ]
    }

    /// The same for a page.
    pub(crate) fn table(&self) -> Table {
        let row = |(name, value): (&str, String)| vec![name.into(), value.into()];
        Table::new("Constants", ["constant", "value"]).rows(self.rows().map(row))
    }
}
