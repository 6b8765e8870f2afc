//! Labels from a factor and the graph that it came from.
//!
//! A factor of few columns sees the whole of a graph and blurs single nodes. So a node moves to another cluster where its
//! links clearly say so: with w_c the weight of its links into cluster c, d_i that of all its links, D_c the sum of those of
//! the cluster's other nodes and W that of all nodes, i moves from c to q if
//!
//! ```text
//! (w_q − γ·d_i·D_q/W) − (w_c − γ·d_i·D_c/W) > τ·d_i,    γ = ½, τ = 1/10
//! ```
//!
//! With τ = 0 that is the local step of modularity at resolution γ (Reichardt and Bornholdt 2006). Without a margin a single
//! link more on one side outvotes the factor, which on small graphs knew better. docs/cluster.md has what it brings.
//!
//! A factor also sees a cluster as one heap, and cuts long ones across. So on graphs whose nodes have about as many neighbours each, as
//! those of neighbouring points have, the clusters of a [`Tree`] are looked at, too, and taken where they are clearly better apart.

use gramfold_linalg::{Mat, Symmetric};

use crate::{
    Components, Tree, assignment,
    membership::{by_weight, first_among_equals, permute_columns, sizes},
    rows,
    similarity::is_even,
};

/// γ.
const RESOLUTION: f64 = 0.5;

/// τ.
const MARGIN: f64 = 0.1;

/// The clusters of a tree are taken where what they cut is below this share of what those of the factor do.
const CLEARLY: f64 = 2.0 / 3.0;

/// Rounds at most. Moves end by themselves, as each raises the sum that is compared, and nearly always in a few rounds.
const ROUNDS: usize = 20;

/// The cluster of every node: the [`hard`](crate::hard) label of its row of X, or where that is clearly against its links
/// in the graph, the cluster that those lead to; or the clusters of a [`Tree`] where those are clearly better apart. No cluster is emptied. Graphs with negative weights, which links are not
/// for or against, keep the labels of the rows.
///
/// ```
/// use gramfold_cluster::{components, settled};
/// use gramfold_linalg::{Csr, Mat, Symmetric};
///
/// // Two triangles and a link; the factor has one node on the wrong side.
/// let edges = [(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0), (3, 4, 1.0), (3, 5, 1.0), (4, 5, 1.0), (2, 3, 1.0)];
/// let graph = Symmetric::from(Csr::from_triangle(6, &edges).unwrap());
/// let x = Mat::from_fn(6, 2, |i, j| if (i < 2) == (j == 0) { 1.0 } else { 0.3 });
/// assert_eq!(settled(&x, &graph, &components(&graph)), [0, 0, 0, 1, 1, 1]);
/// ```
///
/// # Panics
/// If factor, graph and components are not of the same nodes.
pub fn settled(x: &Mat, graph: &Symmetric, components: &Components) -> Vec<usize> {
    assert_eq!(x.rows(), graph.dim(), "one row a node");
    // Ties go by the order of the columns, so that this order must not depend on how they are numbered.
    let order = by_weight(x);
    let mut labels = first_among_equals(&permute_columns(x, &order), Some(components));
    if let Some(mut links) = Links::new(graph, &labels, x.cols()) {
        links.settle(&mut labels);
        labels = links.or_of_tree(labels);
    }
    labels.into_iter().map(|label| order[label]).collect()
}

/// A labelled graph, and what a move needs to know of it.
struct Links<'a> {
    graph: &'a Symmetric,
    degrees: Vec<f64>,
    /// The sum of all degrees.
    whole: f64,
    /// Degrees of each cluster, summed.
    volumes: Vec<f64>,
    sizes: Vec<usize>,
    /// The weight of one node's links into each cluster.
    into: Vec<f64>,
}

impl<'a> Links<'a> {
    /// None where a weight is negative, or there is none, or their sum is not finite.
    fn new(graph: &'a Symmetric, labels: &[usize], k: usize) -> Option<Self> {
        if graph.values().any(|value| value < 0.0) {
            return None;
        }
        let degree = |i: usize| {
            let mut sum = 0.0;
            rows::for_each(graph, i, |j, value| sum += if i == j { 0.0 } else { value });
            sum
        };
        let degrees: Vec<f64> = (0..graph.dim()).map(degree).collect();
        let whole: f64 = degrees.iter().sum();
        let mut volumes = vec![0.0; k];
        for (&label, degree) in labels.iter().zip(&degrees) {
            volumes[label] += degree;
        }
        let (sizes, into) = (sizes(labels, k), vec![0.0; k]);
        let links = Self { graph, degrees, whole, volumes, sizes, into };
        (whole > 0.0 && whole.is_finite()).then_some(links)
    }

