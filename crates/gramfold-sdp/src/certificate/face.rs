//! The face of the cone on which every feasible Z lies, where a constraint says so.
//!
//! ⟨vvᵀ, Z⟩ = 0 and Z ⪰ 0 give Zv = 0, as in bisection, where v is all ones. Then only v⊥ counts:
//! ⟨S, Z⟩ ≥ λ·tr Z if S ⪰ λI there, whatever multiple of vvᵀ S contains. Such multiples are large in practice,
//! since the multiplier of that constraint has no finite optimum, and rounding in them would drown everything else.

use gramfold_linalg::{Mat, is_positive_definite};

use super::SymmetricSum;
use crate::Sdp;

/// v of a constraint ±⟨vvᵀ, Z_b⟩ = 0 without any other part.
pub(crate) fn kernel(sdp: &Sdp, block: usize) -> Option<&[f64]> {
    let parts = sdp.rank_ones();
    parts.iter().filter(|part| part.block == block && part.matrix > 0).find_map(|part| {
        let alone = sdp.rhs()[part.matrix - 1] == 0.0
            && part.weight != 0.0
            && parts.iter().filter(|other| other.matrix == part.matrix).count() == 1
            && (0..sdp.cones().len()).all(|b| sdp.entries(part.matrix, b).is_empty());
        alone.then_some(&part.vector[..])
    })
}

/// S on v⊥, in the basis b_i = e_i − c_i·e_p with c_i = v_i/v_p.
pub(crate) struct Reduced {
    /// M = BᵀSB. Multiples of vvᵀ are left out: Bᵀv = 0.
    pub(crate) matrix: Mat,
    /// ‖computed − exact‖₂ of M is at most this.
    pub(crate) error: f64,
    /// c without its p-th entry: BᵀB = I + ccᵀ.
    c: Vec<f64>,
}

impl Reduced {
    /// Proves S ⪰ λI on v⊥, which is M − λ(I + ccᵀ) ⪰ 0, for λ ≤ 0.
    pub(crate) fn is_above(&self, lambda: f64) -> bool {
        let mut shifted = self.matrix.clone();
        let length: f64 = self.c.iter().map(|c| c.abs()).sum();
        let mut largest = 0.0_f64;
        for (i, c_i) in self.c.iter().enumerate() {
            let scaled = -lambda * c_i;
            shifted.row_mut(i).iter_mut().zip(&self.c).for_each(|(m, c_j)| *m += scaled * c_j);
            largest = largest.max(scaled.abs() * length);
        }
        // The sum is rounded by half an ε of itself, the product by two.
        let row = |i: usize| shifted.row(i).iter().map(|m| m.abs()).sum::<f64>();
        let size = (0..shifted.rows()).map(row).fold(0.0, f64::max);
        let error = self.error + f64::EPSILON * (size + 2.0 * largest);
        is_positive_definite(&shifted, 1.0, -lambda, error * (1.0 + 1e-12))
    }
}

