//! One run of one arm, and what is kept of its limit.

use gramfold::{Problem, Solution, Split, certificate::gradient_spectrum};

/// The limit of one run, measured anew from (X, Y, γ) alone.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sample {
    /// ‖X − Y‖/‖X‖.
    pub(crate) asymmetry: f64,
    /// Stationarity of the split problem at the last γ.
    pub(crate) stationarity: f64,
    /// f + h at ½(X + Y).
    pub(crate) objective: f64,
    /// F(X, Y; γ).
    pub(crate) split_objective: f64,
    pub(crate) iterations: usize,
    pub(crate) gamma: f64,
    /// Theorem 1's threshold at (X, Y).
    pub(crate) threshold: f64,
}

impl Sample {
    /// Measures a solution.
    pub(crate) fn of(problem: &Problem<'_>, solution: &Solution) -> Result<Self, gramfold::Error> {
        let Solution { factor, x, y, gamma, last, .. } = solution;
        let mut split = Split::new(problem, x.clone(), y.clone(), *gamma)?;
        let folded = Split::new(problem, factor.clone(), factor.clone(), *gamma)?;
        Ok(Self {
            asymmetry: split.asymmetry(),
            stationarity: split.stationarity(),
            objective: folded.objective(),
            split_objective: split.objective(),
            iterations: last.iteration,
            gamma: *gamma,
            threshold: 0.5 * gradient_spectrum(&split).high - 0.25 * problem.regulariser.sigma(),
        })
    }
}
