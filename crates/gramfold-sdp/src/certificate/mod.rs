//! The certificate: everything that is claimed of a point, recomputed from the problem and the point alone.

mod bound;
mod combination;
mod deflated;
mod effort;
mod face;
mod image;
mod lift;
mod normal;
mod ray;
mod rounding;
mod smallest;
mod trace;
mod words;

pub use bound::DualBound;
pub use gramfold::certificate::Proof;
pub use ray::{Infeasible, Ray};
pub use smallest::Smallest;

pub(crate) use combination::Combination;
pub(crate) use effort::effort;
pub(crate) use image::check;
pub(crate) use lift::lift;

use gramfold_linalg::{Mat, multiply, norm, proves_positive_definite, symmetric_eigen};
use serde::{Deserialize, Serialize};

use crate::{Allowance, Error, Point, Primal, Scale, Sdp, scale};
use bound::Dual;
use combination::SymmetricSum;
use deflated::Kernel;
use normal::Normal;
use trace::TraceBounds;

/// What can be proved of a point (Z, y).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// ⟨C, Z⟩. Z meets the constraints up to `infeasibility`, so this may be a little below the optimum.
    pub primal_objective: f64,
    /// bᵀy.
    pub dual_objective: f64,
    /// The six errors of the seventh DIMACS challenge. The third is 0: the slack is C − A*(y) by definition.
    pub dimacs: [f64; 6],
    /// The units in which infeasibility and gap are judged.
    pub scale: Scale,
    /// The larger of ‖A(Z) − b‖ and −λmin(Z), relative to `scale.rhs`.
    pub infeasibility: f64,
    /// What is known of each block.
    pub blocks: Vec<BlockBounds>,
    /// A number that no feasible Z goes below; none if nothing of the kind follows from y.
    pub dual_bound: Option<DualBound>,
    /// `primal_objective` − `dual_bound`.
    pub gap: Option<f64>,
    /// The gap relative to `scale.objective` + |primal objective| + |dual bound|.
    pub relative_gap: Option<f64>,
    /// Whether there was no time for as good a proof as could be made.
    #[serde(default)]
    pub cut_short: bool,
}

/// What is known of one block.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockBounds {
    /// The smallest eigenvalue of the slack, or its smallest number.
    pub slack: Smallest,
    /// The constraints imply that tr Z is at most this.
    pub trace: Option<f64>,
}

impl Certificate {
    /// Recomputes every claim.
    pub fn of(sdp: &Sdp, point: &Point) -> Result<Self, Error> {
        Self::within(sdp, point, &Allowance::UNLIMITED)
    }

    /// Recomputes every claim in the time there is; a bound that would take longer is weaker, or none.
    pub(crate) fn within(sdp: &Sdp, point: &Point, time: &Allowance<'_>) -> Result<Self, Error> {
        image::check(sdp, point)?;
        let mut traces = trace::bounds(sdp);
        let kernels: Vec<Kernel<'_>> = point.primal.iter().map(kernel).collect();
        let dual = Dual::of(sdp, 1.0, &point.dual, &kernels, time);
        let mut bound = dual.bound(&traces);
        let mut cut_short = dual.cut_short;
        if bound.is_none() {
            if trace::imply(sdp, &mut traces, time) {
                bound = dual.bound(&traces);
            }
            cut_short |= bound.is_none() && time.is_over();
        }
        let blocks = dual.blocks;

        // A point that ran away may have values beyond the range of numbers: they count as the largest one.
        let finite = |value: f64| {
            if value.is_nan() { f64::MAX } else { value.clamp(-f64::MAX, f64::MAX) }
        };
        let image: Vec<f64> = image::image(sdp, &point.primal).into_iter().map(finite).collect();
        let (primal_objective, image) = (image[0], &image[1..]);
        let pairs = || sdp.rhs().iter().copied().zip(point.dual.iter().copied());
        let dual_objective = finite(rounding::dot(pairs()).value);
        let violations: Vec<f64> = image.iter().zip(sdp.rhs()).map(|(a, b)| a - b).collect();
        // ⟨S, Z⟩ = ⟨C, Z⟩ − yᵀA(Z).
        let along = rounding::dot(image.iter().copied().zip(point.dual.iter().copied())).value;
        let complementarity = finite(primal_objective - along);

        let largest =
            |values: &mut dyn Iterator<Item = f64>| values.fold(0.0_f64, |m, v| m.max(v.abs()));
        let rhs_scale = 1.0 + largest(&mut sdp.rhs().iter().copied());
        let scale = Scale::of(sdp);
        let cost_scale = 1.0 + scale::largest(sdp)[0];
        let objectives = 1.0 + primal_objective.abs() + dual_objective.abs();
        let slack_low = blocks.iter().map(|b| b.estimate).fold(f64::INFINITY, f64::min);
        let primal_low = |block| smallest_of(block, time);
        let primal_low = point.primal.iter().map(primal_low).fold(f64::INFINITY, f64::min);
        let dimacs = [
            norm(&violations) / rhs_scale,
            (-primal_low).max(0.0) / rhs_scale,
            0.0,
            (-slack_low).max(0.0) / cost_scale,
            (primal_objective - dual_objective) / objectives,
            complementarity / objectives,
        ]
        .map(finite);
        let relative: Vec<f64> = violations.iter().map(|v| v / scale.rhs).collect();
        let infeasibility = finite(norm(&relative)).max(finite(-primal_low / scale.rhs));
        let gap = bound.map(|bound| finite(primal_objective - bound.value));
        let relative_gap =
            bound.map(|bound| finite(scale.relative_gap(primal_objective, bound.value)));
        let blocks = blocks
            .into_iter()
            .zip(&traces)
            .map(|(slack, traces)| BlockBounds { slack, trace: traces.trace })
            .collect();
        Ok(Self {
            primal_objective,
            dual_objective,
            dimacs,
            scale,
            infeasibility,
            blocks,
            dual_bound: bound,
            gap,
            relative_gap,
            cut_short,
        })
    }

