//! The data, normalised once and kept by position: A(XYᵀ) and (C − A*(y))·V without an n×n matrix.
//!
//! All matrices of a block share one sparse pattern. A position of its upper triangle is a *slot*: A(·) reads
//! the factors' inner products at the slots, A*(·) writes values into them. What is dense but of rank one (the
//! all-ones matrix of θ and of bisection) stays a vector.

mod assemble;
mod rows;

use gramfold_linalg::{Csr, Mat, dot, sample};

use super::Factors;
use crate::Scale;

/// One block of the data: the places where any of its matrices has an entry.
struct Pattern {
    nonnegative: bool,
    size: usize,
    /// Where its slots begin among those of all blocks.
    first: usize,
    rows: Vec<u32>,
    cols: Vec<u32>,
    /// The pattern, both triangles, and the slot of each stored entry, counted from `first`.
    matrix: Csr,
    slots: Vec<u32>,
    /// Positions in `Operator::rank_ones`.
    rank_ones: Vec<usize>,
}

/// weight·vvᵀ in matrix `matrix` (0 is C) and some block.
struct RankOne {
    matrix: usize,
    weight: f64,
    vector: Vec<f64>,
}

/// min ⟨C, Z⟩, A(Z) = b with ‖A_i‖ = ‖C‖ = ‖b‖ = 1, as far as they are not zero.
pub(super) struct Operator {
    blocks: Vec<Pattern>,
    rank_ones: Vec<RankOne>,
    /// Where the entries of matrix i (0 is C) begin.
    starts: Vec<usize>,
    /// Slot and value of each entry; an inner product counts off-diagonal ones twice.
    entries: Vec<(u32, f64)>,
    /// 1 for a slot on the diagonal, 2 elsewhere.
    weights: Vec<f64>,
    /// b, normalised.
    pub(super) rhs: Vec<f64>,
    /// y_k may not pass this value, from below (−1) or from above (1): the slack of a nonnegative variable that
    /// only constraint k has.
    limits: Vec<(usize, f64, f64)>,
    /// ‖A_i‖, by which constraint i was divided.
    norms: Vec<f64>,
    /// Z = `primal`·(normalised Z).
    primal: f64,
    /// C = `cost`·(normalised C).
    cost: f64,
    /// The program's units.
    pub(super) scale: Scale,
}

/// Inner products with the pattern's slots, and values in them: memory kept between calls.
pub(super) struct Scratch {
    slots: Vec<f64>,
    left: Vec<f64>,
    right: Vec<f64>,
}

impl Operator {
    pub(super) fn constraints(&self) -> usize {
        self.rhs.len()
    }

    pub(super) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    pub(super) fn size(&self, block: usize) -> usize {
        self.blocks[block].size
    }

    pub(super) fn is_nonnegative(&self, block: usize) -> bool {
        self.blocks[block].nonnegative
    }

    /// Operations of a step at factors of these ranks: the products with a pattern and those of rows with one another.
    pub(super) fn work(&self, factors: &Factors) -> f64 {
        let blocks = self.blocks.iter().zip(&factors.0);
        blocks
            .map(|(block, factor)| {
                let (n, r) = (factor.rows() as f64, factor.cols() as f64);
                4.0 * block.rows.len() as f64 * r + 2.0 * n * r * r
            })
            .sum()
    }

    /// Constraints that touch a block.
    pub(super) fn touching(&self, block: usize) -> usize {
        let b = &self.blocks[block];
        let range = b.first..b.first + b.rows.len();
        let by_entry = (1..self.starts.len() - 1).filter(|&k| {
            let entries = &self.entries[self.starts[k]..self.starts[k + 1]];
            entries.iter().any(|(slot, _)| range.contains(&(*slot as usize)))
                || b.rank_ones.iter().any(|&at| self.rank_ones[at].matrix == k)
        });
        by_entry.count()
    }

    pub(super) fn scratch(&self) -> Scratch {
        let slots = vec![0.0; self.weights.len()];
        Scratch { slots, left: Vec::new(), right: Vec::new() }
    }

