//! λmin of a sparse block by sparse factorisations.

use gramfold::certificate::Proof;
use gramfold_linalg::{SparseCholesky, Symmetric};

use super::{
    super::{Allowance, SymmetricSum},
    Found, SPECTRAL, Smallest, seconds, step_down,
};

/// Sparse Cholesky a little below the estimate, where S is sparse and so are its factors.
pub(super) fn sparse(operator: &SymmetricSum, most: f64, time: &Allowance<'_>) -> Option<Found> {
    let Symmetric::Sparse(matrix) = &operator.entries else { return None };
    let n = operator.dim();
    // Small or filled blocks are as well off dense.
    if !operator.rank_ones.is_empty() || n <= SPECTRAL || matrix.stored() > n * n / 10 {
        return None;
    }
    if time.is_over() {
        return None;
    }
    let mut cholesky = SparseCholesky::analyse(matrix)?;
    if cholesky.flops() > most || !time.allows(seconds(cholesky.flops())) {
        return None;
    }
    // There is time for as many factorisations as this may take.
    let unhurried = time.allows(seconds(8.0 * cholesky.flops()));
    let unit = cholesky.unit();
    let trace: f64 = (0..n).map(|i| matrix.get(i, i).abs()).sum();
    let mut agrees = |bound: f64| cholesky.proves_positive_definite(|_| -bound, operator.error);
    // A slack of an optimum is nearly singular: a bound next to zero is as good as any, and Lanczos would take longer to
    // find it. Where traces are fixed a positive one counts, so it is looked for first.
    let ladder = (0..if unhurried { RUNGS } else { 0 })
        .map(|k| CLEARLY * trace / n as f64 * 4.0_f64.powi(k));
    let positive = ladder.take_while(|bound| agrees(*bound)).collect::<Vec<_>>();
    let settled = match positive.as_slice() {
        [] if unhurried => NEXT_TO_ZERO
            .map(|share| 0.0 - share * (operator.error + unit * trace))
            .into_iter()
            .find(|bound| agrees(*bound)),
        found if found.len() < RUNGS as usize => found.last().copied(),
        _ => None,
    };
    if let Some(bound) = settled {
        return Some(Smallest { estimate: bound, bound, proof: Proof::Rigorous }.into());
    }
    let estimate = operator.ritz_low(time)?;
    Some(step_down(estimate, unit, trace, operator, &mut agrees, time))
}

/// The first bound above zero, as a share of a typical diagonal entry, and how many are tried, each four times the last.
const CLEARLY: f64 = 1e-7;
const RUNGS: i32 = 6;

/// Bounds that are tried before anything is known of λmin, in units of the smallest that could succeed.
const NEXT_TO_ZERO: [f64; 3] = [0.0, 2.0, 16.0];
