//! AA* of the constraints scaled to unit norm: corrections onto A(Z) = 0, and how long they can be.

use std::f64::consts::SQRT_2;

use faer::{Side, linalg::solvers::Solve};
use gramfold_linalg::{Krylov, KrylovOptions, Mat, Which, is_positive_definite, symmetric_eigen};

use super::image;
use crate::{Cone, Primal, Sdp};

/// The largest m for which AA* is formed.
const MOST: usize = 2048;

/// The most products that forming it may take.
const WORK: f64 = 4e9;

/// AA* and its factors.
pub(crate) struct Normal {
    /// ‖A_i‖_F as computed; the constraints are divided by it.
    norms: Vec<f64>,
    gram: Mat,
    /// ‖computed − exact‖₂ of `gram` is at most this.
    error: f64,
    cholesky: faer::linalg::solvers::Llt<f64>,
}

impl Normal {
    /// Forms and factorises AA*; none if that is too much work, or the constraints are dependent.
    pub(crate) fn of(sdp: &Sdp) -> Option<Self> {
        let m = sdp.constraints();
        if m > MOST {
            return None;
        }
        let mut norms = vec![0.0_f64; m];
        // ((block, row, column), constraint, value), twice an off-diagonal value counted by √2.
        let mut places: Vec<((u32, u32, u32), u32, f64)> = Vec::new();
        for (block, cone) in sdp.cones().iter().enumerate() {
            for (i, norm) in norms.iter_mut().enumerate() {
                for entry in sdp.entries(i + 1, block) {
                    let value =
                        if entry.row == entry.col { entry.value } else { SQRT_2 * entry.value };
                    *norm += value * value;
                    places.push(((block as u32, entry.row, entry.col), i as u32, value));
                }
                // A constraint of full rank-one parts is dense; only small blocks are worth it.
                for part in sdp.rank_ones().iter().filter(|p| (p.matrix, p.block) == (i + 1, block))
                {
                    let Cone::Semidefinite(n) = *cone else { return None };
                    if n > 512 {
                        return None;
                    }
                    for row in 0..n {
                        for col in row..n {
                            let twice = if row == col { 1.0 } else { SQRT_2 };
                            let value = twice * part.weight * part.vector[row] * part.vector[col];
                            *norm += value * value;
                            places.push(((block as u32, row as u32, col as u32), i as u32, value));
                        }
                    }
                }
            }
        }
        // The norm of a constraint with entries and a rank-one part at one place is only about right, which is
        // enough: it scales, and is then taken as it is.
        for norm in &mut norms {
            *norm = norm.sqrt();
        }
        if norms.iter().any(|norm| !(*norm > 0.0 && norm.is_finite())) {
            return None;
        }
        places.sort_by_key(|&(place, i, _)| (place, i));
        let runs = || places.chunk_by(|a, b| a.0 == b.0);
        let work: f64 = runs().map(|run| (run.len() as f64).powi(2)).sum();
        if work > WORK {
            return None;
        }
        let (mut gram, mut sizes) = (Mat::zeros(m, m), vec![0.0; m]);
        let mut terms = 1_usize;
        for run in runs() {
            terms += 1;
            for &(_, i, a) in run {
                let (i, a) = (i as usize, a / norms[i as usize]);
                let row = gram.row_mut(i);
                for &(_, j, b) in run {
                    let product = a * (b / norms[j as usize]);
                    row[j as usize] += product;
                    sizes[i] += product.abs();
                }
            }
        }
        let size = sizes.iter().copied().fold(0.0, f64::max);
        let error = (terms as f64 + 12.0) * f64::EPSILON * size;
        let view = faer::Mat::from_fn(m, m, |i, j| gram[(i, j)]);
        let cholesky = view.llt(Side::Lower).ok()?;
        Some(Self { norms, gram, error, cholesky })
    }

    /// w with AA*w = v, in the units of the program.
    pub(crate) fn solve(&self, v: &[f64]) -> Vec<f64> {
        let m = v.len();
        let mut scaled = faer::Mat::from_fn(m, 1, |i, _| v[i] / self.norms[i]);
        self.cholesky.solve_in_place(&mut scaled);
        (0..m).map(|i| scaled[(i, 0)] / self.norms[i]).collect()
    }

    /// w for which A*(w) is as near to the identity as can be.
    pub(crate) fn toward_identity(&self, sdp: &Sdp) -> Vec<f64> {
        let identity: Vec<Primal> = sdp
            .cones()
            .iter()
            .map(|cone| match *cone {
                Cone::Semidefinite(n) => Primal::Factor(Mat::identity(n)),
                Cone::Nonnegative(n) => Primal::Diagonal(vec![1.0; n]),
            })
            .collect();
        self.solve(&image::image(sdp, &identity)[1..])
    }

    /// A bound on ‖ΔZ‖_F for the smallest ΔZ with A(ΔZ) = v, where |v_i| is at most `sizes`_i: with the scaled
    /// constraints, ‖ΔZ‖² = vᵀ(AA*)⁻¹v ≤ ‖v‖²/λmin(AA*). None unless λmin(AA*) is proved positive.
    pub(crate) fn correction(&self, sizes: &[f64]) -> Option<f64> {
        let m = sizes.len();
        let estimate = if m <= 256 {
            symmetric_eigen(&self.gram)?.values[0]
        } else {
            let mut negated =
                |v: &Mat, out: &mut Mat| gramfold_linalg::multiply(-1.0, &self.gram, v, out);
            let options = KrylovOptions {
                which: Which::Largest,
                wanted: 1,
                basis: 80,
                steps: 400,
                tolerance: 1e-8,
            };
            -Krylov::new(m, 5).run(&mut negated, None, options)?.values[0]
        };
        let shares = [0.5, 0.1, 0.01];
        let least = shares
            .iter()
            .map(|share| share * estimate)
            .find(|&least| is_positive_definite(&self.gram, 1.0, -least, self.error))?;
        if least <= 0.0 {
            return None;
        }
        let squares: f64 = sizes.iter().zip(&self.norms).map(|(v, n)| (v / n).powi(2)).sum();
        // A few roundings a term, and the square root.
        let squares = squares * (1.0 + (m as f64 + 8.0) * f64::EPSILON);
        Some((squares / least).sqrt() * (1.0 + 8.0 * f64::EPSILON))
    }
}
