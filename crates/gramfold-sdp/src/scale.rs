//! What is large and what is small in a program: the units in which errors are judged.

use serde::{Deserialize, Serialize};

use crate::Sdp;

/// The units of a program. Errors are relative to them, so that the same program with C or b in other units, be they 10⁹ times as
/// large or as small, gets the same verdict.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    /// 2‖b‖∞, what 1 + ‖b‖∞ is where the largest is 1; 1 if b is zero.
    pub rhs: f64,
    /// Twice the largest |C_ij|; 1 if C is zero.
    pub cost: f64,
    /// A tenth of the largest |C_ij| times the largest |b_i|/‖A_i‖_F, which is about what an entry of C contributes to the
    /// objective; where C or b is zero, 1 takes the place of its factor.
    pub objective: f64,
}

/// Share of what an entry of C contributes below which an objective counts as zero, to the tolerance.
const SHARE: f64 = 0.1;

impl Scale {
    /// The units of a program.
    pub fn of(sdp: &Sdp) -> Self {
        let or_one = |value: f64| if value > 0.0 && value.is_finite() { value } else { 1.0 };
        let rhs = sdp.rhs().iter().fold(0.0_f64, |most, b| most.max(b.abs()));
        let norms = norms(sdp);
        let ratios = sdp.rhs().iter().zip(&norms[1..]).map(|(b, norm)| b.abs() / norm);
        let primal = ratios.filter(|ratio| ratio.is_finite()).fold(0.0, f64::max);
        let cost = largest(sdp)[0];
        let objective = or_one(SHARE * or_one(cost) * or_one(primal));
        Self { rhs: or_one(2.0 * rhs), cost: or_one(2.0 * cost), objective }
    }

    /// (primal − bound)/(unit + |primal| + |bound|).
    pub fn relative_gap(&self, primal: f64, bound: f64) -> f64 {
        (primal - bound) / (self.objective + primal.abs() + bound.abs())
    }
}

/// The largest |entry| of C (first) and of every A_i, a rank-one part counted by its largest entry.
pub(crate) fn largest(sdp: &Sdp) -> Vec<f64> {
    let mut largest = vec![0.0_f64; sdp.constraints() + 1];
    for (_, matrix, entries) in sdp.all_matrices() {
        let most = &mut largest[matrix];
        *most = entries.iter().fold(*most, |most, entry| most.max(entry.value.abs()));
    }
    for part in sdp.rank_ones() {
        let top = part.vector.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let most = &mut largest[part.matrix];
        *most = most.max(part.weight.abs() * top * top);
    }
    largest
}

/// ‖C‖_F (first) and ‖A_i‖_F, by entries and rank-one parts; an upper estimate where they overlap. No square overflows, and
/// none that counts underflows.
pub(crate) fn norms(sdp: &Sdp) -> Vec<f64> {
    let largest = largest(sdp);
    let share = |matrix: usize, value: f64| value / largest[matrix];
    let mut squares = vec![0.0_f64; largest.len()];
    for (_, matrix, entries) in sdp.all_matrices() {
        for entry in entries {
            let weight = if entry.row == entry.col { 1.0 } else { 2.0 };
            squares[matrix] += weight * share(matrix, entry.value).powi(2);
        }
    }
    for part in sdp.rank_ones().iter().filter(|part| largest[part.matrix] > 0.0) {
        let square: f64 = part.vector.iter().map(|v| v * v).sum();
        squares[part.matrix] += share(part.matrix, part.weight * square).powi(2);
    }
    squares.iter().zip(&largest).map(|(square, most)| square.sqrt() * most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cone, RankOne, Term};

    fn program(cost: f64, rhs: f64, row: f64) -> Sdp {
        let term = |matrix, row, col, value| Term { matrix, block: 0, row, col, value };
        let terms =
            vec![term(0, 0, 1, -3.0 * cost), term(1, 0, 0, 3.0 * row), term(1, 0, 1, 2.0 * row)];
        let part = RankOne { matrix: 2, block: 0, weight: 2.0, vector: vec![1.0, 1.0] };
        let rhs = vec![5.0 * rhs * row, -rhs];
        Sdp::new(vec![Cone::Semidefinite(2)], rhs, terms, vec![part]).unwrap()
    }

    #[test]
    fn units_follow_the_data_and_not_the_rows() {
        // ‖A_1‖² = 9 + 2·4 and ‖A_2‖ = 2·2.
        let unit = Scale::of(&program(1.0, 1.0, 1.0));
        assert_eq!((unit.rhs, unit.cost), (10.0, 6.0));
        assert!((unit.objective - 1.5 / 17.0_f64.sqrt()).abs() < 1e-14);
        for exponent in [-300, -30, 30, 300] {
            let s = 2.0_f64.powi(exponent);
            let relative = |scale: Scale| scale.objective / unit.objective;
            assert_eq!(relative(Scale::of(&program(s, 1.0, 1.0))), s);
            assert_eq!(relative(Scale::of(&program(1.0, s, 1.0))), s);
            assert_eq!(relative(Scale::of(&program(1.0, 1.0, s))), 1.0);
        }
    }

    #[test]
    fn what_is_zero_counts_as_one() {
        let zero = Scale { rhs: 1.0, cost: 1.0, objective: 0.1 };
        let empty = Sdp::new(vec![Cone::Semidefinite(2)], vec![0.0], Vec::new(), Vec::new());
        assert_eq!(Scale::of(&empty.unwrap()), zero);
        assert_eq!(Scale::of(&program(0.0, 1.0, 1.0)).cost, 1.0);
        assert!((Scale::of(&program(2.0, 0.0, 1.0)).objective - 0.6).abs() < 1e-15);
    }
}