    /// out\[0\] ← ⟨C, sym(XYᵀ)⟩, out\[i\] ← ⟨A_i, sym(XYᵀ)⟩.
    pub(super) fn image(&self, x: &Factors, y: &Factors, scratch: &mut Scratch, out: &mut [f64]) {
        let Scratch { slots, left, right } = scratch;
        for ((block, x), y) in self.blocks.iter().zip(&x.0).zip(&y.0) {
            let part = &mut slots[block.first..block.first + block.rows.len()];
            sample(&block.rows, &block.cols, x, y, part);
        }
        for (k, out) in out.iter_mut().enumerate() {
            let entries = &self.entries[self.starts[k]..self.starts[k + 1]];
            *out = entries
                .iter()
                .map(|&(slot, value)| value * self.weights[slot as usize] * slots[slot as usize])
                .sum();
        }
        for ((block, x), y) in self.blocks.iter().zip(&x.0).zip(&y.0) {
            for &at in &block.rank_ones {
                let RankOne { matrix, weight, vector } = &self.rank_ones[at];
                transposed(vector, x, left);
                transposed(vector, y, right);
                out[*matrix] += weight * dot(left, right);
            }
        }
    }

    /// Moves y where the slack of a nonnegative variable is negative and one multiplier alone decides it.
    ///
    /// Such a variable is the slack of an inequality: its multiplier has a sign, which a point that is nearly
    /// optimal misses by rounding or by the inner tolerance.
    pub(super) fn respect_signs(&self, y: &mut [f64]) {
        for &(k, limit, side) in &self.limits {
            y[k] = if side > 0.0 { y[k].min(limit) } else { y[k].max(limit) };
        }
    }

    /// Makes the pattern hold S = κC − A*(y), entries only.
    pub(super) fn set_slack(&mut self, kappa: f64, y: &[f64], scratch: &mut Scratch) {
        let slots = &mut scratch.slots;
        slots.fill(0.0);
        for &(slot, value) in &self.entries[..self.starts[1]] {
            slots[slot as usize] = kappa * value;
        }
        for (k, y) in y.iter().enumerate() {
            for &(slot, value) in &self.entries[self.starts[k + 1]..self.starts[k + 2]] {
                slots[slot as usize] -= y * value;
            }
        }
        for block in &mut self.blocks {
            let own = &slots[block.first..block.first + block.rows.len()];
            block.matrix.refill(&block.slots, own);
        }
    }

    /// out ← S·V in one block, with S as [`Operator::set_slack`] left it for the same κ and y.
    pub(super) fn apply_slack(
        &self,
        block: usize,
        kappa: f64,
        y: &[f64],
        v: &Mat,
        out: &mut Mat,
        scratch: &mut Scratch,
    ) {
        let block = &self.blocks[block];
        block.matrix.apply(v, out);
        for &at in &block.rank_ones {
            let RankOne { matrix, weight, vector } = &self.rank_ones[at];
            let share = if *matrix == 0 { kappa } else { -y[*matrix - 1] };
            transposed(vector, v, &mut scratch.left);
            add_outer(share * weight, vector, &scratch.left, out);
        }
    }

    /// out ← S·V in every block.
    pub(super) fn apply(
        &self,
        kappa: f64,
        y: &[f64],
        v: &Factors,
        out: &mut Factors,
        scratch: &mut Scratch,
    ) {
        for (block, (v, out)) in v.0.iter().zip(&mut out.0).enumerate() {
            self.apply_slack(block, kappa, y, v, out, scratch);
        }
    }

    /// S in one block with all its n² entries, as [`Operator::set_slack`] left it.
    pub(super) fn dense_slack(&self, block: usize, kappa: f64, y: &[f64]) -> Mat {
        let block = &self.blocks[block];
        let mut dense = Mat::zeros(block.size, block.size);
        for i in 0..block.size {
            let row = dense.row_mut(i);
            block.matrix.row(i).for_each(|(j, value)| row[j] = value);
            for &at in &block.rank_ones {
                let RankOne { matrix, weight, vector } = &self.rank_ones[at];
                let share = if *matrix == 0 { kappa } else { -y[*matrix - 1] };
                let factor = share * weight * vector[i];
                row.iter_mut().zip(vector).for_each(|(out, v)| *out += factor * v);
            }
        }
        dense
    }

