//! Lower bounds on the smallest eigenvalue of a block of the slack.
//!
//! Rigorous where a Cholesky factorisation fits: if it runs to completion on S − βI less a slack for its rounding,
//! then λmin(S) ≥ β. Elsewhere Lanczos from a random start, with the near-kernel taken out first: what is left
//! has its smallest eigenvalue away from zero, so that the few per cent that Lanczos leaves open do not matter.

mod sparse;

use std::time::{Duration, Instant};

use gramfold::certificate::Proof;
use gramfold_linalg::{Krylov, KrylovOptions, Mat, is_positive_definite, symmetric_eigen};
use serde::{Deserialize, Serialize};

use super::{Allowance, Combination, Kernel, SymmetricSum, deflated::deflated, face};
use crate::lowest::Lowest;
use sparse::sparse;

/// n up to which a full eigendecomposition is the estimate.
const SPECTRAL: usize = 256;

/// Lanczos steps of an estimate.
pub(super) const STEPS: usize = 200;

/// Rows up to which S is formed and factorised as a dense matrix, if it is not sparse.
pub(super) const DENSE: usize = 2048;

/// Operations that a dense factorisation makes while a sparse one makes one …
const DENSE_RATE: f64 = 0.2;

/// … and how many a sparse one may take where a dense one does not fit: some ten seconds.
const AFFORDABLE: f64 = 1e11;

/// Operations a second of a factorisation on a slow machine: where these are too slow for the time there is, it is not
/// begun.
const SLOW_RATE: f64 = 1e9;

/// What is known of the smallest eigenvalue of one block.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Smallest {
    /// The best estimate; the bound itself, where that was proved first.
    #[serde(with = "gramfold::extended")]
    pub estimate: f64,
    /// Not above the eigenvalue, as far as `proof` goes.
    #[serde(with = "gramfold::extended")]
    pub bound: f64,
    /// How the bound was obtained.
    pub proof: Proof,
}

/// What was found in the time there was.
pub(crate) struct Found {
    pub(crate) smallest: Smallest,
    /// Whether more time would have given more.
    pub(crate) cut_short: bool,
}

impl From<Smallest> for Found {
    fn from(smallest: Smallest) -> Self {
        Self { smallest, cut_short: false }
    }
}

impl Smallest {
    /// Bounds the smallest eigenvalue of a block, or the smallest number of a nonnegative one.
    /// `kernel` is what to expect of its kernel. With a `face` v the bound holds on v⊥ only.
    pub(crate) fn of(
        block: &Combination,
        kernel: Kernel<'_>,
        face: Option<&[f64]>,
        time: &Allowance<'_>,
    ) -> Found {
        match block {
            Combination::Nonnegative { values, errors } => {
                let low = |m: f64, v: f64| if v.is_nan() { f64::NEG_INFINITY } else { m.min(v) };
                let bound = values.iter().zip(errors).map(|(v, e)| (v - e).next_down());
                let smallest = Self {
                    estimate: values.iter().copied().fold(f64::INFINITY, low),
                    bound: bound.fold(f64::INFINITY, low),
                    proof: Proof::Rigorous,
                };
                smallest.into()
            }
            Combination::Semidefinite(operator) => {
                if !operator.size.is_finite() {
                    return Self::nothing().into();
                }
                let n = operator.dim();
                let full = (n as f64).powi(3) / 3.0;
                let fits = n <= DENSE && time.allows(seconds(full));
                if let Some(v) = face
                    && fits
                    && let Some(found) = on_face(operator, v, time)
                {
                    return found;
                }
                let most = if n <= DENSE { DENSE_RATE * full } else { AFFORDABLE };
                sparse(operator, most, time).unwrap_or_else(|| {
                    if fits { dense(operator, time) } else { deflated(operator, kernel, time) }
                })
            }
        }
    }

    pub(super) fn nothing() -> Self {
        let (estimate, bound) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        Self { estimate, bound, proof: Proof::Estimate }
    }
}

/// How long so many operations take on a slow machine.
pub(super) fn seconds(operations: f64) -> Duration {
    Duration::try_from_secs_f64(operations / SLOW_RATE).unwrap_or(Duration::MAX)
}

/// By Gershgorin no eigenvalue is further out than the largest row sum.
pub(super) fn by_rows(operator: &SymmetricSum) -> f64 {
    let n = operator.dim() as f64;
    -(operator.size + operator.error) * (1.0 + 8.0 * n * f64::EPSILON)
}

/// The smallest Ritz value of a short run; not below λmin.
pub(super) fn ritz_low(
    n: usize,
    apply: &dyn Fn(&Mat, &mut Mat),
    steps: usize,
    time: &Allowance<'_>,
) -> Option<f64> {
    let options = KrylovOptions { basis: 80.min(n), ..KrylovOptions::largest(steps, 1e-8) };
    let mut apply = |v: &Mat, out: &mut Mat| apply(v, out);
    let over = || time.is_over();
    Some(Lowest::of(&mut Krylov::new(n, 1), &mut apply, options, &over)?.values[0])
}

