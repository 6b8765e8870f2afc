//! C7: a lower bound for symmetric NMF from the doubly nonnegative relaxation.
//!
//! For W = P + N with P ⪰ 0 and N ≥ 0, every XXᵀ with X ≥ 0 has ⟨W, XXᵀ⟩ ≥ 0, so
//! ½‖XXᵀ − A‖² ≥ −½‖W‖² − ⟨W, A⟩, and the best multiple of W gives ⟨W, A⟩²/(2‖W‖²) if ⟨W, A⟩ < 0.

use gramfold_linalg::{Mat, Symmetric, accumulate, symmetric_eigen};

use super::{
    global::{LowerBound, Method},
    spectrum::Proof,
};

/// n up to which the alternating projections (an eigendecomposition each) are affordable.
const LARGEST: usize = 200;

/// The most rounds of projections onto the two cones, and after how many of them the bound must have grown by this
/// share for more to be worth their eigendecompositions.
const ROUNDS: usize = 60;
const LOOK: usize = 5;
const GROWTH: f64 = 1e-3;

/// The bound at W near G = XXᵀ − A, with P and N by alternating projection.
pub(super) fn bound(a: &Symmetric, x: &Mat) -> Option<LowerBound> {
    let n = a.dim();
    if n > LARGEST {
        return None;
    }
    let target = a.to_dense();
    let mut gradient = target.clone();
    gradient.scale(-1.0);
    accumulate(1.0, x, &x.transposed(), &mut gradient);

    let mut negative_part = Mat::zeros(n, n);
    let (mut best, mut before) = (0.0_f64, 0.0_f64);
    for round in 0..ROUNDS {
        if round % LOOK == 0 && round > 0 {
            if best <= (1.0 + GROWTH) * before {
                break;
            }
            before = best;
        }
        // P = [G − N]_PSD, N = [G − P]₊
        let mut rest = gradient.clone();
        rest.axpy(-1.0, &negative_part);
        let (psd, error) = positive_part(&rest)?;
        negative_part.copy_from(&gradient);
        negative_part.axpy(-1.0, &psd);
        negative_part.as_mut_slice().iter_mut().for_each(|v| *v = v.max(0.0));
        let mut w = psd;
        w.axpy(1.0, &negative_part);
        best = best.max(value(&w, &target, error));
    }
    Some(LowerBound { value: best, method: Method::DoublyNonnegative, proof: Proof::Rigorous })
}

/// ⟨W, A⟩²/(2‖W‖²), less what a W that is only nearly copositive may lose.
fn value(w: &Mat, a: &Mat, error: f64) -> f64 {
    let (along, size) = (w.dot(a), w.norm_squared());
    if along >= 0.0 || size == 0.0 {
        return 0.0;
    }
    let multiple = -along / size;
    // ⟨W, Z⟩ ≥ −error·tr Z, and a competitor better than Z = 0 has tr Z ≤ √n·2‖A‖.
    let trace = 2.0 * (a.rows() as f64).sqrt() * a.norm();
    0.5 * along * along / size - multiple * error * trace - 1e-14 * a.norm_squared()
}

/// The positive semidefinite part VΛ₊Vᵀ of M, and a bound on how far from PSD its rounded entries are.
fn positive_part(matrix: &Mat) -> Option<(Mat, f64)> {
    let n = matrix.rows();
    let eigen = symmetric_eigen(matrix)?;
    let mut scaled = eigen.vectors.clone();
    for (i, &value) in eigen.values.iter().enumerate() {
        let root = value.max(0.0).sqrt();
        scaled.row_mut(i).iter_mut().for_each(|v| *v *= root);
    }
    // RᵀR is PSD whatever R is; only the rounding of the product counts.
    let mut psd = Mat::zeros(n, n);
    accumulate(1.0, &scaled.transposed(), &scaled, &mut psd);
    let error = 2.0 * (n as f64 + 2.0) * f64::EPSILON * scaled.norm_squared();
    Some((psd, error))
}
