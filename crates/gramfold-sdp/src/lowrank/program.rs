//! The data of a program, normalised once: a [`Matrices`] map on the factors of all blocks, one below the other.
//!
//! Measurement 0 is ⟨C, Z⟩, measurement i is ⟨A_i, Z⟩. What is dense but of rank one (the all-ones matrix of θ and of
//! bisection) stays a vector.

mod assemble;

use std::{ops::Range, sync::Arc};

use gramfold::loss::map::{Map, Matrices};
use gramfold_linalg::Mat;

use crate::Scale;

/// The rows of the tall factor that are one block's.
pub(super) struct BlockRows {
    pub(super) nonnegative: bool,
    pub(super) range: Range<usize>,
    /// Constraints that touch the block.
    pub(super) touching: usize,
}

/// A multiplier that may not pass a limit: the slack of a nonnegative variable that only one constraint has.
struct Limit {
    constraint: usize,
    value: f64,
    from_above: bool,
}

/// min ⟨C, Z⟩, A(Z) = b with ‖A_i‖ = ‖C‖ = ‖b‖ = 1, as far as they are not zero.
pub(super) struct Program {
    pub(super) map: Arc<Matrices>,
    pub(super) blocks: Vec<BlockRows>,
    /// b, normalised.
    pub(super) rhs: Vec<f64>,
    limits: Vec<Limit>,
    /// ‖A_i‖, by which constraint i was divided.
    norms: Vec<f64>,
    /// Z = `primal`·(normalised Z).
    primal: f64,
    /// C = `cost`·(normalised C).
    cost: f64,
    /// The program's units.
    pub(super) scale: Scale,
}

/// S = C − A*(y): its weights 1 and −y, and what the map made of them.
pub(super) struct Slack<'a> {
    program: &'a Program,
    weights: Vec<f64>,
    values: Vec<f64>,
}

/// One block of S.
#[derive(Clone, Copy)]
pub(super) struct SlackBlock<'a> {
    whole: &'a Slack<'a>,
    pub(super) block: usize,
}

impl Program {
    pub(super) fn constraints(&self) -> usize {
        self.rhs.len()
    }

    /// Operations of a step at factors of this rank: the products with the pattern and those of rows with one another.
    pub(super) fn work(&self, rank: usize) -> f64 {
        let r = rank as f64;
        4.0 * self.map.places() as f64 * r + 2.0 * self.map.dim() as f64 * r * r
    }

    /// ⟨C, RRᵀ⟩ and A(RRᵀ).
    pub(super) fn image(&self, factor: &Mat) -> Vec<f64> {
        let mut image = vec![0.0; self.map.len()];
        self.map.image(factor, factor, &mut image);
        image
    }

    /// Moves y where the slack of a nonnegative variable is negative and one multiplier alone decides it.
    ///
    /// Such a variable is the slack of an inequality: its multiplier has a sign, which a point that is nearly
    /// optimal misses by rounding or by the inner tolerance.
    pub(super) fn respect_signs(&self, y: &mut [f64]) {
        for &Limit { constraint: k, value, from_above } in &self.limits {
            y[k] = if from_above { y[k].min(value) } else { y[k].max(value) };
        }
    }

    /// C − A*(y).
    pub(super) fn slack(&self, y: &[f64]) -> Slack<'_> {
        let weights: Vec<f64> = std::iter::once(1.0).chain(y.iter().map(|y| -y)).collect();
        let mut values = vec![0.0; self.map.stored()];
        self.map.load(&weights, &mut values);
        Slack { program: self, weights, values }
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

impl Slack<'_> {
    /// ‖S·R‖.
    pub(super) fn norm_of_product(&self, factor: &Mat) -> f64 {
        let mut product = Mat::zeros(factor.rows(), factor.cols());
        self.program.map.apply(&self.weights, &self.values, factor, &mut product);
        product.norm()
    }

    pub(super) fn block(&self, block: usize) -> SlackBlock<'_> {
        SlackBlock { whole: self, block }
    }
}

impl<'a> SlackBlock<'a> {
    pub(super) fn rows(&self) -> &'a BlockRows {
        &self.whole.program.blocks[self.block]
    }

    /// out ← S·V.
    pub(super) fn apply(&self, v: &Mat, out: &mut Mat) {
        let Slack { program: Program { map, .. }, weights, values } = self.whole;
        let range = &self.rows().range;
        if range.len() == map.dim() {
            return map.apply(weights, values, v, out);
        }
        let r = v.cols();
        let own = range.start * r..range.end * r;
        let (mut whole, mut image) = (Mat::zeros(map.dim(), r), Mat::zeros(map.dim(), r));
        whole.as_mut_slice()[own.clone()].copy_from_slice(v.as_slice());
        map.apply(weights, values, &whole, &mut image);
        out.as_mut_slice().copy_from_slice(&image.as_slice()[own]);
    }

    /// All n² entries.
    pub(super) fn dense(&self) -> Mat {
        let Slack { program, weights, values } = self.whole;
        program.map.dense(weights, values, self.rows().range.clone())
    }

    /// The diagonal.
    pub(super) fn diagonal(&self) -> Vec<f64> {
        let Slack { program, weights, values } = self.whole;
        let mut diagonal = vec![0.0; program.map.dim()];
        program.map.diagonal(weights, values, &mut diagonal);
        diagonal[self.rows().range.clone()].to_vec()
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
        let program = Program::new(&sdp).unwrap();
        // The slacks 5 + y_1 and −y_2 must not be negative.
        for (given, expected) in [([-9.0, 2.0], [-5.0, 0.0]), ([1.0, -1.0], [1.0, -1.0])] {
            let mut y = program.normalised_multipliers(&given);
            program.respect_signs(&mut y);
            let found = program.multipliers(&y);
            assert!(
                (found[0] - expected[0]).abs() < 1e-10 && (found[1] - expected[1]).abs() < 1e-10
            );
            assert!(5.0 + found[0] > 0.0 && -found[1] > 0.0, "{found:?}");
        }
    }
}
