//! Columns that are added and dropped between two rounds.

use gramfold_linalg::norm;

use super::{super::rank, LowRank};
use crate::Stop;

impl LowRank {
    /// Adds directions of negative curvature (C6) where they, not the residual, keep the objective up.
    pub(super) fn grow(&mut self, residual: f64, stop: Stop<'_>) -> bool {
        let (program, factor) = (&self.l.program, &self.l.factor);
        let wanted = (factor.rank() / 2).clamp(4, 24);
        let scale = program.factor_scale().powi(2);
        let slack = self.l.slack();
        let mut reach = 0.0;
        let mut least = Vec::with_capacity(self.traces.len());
        for block in 0..program.blocks.len() {
            let found = self.spectrum.glance(slack.block(block), wanted, stop);
            let now = factor.trace(program, block);
            let trace = (self.traces[block] / scale).min(10.0 * now);
            reach += found.curvatures.first().map_or(0.0, |c| -c * trace);
            least.push(found);
        }
        // Curvature that the gradient 2S·R itself still has is no reason for more columns.
        let gradient = 2.0 * slack.norm_of_product(&factor.rows);
        let steep = 2.0 * gradient * factor.rows.norm();
        let other = (residual * norm(&self.l.estimate)).max(steep);
        let objective = self.l.cost().abs() + program.unit();
        if reach <= 0.5 * other || reach <= self.tolerance * objective {
            return false;
        }
        rank::escape(&mut self.l, &least)
    }

    /// Drops columns that have vanished.
    pub(super) fn shrink(&mut self) {
        if let Some(factor) = rank::shrunk(&self.l.program, &self.l.factor) {
            self.l.set_factor(factor);
        }
    }
}
