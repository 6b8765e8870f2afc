//! Dense matrices that are a multiple of the all-ones matrix and a few entries more: θ and bisection as files
//! state them.

use crate::{Entry, Sdp};

/// What one matrix (0 is C) has in one block.
pub(super) struct Part {
    pub(super) matrix: usize,
    pub(super) entries: Vec<Entry>,
    pub(super) rank_ones: Vec<(f64, Vec<f64>)>,
}

impl Part {
    /// ‖entries + Σ weight·vvᵀ‖².
    pub(super) fn norm_squared(&self) -> f64 {
        let mut sum = 0.0;
        for e in &self.entries {
            sum += if e.row == e.col { 1.0 } else { 2.0 } * e.value * e.value;
        }
        for (at, (weight, v)) in self.rank_ones.iter().enumerate() {
            for e in &self.entries {
                let twice = if e.row == e.col { 2.0 } else { 4.0 };
                sum += twice * e.value * weight * v[e.row as usize] * v[e.col as usize];
            }
            for (other, u) in &self.rank_ones[..at] {
                let along: f64 = u.iter().zip(v).map(|(u, v)| u * v).sum();
                sum += 2.0 * weight * other * along * along;
            }
            let square: f64 = v.iter().map(|v| v * v).sum();
            sum += (weight * square).powi(2);
        }
        sum.max(0.0)
    }
}

/// The parts of all matrices that have one in a block.
pub(super) fn parts(sdp: &Sdp, block: usize) -> Vec<Part> {
    let size = sdp.cones()[block].size();
    let mut parts = Vec::new();
    for (matrix, entries) in sdp.matrices(block) {
        let (entries, ones) = match majority(entries, size) {
            Some(value) => (remainder(entries, size, value), Some(value)),
            None => (entries.to_vec(), None),
        };
        let rank_ones = ones.map(|value| (value, vec![1.0; size])).into_iter().collect();
        parts.push(Part { matrix, entries, rank_ones });
    }
    for one in sdp.rank_ones().iter().filter(|one| one.block == block) {
        let given = (one.weight, one.vector.clone());
        if let Some(part) = parts.iter_mut().find(|part| part.matrix == one.matrix) {
            part.rank_ones.push(given);
        } else {
            let (matrix, rank_ones) = (one.matrix, vec![given]);
            parts.push(Part { matrix, entries: Vec::new(), rank_ones });
        }
    }
    parts.sort_by_key(|part| part.matrix);
    parts
}

/// The value that more than half of all places of the upper triangle hold, where there is one and the matrix
/// is big enough for it to matter.
fn majority(entries: &[Entry], size: usize) -> Option<f64> {
    let places = size * (size + 1) / 2;
    if size < 16 || 2 * entries.len() <= places {
        return None;
    }
    // Boyer and Moore: a majority survives pairing off.
    let (mut candidate, mut lead) = (0.0, 0_usize);
    for e in entries {
        if lead == 0 {
            (candidate, lead) = (e.value, 1);
        } else if e.value == candidate {
            lead += 1;
        } else {
            lead -= 1;
        }
    }
    let count = entries.iter().filter(|e| e.value == candidate).count();
    // What is left must be sparse: at least nine tenths of the places share the value.
    (10 * count >= 9 * places).then_some(candidate)
}

/// The entries of M − value·11ᵀ.
fn remainder(entries: &[Entry], size: usize, value: f64) -> Vec<Entry> {
    let mut left = Vec::new();
    let mut given = entries.iter().peekable();
    for row in 0..size as u32 {
        for col in row..size as u32 {
            let here = given.next_if(|e| (e.row, e.col) == (row, col)).map_or(0.0, |e| e.value);
            if here != value {
                left.push(Entry { row, col, value: here - value });
            }
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cone, Term};

    #[test]
    fn a_matrix_of_ones_and_a_few_others_becomes_a_vector_and_a_few_entries() {
        let n = 20;
        let mut terms = Vec::new();
        for row in 0..n {
            for col in row..n {
                let value = if (row, col) == (3, 7) { -2.0 } else { 1.5 };
                if (row, col) != (4, 4) {
                    terms.push(Term { matrix: 0, block: 0, row, col, value });
                }
            }
        }
        let sdp = Sdp::new(vec![Cone::Semidefinite(n)], vec![], terms, Vec::new()).unwrap();
        let found = parts(&sdp, 0);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].rank_ones, [(1.5, vec![1.0; n])]);
        let left: Vec<_> = found[0].entries.iter().map(|e| (e.row, e.col, e.value)).collect();
        assert_eq!(left, [(3, 7, -3.5), (4, 4, -1.5)]);
        let square: f64 = (0..n * n)
            .map(|at| match (at / n, at % n) {
                (3, 7) | (7, 3) => 4.0,
                (4, 4) => 0.0,
                _ => 2.25,
            })
            .sum();
        assert!((found[0].norm_squared() - square).abs() < 1e-9);
    }
}
