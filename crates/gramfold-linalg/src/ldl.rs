//! Small positive definite systems, one right-hand side a row: X·H = B.

use crate::{
    Mat, add_scaled,
    chunk::{self, ROWS},
    lanes::{LANES, gather, lanes_for, scatter},
    multiversion,
};

/// H = L·D·Lᵀ for a small symmetric positive definite H.
///
/// No square roots: a 1×1 system is one division, so scalar problems round as written by hand.
#[derive(Clone, Debug)]
pub struct Ldl {
    lower: Mat,
    pivots: Vec<f64>,
}

impl Ldl {
    /// Room for an r×r matrix.
    pub fn new(rank: usize) -> Self {
        Self { lower: Mat::zeros(rank, rank), pivots: vec![0.0; rank] }
    }

    /// Factorises H + shift·I; false if a pivot is not positive.
    pub fn factorise(&mut self, h: &Mat, shift: f64) -> bool {
        let r = h.rows();
        for j in 0..r {
            let mut pivot = h[(j, j)] + shift;
            for k in 0..j {
                pivot -= self.lower[(j, k)] * self.lower[(j, k)] * self.pivots[k];
            }
            if pivot <= 0.0 || pivot.is_nan() {
                return false;
            }
            self.pivots[j] = pivot;
            for i in j + 1..r {
                let mut entry = h[(i, j)];
                for k in 0..j {
                    entry -= self.lower[(i, k)] * self.lower[(j, k)] * self.pivots[k];
                }
                self.lower[(i, j)] = entry / pivot;
            }
        }
        true
    }

    /// Replaces every row b of `rows` by the x with x·H = b.
    pub fn solve_rows(&self, rows: &mut Mat) {
        let r = self.pivots.len();
        chunk::for_each(rows.as_mut_slice(), ROWS * r, |_, part| {
            let mut stack = [[0.0; LANES]; 64];
            let mut heap = Vec::new();
            let lanes = lanes_for(r, &mut stack, &mut heap);
            for tile in part.chunks_mut(LANES * r) {
                solve_tile::<LANES>(self, tile, lanes);
            }
        });
    }
}

multiversion! {
    fn solve_tile<const L: usize>(ldl: &Ldl, tile: &mut [f64], lanes: &mut [[f64; L]]) {
        let r = lanes.len();
        // Whole vectors, as far as rows reach.
        let width = (tile.len() / r).next_multiple_of(8).min(L);
        scatter::<_, L>(tile, r, lanes);
        for j in 0..r {
            let (done, rest) = lanes.split_at_mut(j);
            for (solved, &factor) in done.iter().zip(ldl.lower.row(j)) {
                add_scaled::<FUSED, _>(-factor, &solved[..width], &mut rest[0][..width]);
            }
        }
        for j in (0..r).rev() {
            let (head, solved) = lanes.split_at_mut(j + 1);
            let current = &mut head[j];
            for value in current.iter_mut() {
                *value /= ldl.pivots[j];
            }
            for (k, solved) in solved.iter().enumerate() {
                let factor = ldl.lower[(j + 1 + k, j)];
                add_scaled::<FUSED, _>(-factor, &solved[..width], &mut current[..width]);
            }
        }
        gather::<_, L>(lanes, r, tile);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multiply;

    #[test]
    fn rows_solve_the_system() {
        for (n, r) in [(1, 1), (3, 4), (19, 8), (1100, 5), (9, 70)] {
            let c = Mat::from_fn(r, r, |i, j| ((i * r + j) as f64).sin());
            let h = Mat::from_fn(r, r, |i, j| (0..r).map(|k| c[(i, k)] * c[(j, k)]).sum());
            let mut ldl = Ldl::new(r);
            assert!(ldl.factorise(&h, 0.3));
            let b = Mat::from_fn(n, r, |i, j| ((i + 3 * j) as f64).cos());
            let mut x = b.clone();
            ldl.solve_rows(&mut x);
            let mut shifted = h.clone();
            (0..r).for_each(|i| shifted[(i, i)] += 0.3);
            let mut product = Mat::zeros(n, r);
            multiply(1.0, &x, &shifted, &mut product);
            assert!(product.distance(&b) < 1e-10 * b.norm(), "n = {n}, r = {r}");
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused() {
        let h = Mat::from_row_major(2, 2, vec![1.0, 2.0, 2.0, 1.0]);
        assert!(!Ldl::new(2).factorise(&h, 0.0));
        let nan = Mat::from_row_major(1, 1, vec![f64::NAN]);
        assert!(!Ldl::new(1).factorise(&nan, 0.0));
    }
}
