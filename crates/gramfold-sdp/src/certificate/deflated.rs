//! λmin of a large block by Lanczos, with the near-kernel taken out first.

use gramfold::certificate::{FAILURE, Means, Proof};
use gramfold_linalg::{
    Gram, Krylov, KrylovOptions, Mat, Which, accumulate, failure_gap, multiply, symmetric_eigen,
};

use super::{
    Allowance,
    combination::SymmetricSum,
    smallest::{Found, Smallest, by_rows},
};

/// Share of the time that the kernel may take; the rest is for what is left without it.
const KERNEL_SHARE: f64 = 0.6;

/// Steps of the Lanczos run that proves.
const STEPS: usize = 400;

/// Doubles of its basis at most: a gigabyte.
const ROOM: usize = 1 << 27;

/// With Q spanning the lowest Ritz vectors, S is [H Eᵀ; E B] and λmin(S) ≥ λmin([θ −e; −e β]) for θ ≤ λmin(H),
/// e ≥ ‖E‖ and β ≤ λmin(B). Lanczos bounds λmin(B) on PSP + σQQᵀ, P = I − QQᵀ, with σ inside the spectrum.
///
/// With little time both runs are short, which widens the bound; where they were so short that nothing follows from
/// them, the rows bound it.
pub(super) fn deflated(operator: &SymmetricSum, rank: usize, time: &Allowance<'_>) -> Found {
    let n = operator.dim();
    let wanted = (rank + 8).min(200).min(n / 4).max(1);
    let basis = 2 * wanted + 40;
    let options = KrylovOptions {
        which: Which::Largest,
        wanted,
        basis,
        // Unconverged residuals only widen the bound.
        steps: 12 * basis,
        tolerance: 1e-9,
    };
    let mut negated = |v: &Mat, out: &mut Mat| {
        operator.apply(v, out);
        out.scale(-1.0);
    };
    let first = time.share(KERNEL_SHARE);
    let over = || first.is_over();
    let Some(ritz) = Krylov::new(n, 2).run_until(&over, &mut negated, None, options) else {
        return Smallest::nothing().into();
    };
    let mut cut_short = over();
    let q = ritz.vectors.transposed();
    let k = q.cols();
    let mut image = Mat::zeros(n, k);
    operator.apply(&q, &mut image);
    let h = Gram::new(k).of(&q, &image).clone();
    let defect = Gram::new(k).of(&q, &q).distance(&Mat::identity(k));
    let rounding = operator.error + operator.size * (1e-14 * (n as f64).sqrt() + 4.0 * defect);
    let Some(eigen) = symmetric_eigen(&h) else { return Smallest::nothing().into() };
    let estimate = eigen.values[0];
    accumulate(-1.0, &q, &h, &mut image);
    let coupling = image.norm() + rounding;

    let sigma = *eigen.values.last().unwrap_or(&estimate);
    let mut inside = Mat::zeros(n, 1);
    let (mut gram, mut scaled) = (Gram::new(k), Mat::zeros(n, 1));
    let mut rest = |v: &Mat, out: &mut Mat| {
        let along = gram.of(&q, v).clone();
        inside.copy_from(v);
        accumulate(-1.0, &q, &along, &mut inside);
        operator.apply(&inside, out);
        let back = gram.of(&q, out).clone();
        accumulate(-1.0, &q, &back, out);
        multiply(sigma, &q, &along, &mut scaled);
        out.axpy(1.0, &scaled);
    };
    let steps = STEPS.min(ROOM / n).min(n);
    let options =
        KrylovOptions { which: Which::Ends, wanted: 1, basis: steps, steps, tolerance: 0.0 };
    // Fixed, so that a claim can be recomputed; data that were not made against it are independent of it.
    // It may be stopped by the clock, which knows nothing of what was drawn: the bound holds for the steps made.
    let over = || time.is_over();
    let ends = Krylov::new(n, 0x6772616d).run_until(&over, &mut rest, None, options);
    let Some(ends) = ends else { return Smallest::nothing().into() };
    cut_short |= ends.steps < steps && over();
    let (high, low) = (ends.values[0], ends.values[1]);
    let gap = failure_gap(n, ends.steps, 0.5 * FAILURE);
    if gap >= 0.25 {
        let smallest = if cut_short {
            Smallest { estimate, bound: by_rows(operator), proof: Proof::Rigorous }
        } else {
            Smallest { estimate, bound: f64::NEG_INFINITY, proof: Proof::Estimate }
        };
        return Found { smallest, cut_short };
    }
    let beta = low - gap * (high - low) / (1.0 - 2.0 * gap) - rounding;
    let theta = estimate - rounding;
    let middle = 0.5 * (theta + beta);
    let bound = middle - (0.5 * (theta - beta)).hypot(coupling);
    let bound = bound - 4.0 * f64::EPSILON * (theta.abs() + beta.abs() + coupling);
    let proof = Proof::Probabilistic { failure: FAILURE, means: Means::Lanczos };
    Found { smallest: Smallest { estimate, bound, proof }, cut_short }
}
