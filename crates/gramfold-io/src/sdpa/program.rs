//! From an SDPA file's (D) to the standard form min ⟨C, Z⟩: C = −F_0, A_i = F_i, b = c, Z = Y.

use gramfold_sdp::{Cone, Error, RankOne, Sdp, Term};

use super::{entries::SdpaEntry, read::Sdpa};

/// Blocks below this size keep a constant matrix as entries: there is nothing to save.
const LEAST: usize = 8;

impl Sdpa {
    /// The program min ⟨−F_0, Z⟩ s.t. ⟨F_i, Z⟩ = c_i; its optimum is the negative of max ⟨F_0, Y⟩.
    ///
    /// Blocks of size one are nonnegative numbers. A matrix whose entries in a block are all there and all equal, as
    /// the J of Lovász numbers and bisections, becomes a rank-one part.
    pub fn program(&self) -> Result<Sdp, Error> {
        let cones: Vec<Cone> = self
            .blocks
            .iter()
            .map(|&size| match size {
                2.. => Cone::Semidefinite(size as usize),
                _ => Cone::Nonnegative(size.unsigned_abs() as usize),
            })
            .collect();
        let rank_ones = self.constants(&cones);
        let of = |entry: &SdpaEntry| (entry.matrix as usize, entry.block as usize);
        let is_constant =
            |place| rank_ones.binary_search_by_key(&place, |one| (one.matrix, one.block));
        let terms = self.entries.iter().filter(|entry| is_constant(of(entry)).is_err());
        let terms = terms
            .map(|entry| Term {
                matrix: entry.matrix as usize,
                block: entry.block as usize,
                row: entry.row as usize,
                col: entry.column as usize,
                value: signed(entry.matrix, entry.value),
            })
            .collect();
        Sdp::new(cones, self.costs.clone(), terms, rank_ones)
    }

    /// v·11ᵀ for every matrix that is v everywhere in a block, by matrix and block.
    fn constants(&self, cones: &[Cone]) -> Vec<RankOne> {
        // Only where a run of equal entries is long enough can there be one; a file lists each place once.
        let mut counts = std::collections::BTreeMap::new();
        let runs = self.entries.chunk_by(|a, b| (a.matrix, a.block) == (b.matrix, b.block));
        for run in runs {
            let (first, value) = (&run[0], run[0].value);
            let equal = run.iter().all(|entry| entry.value == value);
            let (count, known, constant) = counts
                .entry((first.matrix as usize, first.block as usize))
                .or_insert((0_usize, value, true));
            *count += run.len();
            *constant &= equal && *known == value;
        }
        let full = |n: usize| n * (n + 1) / 2;
        let mut found = Vec::new();
        for ((matrix, block), (count, value, constant)) in counts {
            let Cone::Semidefinite(n) = cones[block] else { continue };
            if constant && n >= LEAST && count == full(n) {
                let weight = signed(matrix as u32, value);
                found.push(RankOne { matrix, block, weight, vector: vec![1.0; n] });
            }
        }
        found
    }
}

/// The value with the sign of C = −F_0 or A_i = F_i.
fn signed(matrix: u32, value: f64) -> f64 {
    if matrix == 0 { -value } else { value }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use gramfold_sdp::Entry;

    use super::super::read::tests::parse;
    use super::*;

    #[test]
    fn the_cost_changes_its_sign_and_constraints_do_not() {
        let sdp = parse("1\n3\n2 -2 1\n7\n0 1 2 1 1.5\n1 1 1 1 4\n1 2 2 2 5\n0 3 1 1 -2\n")
            .unwrap()
            .program()
            .unwrap();
        assert_eq!(
            sdp.cones(),
            [Cone::Semidefinite(2), Cone::Nonnegative(2), Cone::Nonnegative(1)]
        );
        assert_eq!(sdp.rhs(), [7.0]);
        assert_eq!(sdp.entries(0, 0), [Entry { row: 0, col: 1, value: -1.5 }]);
        assert_eq!(sdp.entries(1, 0), [Entry { row: 0, col: 0, value: 4.0 }]);
        assert_eq!(sdp.entries(1, 1), [Entry { row: 1, col: 1, value: 5.0 }]);
        assert_eq!(sdp.entries(0, 2), [Entry { row: 0, col: 0, value: 2.0 }]);
    }

    #[test]
    fn a_constant_full_matrix_has_rank_one_and_a_nearly_constant_one_has_not() {
        let n = 9;
        let text = |odd: f64, skip: (usize, usize)| {
            let mut text = format!("2\n2\n{n} {n}\n1 1\n");
            for i in 1..=n {
                for j in i..=n {
                    writeln!(text, "0 1 {j} {i} 2").unwrap();
                    let value = if (i, j) == (3, 5) { odd } else { 1.0 };
                    if (i, j) != skip {
                        writeln!(text, "2 2 {i} {j} {value}").unwrap();
                    }
                }
            }
            text
        };
        let ones = vec![1.0; n];
        let cost = RankOne { matrix: 0, block: 0, weight: -2.0, vector: ones.clone() };
        let constraint = RankOne { matrix: 2, block: 1, weight: 1.0, vector: ones };
        let program = |text: &str| parse(text).unwrap().program().unwrap();
        let both = program(&text(1.0, (0, 0)));
        assert_eq!(both.rank_ones(), [cost.clone(), constraint]);
        assert_eq!(both.stored(), 0);
        for text in [text(1.5, (0, 0)), text(1.0, (2, 2))] {
            let sdp = program(&text);
            assert_eq!(sdp.rank_ones(), std::slice::from_ref(&cost));
            assert!(sdp.stored() >= n * (n + 1) / 2 - 1);
        }
    }
}
