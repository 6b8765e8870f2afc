//! Columns that are added and dropped between two rounds.

use gramfold_linalg::{Mat, norm};

use super::{
    super::{Factors, lbfgs::Lbfgs, rank},
    LowRank,
};
use crate::Stop;

impl LowRank {
    /// Adds directions of negative curvature (C6) where they, not the residual, keep the objective up.
    pub(super) fn grow(&mut self, residual: f64, stop: Stop<'_>) -> bool {
        let wanted = (self.l.factors.rank() / 2).clamp(4, 24);
        let scale = self.l.operator.factor_scale().powi(2);
        let mut reach = 0.0;
        let mut least = Vec::with_capacity(self.traces.len());
        for block in 0..self.l.operator.blocks() {
            let found = self.spectrum.glance(&mut self.l, block, wanted, stop);
            let now = self.l.factors.0[block].norm().powi(2);
            let trace = (self.traces[block] / scale).min(10.0 * now);
            reach += found.curvatures.first().map_or(0.0, |c| -c * trace);
            least.push(found);
        }
        // Curvature that the gradient itself still has is no reason for more columns.
        let steep = 2.0 * self.l.gradient.norm() * self.l.factors.norm();
        let other = (residual * norm(&self.l.estimate)).max(steep);
        let objective = self.l.cost().abs() + self.l.operator.unit();
        if reach <= 0.5 * other || reach <= self.tolerance * objective {
            return false;
        }
        let grown = rank::escape(&mut self.l, &least);
        self.lbfgs = Lbfgs::new(&self.l.factors);
        grown
    }

    /// Drops columns that have vanished.
    pub(super) fn shrink(&mut self) {
        let operator = &self.l.operator;
        let factors = self.l.factors.0.iter().enumerate();
        let kept: Vec<Option<Mat>> = factors
            .map(
                |(block, factor)| {
                    if operator.is_nonnegative(block) { None } else { rank::compress(factor) }
                },
            )
            .collect();
        if kept.iter().all(Option::is_none) {
            return;
        }
        let old = std::mem::take(&mut self.l.factors.0);
        let new = kept.into_iter().zip(old).map(|(kept, old)| kept.unwrap_or(old)).collect();
        self.l.set_factors(Factors(new));
        self.lbfgs = Lbfgs::new(&self.l.factors);
    }
}