impl SymmetricSum {
    /// The smallest Ritz value.
    fn ritz_low(&self, time: &Allowance<'_>) -> Option<f64> {
        ritz_low(self.dim(), &|v, out| self.apply(v, out), STEPS, time)
    }
}

/// All n² entries, and Cholesky a little below the estimate, stepping down until it agrees.
fn dense(operator: &SymmetricSum, time: &Allowance<'_>) -> Found {
    let n = operator.dim();
    let matrix = operator.to_dense();
    let estimate = if n <= SPECTRAL {
        symmetric_eigen(&matrix).and_then(|eigen| eigen.values.first().copied())
    } else {
        operator.ritz_low(time)
    };
    let Some(estimate) = estimate else { return Smallest::nothing().into() };
    let mut agrees = |bound: f64| is_positive_definite(&matrix, 1.0, -bound, operator.error);
    // Next to zero rounding hides the sign, unless rows of different size are brought to one.
    let unclear = estimate.abs() < 1e-8 * operator.size;
    if unclear
        && let Some((scaled, error)) = operator.scaled(&matrix)
        && is_positive_definite(&scaled, 1.0, 0.0, error)
    {
        return Smallest { estimate, bound: 0.0, proof: Proof::Rigorous }.into();
    }
    let trace: f64 = (0..n).map(|i| matrix[(i, i)].abs()).sum();
    let unit = (n as f64 + 4.0) * f64::EPSILON;
    step_down(estimate, unit, trace, operator, &mut agrees, time)
}

/// As [`dense`], for S on v⊥; the estimate is that of S itself.
fn on_face(operator: &SymmetricSum, v: &[f64], time: &Allowance<'_>) -> Option<Found> {
    let reduced = face::reduced(operator, v)?;
    let (matrix, error) = (&reduced.matrix, reduced.error);
    let n = matrix.rows();
    let estimate = operator.ritz_low(time)?;
    // The ladder starts at what Cholesky resolves, and ends where Gershgorin would.
    let trace: f64 = (0..n).map(|i| matrix[(i, i)].abs()).sum();
    let row = |i: usize| matrix.row(i).iter().map(|e| e.abs()).sum::<f64>();
    let size = (0..n).map(row).fold(0.0, f64::max);
    let least = 2.0 * (error + (n as f64 + 4.0) * f64::EPSILON * trace);
    let mut bound = 0.0;
    let mut step = least.max(f64::MIN_POSITIVE);
    while !reduced.is_above(bound) {
        if bound < -4.0 * size - least || time.is_over() {
            return None;
        }
        bound = -step;
        step *= 4.0;
    }
    Some(Smallest { estimate, bound, proof: Proof::Rigorous }.into())
}

