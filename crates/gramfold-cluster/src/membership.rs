//! Clusters from a nonnegative factor X (n×k): row i says how much node i belongs to each.

use std::cmp::{Ordering, Reverse};

use gramfold_linalg::Mat;

use crate::Components;

/// The cluster of every node: the largest entry of its row. Among equals, here and below, the column with the larger sum
/// counts, so that the answer does not depend on the order of the columns.
///
/// A zero row says nothing. Its node takes the most frequent label of the nonzero rows in its component; where there
/// are none, the cluster with the largest column sum of X; and a node without neighbours the most frequent label of
/// those with the fewest, which are the most like it.
///
/// ```
/// use gramfold_cluster::hard;
/// use gramfold_linalg::Mat;
///
/// let x = Mat::from_row_major(3, 2, vec![0.9, 0.1, 0.3, 0.7, 0.0, 0.0]);
/// assert_eq!(hard(&x, None), [0, 1, 0]);
/// ```
///
/// # Panics
/// If the components are not those of n nodes.
pub fn hard(x: &Mat, components: Option<&Components>) -> Vec<usize> {
    let order = by_weight(x);
    let labels = first_among_equals(x, &order, components);
    labels.into_iter().map(|label| order[label]).collect()
}

/// The columns by decreasing sums, equal ones by their entries.
pub(crate) fn by_weight(x: &Mat) -> Vec<usize> {
    let sums: Vec<f64> = (0..x.cols()).map(|j| x.column(j).sum()).collect();
    let entries = |a: usize, b: usize| {
        let mut pairs = x.column(a).zip(x.column(b));
        pairs.find_map(|(a, b)| Some(b.total_cmp(&a)).filter(|order| order.is_ne()))
    };
    let mut order: Vec<usize> = (0..x.cols()).collect();
    order.sort_by(|&a, &b| {
        sums[b].total_cmp(&sums[a]).then_with(|| entries(a, b).unwrap_or(Ordering::Equal))
    });
    order
}

/// [`hard`] labels, which count the columns in this order.
pub(crate) fn first_among_equals(
    x: &Mat,
    order: &[usize],
    components: Option<&Components>,
) -> Vec<usize> {
    let n = x.rows();
    let of_row = |row: &[f64]| largest(order.iter().map(|&j| row[j]));
    let labels: Vec<usize> = (0..n).map_while(|i| of_row(x.row(i))).collect();
    if labels.len() == n {
        return labels;
    }
    let decided: Vec<Option<usize>> = (0..n).map(|i| of_row(x.row(i))).collect();
    let heaviest = largest(order.iter().map(|&j| x.column(j).sum())).unwrap_or(0);
    let Some(components) = components else {
        return decided.into_iter().map(|label| label.unwrap_or(heaviest)).collect();
    };
    assert_eq!(components.labels.len(), n, "one component a node");
    let majority = majorities(&decided, components);
    let alone = of_the_least_joined(&decided, components).unwrap_or(heaviest);
    let guess = |i: usize| if components.neighbours[i] == 0 { alone } else { heaviest };
    let fallback = |i: usize| majority[components.labels[i]].unwrap_or_else(|| guess(i));
    decided.iter().enumerate().map(|(i, label)| label.unwrap_or_else(|| fallback(i))).collect()
}

/// The most frequent label of the nodes with the fewest neighbours, but at least one; the smallest among equals.
fn of_the_least_joined(decided: &[Option<usize>], components: &Components) -> Option<usize> {
    let joined = || {
        let nodes = decided.iter().zip(&components.neighbours);
        nodes.filter_map(|(label, &count)| label.filter(|_| count > 0).map(|label| (count, label)))
    };
    let fewest = joined().map(|(count, _)| count).min()?;
    let labels: Vec<usize> =
        joined().filter(|(count, _)| *count == fewest).map(|(_, label)| label).collect();
    let votes = sizes(&labels, labels.iter().max()? + 1);
    largest(votes.into_iter().map(|count| count as f64))
}

/// The index of the largest positive value, the first among equals.
pub(crate) fn largest(values: impl Iterator<Item = f64>) -> Option<usize> {
    let (mut best, mut most) = (usize::MAX, 0.0);
    for (j, value) in values.enumerate() {
        if value > most {
            (best, most) = (j, value);
        }
    }
    (most > 0.0).then_some(best)
}

/// The most frequent label of every component, the smallest among equals.
fn majorities(decided: &[Option<usize>], components: &Components) -> Vec<Option<usize>> {
    let mut votes: Vec<(usize, usize)> = components
        .labels
        .iter()
        .zip(decided)
        .filter_map(|(&component, label)| label.map(|label| (component, label)))
        .collect();
    votes.sort_unstable();
    let mut best = vec![(None, 0); components.count()];
    for run in votes.chunk_by(|a, b| a == b) {
        let (component, label) = run[0];
        if run.len() > best[component].1 {
            best[component] = (Some(label), run.len());
        }
    }
    best.into_iter().map(|(label, _)| label).collect()
}

