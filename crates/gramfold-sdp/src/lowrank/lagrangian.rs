//! The augmented Lagrangian on the folded factor, L(R) = ⟨C, RRᵀ⟩ − yᵀ(A(RRᵀ) − b) + (β/2)‖A(RRᵀ) − b‖²: a loss of the
//! library, with the multipliers and ranks that are this engine's.

use gramfold::{Problem, Split, loss::Composite, regulariser::Zero};
use gramfold_linalg::dot;

use super::{Factor, Program, Slack};

/// L at R: residual and estimate, always from R itself.
pub(super) struct Lagrangian {
    pub(super) program: Program,
    loss: Composite,
    pub(super) multipliers: Vec<f64>,
    pub(super) beta: f64,
    /// R.
    pub(super) factor: Factor,
    /// ⟨C, RRᵀ⟩ and A(RRᵀ).
    image: Vec<f64>,
    /// A(RRᵀ) − b.
    pub(super) residual: Vec<f64>,
    /// y − β(A(RRᵀ) − b): the multipliers that a stationary point of L proves.
    pub(super) estimate: Vec<f64>,
}

impl Lagrangian {
    pub(super) fn new(
        program: Program,
        factor: Factor,
        multipliers: Vec<f64>,
        beta: f64,
    ) -> Result<Self, gramfold::Error> {
        let loss = Composite::lagrangian(program.map.clone(), &program.rhs, &multipliers, beta)?;
        let m = program.constraints();
        let (image, residual, estimate) = (Vec::new(), vec![0.0; m], vec![0.0; m]);
        let mut new = Self { program, loss, multipliers, beta, factor, image, residual, estimate };
        new.evaluate();
        Ok(new)
    }

    /// Takes another factor, of any rank.
    pub(super) fn set_factor(&mut self, factor: Factor) {
        self.factor = factor;
        self.evaluate();
    }

    /// Takes other multipliers and another β.
    pub(super) fn set_multipliers(&mut self, multipliers: Vec<f64>, beta: f64) {
        (self.multipliers, self.beta) = (multipliers, beta);
        self.loss
            .set_multipliers(&self.program.rhs, &self.multipliers, beta)
            .expect("invariant: β is positive");
        self.estimate();
    }

    /// Computes everything from R, y and β.
    fn evaluate(&mut self) {
        self.image = self.program.image(&self.factor.rows);
        self.estimate();
    }

    /// Residual and estimate from the image.
    pub(super) fn estimate(&mut self) {
        for (k, residual) in self.residual.iter_mut().enumerate() {
            *residual = self.image[k + 1] - self.program.rhs[k];
            self.estimate[k] = self.multipliers[k] - self.beta * *residual;
        }
    }

    /// Gives the estimate the signs that nonnegative slacks ask for, until the next [`Lagrangian::estimate`].
    pub(super) fn respect_signs(&mut self) {
        self.program.respect_signs(&mut self.estimate);
    }

    /// y ← y − β(A(RRᵀ) − b).
    pub(super) fn update_multipliers(&mut self) {
        let mut multipliers = self.estimate.clone();
        self.program.respect_signs(&mut multipliers);
        self.set_multipliers(multipliers, self.beta);
    }

    /// ⟨C, RRᵀ⟩.
    pub(super) fn cost(&self) -> f64 {
        self.image[0]
    }

    /// bᵀy of the estimate.
    pub(super) fn dual_value(&self) -> f64 {
        dot(&self.program.rhs, &self.estimate)
    }

    /// L as a problem of the library, with no regulariser.
    pub(super) fn problem(&self) -> Problem<'_> {
        Problem { loss: &self.loss, regulariser: &Zero, rank: self.factor.rows.cols() }
    }

    /// L evaluated at R for the library's methods; none where R is not finite.
    pub(super) fn split(&self) -> Option<Split<'_>> {
        let rows = &self.factor.rows;
        Split::new(&self.problem(), rows.clone(), rows.clone(), 0.0).ok()
    }

    /// C − A*(estimate).
    pub(super) fn slack(&self) -> Slack<'_> {
        self.program.slack(&self.estimate)
    }
}

#[cfg(test)]
mod tests {
    use gramfold::{Loss, algorithm::Folded, loss::map::Map};
    use gramfold_linalg::Mat;

    use super::*;
    use crate::lowrank::tests::{random_sdp, wave};

    fn lagrangian() -> Lagrangian {
        let program = Program::new(&random_sdp(3)).unwrap();
        let factor = wave(&program, 3, 0.4);
        Lagrangian::new(program, factor, vec![0.3, -1.0, 0.7], 1.7).unwrap()
    }

    #[test]
    fn the_loss_is_the_lagrangian_and_its_gradient_is_the_slack_of_the_estimate() {
        let l = lagrangian();
        let split = l.split().unwrap();
        let (y, r) = (&l.multipliers, &l.residual);
        let expected = l.cost() - dot(y, r) + 0.5 * l.beta * dot(r, r);
        let constant = dot(y, y) / (2.0 * l.beta);
        assert!((split.loss() - expected - constant).abs() < 1e-12);
        let rows = &l.factor.rows;
        let mut gradient = Mat::zeros(rows.rows(), rows.cols());
        split.folded_gradient(&mut gradient);
        let slack = l.slack();
        for (block, of) in l.program.blocks.iter().enumerate() {
            let (dense, own) = (slack.block(block).dense(), l.factor.block(&l.program, block));
            let mut image = Mat::zeros(own.rows(), own.cols());
            slack.block(block).apply(&own, &mut image);
            for i in 0..own.rows() {
                for j in 0..own.cols() {
                    let naive: f64 = (0..own.rows()).map(|k| dense[(i, k)] * own[(k, j)]).sum();
                    let found = gradient[(of.range.start + i, j)];
                    assert!((found - 2.0 * naive).abs() < 1e-12 * (1.0 + naive.abs()));
                    assert!((image[(i, j)] - naive).abs() < 1e-12 * (1.0 + naive.abs()));
                }
            }
            let diagonal = slack.block(block).diagonal();
            assert!(diagonal.iter().enumerate().all(|(i, d)| (d - dense[(i, i)]).abs() < 1e-14));
        }
        assert_eq!(l.loss.dim(), l.program.map.dim());
    }

    #[test]
    fn columns_that_a_block_does_not_have_stay_zero() {
        let l = lagrangian();
        let mut split = l.split().unwrap();
        let before = split.loss();
        let mut folded = Folded::new(split.problem());
        folded.lbfgs(&mut split, 1e-3, 20, &|| false);
        let products = gramfold::algorithm::Products { most: 30, pause: 30 };
        folded.newton(&mut split, 1e-8, products, &|| false);
        assert!(split.loss() < before);
        let blocks = l.program.blocks.iter().zip(&l.factor.ranks);
        for (block, &rank) in blocks {
            for i in block.range.clone() {
                assert!(split.x().row(i)[rank..].iter().all(|value| *value == 0.0));
            }
        }
        assert!(l.factor.ranks.contains(&1) && l.factor.ranks.contains(&3));
    }
}
