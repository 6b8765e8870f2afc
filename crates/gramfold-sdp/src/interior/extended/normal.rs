//! M dy = r in double-double numbers.

use super::{
    dense::{Square, axpy, dot},
    double::Double,
};

/// What is added to a diagonal of ones at first, and at most: constraints that depend on one another make M singular.
const ADDED: f64 = 1e-29;
const MOST: f64 = 1e-12;
/// Steps of refinement, which take out again what was added.
const ROUNDS: usize = 3;

/// The system.
pub(super) struct Normal {
    /// M, of which the lower triangle counts.
    pub(super) matrix: Square,
    factor: Square,
    /// M is scaled to a diagonal of ones by these from either side.
    scale: Vec<Double>,
    residual: Vec<Double>,
}

impl Normal {
    pub(super) fn new(m: usize) -> Self {
        Self {
            matrix: Square::zeros(m),
            factor: Square::zeros(m),
            scale: vec![Double::ZERO; m],
            residual: vec![Double::ZERO; m],
        }
    }

    /// Factors M; false if it is not finite, or far from semidefinite.
    pub(super) fn factor(&mut self) -> bool {
        let m = self.scale.len();
        for (j, scale) in self.scale.iter_mut().enumerate() {
            let diagonal = self.matrix[(j, j)];
            if !diagonal.is_finite() {
                return false;
            }
            let positive = diagonal.rounded() > 0.0;
            *scale = if positive { Double::ONE / diagonal.sqrt() } else { Double::ZERO };
        }
        for j in 0..m {
            for i in j + 1..m {
                self.matrix[(i, j)] = self.scale[i] * self.matrix[(i, j)] * self.scale[j];
            }
            self.matrix[(j, j)] = Double::ONE;
        }
        let mut added = ADDED;
        while added <= MOST {
            self.factor.values.copy_from_slice(&self.matrix.values);
            for j in 0..m {
                self.factor[(j, j)] += Double::from(added);
            }
            if self.factor.cholesky() {
                return true;
            }
            added *= 1e3;
        }
        false
    }

    /// out ← M⁻¹r.
    pub(super) fn solve(&mut self, r: &[Double], out: &mut [Double]) {
        out.fill(Double::ZERO);
        for _ in 0..ROUNDS {
            for ((residual, r), scale) in self.residual.iter_mut().zip(r).zip(&self.scale) {
                *residual = *scale * *r;
            }
            for (j, &value) in out.iter().enumerate() {
                let below = &self.matrix.column(j)[j + 1..];
                self.residual[j] -= value + dot(below, &out[j + 1..]);
                axpy(-value, below, &mut self.residual[j + 1..]);
            }
            self.factor.forward(&mut self.residual);
            self.factor.backward(&mut self.residual);
            out.iter_mut().zip(&self.residual).for_each(|(o, c)| *o += *c);
        }
        out.iter_mut().zip(&self.scale).for_each(|(o, s)| *o = *o * *s);
    }
}
