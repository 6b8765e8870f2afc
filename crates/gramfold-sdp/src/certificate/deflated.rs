//! λmin of a large block: the lowest Ritz vectors, and what is beside them.

use gramfold::certificate::{Leading, Operator, Proof};
use gramfold_linalg::{KrylovOptions, Mat, Which};

use super::{
    Allowance,
    combination::SymmetricSum,
    smallest::{Found, Smallest, by_rows},
};

/// Share of the time that the Ritz vectors may take; the rest is for what is beside them.
const KERNEL_SHARE: f64 = 0.6;

/// Degree of the polynomial that bounds what is beside them: about a thousandth of the width remains open.
const DEGREE: usize = 180;

/// As many Ritz vectors as the kernel has dimensions, and some more. With little time bounds are wide, and the rows may tell more.
pub(super) fn deflated(operator: &SymmetricSum, rank: usize, time: &Allowance<'_>) -> Found {
    let n = operator.dim();
    let wanted = (rank + 8).min(200).min(n / 4).max(1);
    let basis = 2 * wanted + 40;
    let (which, tolerance) = (Which::Largest, 1e-9);
    // Unconverged residuals only widen the bound.
    let options = KrylovOptions { which, wanted, basis, steps: 12 * basis, tolerance };
    let mut negated = |v: &Mat, out: &mut Mat| {
        operator.apply(v, out);
        out.scale(-1.0);
    };
    let rounding = operator.error + operator.size * 1e-14 * (n as f64).sqrt();
    let first = time.share(KERNEL_SHARE);
    let over = || first.is_over();
    let mut negative = Operator { dim: n, apply: &mut negated, rounding, stop: &over };
    let kernel = Leading::by_lanczos(&mut negative, options);
    let Some((largest, kernel)) = kernel.and_then(|found| Some((found.largest()?, found))) else {
        return Smallest::nothing().into();
    };
    let over = || time.is_over();
    negative.stop = &over;
    let cut_short = first.is_over();
    let found = kernel.at_most(&mut negative, DEGREE).filter(|bounds| bounds.proof.holds());
    let cut_short = cut_short || over();
    let estimate = -largest;
    let rows = by_rows(operator);
    let smallest = match found {
        Some(found) if -found.leading[0] > rows => {
            Smallest { estimate, bound: -found.leading[0], proof: found.proof }
        }
        _ => Smallest { estimate, bound: rows, proof: Proof::Rigorous },
    };
    Found { smallest, cut_short }
}
