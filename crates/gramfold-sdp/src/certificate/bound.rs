//! C3: bᵀy + Σ_b ⟨S_b, Z_b⟩ over every feasible Z, from below.
//!
//! For feasible Z and any y, ⟨C, Z⟩ = bᵀy + Σ_b ⟨S_b, Z_b⟩ with S = C − A*(y), and ⟨S_b, Z_b⟩ is at least
//! R_b·min(0, λmin(S_b)) when tr Z_b ≤ R_b. So y need not be feasible for its bound to be true. Where the constraints
//! fix tr Z_b, a positive λmin(S_b) counts as well.

use gramfold::certificate::Proof;
use serde::{Deserialize, Serialize};

use super::{
    Allowance, Combination, Kernel, Smallest, TraceBounds, face,
    rounding::{self, Enclosed},
};
use crate::Sdp;

/// A number that no feasible Z goes below.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DualBound {
    /// The bound.
    pub value: f64,
    /// How its eigenvalues were bounded.
    #[serde(flatten)]
    pub proof: Proof,
}

/// What is known of w₀C − A*(y).
pub(crate) struct Dual {
    /// bᵀy.
    objective: Enclosed,
    /// The smallest eigenvalue of each block.
    pub(crate) blocks: Vec<Smallest>,
    /// Lower bounds on each number of the nonnegative blocks; empty for the others.
    numbers: Vec<Vec<f64>>,
    /// Whether there was no time to bound some eigenvalue as well as could be.
    pub(crate) cut_short: bool,
}

impl Dual {
    /// For w₀ = `cost`; `kernels` are those to expect, block by block.
    pub(crate) fn of(
        sdp: &Sdp,
        cost: f64,
        y: &[f64],
        kernels: &[Kernel<'_>],
        time: &Allowance<'_>,
    ) -> Self {
        let objective = rounding::dot(sdp.rhs().iter().copied().zip(y.iter().copied()));
        let (mut blocks, mut numbers) = (Vec::new(), Vec::new());
        // Each block gets the share of the time that its n² has of those to come.
        let square = |block: usize| (sdp.cones()[block].size() as f64).powi(2);
        let mut left: f64 = (0..sdp.cones().len()).map(square).sum();
        let mut cut_short = false;
        for block in 0..sdp.cones().len() {
            let slack = Combination::of(sdp, block, cost, -1.0, y);
            let kernel = kernels.get(block).copied().unwrap_or(Kernel::Dimension(1));
            let own = time.share((square(block) / left).min(1.0));
            left = (left - square(block)).max(1.0);
            let found = Smallest::of(&slack, kernel, face::kernel(sdp, block), &own);
            cut_short |= found.cut_short;
            blocks.push(found.smallest);
            numbers.push(match slack {
                Combination::Semidefinite(_) => Vec::new(),
                Combination::Nonnegative { values, errors } => {
                    values.iter().zip(&errors).map(|(v, e)| (v - e).next_down()).collect()
                }
            });
        }
        Self { objective, blocks, numbers, cut_short }
    }

    /// The bound on w₀⟨C, Z⟩ over feasible Z, given what the blocks may hold.
    pub(crate) fn bound(&self, traces: &[TraceBounds]) -> Option<DualBound> {
        let mut value = self.objective.low();
        let mut proof = Proof::Rigorous;
        for ((smallest, numbers), traces) in self.blocks.iter().zip(&self.numbers).zip(traces) {
            let least = least(smallest, numbers, traces)?;
            if least != 0.0 {
                value = (value + least).next_down();
            }
            proof = proof.and(smallest.proof);
        }
        (value.is_finite() && proof.holds()).then_some(DualBound { value, proof })
    }
}

/// The least that ⟨S_b, Z_b⟩ can be; none if it has no bound.
fn least(smallest: &Smallest, numbers: &[f64], traces: &TraceBounds) -> Option<f64> {
    if smallest.bound >= 0.0 {
        return Some((traces.least * smallest.bound).next_down().max(0.0));
    }
    let by_trace = traces.trace.map(|trace| (trace * smallest.bound).next_down());
    if numbers.is_empty() {
        return by_trace;
    }
    // Number by number is sharper, and may work where the trace has no bound.
    let mut sum = 0.0_f64;
    for (low, most) in numbers.iter().zip(&traces.each) {
        if *low < 0.0 {
            sum = (sum + (low * most).next_down()).next_down();
        }
    }
    let each = (sum > f64::NEG_INFINITY).then_some(sum);
    match (by_trace, each) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (a, b) => a.or(b),
    }
}