/// The rows of X, each divided by its sum; a zero row belongs to every cluster alike.
pub fn soft(x: &Mat) -> Mat {
    let mut memberships = x.clone();
    for i in 0..x.rows() {
        let row = memberships.row_mut(i);
        let (count, largest) = (row.len() as f64, row.iter().copied().fold(0.0, f64::max));
        if largest > 0.0 {
            // The largest entry first: the sum of a row near the ends of the range stays a number.
            let sum: f64 = row.iter().map(|v| v / largest).sum();
            for v in row {
                *v = *v / largest / sum;
            }
        } else {
            row.fill(1.0 / count);
        }
    }
    memberships
}

/// The number of nodes of each of `k` clusters.
///
/// # Panics
/// If a label is not below `k`.
pub fn sizes(labels: &[usize], k: usize) -> Vec<usize> {
    let mut sizes = vec![0; k];
    for &label in labels {
        sizes[label] += 1;
    }
    sizes
}

/// Clusters renamed by decreasing size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relabelling {
    /// The new label of every node.
    pub labels: Vec<usize>,
    /// The old label of every new one; pass it to [`permute_columns`].
    pub permutation: Vec<usize>,
    /// The sizes, descending.
    pub sizes: Vec<usize>,
}

/// Renames `k` clusters by decreasing size, equal sizes by their old labels.
///
/// # Panics
/// If a label is not below `k`.
pub fn relabel(labels: &[usize], k: usize) -> Relabelling {
    let sizes = sizes(labels, k);
    let mut permutation: Vec<usize> = (0..k).collect();
    permutation.sort_by_key(|&old| Reverse(sizes[old]));
    let mut new = vec![0; k];
    permutation.iter().enumerate().for_each(|(rank, &old)| new[old] = rank);
    Relabelling {
        labels: labels.iter().map(|&old| new[old]).collect(),
        sizes: permutation.iter().map(|&old| sizes[old]).collect(),
        permutation,
    }
}

/// The matrix whose column j is column `permutation[j]` of `x`.
///
/// # Panics
/// If an entry is not a column of `x`.
pub fn permute_columns(x: &Mat, permutation: &[usize]) -> Mat {
    Mat::from_fn(x.rows(), permutation.len(), |i, j| x[(i, permutation[j])])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ties_go_to_the_heavier_column() {
        let x = Mat::from_row_major(2, 3, vec![0.5, 0.5, 0.1, 0.0, 0.2, 0.2]);
        assert_eq!(hard(&x, None), [1, 1]);
    }

    #[test]
    fn a_zero_row_follows_its_component_or_else_the_heaviest_cluster_or_the_least_joined() {
        let rows = [[0.0, 0.2], [0.0, 0.1], [0.0, 0.0], [9.0, 0.0], [0.0, 0.0], [0.0, 0.0]];
        let x = Mat::from_fn(8, 2, |i, j| rows.get(i).map_or(0.0, |row| row[j]));
        let components = Components {
            labels: vec![0, 0, 0, 1, 1, 3, 2, 2],
            sizes: vec![3, 2, 2, 1],
            neighbours: vec![1, 1, 2, 1, 1, 0, 1, 1],
        };
        // The sixth node is alone: of those with one neighbour more have the second label. The last two have no more
        // to go by, but they have each other.
        assert_eq!(hard(&x, Some(&components)), [1, 1, 1, 0, 0, 1, 0, 0]);
        let without = Components { neighbours: vec![0; 8], ..components };
        assert_eq!(hard(&x, Some(&without)), [1, 1, 1, 0, 0, 0, 0, 0]);
        assert_eq!(hard(&x, None), [1, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(hard(&Mat::zeros(2, 3), None), [0, 0]);
    }

    #[test]
    fn soft_rows_are_shares() {
        let x = Mat::from_row_major(4, 2, vec![3.0, 1.0, 0.0, 0.0, 1e308, 1e308, 5e-324, 0.0]);
        assert_eq!(soft(&x).as_slice(), [0.75, 0.25, 0.5, 0.5, 0.5, 0.5, 1.0, 0.0]);
    }

    #[test]
    fn clusters_are_renamed_by_size() {
        let renamed = relabel(&[2, 2, 1, 1, 2, 3], 4);
        assert_eq!(renamed.labels, [0, 0, 1, 1, 0, 2]);
        assert_eq!(renamed.permutation, [2, 1, 3, 0]);
        assert_eq!(renamed.sizes, [3, 2, 1, 0]);
    }

    proptest! {
        #[test]
        fn permuted_columns_have_the_new_labels(
            // Few values, so that rows have ties and rows of zeros have neighbours that tie.
            entries in prop::collection::vec(0_u8..3, 40),
            labels in prop::collection::vec(0_usize..3, 10),
            neighbours in prop::collection::vec(0_usize..3, 10),
        ) {
            let entries = entries.into_iter().map(f64::from).collect();
            let x = Mat::from_row_major(10, 4, entries);
            let components = Components { sizes: sizes(&labels, 3), labels, neighbours };
            let hard = |x: &Mat, _: Option<()>| hard(x, Some(&components));
            let renamed = relabel(&hard(&x, None), 4);
            let permuted = permute_columns(&x, &renamed.permutation);
            prop_assert_eq!(hard(&permuted, None), renamed.labels);
            prop_assert!(renamed.sizes.is_sorted_by(|a, b| a >= b));
            for i in 0..10 {
                prop_assert!((soft(&x).row(i).iter().sum::<f64>() - 1.0).abs() < 1e-14);
            }
        }
    }
}
