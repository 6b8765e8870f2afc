//! How far a number that is computed again may be from the one that is claimed.

/// The share of a value's scale that its sums may differ by, on another machine.
const ROUNDING: f64 = 1e-9;

/// The share of itself that a residual or an eigenvalue may differ by …
const RELATIVE: f64 = 1e-5;

/// … and of its scale, where it is all rounding.
const TINY: f64 = 1e-11;

/// Claims in the units of the objective.
const VALUES: &[&str] = &[
    "objective",
    "loss",
    "regularisation",
    "value",
    "gap",
    "primal_objective",
    "dual_objective",
    "relaxation",
    "best",
    "worst",
];

/// Claims that have no unit.
const RATIOS: &[&str] =
    &["stationarity", "split_stationarity", "asymmetry", "infeasibility", "dimacs", "relative_gap"];

/// The scales of a problem.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scales {
    /// Of the objective: what its terms add up to before they cancel.
    value: f64,
    /// Of the entries or the eigenvalues of the data.
    data: f64,
}

impl Scales {
    pub(crate) fn of_values(value: f64, data: f64) -> Self {
        Self { value, data }
    }

    /// How far the two may be apart.
    pub(super) fn slack(&self, path: &str, claimed: f64, found: f64) -> f64 {
        let larger = claimed.abs().max(found.abs());
        let name = path.rsplit('.').next().unwrap_or(path);
        let name = name.split('[').next().unwrap_or(name);
        match name {
            _ if VALUES.contains(&name) => ROUNDING * larger + self.value(),
            // The root of a value that may be all rounding.
            "relative_error" => RELATIVE * larger + ROUNDING.sqrt() * 1e-3,
            _ if RATIOS.contains(&name) => RELATIVE * larger + TINY,
            _ => RELATIVE * larger + TINY * self.data,
        }
    }

    /// How far two values of the objective may be apart.
    pub(crate) fn value(&self) -> f64 {
        ROUNDING * self.value
    }
}