    /// The diagonal of S in one block, without the rank-one parts that only semidefinite blocks have.
    pub(super) fn slack_diagonal(&self, block: usize) -> Vec<f64> {
        let block = &self.blocks[block];
        (0..block.size).map(|i| block.matrix.get(i, i)).collect()
    }

    /// The unit of the program's objective, seen from the normalised one: what tells a small objective from none.
    pub(super) fn unit(&self) -> f64 {
        self.scale.objective / (self.cost * self.primal)
    }

    /// Objective of the program for the normalised one's.
    pub(super) fn objective(&self, normalised: f64) -> f64 {
        normalised * self.cost * self.primal
    }

    /// The multipliers of the program for the normalised ones.
    pub(super) fn multipliers(&self, y: &[f64]) -> Vec<f64> {
        y.iter().zip(&self.norms).map(|(y, norm)| y * self.cost / norm).collect()
    }

    /// The normalised multipliers for those of the program.
    pub(super) fn normalised_multipliers(&self, y: &[f64]) -> Vec<f64> {
        y.iter().zip(&self.norms).map(|(y, norm)| y * norm / self.cost).collect()
    }

    /// Z = factor²·(normalised Z).
    pub(super) fn factor_scale(&self) -> f64 {
        self.primal.sqrt()
    }

    /// ‖A(Z) − b‖ relative to the program's unit of b, from the normalised residual.
    pub(super) fn infeasibility(&self, residual: &[f64]) -> f64 {
        let unit = self.primal / self.scale.rhs;
        let square: f64 =
            residual.iter().zip(&self.norms).map(|(r, n)| (r * n * unit).powi(2)).sum();
        square.sqrt()
    }
}

/// out ← Vᵀv.
fn transposed(vector: &[f64], v: &Mat, out: &mut Vec<f64>) {
    out.clear();
    out.resize(v.cols(), 0.0);
    if v.cols() == 1 {
        out[0] = dot(vector, v.as_slice());
        return;
    }
    for (weight, row) in vector.iter().zip(v.as_slice().chunks_exact(v.cols())) {
        out.iter_mut().zip(row).for_each(|(sum, value)| *sum += weight * value);
    }
}

/// out ← out + α·u·wᵀ.
fn add_outer(alpha: f64, u: &[f64], w: &[f64], out: &mut Mat) {
    let cols = out.cols();
    for (u, row) in u.iter().zip(out.as_mut_slice().chunks_exact_mut(cols)) {
        let factor = alpha * u;
        row.iter_mut().zip(w).for_each(|(out, w)| *out += factor * w);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cone, Sdp, Term};

    #[test]
    fn slacks_of_inequalities_give_their_multipliers_a_sign() {
        // 2·Z_00 − w_0 = 1 and Z_00 + w_1 = 3, w_0 costing 5 and w_1 nothing.
        let term = |matrix, block, at, value| Term { matrix, block, row: at, col: at, value };
        let terms = vec![
            term(1, 0, 0, 2.0),
            term(1, 1, 0, -1.0),
            term(2, 0, 0, 1.0),
            term(2, 1, 1, 1.0),
            term(0, 1, 0, 5.0),
        ];
        let cones = vec![Cone::Semidefinite(1), Cone::Nonnegative(2)];
        let sdp = Sdp::new(cones, vec![1.0, 3.0], terms, Vec::new()).unwrap();
        let operator = Operator::new(&sdp).unwrap();
        // The slacks 5 + y_1 and −y_2 must not be negative.
        for (given, expected) in [([-9.0, 2.0], [-5.0, 0.0]), ([1.0, -1.0], [1.0, -1.0])] {
            let mut y = operator.normalised_multipliers(&given);
            operator.respect_signs(&mut y);
            let found = operator.multipliers(&y);
            assert!(
                (found[0] - expected[0]).abs() < 1e-10 && (found[1] - expected[1]).abs() < 1e-10
            );
            assert!(5.0 + found[0] > 0.0 && -found[1] > 0.0, "{found:?}");
        }
    }
}
