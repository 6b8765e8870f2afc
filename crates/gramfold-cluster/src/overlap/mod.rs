//! Clusters that may share nodes, which a factor has and labels do not.

mod information;
mod omega;

use gramfold_linalg::Mat;

use crate::membership::{largest, soft};

pub use information::overlapping_nmi;
pub use omega::omega;

/// For each node the clusters that it belongs to, and how much: shares that add up to one, the largest first.
pub type Memberships = Vec<Vec<(usize, f64)>>;

/// The clusters of every node whose share of its row of X is at least `least` of the node's largest.
///
/// Columns are brought to the same scale first, the root mean square of the entries that are the largest of their rows, so that a
/// cluster of strong ties does not take the nodes of a weak one. A zero row has the one cluster of its label.
///
/// # Panics
/// If there is not one label a row, or a label is no column.
pub fn overlapping(x: &Mat, labels: &[usize], least: f64) -> Memberships {
    assert_eq!(labels.len(), x.rows(), "one label a row");
    let (mut squares, mut counts) = (vec![0.0; x.cols()], vec![0.0; x.cols()]);
    for row in (0..x.rows()).map(|i| x.row(i)) {
        if let Some(own) = largest(row.iter().copied()) {
            squares[own] += row[own] * row[own];
            counts[own] += 1.0;
        }
    }
    let scale = |j: usize| if squares[j] > 0.0 { f64::sqrt(counts[j] / squares[j]) } else { 1.0 };
    let scales: Vec<f64> = (0..x.cols()).map(scale).collect();
    let shares = soft(&Mat::from_fn(x.rows(), x.cols(), |i, j| x[(i, j)] * scales[j]));
    let of = |(i, &label): (usize, &usize)| {
        if x.row(i).iter().all(|&v| v == 0.0) {
            return vec![(label, 1.0)];
        }
        kept(shares.row(i), least)
    };
    labels.iter().enumerate().map(of).collect()
}

/// The shares of a row that are not small against its largest, scaled to add up to one.
fn kept(shares: &[f64], least: f64) -> Vec<(usize, f64)> {
    let largest = shares.iter().copied().fold(0.0, f64::max);
    let entries = shares.iter().copied().enumerate();
    let mut kept: Vec<(usize, f64)> =
        entries.filter(|&(_, share)| share > 0.0 && share >= least * largest).collect();
    kept.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let sum: f64 = kept.iter().map(|entry| entry.1).sum();
    for entry in &mut kept {
        entry.1 /= sum;
    }
    kept
}

/// The nodes of every cluster.
pub(super) fn members(nodes: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let count = nodes.iter().flatten().max().map_or(0, |last| last + 1);
    let mut members = vec![Vec::new(); count];
    for (node, clusters) in nodes.iter().enumerate() {
        for &cluster in clusters {
            members[cluster].push(node);
        }
    }
    members.retain(|cluster| !cluster.is_empty());
    members
}

/// The clusters alone, without how much.
pub fn clusters_of(memberships: &Memberships) -> Vec<Vec<usize>> {
    memberships.iter().map(|node| node.iter().map(|entry| entry.0).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_between_two_clusters_has_both() {
        // The second column is twice as strong as the first.
        let x = Mat::from_row_major(5, 2, vec![1.0, 0.0, 1.0, 0.1, 0.0, 2.0, 0.5, 1.0, 0.0, 0.0]);
        let labels = [0, 0, 1, 1, 0];
        let found = overlapping(&x, &labels, 0.5);
        assert_eq!(clusters_of(&found), [vec![0], vec![0], vec![1], vec![1, 0], vec![0]]);
        // Scales: 1 for the first column, √(2/5) for the second.
        let second = 0.4_f64.sqrt();
        assert!((found[3][0].1 - second / (second + 0.5)).abs() < 1e-15);
        assert!((found[3].iter().map(|entry| entry.1).sum::<f64>() - 1.0).abs() < 1e-15);
        assert_eq!(clusters_of(&overlapping(&x, &labels, 0.9))[3], [1]);
    }

    #[test]
    fn clusters_without_nodes_are_left_out() {
        assert_eq!(members(&[vec![0, 3], vec![3], vec![]]), [vec![0], vec![0, 1]]);
    }
}
