//! Bounds on tr Z_b that the constraints imply, from those that are diagonal and nonnegative.

use crate::Sdp;

/// tr Z_b ≤ bound, block by block; infinite where no combination of such constraints covers the block.
///
/// A constraint ⟨D, Z⟩ = β with D diagonal and nonnegative bounds Σ d_i Z_ii. Taken with weight 1/d over the
/// places it is charged for, such constraints add up to the trace.
pub(super) fn bounds(sdp: &Sdp) -> Vec<f64> {
    let blocks = sdp.cones().len();
    let dense: Vec<usize> = sdp.rank_ones().iter().map(|one| one.matrix).collect();
    let mut diagonal: Vec<(usize, usize)> = (1..=sdp.constraints())
        .filter(|k| !dense.contains(k))
        .filter_map(|k| {
            let mut entries = 0;
            for block in 0..blocks {
                let of = sdp.entries(k, block);
                if of.iter().any(|e| e.row != e.col || e.value < 0.0) {
                    return None;
                }
                entries += of.len();
            }
            Some((k, entries))
        })
        .collect();
    diagonal.sort_by_key(|&(_, entries)| std::cmp::Reverse(entries));
    let mut bounds = vec![0.0; blocks];
    for (block, bound) in bounds.iter_mut().enumerate() {
        let mut covered = vec![false; sdp.cones()[block].size()];
        for &(k, _) in &diagonal {
            let fresh = |e: &&crate::Entry| !covered[e.row as usize];
            let least = sdp
                .entries(k, block)
                .iter()
                .filter(fresh)
                .fold(f64::INFINITY, |least, e| least.min(e.value));
            if least < f64::INFINITY {
                *bound += sdp.rhs()[k - 1].max(0.0) / least;
                sdp.entries(k, block).iter().for_each(|e| covered[e.row as usize] = true);
            }
        }
        if covered.contains(&false) {
            *bound = f64::INFINITY;
        }
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cone, Term};

    #[test]
    fn diagonal_constraints_bound_the_trace() {
        let term = |matrix, block, row, col, value| Term { matrix, block, row, col, value };
        let terms = vec![
            term(1, 0, 0, 0, 2.0),
            term(1, 0, 1, 1, 1.0),
            term(2, 0, 2, 2, 4.0),
            term(3, 0, 0, 1, 1.0),
            term(3, 1, 0, 0, 1.0),
        ];
        let cones = vec![Cone::Semidefinite(3), Cone::Nonnegative(1)];
        let sdp = Sdp::new(cones, vec![6.0, 2.0, 1.0], terms, Vec::new()).unwrap();
        // tr Z ≤ (2Z_00 + Z_11) + (4Z_22)/4 = 6 + ½; the second block is in no diagonal constraint alone.
        assert_eq!(bounds(&sdp), [6.5, f64::INFINITY]);
    }
}
