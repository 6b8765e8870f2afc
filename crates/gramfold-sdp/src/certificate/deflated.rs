//! λmin of a large block: the lowest Ritz vectors, and what is beside them.

use gramfold::certificate::{Leading, Operator, Proof};
use gramfold_linalg::{KrylovOptions, Mat};

use super::{
    Allowance, Smallest, SymmetricSum,
    smallest::{Found, by_rows},
};

/// What is known beforehand of the kernel of a slack.
#[derive(Clone, Copy)]
pub(crate) enum Kernel<'a> {
    /// About its dimension.
    Dimension(usize),
    /// Near the span of these columns: those of a factor of Z, since SZ = 0 at an answer.
    Near(&'a Mat),
}

/// Share of the time that the Ritz vectors may take; the rest is for what is beside them.
const KERNEL_SHARE: f64 = 0.6;

/// Ritz vectors beside a kernel that is nearly known, and how far they converge: they only have to be out of the way of what is beside them.
const BESIDE: usize = 10;
const CONVERGED: f64 = 1e-5;

/// Least and largest degree of the polynomial that bounds what is beside them: with the least about a thousandth of the width remains open.
const DEGREE: usize = 180;
const MOST_DEGREE: usize = 1000;

/// As many Ritz vectors as the kernel has dimensions, and some more. With little time bounds are wide, and the rows may tell more.
pub(super) fn deflated(operator: &SymmetricSum, kernel: Kernel<'_>, time: &Allowance<'_>) -> Found {
    let n = operator.dim();
    let kernel = match kernel {
        Kernel::Near(x) if !(x.norm() > 0.0 && x.norm().is_finite()) => Kernel::Dimension(0),
        known => known,
    };
    let (wanted, tolerance) = match kernel {
        Kernel::Dimension(rank) => ((rank + 8).min(200).min(n / 4).max(1), 1e-9),
        Kernel::Near(_) => (BESIDE.min(n / 4).max(1), CONVERGED),
    };
    let basis = 2 * wanted + 40;
    // Unconverged residuals only widen the bound.
    let options = KrylovOptions { wanted, basis, ..KrylovOptions::largest(12 * basis, tolerance) };
    let mut negated = |v: &Mat, out: &mut Mat| {
        operator.apply(v, out);
        out.scale(-1.0);
    };
    let rounding = operator.error + operator.size * 1e-14 * (n as f64).sqrt();
    let first = time.share(KERNEL_SHARE);
    let over = || first.is_over();
    let mut negative = Operator { dim: n, apply: &mut negated, rounding, stop: &over };
    let kernel = match kernel {
        Kernel::Near(known) => Leading::beside(&mut negative, known, options),
        Kernel::Dimension(_) => Leading::by_lanczos(&mut negative, options),
    };
    let Some((largest, kernel)) = kernel.and_then(|found| Some((found.largest()?, found))) else {
        return Smallest::nothing().into();
    };
    let over = || time.is_over();
    negative.stop = &over;
    let cut_short = first.is_over();
    // What is beside the vectors is to be seen above zero.
    let degree = kernel.degree(&negative, 0.0).filter(|degree| *degree <= MOST_DEGREE);
    let degree = degree.unwrap_or(DEGREE).max(DEGREE);
    let found = kernel.at_most(&mut negative, degree).filter(|bounds| bounds.proof.holds());
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

#[cfg(test)]
mod tests {
    use gramfold_linalg::{Csr, Symmetric};

    use super::*;

    /// Laplacians of 40 paths with 20 nodes each: a kernel of 40 dimensions, and the next eigenvalues nearby.
    #[test]
    fn a_large_kernel_that_is_nearly_known_is_bounded_tightly() {
        let (paths, length) = (40, 20);
        let n = paths * length;
        let mut entries = Vec::new();
        for i in (0..n as u32).filter(|i| i % 20 != 19) {
            let weight = 1.0 + 0.5 * f64::from(i).sin();
            entries.extend([(i, i, weight), (i + 1, i + 1, weight)]);
            entries.extend([(i, i + 1, -weight), (i + 1, i, -weight)]);
        }
        let operator = SymmetricSum {
            entries: Symmetric::from(Csr::symmetrised(n, &entries).unwrap()),
            rank_ones: Vec::new(),
            error: 0.0,
            errors: Vec::new(),
            unit: 0.0,
            size: 6.0,
        };
        for (noise, slack) in [(0.0, 1e-9), (1e-5, 1e-5), (1e-3, 0.05)] {
            // In another basis, and off by noise.
            let known = Mat::from_fn(n, paths, |i, j| {
                let wave = ((i * 7 + j * 11) as f64).sin();
                f64::from(u8::from(i / length == j))
                    + 0.1 * ((i / length * j) as f64).sin()
                    + noise * wave
            });
            let found = deflated(&operator, Kernel::Near(&known), &Allowance::UNLIMITED).smallest;
            assert!(found.proof.holds());
            assert!(found.bound <= 1e-12 && found.bound >= -slack, "{noise}: {}", found.bound);
        }
        let nothing = Mat::zeros(n, 3);
        let found = deflated(&operator, Kernel::Near(&nothing), &Allowance::UNLIMITED).smallest;
        assert!(found.bound <= 1e-12 && found.bound >= -4.0, "{}", found.bound);
    }
}