    /// The labels, or those of a tree where it has as many clusters and they cut clearly less; clusters that share the
    /// most nodes have the same number.
    fn or_of_tree(&self, labels: Vec<usize>) -> Vec<usize> {
        let k = self.sizes.len();
        if k < 2 || self.sizes.contains(&0) || !is_even(self.graph) {
            return labels;
        }
        let Some(found) = Tree::of(self.graph).and_then(|tree| tree.cut(k)) else { return labels };
        let mut shared = Mat::zeros(k, k);
        for (found, label) in found.iter().zip(&labels) {
            if let Some(found) = found {
                shared[(*found, *label)] += 1.0;
            }
        }
        let numbers = assignment(&shared);
        let named = |(found, label): (&Option<usize>, &usize)| {
            found.and_then(|found| numbers[found]).unwrap_or(*label)
        };
        let mut others: Vec<usize> = found.iter().zip(&labels).map(named).collect();
        let Some(mut links) = Self::new(self.graph, &others, k) else { return labels };
        links.settle(&mut others);
        if links.cut(&others) < CLEARLY * self.cut(&labels) { others } else { labels }
    }

    /// What clusters cut: Σ_c cut_c/(D_c + d̄·n_c), with d̄ the mean degree and n_c the nodes of c, so that a few nodes which
    /// hardly anything is cut from are no good cluster (Zhang and Rohe 2018).
    fn cut(&self, labels: &[usize]) -> f64 {
        let mut cut = vec![0.0; self.sizes.len()];
        for (i, &label) in labels.iter().enumerate() {
            rows::for_each(self.graph, i, |j, value| {
                cut[label] += if labels[j] == label { 0.0 } else { value };
            });
        }
        let mean = self.whole / labels.len() as f64;
        let sizes = self.volumes.iter().zip(&self.sizes);
        let share =
            |(cut, (volume, size)): (f64, (&f64, &usize))| cut / (volume + mean * *size as f64);
        cut.into_iter().zip(sizes).map(share).sum()
    }

    /// Moves nodes in turn, then those with a neighbour that moved, until none does.
    fn settle(&mut self, labels: &mut [usize]) {
        let mut waiting = vec![true; labels.len()];
        for _ in 0..ROUNDS {
            let mut moved = false;
            for i in 0..labels.len() {
                if !std::mem::take(&mut waiting[i]) {
                    continue;
                }
                let Some(to) = self.better(i, labels) else { continue };
                let from = std::mem::replace(&mut labels[i], to);
                self.volumes[from] -= self.degrees[i];
                self.volumes[to] += self.degrees[i];
                self.sizes[from] -= 1;
                self.sizes[to] += 1;
                rows::for_each(self.graph, i, |j, _| waiting[j] = true);
                moved = true;
            }
            if !moved {
                return;
            }
        }
    }

    /// The cluster that a node's links clearly prefer to its own.
    fn better(&mut self, i: usize, labels: &[usize]) -> Option<usize> {
        let (own, degree) = (labels[i], self.degrees[i]);
        if self.sizes[own] == 1 || degree == 0.0 {
            return None;
        }
        self.into.fill(0.0);
        rows::for_each(self.graph, i, |j, value| {
            if i != j {
                self.into[labels[j]] += value;
            }
        });
        let share = RESOLUTION * degree / self.whole;
        let mut best =
            (None, self.into[own] - share * (self.volumes[own] - degree) + MARGIN * degree);
        for (cluster, (&into, &volume)) in self.into.iter().zip(&self.volumes).enumerate() {
            let gain = into - share * volume;
            if cluster != own && into > 0.0 && gain > best.1 {
                best = (Some(cluster), gain);
            }
        }
        best.0
    }
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::Csr;
    use proptest::prelude::*;

    use super::*;
    use crate::{components, hard, modularity, relabel};

    fn graph(n: usize, edges: &[(u32, u32, f64)]) -> Symmetric {
        Csr::from_triangle(n, edges).unwrap().into()
    }

    /// A factor whose labels are given.
    fn factor(labels: &[usize], k: usize) -> Mat {
        Mat::from_fn(labels.len(), k, |i, j| if labels[i] == j { 1.0 } else { 0.25 })
    }

    #[test]
    fn a_single_link_more_is_not_enough() {
        // Node 0 has ten links: five into its own clique and five, or six, into the other.
        let mut edges = Vec::new();
        for first in [1_u32, 11] {
            for i in first..first + 10 {
                edges.extend((first..i).map(|j| (i, j, 1.0)));
            }
        }
        edges.extend((1..6).chain(11..17).map(|j| (0, j, 1.0)));
        let labels: Vec<usize> = (0..21).map(|i| usize::from(i > 10)).collect();
        let found = |edges: &[(u32, u32, f64)]| {
            let graph = graph(21, edges);
            settled(&factor(&labels, 2), &graph, &components(&graph))
        };
        assert_eq!(found(&edges), labels);
        edges.extend([(0, 17, 1.0), (0, 18, 1.0)]);
        assert_eq!(found(&edges)[0], 1);
        assert_eq!(found(&edges)[1..], labels[1..]);
    }

