//! C3: bᵀy + Σ_b ⟨S_b, Z_b⟩ over every feasible Z, from below.
//!
//! For feasible Z and any y, ⟨C, Z⟩ = bᵀy + Σ_b ⟨S_b, Z_b⟩ with S = C − A*(y), and ⟨S_b, Z_b⟩ is at least
//! R_b·min(0, λmin(S_b)) when tr Z_b ≤ R_b. So y need not be feasible for its bound to be true.

use gramfold::certificate::Proof;
use serde::{Deserialize, Serialize};

use super::{combination::Combination, rounding, smallest::Smallest, trace::Held};
use crate::Sdp;

/// A number that no feasible Z goes below.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DualBound {
    /// The bound.
    pub value: f64,
    /// How its eigenvalues were bounded.
    pub proof: Proof,
}

/// What is known of w₀C − A*(y): the smallest eigenvalue of each block, and the bound on
/// w₀⟨C, Z⟩ over feasible Z that follows.
pub(crate) struct Dual {
    pub(crate) blocks: Vec<Smallest>,
    pub(crate) bound: Option<DualBound>,
}

impl Dual {
    /// For w₀ = `cost`; `ranks` are the kernels to expect, block by block.
    pub(crate) fn of(sdp: &Sdp, cost: f64, y: &[f64], held: &[Held], ranks: &[usize]) -> Self {
        let objective = rounding::dot(sdp.rhs().iter().copied().zip(y.iter().copied()));
        let mut sum = Some(objective.low());
        let mut proof = Proof::Rigorous;
        let mut blocks = Vec::with_capacity(held.len());
        for (block, held) in held.iter().enumerate() {
            let slack = Combination::of(sdp, block, cost, -1.0, y);
            let smallest = Smallest::of(&slack, ranks.get(block).copied().unwrap_or(1));
            let least = least(&slack, &smallest, held);
            sum = sum.zip(least).map(
                |(sum, least)| {
                    if least == 0.0 { sum } else { (sum + least).next_down() }
                },
            );
            proof = proof.and(smallest.proof);
            blocks.push(smallest);
        }
        let value = sum.filter(|value| value.is_finite() && proof.holds());
        Self { blocks, bound: value.map(|value| DualBound { value, proof }) }
    }
}

/// The least that ⟨S_b, Z_b⟩ can be, at most zero; none if it has no bound.
fn least(slack: &Combination, smallest: &Smallest, held: &Held) -> Option<f64> {
    if smallest.bound >= 0.0 {
        return Some(0.0);
    }
    let by_trace = held.trace.map(|trace| (trace * smallest.bound).next_down());
    let Combination::Nonnegative { values, errors } = slack else { return by_trace };
    // Number by number is sharper, and may work where the trace has no bound.
    let mut sum = 0.0_f64;
    for ((value, error), most) in values.iter().zip(errors).zip(&held.each) {
        let low = (value - error).next_down();
        if low < 0.0 {
            sum = (sum + (low * most).next_down()).next_down();
        }
    }
    let each = (sum > f64::NEG_INFINITY).then_some(sum);
    match (by_trace, each) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (a, b) => a.or(b),
    }
}