/// M = BᵀSB; none unless every v_i/v_p is exact, as it is for ±1: B must be orthogonal to v itself.
pub(crate) fn reduced(operator: &SymmetricSum, v: &[f64]) -> Option<Reduced> {
    let n = operator.dim();
    let top = v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if n < 2 || top == 0.0 || !top.is_finite() {
        return None;
    }
    let mut entries = operator.entries.to_dense();
    let mut errors = Mat::zeros(n, n);
    for &(i, j, error) in &operator.errors {
        let (i, j) = (i as usize, j as usize);
        errors[(i, j)] = error;
        errors[(j, i)] = error;
    }
    for (weight, vector) in operator.rank_ones.iter().filter(|(_, vector)| vector != v) {
        for i in 0..n {
            let scaled = weight * vector[i];
            for j in 0..n {
                entries[(i, j)] += scaled * vector[j];
                errors[(i, j)] += operator.unit * (scaled * vector[j]).abs();
            }
        }
    }
    // Of the largest |v_i| the row with the smallest sum: it is added to every other row.
    let sum = |i: usize| entries.row(i).iter().map(|e| e.abs()).sum::<f64>();
    let candidates = (0..n).filter(|&i| v[i].abs() == top);
    let pivot = candidates.min_by(|&i, &j| sum(i).total_cmp(&sum(j)))?;
    let c: Vec<f64> = v.iter().map(|v_i| v_i / v[pivot]).collect();
    if c.iter().zip(v).any(|(c, v_i)| c.mul_add(v[pivot], -v_i) != 0.0) {
        return None;
    }
    let kept: Vec<usize> = (0..n).filter(|&i| i != pivot).collect();
    let mut largest = 0.0_f64;
    let mut matrix = Mat::zeros(n - 1, n - 1);
    for (a, &i) in kept.iter().enumerate() {
        let mut row_error = 0.0;
        for (b, &j) in kept.iter().enumerate() {
            let four = |m: &Mat, sign: f64| {
                let (c_i, c_j) = if sign > 0.0 { (c[i].abs(), c[j].abs()) } else { (c[i], c[j]) };
                [
                    m[(i, j)],
                    sign * m[(i, pivot)] * c_j,
                    sign * c_i * m[(pivot, j)],
                    c_i * c_j * m[(pivot, pivot)],
                ]
            };
            let terms = four(&entries, -1.0);
            matrix[(a, b)] = (terms[0] + terms[3]) + (terms[1] + terms[2]);
            let size: f64 = terms.iter().map(|t| t.abs()).sum();
            row_error += four(&errors, 1.0).iter().sum::<f64>() + 8.0 * f64::EPSILON * size;
        }
        largest = largest.max(row_error);
    }
    let error = largest * (1.0 + (n as f64 + 8.0) * f64::EPSILON);
    Some(Reduced { matrix, error, c: kept.iter().map(|&i| c[i]).collect() })
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::{Dense, dot, symmetric_eigen};

    use super::*;
    use crate::{Cone, RankOne, Term};

    #[test]
    fn the_reduced_matrix_is_the_form_on_the_basis() {
        let n = 6;
        let m = Mat::from_fn(n, n, |i, j| ((i * j + i + j) as f64).sin());
        let v: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let operator = SymmetricSum {
            entries: Dense::symmetrised(m.clone()).into(),
            rank_ones: vec![(1e9, v.clone())],
            error: 1.0,
            errors: Vec::new(),
            unit: 1e-16,
            size: 1e10,
        };
        let reduced = reduced(&operator, &v).unwrap();
        assert!(reduced.error < 1e-12);
        // The smallest eigenvalue on v⊥ is that of PSP, which has one more zero.
        let project = |i: usize, j: usize| f64::from(i == j) - v[i] * v[j] / n as f64;
        let p = Mat::from_fn(n, n, project);
        let psp =
            Mat::from_fn(n, n, |i, j| (0..n).map(|a| p[(i, a)] * dot(m.row(a), p.row(j))).sum());
        let on_face = symmetric_eigen(&psp).unwrap().values[0];
        assert!(on_face < -0.1);
        assert!(reduced.is_above(on_face * (1.0 + 1e-9)));
        assert!(!reduced.is_above(on_face * (1.0 - 1e-9)));
    }

    #[test]
    fn only_a_lone_rank_one_constraint_with_right_hand_side_zero_gives_a_face() {
        let part = |matrix| RankOne { matrix, block: 0, weight: 2.0, vector: vec![1.0, 1.0] };
        let term = Term { matrix: 1, block: 0, row: 0, col: 0, value: 1.0 };
        let sdp = |rhs: f64, terms: Vec<Term>, parts: Vec<RankOne>| {
            Sdp::new(vec![Cone::Semidefinite(2)], vec![rhs], terms, parts).unwrap()
        };
        assert_eq!(kernel(&sdp(0.0, vec![], vec![part(1)]), 0), Some(&[1.0, 1.0][..]));
        assert_eq!(kernel(&sdp(1.0, vec![], vec![part(1)]), 0), None);
        assert_eq!(kernel(&sdp(0.0, vec![term], vec![part(1)]), 0), None);
        assert_eq!(kernel(&sdp(0.0, vec![], vec![part(0)]), 0), None);
    }
}