    #[test]
    fn no_cluster_is_emptied_and_negative_weights_move_nothing() {
        let star = [(0, 1, 1.0), (0, 2, 1.0), (0, 3, 1.0), (1, 2, 1.0), (2, 3, 1.0)];
        let graph_of = graph(4, &star);
        let labels = [0, 1, 1, 1];
        let settle = |graph: &Symmetric| settled(&factor(&labels, 2), graph, &components(graph));
        assert_eq!(settle(&graph_of), labels);
        let wrong = [0, 0, 0, 1, 1, 0];
        let mut edges = vec![(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0), (3, 4, 1.0), (3, 5, 1.0)];
        edges.push((4, 5, 1.0));
        let of = |graph: &Symmetric| settled(&factor(&wrong, 2), graph, &components(graph));
        assert_eq!(of(&graph(6, &edges)), [0, 0, 0, 1, 1, 1]);
        edges.push((0, 3, -0.1));
        assert_eq!(of(&graph(6, &edges)), wrong);
        assert_eq!(of(&graph(6, &[])), wrong);
    }

    /// Two long clusters whose halves a factor took for clusters.
    #[test]
    fn long_clusters_that_a_factor_cut_across_are_put_together() {
        let mut edges = Vec::new();
        for first in [0_u32, 60] {
            for i in first..first + 60 {
                edges.extend((i + 1..(i + 4).min(first + 60)).map(|j| (j, i, 1.0)));
            }
        }
        edges.push((65, 20, 0.3));
        let graph = graph(120, &edges);
        let across: Vec<usize> = (0..120).map(|i| usize::from(i % 60 >= 30)).collect();
        let along: Vec<usize> = (0..120).map(|i| usize::from(i >= 60)).collect();
        let found = settled(&factor(&across, 2), &graph, &components(&graph));
        let turned: Vec<usize> = along.iter().map(|label| 1 - label).collect();
        assert!(found == along || found == turned, "{found:?}");
        // What is right already stays.
        assert_eq!(settled(&factor(&along, 2), &graph, &components(&graph)), along);
        // The cut by hand: one bridge of weight 0.3, which both clusters cut.
        let links = Links::new(&graph, &along, 2).unwrap();
        let mean = links.whole / 120.0;
        let expected = 2.0 * 0.3 / (0.5 * links.whole + 60.0 * mean);
        assert!((links.cut(&along) - expected).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn settling_is_the_same_in_any_order_of_the_columns_and_raises_what_it_compares(
            edges in prop::collection::vec((0_u32..12, 0_u32..12, 1_u8..4), 1..60),
            entries in prop::collection::vec(0_u8..4, 36),
        ) {
            let edges: Vec<_> = edges.into_iter().map(|(i, j, w)| (i.max(j), i.min(j), f64::from(w))).collect();
            let mut unique = edges.clone();
            unique.sort_by_key(|edge| (edge.0, edge.1));
            unique.dedup_by_key(|edge| (edge.0, edge.1));
            unique.retain(|edge| edge.0 != edge.1);
            prop_assume!(!unique.is_empty());
            let graph = graph(12, &unique);
            let parts = components(&graph);
            let x = Mat::from_row_major(12, 3, entries.into_iter().map(f64::from).collect());
            let labels = settled(&x, &graph, &parts);
            let renamed = relabel(&labels, 3);
            let permuted = permute_columns(&x, &renamed.permutation);
            prop_assert_eq!(&settled(&permuted, &graph, &parts), &renamed.labels);
            // At resolution ½ the sum is half of the modularity and half of the weight within.
            let before = hard(&x, Some(&parts));
            let sum = |labels: &[usize]| {
                let degree = |i: usize| (0..12).map(|j| graph.get(i, j)).sum::<f64>();
                let whole: f64 = (0..12).map(degree).sum();
                let within = (0..12).flat_map(|i| (0..12).map(move |j| (i, j)));
                let within: f64 = within.filter(|&(i, j)| labels[i] == labels[j]).map(|(i, j)| graph.get(i, j)).sum();
                0.5 * modularity(&graph, labels) + 0.5 * within / whole
            };
            prop_assert!(sum(&labels) >= sum(&before) - 1e-12);
            prop_assert!(labels == before || sum(&labels) > sum(&before));
        }
    }
}