    /// How far the slack is outside its cone, relative to `scale.cost`.
    pub(crate) fn slack_violation(&self) -> f64 {
        let low = self.blocks.iter().map(|b| b.slack.estimate).fold(f64::INFINITY, f64::min);
        (-low).max(0.0) / self.scale.cost
    }

    /// Z meets the constraints and the cone within the tolerance, and its objective is within the tolerance of a
    /// proved bound, on either side: an infeasible Z may lie below it.
    pub fn proves(&self, tolerance: f64) -> bool {
        self.infeasibility <= tolerance
            && self.relative_gap.is_some_and(|gap| gap.abs() <= tolerance)
    }
}

/// y with what its slack lacks paid for by the constraints that fix the trace of a block: S − λI ⪰ 0 in place of S,
/// for the λ < 0 that was proved. The dual objective becomes the bound. None where nothing can be paid so.
pub(crate) fn repaired(sdp: &Sdp, y: &[f64], certificate: &Certificate) -> Option<Vec<f64>> {
    let mut repaired = y.to_vec();
    for (block, traces) in certificate.blocks.iter().zip(trace::bounds(sdp)) {
        let low = block.slack.bound;
        if low < 0.0 {
            if traces.identity.is_empty() || !low.is_finite() {
                return None;
            }
            traces.identity.iter().for_each(|&(i, weight)| repaired[i] += low * weight);
        }
    }
    Some(repaired)
}

/// What the constraints evidently bound the trace of each block by; infinite where they do not.
pub(crate) fn trace_bounds(sdp: &Sdp) -> Vec<f64> {
    trace::bounds(sdp).iter().map(|bounds| bounds.trace.unwrap_or(f64::INFINITY)).collect()
}

/// What to expect of the slack's kernel.
fn kernel(primal: &Primal) -> Kernel<'_> {
    match primal {
        Primal::Factor(r) => Kernel::Near(r),
        Primal::Dense(z) => Kernel::Dimension(z.rows().min(32)),
        Primal::Diagonal(_) => Kernel::Dimension(0),
    }
}

/// The smallest eigenvalue of a block of Z, where it is below zero or nearly so.
fn smallest_of(primal: &Primal, time: &Allowance<'_>) -> f64 {
    match primal {
        Primal::Factor(_) => 0.0,
        Primal::Diagonal(z) => z.iter().copied().fold(f64::INFINITY, f64::min),
        Primal::Dense(z) => {
            let mut symmetric = z.clone();
            symmetric.symmetrise();
            let over = || time.is_over();
            if proves_positive_definite(&symmetric, 1.0, 0.0, 0.0, &over) {
                return 0.0;
            }
            let n = z.rows();
            if n <= 512 {
                return symmetric_eigen(&symmetric).map_or(f64::NEG_INFINITY, |e| e.values[0]);
            }
            let apply = |v: &Mat, out: &mut Mat| multiply(1.0, &symmetric, v, out);
            // Without time for a step the row sums bound it.
            let row = |i: usize| symmetric.row(i).iter().map(|z| z.abs()).sum::<f64>();
            let rows = || -(0..n).map(row).fold(0.0, f64::max);
            smallest::ritz_low(n, &apply, smallest::STEPS, time).unwrap_or_else(rows)
        }
    }
}
