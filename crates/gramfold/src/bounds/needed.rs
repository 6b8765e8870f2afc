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

#[cfg(test)]
mod tests {
    use gramfold_linalg::{Csr, Symmetric, accumulate, symmetric_eigenvalues};

    use super::*;
    use crate::{loss::Quadratic, regulariser::Nonnegative, start};

    /// A run on so many rows ends with X = Y bit for bit, where a certificate only estimates the threshold.
    #[test]
    fn no_smaller_number_than_the_threshold_is_needed() {
        let n = 300_u32;
        let edges: Vec<_> = (1..n)
            .flat_map(|i| [1, 7, 40].map(|step| (i, (i * i + step * i) % n, 1.0)))
            .filter(|(i, j, _)| i > j)
            .collect();
        let a = Symmetric::from(Csr::from_triangle(n as usize, &edges).unwrap());
        let loss = Quadratic::new(a.clone());
        let problem = Problem::new(&loss, &Nonnegative, 4).unwrap();
        let start = start::random(&problem, 1);
        let regulariser = Component::named("nonnegative");
        let found = needed(&problem, &start, regulariser.clone()).unwrap();
        let stop = Stop::default().max_iterations(ITERATIONS);
        let spec = Spec { rank: 4, regulariser, stop, ..Spec::default() };
        let solution = solve(&problem, spec.method().unwrap(), &start, &mut ()).unwrap();
        assert_eq!(solution.x, solution.y);
        let mut gradient = a.to_dense();
        gradient.scale(-1.0);
        accumulate(1.0, &solution.x, &solution.x.transposed(), &mut gradient);
        let exact = 0.5 * symmetric_eigenvalues(&gradient).unwrap().last().unwrap();
        assert!(found.value >= exact && found.value <= 1.001 * exact, "{found:?} {exact}");
    }
}
