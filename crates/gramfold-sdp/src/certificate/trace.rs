//! Bounds on tr Z_b over every feasible Z, where the constraints imply them.
//!
//! A constraint whose matrix is evidently positive semidefinite (diagonal and nonnegative, plus positive rank-one
//! parts; or the negative of that) says Σ a_j z_jj ≤ b_i. A nonnegative combination of such constraints with
//! diag(Σ wᵢAᵢ) ≥ 1 on block b gives tr Z_b ≤ wᵀb.

use super::{Allowance, Combination, Kernel, Normal, Smallest, rounding};
use crate::{Cone, Sdp, certificate::Proof};

/// Bounds on the trace and the diagonal of a block of every feasible Z.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TraceBounds {
    /// tr Z_b ≤ this, for every feasible Z.
    pub(crate) trace: Option<f64>,
    /// tr Z_b ≥ this, for every feasible Z: 0, or nearly `trace` where the constraints fix it.
    pub(crate) least: f64,
    /// z_jj ≤ this; infinite where nothing is implied.
    pub(crate) each: Vec<f64>,
    /// Multipliers w, as (constraint, weight), with A*(w) the identity on this block and nothing elsewhere; empty
    /// where the constraints do not fix the trace.
    pub(crate) identity: Vec<(usize, f64)>,
}

/// Bounds for every block.
pub(crate) fn bounds(sdp: &Sdp) -> Vec<TraceBounds> {
    let signs = definite_signs(sdp);
    let cones = sdp.cones().iter().enumerate();
    cones.map(|(block, cone)| of_block(sdp, block, *cone, &signs)).collect()
}

/// Of every constraint: 1 if A_i is evidently positive semidefinite, −1 if −A_i is, 0 if neither or if it is zero.
pub(crate) fn definite_signs(sdp: &Sdp) -> Vec<f64> {
    #[derive(Clone, Copy, Default)]
    struct Seen {
        positive: bool,
        negative: bool,
        off_diagonal: bool,
    }
    let mut seen = vec![Seen::default(); sdp.constraints() + 1];
    for (_, matrix, entries) in sdp.all_matrices() {
        let seen = &mut seen[matrix];
        for entry in entries {
            seen.positive |= entry.value > 0.0;
            seen.negative |= entry.value < 0.0;
            seen.off_diagonal |= entry.row != entry.col;
        }
    }
    for part in sdp.rank_ones() {
        seen[part.matrix].positive |= part.weight > 0.0;
        seen[part.matrix].negative |= part.weight < 0.0;
    }
    let sign = |seen: &Seen| match (seen.positive, seen.negative) {
        _ if seen.off_diagonal => 0.0,
        (true, false) => 1.0,
        (false, true) => -1.0,
        _ => 0.0,
    };
    seen[1..].iter().map(sign).collect()
}

/// Fills the gaps by the combination w of all constraints for which A*(w) is nearest to the identity: where its
/// blocks are proved A*(w)_b ⪰ δ_bI ≻ 0, every δ_b·tr Z_b is at most bᵀw. False if nothing was gained.
pub(crate) fn imply(sdp: &Sdp, traces: &mut [TraceBounds], time: &Allowance<'_>) -> bool {
    if time.is_over() {
        return false;
    }
    let Some(normal) = Normal::of(sdp, time) else { return false };
    let w = normal.toward_identity(sdp);
    let rhs = rounding::dot(sdp.rhs().iter().copied().zip(w.iter().copied())).high();
    let blocks: Vec<Smallest> = (0..sdp.cones().len())
        .map(|block| {
            let image = Combination::of(sdp, block, 0.0, 1.0, &w);
            Smallest::of(&image, Kernel::Dimension(1), None, time).smallest
        })
        .collect();
    let proved = |b: &Smallest| b.bound >= 0.0 && b.proof == Proof::Rigorous;
    if rhs < 0.0 || !blocks.iter().all(proved) {
        return false;
    }
    let mut gained = false;
    for (traces, block) in traces.iter_mut().zip(&blocks) {
        if traces.trace.is_none() && block.bound > 0.0 {
            traces.trace = Some(up(rhs / block.bound));
            gained = true;
        }
    }
    gained
}

fn of_block(sdp: &Sdp, block: usize, cone: Cone, signs: &[f64]) -> TraceBounds {
    let n = cone.size();
    let mut each = vec![f64::INFINITY; n];
    // Which constraint bounds z_jj best, and its coefficient there.
    let mut by: Vec<(usize, f64)> = vec![(usize::MAX, 0.0); n];
    let mut single = f64::INFINITY;
    let constraints = sdp.matrices(block).filter(|(matrix, _)| *matrix > 0);
    for (i, entries) in constraints.map(|(matrix, entries)| (matrix - 1, entries)) {
        let sign = signs[i];
        let rhs = sign * sdp.rhs()[i];
        // A negative right-hand side admits no Z at all; that is a matter for a ray.
        if sign == 0.0 || rhs < 0.0 {
            continue;
        }
        let mut least = f64::INFINITY;
        for entry in entries {
            let coefficient = sign * entry.value;
            least = least.min(coefficient);
            let bound = up(rhs / coefficient);
            let at = entry.row as usize;
            if bound < each[at] {
                each[at] = bound;
                by[at] = (i, coefficient);
            }
        }
        if entries.len() == n {
            single = single.min(up(rhs / least));
        }
    }
    let trace = single.min(covered(sdp, signs, &by));
    let is_fixed = is_fixed(sdp, block, &by);
    let least = if is_fixed { fixed(sdp, signs, &by) } else { 0.0 };
    let identity = if is_fixed { once(&by) } else { Vec::new() };
    let identity = identity.iter().map(|&(i, a)| (i, signs[i] / a)).collect();
    TraceBounds { trace: trace.is_finite().then_some(trace), least, each, identity }
}

