//! How two labellings overlap.
//!
//! n_ij counts the nodes with label i in one and j in the other; a_i and b_j are its row and column
//! sums. Only its nonzeros are stored, so that n clusters of one node each cost O(n).

use std::collections::BTreeMap;

use gramfold_linalg::Mat;

use crate::{Error, matching::assignment};

/// The contingency table of two labellings.
#[derive(Clone, Debug, PartialEq)]
pub struct Contingency {
    total: f64,
    rows: Vec<f64>,
    columns: Vec<f64>,
    /// (row, column, count), the nonzeros.
    cells: Vec<(usize, usize, f64)>,
}

impl Contingency {
    /// The table of two labellings of the same nodes; any values serve as labels.
    pub fn new<L: Ord, R: Ord>(left: &[L], right: &[R]) -> Result<Self, Error> {
        if left.len() != right.len() {
            return Err(Error::Lengths { left: left.len(), right: right.len() });
        }
        let (left, rows) = numbered(left);
        let (right, columns) = numbered(right);
        let mut counts = BTreeMap::new();
        for pair in left.iter().copied().zip(right.iter().copied()) {
            *counts.entry(pair).or_insert(0.0) += 1.0;
        }
        let mut table = Self {
            total: left.len() as f64,
            rows: vec![0.0; rows],
            columns: vec![0.0; columns],
            cells: counts.into_iter().map(|((i, j), count)| (i, j, count)).collect(),
        };
        for &(i, j, count) in &table.cells {
            table.rows[i] += count;
            table.columns[j] += count;
        }
        Ok(table)
    }

    /// The largest share of nodes on which the labellings agree, over all one-to-one matchings of
    /// their labels; 1 for no nodes.
    pub fn accuracy(&self) -> f64 {
        if self.cells.is_empty() {
            return 1.0;
        }
        let mut counts = Mat::zeros(self.rows.len(), self.columns.len());
        self.cells.iter().for_each(|&(i, j, count)| counts[(i, j)] = count);
        let pairs = assignment(&counts).into_iter().enumerate();
        let agreed: f64 = pairs.filter_map(|(i, j)| j.map(|j| counts[(i, j)])).sum();
        agreed / self.total
    }

    /// Normalised mutual information I(U; V) / ½(H(U) + H(V)), between 0 and 1.
    ///
    /// Two labellings of one cluster each have 1, as in scikit-learn.
    pub fn nmi(&self) -> f64 {
        if self.rows.len() <= 1 && self.columns.len() <= 1 {
            return 1.0;
        }
        let n = self.total;
        let entropy =
            |counts: &[f64]| -> f64 { counts.iter().map(|c| -(c / n) * (c / n).ln()).sum() };
        let shared = |&(i, j, count): &(usize, usize, f64)| {
            count / n * (count * n / (self.rows[i] * self.columns[j])).ln()
        };
        let information: f64 = self.cells.iter().map(shared).sum();
        // Independent labellings leave rounding errors, of either sign.
        if information <= f64::EPSILON {
            return 0.0;
        }
        (information / (0.5 * (entropy(&self.rows) + entropy(&self.columns)))).min(1.0)
    }

    /// The adjusted Rand index: 1 for equal partitions, 0 on average for random ones
    /// (Hubert and Arabie, Journal of Classification 1985).
    pub fn ari(&self) -> f64 {
        // Ordered pairs of nodes, n² in all, together in both, in the left, in the right.
        let squares = |counts: &[f64]| counts.iter().map(|c| c * c).sum::<f64>();
        let (left, right) = (squares(&self.rows), squares(&self.columns));
        let both = self.cells.iter().map(|c| c.2 * c.2).sum::<f64>();
        let (together, split_right, split_left) = (both - self.total, left - both, right - both);
        let apart = self.total * self.total - left - right + both;
        if split_left == 0.0 && split_right == 0.0 {
            return 1.0;
        }
        2.0 * (together * apart - split_left * split_right)
            / ((together + split_right) * (split_right + apart)
                + (together + split_left) * (split_left + apart))
    }
}

/// The labels as 0, 1, … in their order, and how many there are.
fn numbered<L: Ord>(labels: &[L]) -> (Vec<usize>, usize) {
    let mut numbers: BTreeMap<&L, usize> = labels.iter().map(|label| (label, 0)).collect();
    numbers.values_mut().enumerate().for_each(|(at, number)| *number = at);
    (labels.iter().map(|label| numbers[label]).collect(), numbers.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_counted_by_hand() {
        // {0,1,2 | 3,4,5} against {0,1 | 2,3 | 4,5}: pairs together 2 of 6 and 3, of 15.
        let table = Contingency::new(&[0, 0, 0, 1, 1, 1], &['a', 'a', 'b', 'b', 'c', 'c']).unwrap();
        assert!((table.accuracy() - 4.0 / 6.0).abs() < 1e-15);
        // (2 − 6·3/15) / (½(6 + 3) − 6·3/15)
        assert!((table.ari() - 0.8 / 3.3).abs() < 1e-15);
        let (two, three) = (2_f64.ln(), 3_f64.ln());
        let information = two + three - (2.0 / 3.0 * three + 1.0 / 3.0 * 6_f64.ln());
        assert!((table.nmi() - information / (0.5 * (two + three))).abs() < 1e-14);
    }

    #[test]
    fn lengths_must_match() {
        let error = Contingency::new(&[0, 1], &[0]).unwrap_err();
        assert_eq!(error.to_string(), "one labelling has 2 nodes and the other 1");
    }

    #[test]
    fn one_cluster_and_no_nodes() {
        for table in [Contingency::new(&[3, 3], &[1, 1]), Contingency::new::<u8, u8>(&[], &[])] {
            let table = table.unwrap();
            assert_eq!((table.accuracy(), table.nmi(), table.ari()), (1.0, 1.0, 1.0));
        }
        let table = Contingency::new(&[0, 0, 1, 1], &[0, 0, 0, 0]).unwrap();
        assert_eq!((table.accuracy(), table.nmi(), table.ari()), (0.5, 0.0, 0.0));
    }
}
