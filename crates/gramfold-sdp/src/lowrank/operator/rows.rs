//! What the constraints make of single rows of a factor, for preconditioners and steps.

use gramfold_linalg::{Mat, dot};

use super::{Operator, RankOne, add_outer, transposed};

impl Operator {
    /// out\[i\] ← Σ_k (A_kR)_i(A_kR)_iᵀ over the constraints, one r×r matrix a row of one block.
    pub(in super::super) fn row_grams(&self, block: usize, factor: &Mat, out: &mut [f64]) {
        let r = factor.cols();
        self.for_each_row(block, factor, |i, row| {
            let gram = &mut out[i * r * r..(i + 1) * r * r];
            for (a, line) in row.iter().zip(gram.chunks_exact_mut(r)) {
                line.iter_mut().zip(row).for_each(|(sum, b)| *sum += a * b);
            }
        });
    }

    /// out\[i\] ← Σ_k ‖(A_kR)_i‖² over the constraints, one number a row of one block.
    pub(in super::super) fn row_squares(&self, block: usize, factor: &Mat, out: &mut [f64]) {
        out.fill(0.0);
        self.for_each_row(block, factor, |i, row| {
            out[i] += row.iter().map(|value| value * value).sum::<f64>();
        });
    }

    /// Calls `visit(i, row)` for every row i of every A_kR, k = 1 … m, that the entries of A_k can reach.
    fn for_each_row(&self, block: usize, factor: &Mat, mut visit: impl FnMut(usize, &[f64])) {
        let b = &self.blocks[block];
        let r = factor.cols();
        let slots = b.first..b.first + b.rows.len();
        let mut image = Mat::zeros(b.size, r);
        let mut touched = vec![false; b.size];
        let mut list: Vec<usize> = Vec::new();
        for k in 1..self.starts.len() - 1 {
            let entries = &self.entries[self.starts[k]..self.starts[k + 1]];
            for &(slot, value) in entries.iter().filter(|(s, _)| slots.contains(&(*s as usize))) {
                let at = slot as usize - b.first;
                let (i, j) = (b.rows[at] as usize, b.cols[at] as usize);
                let pairs = [(i, j), (j, i)];
                for &(to, from) in &pairs[..if i == j { 1 } else { 2 }] {
                    if !touched[to] {
                        touched[to] = true;
                        list.push(to);
                    }
                    let row = image.row_mut(to).iter_mut().zip(factor.row(from));
                    row.for_each(|(out, v)| *out += value * v);
                }
            }
            for &at in b.rank_ones.iter().filter(|&&at| self.rank_ones[at].matrix == k) {
                let RankOne { weight, vector, .. } = &self.rank_ones[at];
                let mut along = Vec::new();
                transposed(vector, factor, &mut along);
                add_outer(*weight, vector, &along, &mut image);
                list.clear();
                list.extend(0..b.size);
                touched.fill(true);
            }
            for &i in &list {
                visit(i, image.row(i));
                touched[i] = false;
            }
            list.drain(..).for_each(|i| image.row_mut(i).fill(0.0));
        }
    }

    /// At least ‖A(Z)‖²/‖Z‖² for every Z.
    ///
    /// On entries A is a sparse matrix, and ‖A‖₂² ≤ ‖A‖₁‖A‖∞ with off-diagonal coordinates scaled by √2; a rank-one
    /// part adds at most its own norm.
    pub(in super::super) fn norm_squared(&self) -> f64 {
        let mut columns = vec![0.0_f64; self.weights.len()];
        let mut row = 0.0_f64;
        for k in 1..self.starts.len() - 1 {
            let mut sum = 0.0;
            for &(slot, value) in &self.entries[self.starts[k]..self.starts[k + 1]] {
                let size = value.abs() * self.weights[slot as usize].sqrt();
                columns[slot as usize] += size;
                sum += size;
            }
            row = row.max(sum);
        }
        let column = columns.into_iter().fold(0.0, f64::max);
        let dense = self.rank_ones.iter().filter(|one| one.matrix > 0);
        let dense: f64 =
            dense.map(|one| (one.weight * dot(&one.vector, &one.vector)).powi(2)).sum();
        ((row * column).sqrt() + dense.sqrt()).powi(2) * (1.0 + 1e-12)
    }
}
