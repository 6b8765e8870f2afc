//! AA* of the constraints scaled to unit norm: corrections onto A(Z) = 0, and how long they can be.

use std::f64::consts::SQRT_2;

use gramfold_linalg::{Mat, cholesky, cholesky_solve, dot, is_positive_definite, symmetric_eigen};

use super::{Allowance, smallest::ritz_low};
use crate::{Cone, Sdp};

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
    factor: Vec<f64>,
}

impl Normal {
    /// Forms and factorises AA*; none if that is too much work or there is no time, or the constraints are dependent.
    pub(crate) fn of(sdp: &Sdp, time: &Allowance<'_>) -> Option<Self> {
        let m = sdp.constraints();
        if m > MOST {
            return None;
        }
        let mut norms = vec![0.0_f64; m];
        // ((block, row, column), constraint, value), twice an off-diagonal value counted by √2.
        let mut places: Vec<((u32, u32, u32), u32, f64)> = Vec::new();
        for (block, cone) in sdp.cones().iter().enumerate() {
            for (i, entries) in sdp.matrices(block).filter(|(matrix, _)| *matrix > 0) {
                for entry in entries {
                    let value =
                        if entry.row == entry.col { entry.value } else { SQRT_2 * entry.value };
                    norms[i - 1] += value * value;
                    places.push(((block as u32, entry.row, entry.col), i as u32 - 1, value));
                }
            }
            // A constraint of full rank-one parts is dense; only small blocks are worth it.
            for part in sdp.rank_ones().iter().filter(|p| p.matrix > 0 && p.block == block) {
                let Cone::Semidefinite(n) = *cone else { return None };
                if n > 512 {
                    return None;
                }
                for row in 0..n {
                    for col in row..n {
                        let twice = if row == col { 1.0 } else { SQRT_2 };
                        let value = twice * part.weight * part.vector[row] * part.vector[col];
                        norms[part.matrix - 1] += value * value;
                        let place = (block as u32, row as u32, col as u32);
                        places.push((place, part.matrix as u32 - 1, value));
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
            if terms.is_multiple_of(256) && time.is_over() {
                return None;
            }
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
        let mut factor = gram.as_slice().to_vec();
        cholesky(&mut factor, m, &|| time.is_over()).ok()?;
        Some(Self { norms, gram, error, factor })
    }

    /// w with AA*w = v, in the units of the program.
    pub(crate) fn solve(&self, v: &[f64]) -> Vec<f64> {
        let mut scaled: Vec<f64> = v.iter().zip(&self.norms).map(|(v, n)| v / n).collect();
        cholesky_solve(&self.factor, &mut scaled);
        scaled.iter().zip(&self.norms).map(|(w, n)| w / n).collect()
    }

    /// w for which A*(w) is as near to the identity as can be.
    pub(crate) fn toward_identity(&self, sdp: &Sdp) -> Vec<f64> {
        // ⟨A_i, I⟩ is the trace of A_i.
        let mut traces = vec![0.0; sdp.constraints() + 1];
        for (_, matrix, entries) in sdp.all_matrices() {
            let diagonal = entries.iter().filter(|entry| entry.row == entry.col);
            traces[matrix] += diagonal.map(|entry| entry.value).sum::<f64>();
        }
        for part in sdp.rank_ones() {
            traces[part.matrix] += part.weight * dot(&part.vector, &part.vector);
        }
        self.solve(&traces[1..])
    }

    /// A bound on ‖ΔZ‖_F for the smallest ΔZ with A(ΔZ) = v, where |v_i| is at most `sizes`_i: with the scaled
    /// constraints, ‖ΔZ‖² = vᵀ(AA*)⁻¹v ≤ ‖v‖²/λmin(AA*). None unless λmin(AA*) is proved positive.
    pub(crate) fn correction(&self, sizes: &[f64]) -> Option<f64> {
        let m = sizes.len();
        if m == 0 {
            return Some(0.0);
        }
        let estimate = if m <= 256 {
            symmetric_eigen(&self.gram)?.values[0]
        } else {
            let apply = |v: &Mat, out: &mut Mat| gramfold_linalg::multiply(1.0, &self.gram, v, out);
            ritz_low(m, &apply, 400, &Allowance::UNLIMITED)?
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