/// wᵀb for the cheapest constraint at each position, weighted as the position it has to hold most needs.
fn covered(sdp: &Sdp, signs: &[f64], by: &[(usize, f64)]) -> f64 {
    let mut weights: Vec<(usize, f64)> =
        by.iter().map(|&(i, coefficient)| (i, up(1.0 / coefficient))).collect();
    weights.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    weights.dedup_by_key(|(i, _)| *i);
    let mut sum = 0.0_f64;
    for (i, weight) in weights {
        if i == usize::MAX {
            return f64::INFINITY;
        }
        sum = up(sum + up(weight * signs[i] * sdp.rhs()[i]));
    }
    sum
}

/// Whether the constraints in `by`, divided by their coefficients, add up to the identity on the block and to nothing
/// elsewhere.
fn is_fixed(sdp: &Sdp, block: usize, by: &[(usize, f64)]) -> bool {
    by.iter().all(|&(i, coefficient)| {
        i != usize::MAX
            && sdp.entries(i + 1, block).iter().all(|entry| {
                let (of, here) = by[entry.row as usize];
                of == i && here == coefficient
            })
    }) && {
        let mut used: Vec<usize> = by.iter().map(|&(i, _)| i).collect();
        used.dedup();
        let elsewhere = |i: &usize| {
            (0..sdp.cones().len()).any(|b| b != block && !sdp.entries(i + 1, b).is_empty())
        };
        let part = |i: &usize| sdp.rank_ones().iter().any(|part| part.matrix == i + 1);
        !used.iter().any(|i| elsewhere(i) || part(i))
    }
}

/// The trace that the constraints in `by` fix, rounded down; each counts once.
fn fixed(sdp: &Sdp, signs: &[f64], by: &[(usize, f64)]) -> f64 {
    let shares = once(by).into_iter().map(|(i, a)| (signs[i] * sdp.rhs()[i] / a).next_down());
    shares.fold(0.0_f64, |sum, share| (sum + share).next_down()).max(0.0)
}

/// Every constraint once.
fn once(by: &[(usize, f64)]) -> Vec<(usize, f64)> {
    let mut used = by.to_vec();
    used.sort_by_key(|&(i, _)| i);
    used.dedup_by_key(|(i, _)| *i);
    used
}

/// Rounded up, so that what is computed is not below what is meant.
fn up(value: f64) -> f64 {
    value.next_up()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RankOne, Term};

    fn term(matrix: usize, block: usize, row: usize, col: usize, value: f64) -> Term {
        Term { matrix, block, row, col, value }
    }

    fn near(trace: Option<f64>, expected: f64) -> bool {
        trace.is_some_and(|trace| trace >= expected && trace < expected * (1.0 + 1e-12) + 1e-300)
    }

    #[test]
    fn a_diagonal_of_ones_holds_n_and_a_trace_holds_itself() {
        let n = 5;
        let diagonal = (0..n).map(|i| term(i + 1, 0, i, i, 2.0)).collect();
        let cones = vec![Cone::Semidefinite(n)];
        let sdp = Sdp::new(cones.clone(), vec![3.0; n], diagonal, Vec::new()).unwrap();
        let found = bounds(&sdp);
        assert!(found[0].least <= 7.5 && found[0].least > 7.4999999);
        assert_eq!(found[0].identity, (0..n).map(|i| (i, 0.5)).collect::<Vec<_>>());
        assert!(near(found[0].trace, 7.5) && found[0].each.iter().all(|u| near(Some(*u), 1.5)));

        let trace = (0..n).map(|i| term(1, 0, i, i, -1.0)).collect();
        let sdp = Sdp::new(cones, vec![-4.0], trace, Vec::new()).unwrap();
        let found = bounds(&sdp);
        assert!(near(found[0].trace, 4.0) && found[0].least <= 4.0 && found[0].least > 3.999999);
        assert_eq!(found[0].identity, [(0, -1.0)]);
    }

    #[test]
    fn nothing_follows_from_an_uncovered_position_or_an_indefinite_matrix() {
        let cones = vec![Cone::Semidefinite(2), Cone::Nonnegative(1)];
        // Constraint 1 covers one position and the nonnegative block, constraint 2 has an off-diagonal entry.
        let terms = vec![
            term(1, 0, 0, 0, 1.0),
            term(1, 1, 0, 0, 4.0),
            term(2, 0, 1, 1, 1.0),
            term(2, 0, 0, 1, 0.1),
        ];
        let sdp = Sdp::new(cones.clone(), vec![2.0, 2.0], terms, Vec::new()).unwrap();
        let found = bounds(&sdp);
        assert_eq!(found[0].trace, None);
        assert!(near(found[1].trace, 0.5));
        // The nonnegative block shares its constraint with another: its trace may be less.
        assert_eq!((found[0].least, found[1].least), (0.0, 0.0));
        assert!(found.iter().all(|traces| traces.identity.is_empty()));
        // With signs that differ nothing follows either, and a positive rank-one part does no harm.
        let terms = vec![
            term(1, 0, 0, 0, 1.0),
            term(1, 0, 1, 1, 2.0),
            term(2, 0, 0, 0, 1.0),
            term(2, 1, 0, 0, -1.0),
        ];
        let part = RankOne { matrix: 1, block: 0, weight: 3.0, vector: vec![1.0, 1.0] };
        let sdp = Sdp::new(cones, vec![2.0, 2.0], terms, vec![part]).unwrap();
        let found = bounds(&sdp);
        assert!(near(found[0].trace, 2.0));
        assert_eq!((found[0].least, found[1].trace), (0.0, None));
    }
}
