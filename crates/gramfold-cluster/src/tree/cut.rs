//! A tree cut into clusters that are not too small.

use super::{Joint, Tree};

/// A cluster has at least this share of the mean volume: what a tree splits off first are often a few nodes at the edge.
const SHARE: f64 = 0.25;

/// What [`Tree::separation`] is where parts do not touch at all.
pub(crate) const UNTOUCHED: f64 = 1e6;

/// A cluster on the way to smaller ones.
struct Piece {
    /// What is split next, and what belongs to the cluster beside it: small parts that were passed.
    node: usize,
    beside: Vec<usize>,
    split: Option<Split>,
}

/// The uppermost joint below a node whose two parts are both large enough.
struct Split {
    joint: Joint,
    /// Small parts that were passed on the way to it.
    passed: Vec<usize>,
}

impl Tree {
    /// The labels of k clusters, cut where their parts are the least close; `None` for nodes of small components, which
    /// belong to none. Nothing if there are not k clusters that are large enough.
    pub fn cut(&self, k: usize) -> Option<Vec<Option<usize>>> {
        let (pieces, _) = self.pieces(k, k);
        if pieces.len() != k {
            return None;
        }
        let mut labels = vec![None; self.nodes];
        for (label, piece) in pieces.iter().enumerate() {
            let mut waiting: Vec<usize> = piece.beside.clone();
            waiting.push(piece.node);
            while let Some(node) = waiting.pop() {
                match node.checked_sub(self.nodes) {
                    None => labels[node] = Some(label),
                    Some(joint) => waiting.extend(self.joints[joint].parts),
                }
            }
        }
        Some(labels)
    }

    /// How many times as close the parts are that one cut more would separate as those that the cuts into k clusters do: at
    /// most `UNTOUCHED`, which is for k parts that do not touch. None if there are not k + 1 clusters that are large enough.
    pub fn separation(&self, k: usize) -> Option<f64> {
        let (pieces, closeness) = self.pieces(k, k + 1);
        if k < 2 || pieces.len() != k + 1 {
            return None;
        }
        let (before, after) = (closeness[k - 2], closeness[k - 1]);
        let ratio = if before > 0.0 {
            after / before
        } else if after > 0.0 {
            UNTOUCHED
        } else {
            1.0
        };
        Some(ratio.min(UNTOUCHED))
    }

    /// At most `count` clusters that are large enough for k, and how close the parts of each cut are.
    fn pieces(&self, k: usize, count: usize) -> (Vec<Piece>, Vec<f64>) {
        let least = SHARE * self.whole / k as f64;
        let piece = |node: usize, beside: Vec<usize>| {
            let split = self.split(node, least);
            Piece { node, beside, split }
        };
        let large = self.roots.iter().filter(|&&root| self.volumes[root] >= least);
        let mut pieces: Vec<Piece> =
            large.take(count).map(|&root| piece(root, Vec::new())).collect();
        let mut closeness = vec![0.0; pieces.len().saturating_sub(1)];
        let of = |piece: &Piece| piece.split.as_ref().map(|split| split.joint.closeness);
        while pieces.len() < count {
            let candidates =
                pieces.iter().enumerate().filter_map(|(i, piece)| Some((i, of(piece)?)));
            let Some((at, found)) = candidates.min_by(|a, b| a.1.total_cmp(&b.1)) else { break };
            let Piece { mut beside, split, .. } = pieces.swap_remove(at);
            let Some(Split { joint: Joint { parts: [larger, smaller], .. }, passed }) = split
            else {
                break;
            };
            beside.extend(passed);
            pieces.push(piece(larger, beside));
            pieces.push(piece(smaller, Vec::new()));
            closeness.push(found);
        }
        (pieces, closeness)
    }

    fn split(&self, mut node: usize, least: f64) -> Option<Split> {
        let mut passed = Vec::new();
        loop {
            let joint = self.joints[node.checked_sub(self.nodes)?];
            let [larger, smaller] = joint.parts;
            if self.volumes[smaller] >= least {
                return Some(Split { joint, passed });
            }
            passed.push(smaller);
            node = larger;
        }
    }
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::{Csr, Symmetric};

    use super::*;

    fn graph(n: usize, edges: &[(u32, u32, f64)]) -> Symmetric {
        Csr::from_triangle(n, edges).unwrap().into()
    }

    /// Bands of nodes, each joined to the two next: long clusters.
    fn bands(count: u32, length: u32, bridge: f64) -> Symmetric {
        let mut edges = Vec::new();
        for first in (0..count).map(|band| band * length) {
            for i in first..first + length {
                edges.extend((i + 1..(i + 3).min(first + length)).map(|j| (j, i, 1.0)));
            }
        }
        if bridge > 0.0 {
            edges.extend((1..count).map(|band| (band * length + 7, band * length - 9, bridge)));
        }
        graph((count * length) as usize, &edges)
    }

    #[test]
    fn long_clusters_are_kept_whole_and_counted() {
        for bridge in [0.0, 0.5] {
            for count in [2, 3, 5] {
                let tree = Tree::of(&bands(count, 60, bridge)).unwrap();
                let labels = tree.cut(count as usize).unwrap();
                for (i, label) in labels.iter().enumerate() {
                    assert_eq!(*label, labels[i / 60 * 60], "{bridge} {count} {i}");
                }
                let ratio = |k| tree.separation(k).unwrap_or(0.0);
                let best = (2..12).max_by(|a, b| ratio(*a).total_cmp(&ratio(*b)));
                assert_eq!(best, Some(count as usize));
                assert_eq!(ratio(count as usize) == UNTOUCHED, bridge == 0.0);
            }
        }
    }

    #[test]
    fn the_closest_two_are_joined_first() {
        // Weights 5 and 4 in two pairs, which a link of 1 joins: closeness w·W/(D·D), and W = 20.
        let tree = Tree::of(&graph(4, &[(1, 0, 5.0), (3, 2, 4.0), (2, 1, 1.0)])).unwrap();
        let closeness: Vec<f64> = tree.joints.iter().map(|joint| joint.closeness).collect();
        let expected = [5.0 * 20.0 / 30.0, 4.0 * 20.0 / 20.0, 20.0 / (11.0 * 9.0)];
        assert_eq!(closeness.len(), 3);
        for (found, expected) in closeness.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-14, "{closeness:?}");
        }
        assert_eq!(tree.roots, [6]);
        assert_eq!(tree.cut(2).unwrap(), [Some(0), Some(0), Some(1), Some(1)]);
    }

    #[test]
    fn a_few_nodes_at_the_edge_are_no_cluster() {
        let mut edges = Vec::new();
        for first in [0_u32, 12] {
            for i in first..first + 12 {
                edges.extend((first..i).map(|j| (i, j, 1.0)));
            }
        }
        edges.extend([(12, 0, 1.0), (13, 1, 1.0), (24, 5, 0.01), (26, 25, 0.01)]);
        let tree = Tree::of(&graph(27, &edges)).unwrap();
        let labels = tree.cut(2).unwrap();
        assert!((0..24).all(|i| (labels[i] == labels[0]) == (i < 12)), "{labels:?}");
        assert_eq!((labels[24], labels[25]), (labels[5], None));
        assert_eq!(tree.cut(60), None);
    }

    #[test]
    fn there_is_no_tree_of_nothing_or_of_negative_weights() {
        assert!(Tree::of(&graph(3, &[])).is_none());
        assert!(Tree::of(&graph(3, &[(1, 0, 1.0), (2, 1, -1.0)])).is_none());
    }
}