/// The largest bound of a ladder below the estimate with which `agrees` agrees.
fn step_down(
    estimate: f64,
    unit: f64,
    trace: f64,
    operator: &SymmetricSum,
    agrees: &mut dyn FnMut(f64) -> bool,
    time: &Allowance<'_>,
) -> Found {
    let mut last = Duration::ZERO;
    let mut cut_short = false;
    // A factorisation that would end too late is not begun.
    let mut agrees = |bound: f64| {
        cut_short |= !time.allows(last);
        let clock = Instant::now();
        let agreed = !cut_short && agrees(bound);
        last = clock.elapsed();
        agreed
    };
    let proof = Proof::Rigorous;
    // Nothing smaller than the slack of the factorisation itself can succeed.
    let n = operator.dim() as f64;
    let least = 2.0 * (operator.error + unit * (trace + n * estimate.abs()));
    // Of a definite slack the sign matters most; where traces are fixed the size counts, too.
    for share in [0.99, 0.5, 0.0] {
        let bound = if share > 0.0 { share * estimate - least } else { 0.0 };
        if estimate > 0.0 && bound >= 0.0 && agrees(bound) {
            return Smallest { estimate, bound, proof }.into();
        }
    }
    let mut step = least.max(f64::MIN_POSITIVE);
    let top = estimate.min(0.0);
    while step <= 4.0 * operator.size + least {
        let bound = top - step;
        if agrees(bound) {
            return Smallest { estimate, bound, proof }.into();
        }
        step *= 8.0;
    }
    Found { smallest: Smallest { estimate, bound: by_rows(operator), proof }, cut_short }
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::{Csr, Symmetric};

    use super::*;

    fn bounded(block: &Combination, rank: usize) -> Smallest {
        Smallest::of(block, Kernel::Dimension(rank), None, &Allowance::UNLIMITED).smallest
    }

    fn operator(entries: Symmetric) -> SymmetricSum {
        let size = (0..entries.dim())
            .map(|i| (0..entries.dim()).map(|j| entries.get(i, j).abs()).sum::<f64>())
            .fold(0.0, f64::max);
        SymmetricSum {
            entries,
            rank_ones: Vec::new(),
            error: 1e-15 * size,
            errors: Vec::new(),
            unit: 0.0,
            size,
        }
    }

    #[test]
    fn bounds_are_below_and_near() {
        for (n, shift) in [(1, 0.0), (2, 0.3), (40, -1.0), (40, 60.0), (300, 0.0)] {
            let m = Mat::from_fn(n, n, |i, j| {
                ((i * j + 2 * (i + j) + 1) as f64).sin() + if i == j { shift } else { 0.0 }
            });
            let exact = symmetric_eigen(&m).unwrap().values[0];
            let operator = operator(gramfold_linalg::Dense::symmetrised(m).into());
            let found = bounded(&Combination::Semidefinite(operator), 1);
            assert_eq!(found.proof, Proof::Rigorous);
            assert!(found.bound <= exact, "{n}: {found:?} {exact}");
            if exact < 0.0 {
                assert!(exact - found.bound < 1e-6 * (1.0 + exact.abs()), "{n}: {found:?} {exact}");
            } else {
                assert!(found.bound >= 0.0);
            }
        }
    }

    #[test]
    fn a_singular_matrix_is_bounded_within_rounding() {
        let (n, r) = (60, 5);
        let x = Mat::from_fn(n, r, |i, j| ((i + 7 * j * i) as f64).cos());
        let m = Mat::from_fn(n, n, |i, j| gramfold_linalg::dot(x.row(i), x.row(j)));
        let operator = operator(gramfold_linalg::Dense::symmetrised(m).into());
        let found = bounded(&Combination::Semidefinite(operator), 1);
        assert!(found.bound < 0.0 && found.bound > -1e-9, "{found:?}");
    }

    #[test]
    fn a_badly_scaled_definite_matrix_is_proved_so_and_an_indefinite_one_is_not() {
        // D[1 ρ; ρ 1]D with D = diag(10⁶, 10⁻⁶): its smallest eigenvalue is 10⁻¹² in 10¹².
        let scaled = |rho: f64| {
            let d = [1e6, 1e-6];
            let m = Mat::from_fn(2, 2, |i, j| d[i] * d[j] * if i == j { 1.0 } else { rho });
            let operator = operator(gramfold_linalg::Dense::symmetrised(m).into());
            bounded(&Combination::Semidefinite(operator), 1)
        };
        assert_eq!(scaled(0.9).bound, 0.0);
        assert!(scaled(1.1).bound < 0.0);
    }

    #[test]
    fn beyond_dense_size_lanczos_takes_the_kernel_out() {
        // A path's Laplacian with three extra zero eigenvalues would need 10⁵ steps; λ₅ = 0.5 needs few.
        let n = DENSE + 50;
        let entries: Vec<_> = (0..n as u32)
            .map(|i| {
                (i, i, if i < 4 { -1e-7 * f64::from(i) } else { 0.5 + f64::from(i % 100) / 100.0 })
            })
            .collect();
        let mut operator = operator_of_diagonal(n, &entries);
        // A rank-one part keeps it from being factorised as a sparse matrix; e_n is an eigenvector anyway.
        let mut last = vec![0.0; n];
        last[n - 1] = 1.0;
        operator.rank_ones.push((0.25, last));
        let found = bounded(&Combination::Semidefinite(operator), 4);
        assert!(matches!(found.proof, Proof::Probabilistic { .. }));
        assert!(found.bound <= -3e-7 && found.bound > -3.1e-7, "{found:?}");
    }

    fn operator_of_diagonal(n: usize, entries: &[(u32, u32, f64)]) -> SymmetricSum {
        let entries = Csr::from_triangle(n, entries).unwrap().into();
        SymmetricSum {
            entries,
            rank_ones: Vec::new(),
            error: 1e-15,
            errors: Vec::new(),
            unit: 0.0,
            size: 1.5,
        }
    }

    #[test]
    fn a_large_sparse_matrix_is_factorised() {
        // The Laplacian of a ring has eigenvalues 2 − 2cos(2πk/n): a shift of 1e-6 is far below what Lanczos resolves.
        let n = 6000;
        for shift in [-1e-6, 1e-6] {
            let entries: Vec<_> = (0..n as u32)
                .flat_map(|i| [(i, i, 2.0 + shift), (i, (i + 1) % n as u32, -1.0)])
                .collect();
            let entries = Csr::from_triangle(n, &entries).unwrap().into();
            let (rank_ones, errors) = (Vec::new(), Vec::new());
            let operator =
                SymmetricSum { entries, rank_ones, error: 1e-15, errors, unit: 0.0, size: 4.0 };
            let found = bounded(&Combination::Semidefinite(operator), 1);
            assert_eq!(found.proof, Proof::Rigorous);
            assert!(found.bound <= shift && found.bound > shift - 1.1e-6, "{shift} {found:?}");
        }
    }

    #[test]
    fn a_nonnegative_block_has_its_smallest_number() {
        let block = Combination::Nonnegative { values: vec![1.0, -0.5], errors: vec![0.0, 0.25] };
        let found = bounded(&block, 0);
        assert_eq!(found.estimate, -0.5);
        assert!(found.bound <= -0.75 && found.bound > -0.7500001);
    }
}
