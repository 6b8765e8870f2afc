//! When the engine may stop: a lower bound of λmin(S) that leaves a gap within the tolerance.

use std::time::Instant;

use gramfold_linalg::SparseCholesky;

use super::{Iterate, Proof, Reflected, Workspace, bound};

/// Lanczos steps where they must prove.
const LANCZOS: usize = 5000;
/// Lanczos steps after an interruption.
const GLANCE: usize = 200;
/// … for which there is the inverse of this share of the time.
const SHARE: u32 = 20;
/// Rows up to which a dense factorisation is faster than Lanczos.
const DENSE: usize = 2000;
/// Operations of a Cholesky factorisation that are worth a proof.
const PROOF: f64 = 3e10;
/// Evaluations of λmin in the choice of a multiplier that the factor leaves open.
const TUNING: usize = 60;

impl Workspace<'_> {
    /// p − Σy − n·min(0, λ).
    pub(super) fn gap(at: &Iterate, lambda: f64) -> f64 {
        at.objective - at.y.iter().sum::<f64>() - at.y.len() as f64 * lambda.min(0.0)
    }

    /// Analyses C for proofs by Cholesky where one costs little against the search.
    pub(super) fn prepare_proof(&mut self) {
        let cost = self.structure.cost();
        self.proof = match self.structure.normal() {
            Some(normal) if cost.dim() <= DENSE => Some(Proof::Plane(Reflected::new(cost, normal))),
            Some(_) => None,
            None => SparseCholesky::analyse(cost)
                .filter(|cholesky| cholesky.flops() < PROOF)
                .map(|cholesky| Proof::Sparse(Box::new(cholesky))),
        };
    }

    /// A lower bound of λmin over S and the slacks that leaves a gap of at most `needed`, if there is one.
    pub(super) fn certify(
        &mut self,
        at: &mut Iterate,
        needed: f64,
        stop: &dyn Fn() -> bool,
    ) -> Option<f64> {
        let slack = bound::slack_curvature(&self.manifold, &at.y);
        if Self::gap(at, slack) > needed {
            return None;
        }
        // The multiplier of a plane takes its share of the tolerance, too.
        let share = if self.structure.normal().is_some() { 0.5 } else { 1.0 };
        if let Some(proof) = &mut self.proof {
            let spare = share * needed - Self::gap(at, 0.0);
            let lambda = proof.lower(&self.own, &at.y, 0.95 * spare / at.y.len() as f64);
            // Without a proof there may still be one with another multiplier, where the factor leaves that open.
            if lambda.is_some() || self.manifold.free_multiplier(&at.x).is_none() {
                return lambda.map(|lambda| lambda.min(slack));
            }
        }
        let lambda = self.estimate(at, stop);
        (Self::gap(at, lambda) <= share * needed).then_some(lambda)
    }

    /// λmin over S and the slacks by Lanczos, less its residual. Where the factor leaves the multiplier of the plane open, y
    /// moves to the best.
    pub(super) fn estimate(&mut self, at: &mut Iterate, stop: &dyn Fn() -> bool) -> f64 {
        let needed = self.needed(at);
        let slack = bound::slack_curvature(&self.manifold, &at.y);
        let accuracy = 0.2 * needed / at.y.len() as f64;
        let found = self.curvature(&at.y, accuracy, LANCZOS, stop);
        let lambda = found.map_or(-2.0 * self.width, |found| found.below).min(slack);
        if Self::gap(at, lambda) > needed
            && let Some(free) = self.manifold.free_multiplier(&at.x)
        {
            return self.tune(&mut at.y, &free, (accuracy, lambda), stop).min(slack);
        }
        lambda
    }

    /// λmin over S and the slacks by a short run, of a small share of the time so far: someone waits.
    pub(super) fn glance(&mut self, at: &Iterate) -> f64 {
        let (began, most) = (Instant::now(), self.began.elapsed() / SHARE);
        let stop = || began.elapsed() >= most;
        let accuracy = 0.2 * self.needed(at) / at.y.len() as f64;
        let found = self.curvature(&at.y, accuracy, GLANCE, &stop);
        let lambda = found.map_or(-2.0 * self.width, |found| found.below);
        lambda.min(bound::slack_curvature(&self.manifold, &at.y))
    }

    /// Maximises λmin, a concave function of α, over y − α·`free` by bisection on the sign of its derivative
    /// Σ u_i²·free_i; moves y to the best α seen and returns its λmin.
    fn tune(
        &mut self,
        y: &mut [f64],
        free: &[f64],
        (accuracy, start): (f64, f64),
        stop: &dyn Fn() -> bool,
    ) -> f64 {
        let most = free.iter().fold(0.0_f64, |m, f| m.max(f.abs()));
        let (mut low, mut high) = (-2.0 * self.width / most, 2.0 * self.width / most);
        let (mut alpha, mut best) = (0.0, (start, 0.0));
        let mut moved = y.to_vec();
        for _ in 0..TUNING {
            for ((moved, y), free) in moved.iter_mut().zip(y.iter()).zip(free) {
                *moved = y - alpha * free;
            }
            let Some(found) = self.curvature(&moved, accuracy, LANCZOS, stop) else { break };
            if found.below > best.0 {
                best = (found.below, alpha);
            }
            let squares = found.vectors.row(0).iter().zip(free).map(|(u, f)| u * u * f);
            if squares.sum::<f64>() > 0.0 {
                low = alpha;
            } else {
                high = alpha;
            }
            if stop()
                || best.0 >= -accuracy
                || high - low <= f64::EPSILON * high.abs().max(low.abs())
            {
                break;
            }
            alpha = 0.5 * (low + high);
        }
        y.iter_mut().zip(free).for_each(|(y, free)| *y -= best.1 * free);
        best.0
    }
}
