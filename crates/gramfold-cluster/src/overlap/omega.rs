//! The omega index (Collins and Dent, Multivariate Behavioral Research 1988): the adjusted Rand index of overlapping
//! clusters.

use crate::Error;

/// How often two covers put a pair of nodes together in the same number of clusters, corrected for chance: 1 if always, 0
/// in the mean of unrelated covers. Each cover lists the clusters of every node.
pub fn omega(one: &[Vec<usize>], two: &[Vec<usize>]) -> Result<f64, Error> {
    let n = one.len();
    if two.len() != n {
        return Err(Error::Lengths { left: n, right: two.len() });
    }
    if n < 2 {
        return Err(Error::TooFew { what: "nodes", given: n, needed: 2 });
    }
    let (first, second) = (Together::new(one), Together::new(two));
    let pairs = n as f64 * (n as f64 - 1.0) / 2.0;
    let (mut left, mut right) = (vec![0.0; first.most + 1], vec![0.0; second.most + 1]);
    let mut agreed = 0.0;
    let (mut a, mut b) = (vec![0; n], vec![0; n]);
    for i in 0..n {
        first.count(i, &mut a);
        second.count(i, &mut b);
        for j in i + 1..n {
            left[a[j]] += 1.0;
            right[b[j]] += 1.0;
            agreed += f64::from(u8::from(a[j] == b[j]));
        }
    }
    let expected = left.iter().zip(&right).map(|(l, r)| l / pairs * (r / pairs)).sum::<f64>();
    let observed = agreed / pairs;
    // Two covers that put all pairs together alike leave nothing to chance.
    Ok(if expected >= 1.0 { 1.0 } else { (observed - expected) / (1.0 - expected) })
}

/// Counts the clusters that pairs of nodes share.
struct Together<'a> {
    nodes: &'a [Vec<usize>],
    members: Vec<Vec<usize>>,
    /// The most clusters of a node.
    most: usize,
}

impl<'a> Together<'a> {
    fn new(nodes: &'a [Vec<usize>]) -> Self {
        let count = nodes.iter().flatten().max().map_or(0, |last| last + 1);
        let mut members = vec![Vec::new(); count];
        for (node, clusters) in nodes.iter().enumerate() {
            for &cluster in clusters {
                members[cluster].push(node);
            }
        }
        Self { nodes, members, most: nodes.iter().map(Vec::len).max().unwrap_or(0) }
    }

    fn count(&self, node: usize, shared: &mut [usize]) {
        shared.fill(0);
        for &cluster in &self.nodes[node] {
            for &other in &self.members[cluster] {
                shared[other] += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score;

    #[test]
    fn a_hand_computed_pair_of_covers() {
        let one = [vec![0], vec![0], vec![0, 1], vec![1], vec![1]];
        let two = [vec![0], vec![0], vec![0], vec![1], vec![1]];
        // Of ten pairs 6 and 4 are together, 8 agree, 0.48 by chance.
        assert!((omega(&one, &two).unwrap() - 8.0 / 13.0).abs() < 1e-15);
        assert!((omega(&one, &one).unwrap() - 1.0).abs() < 1e-15);
        // Names do not matter.
        let renamed = [vec![5], vec![5], vec![5, 2], vec![2], vec![2]];
        assert!((omega(&one, &renamed).unwrap() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn pairs_that_share_two_clusters_count() {
        let one = [vec![0, 1], vec![0, 1], vec![0]];
        let two = [vec![0], vec![0], vec![0]];
        // Of three pairs one shares two clusters in the first cover: 2 agree; by chance (2/3)·1.
        assert!((omega(&one, &two).unwrap() - 0.0).abs() < 1e-15);
    }

    #[test]
    fn without_overlap_it_is_the_adjusted_rand_index() {
        let (one, two) = ([0_usize, 0, 1, 1, 2, 2, 2, 0], [0_usize, 0, 1, 2, 2, 2, 1, 0]);
        let cover = |labels: &[usize]| labels.iter().map(|&l| vec![l]).collect::<Vec<_>>();
        let truth: Vec<i64> = one.iter().map(|&l| i64::try_from(l).unwrap()).collect();
        let expected = score(&truth, &two).unwrap().ari;
        assert!((omega(&cover(&one), &cover(&two)).unwrap() - expected).abs() < 1e-12);
    }

    #[test]
    fn different_nodes_are_refused() {
        assert_eq!(omega(&[vec![0]], &[]), Err(Error::Lengths { left: 1, right: 0 }));
        assert!(omega(&[vec![0]], &[vec![0]]).is_err());
    }
}
