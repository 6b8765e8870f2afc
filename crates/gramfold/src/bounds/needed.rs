//! The γ that a problem needs, beside which bounds are tight or loose.

use gramfold_linalg::Mat;
use serde::Serialize;

use super::{exactness, frobenius};
use crate::{
    Error, Problem, Spec, Split, Status, Stop, certificate::gradient_spectrum, registry::Component,
    solve,
};

/// Iterations in search of a critical point.
const ITERATIONS: usize = 2000;

/// The threshold that is needed, and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Needed {
    /// γ above this.
    pub value: f64,
    /// Where it comes from.
    pub why: &'static str,
}

/// T3 where it applies, for it is sharp; else Theorem 1 at the critical point found from the start. `regulariser` names that of
/// the problem.
pub fn needed(problem: &Problem<'_>, start: &Mat, regulariser: Component) -> Result<Needed, Error> {
    if let Ok(value) = frobenius(problem) {
        return Ok(Needed { value, why: "T3, necessary and sufficient" });
    }
    let stop = Stop::default().max_iterations(ITERATIONS);
    let spec = Spec { rank: problem.rank, regulariser, stop, ..Spec::default() };
    let solution = solve(problem, spec.method()?, start, &mut ())?;
    // Not from a certificate, which proves no threshold where nothing rests on it.
    let spectrum = gradient_spectrum(&Split::new(problem, solution.x, solution.y, 0.0)?);
    let sigma = problem.regulariser.sigma();
    Ok(match exactness(&spectrum, sigma).map(|value| value.max(0.0)) {
        Ok(value) if solution.status == Status::Converged => Needed {
            value,
            why: "Theorem 1 at the critical point that the spectral rule reaches from the start",
        },
        Ok(value) => Needed {
            value,
            why: "Theorem 1 where the spectral rule is after 2000 iterations, not yet a critical point",
        },
        Err(_) => Needed {
            value: (0.5 * spectrum.ritz_high - 0.25 * sigma).max(0.0),
            why: "an estimate of Theorem 1 where the spectral rule ends",
        },
    })
}
