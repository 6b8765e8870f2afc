//! Labels from a factor and the graph that it came from.
//!
//! A factor of few columns sees the whole of a graph and blurs single nodes. So its labels are where a search begins for those under
//! which the links are the likeliest ([`shares`], by the model of [`blocks`]). docs/cluster.md has what it brings.
//!
//! A factor also sees a cluster as one heap, and cuts long ones across. So on graphs whose nodes have about as many neighbours each, as
//! those of neighbouring points have, the search begins at the clusters of a [`Tree`], too, and the likelier labels are taken.

mod blocks;
mod links;
mod shares;

use gramfold_linalg::{Mat, Symmetric};

use self::{
    links::Links,
    shares::{ROUNDING, likeliest},
};
use crate::{
    Components, Tree, assignment,
    membership::{by_weight, first_among_equals, sizes},
    similarity::is_even,
};

/// The cluster of every node: the [`hard`](crate::hard) label of its row of X, or where the links of the graph make another cluster
/// likelier, that; or the clusters that a [`Tree`] leads to where those are likelier still. A cluster that the links speak against is left
/// empty. Graphs with negative weights, which links are not for or against, keep the labels of the rows.
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
    let mut labels = first_among_equals(x, &order, Some(components));
    if let Some(links) = Links::new(graph, &components.neighbours) {
        let k = x.cols();
        let full = !sizes(&labels, k).contains(&0);
        let found = likeliest(&links, labels, k);
        let even = is_even(components.neighbours.iter().copied());
        labels = if even && full { or_of_tree(graph, &links, found, k) } else { found.0 };
    }
    labels.into_iter().map(|label| order[label]).collect()
}

/// The labels, under which links are so likely, or those that a tree leads to where they are likelier; clusters that share
/// the most nodes have the same number.
fn or_of_tree(
    graph: &Symmetric,
    links: &Links,
    (labels, likely): (Vec<usize>, f64),
    k: usize,
) -> Vec<usize> {
    if k < 2 {
        return labels;
    }
    let Some(found) = Tree::of(graph).and_then(|tree| tree.cut(k)) else { return labels };
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
    let named = found.iter().zip(&labels).map(named).collect();
    let (others, likely_too) = likeliest(links, named, k);
    if likely_too > likely + ROUNDING * links.whole { others } else { labels }
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::Csr;
    use proptest::prelude::*;

    use super::{blocks::Blocks, *};
    use crate::{components, hard, permute_columns, relabel};

    fn graph(n: usize, edges: &[(u32, u32, f64)]) -> Symmetric {
        Csr::from_triangle(n, edges).unwrap().into()
    }

    /// A factor whose labels are given.
    fn factor(labels: &[usize], k: usize) -> Mat {
        Mat::from_fn(labels.len(), k, |i, j| if labels[i] == j { 1.0 } else { 0.25 })
    }

    /// A graph with clusters of 30, 60 and 120 nodes, whose nodes all have half of their links anywhere.
    fn planted() -> (Symmetric, Vec<usize>) {
        let truth: Vec<usize> = (0..210).map(|i| [0, 1, 1, 2, 2, 2, 2][i / 30]).collect();
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let mut edges = Vec::new();
        for i in 0..210 {
            for link in 0..6 {
                let (first, count) = [(0, 30), (30, 60), (90, 120)][truth[i]];
                let j = if link % 2 == 0 { first + random(count) } else { random(210) };
                if i != j {
                    edges.push((i.max(j) as u32, i.min(j) as u32, 1.0));
                }
            }
        }
        edges.sort_by_key(|edge| (edge.0, edge.1));
        edges.dedup();
        (graph(210, &edges), truth)
    }

    #[test]
    fn clusters_of_uneven_sizes_are_found_through_heavy_mixing() {
        let (graph, truth) = planted();
        // A factor that has every third node elsewhere.
        let blurred: Vec<usize> = truth
            .iter()
            .enumerate()
            .map(|(i, t)| if i % 3 == 0 { (t + 1) % 3 } else { *t })
            .collect();
        let found = settled(&factor(&blurred, 3), &graph, &components(&graph));
        let wrong = found.iter().zip(&truth).filter(|(found, truth)| found != truth).count();
        assert!(wrong <= 10, "{wrong}");
    }

    /// Two clusters with nothing but links between them are not likelier than one.
    #[test]
    fn nodes_that_are_only_linked_to_each_other_stay_together() {
        let pair = graph(3, &[(0, 0, 2.0), (1, 0, 1.0), (1, 1, 2.0), (2, 2, 1.0)]);
        let settled = settled(&factor(&[0, 0, 1], 2), &pair, &components(&pair));
        assert_eq!(settled, [0, 0, 1]);
    }

    /// Cliques of twelve nodes in a ring.
    fn cliques(count: u32) -> Symmetric {
        let mut edges = Vec::new();
        for first in (0..count).map(|c| 12 * c) {
            edges.extend((0..12).flat_map(|i| (0..i).map(move |j| (first + i, first + j, 1.0))));
            if first > 0 {
                edges.push((first, first - 1, 1.0));
            }
        }
        graph(12 * count as usize, &edges)
    }

    #[test]
    fn a_cluster_that_the_links_speak_against_is_left_empty() {
        let graph = cliques(4);
        // Two nodes of the first clique, or one, are a cluster of their own, and one of the second is with the third.
        for few in [1, 2] {
            let label = |i: usize| match i {
                13 => 2,
                i if i < few => 4,
                i => i / 12,
            };
            let wrong: Vec<usize> = (0..48).map(label).collect();
            let found = settled(&factor(&wrong, 5), &graph, &components(&graph));
            assert_eq!(found, (0..48).map(|i| i / 12).collect::<Vec<_>>());
        }
    }

    #[test]
    fn labels_of_the_rows_stay_where_links_speak_for_no_others() {
        let graph = cliques(1);
        let halves: Vec<usize> = (0..12).map(|i| i / 6).collect();
        assert_eq!(settled(&factor(&halves, 2), &graph, &components(&graph)), halves);
    }

    #[test]
    fn single_nodes_stay_clusters_and_negative_weights_move_nothing() {
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
    }

    proptest! {
        #[test]
        fn settling_is_the_same_in_any_order_of_the_columns_and_makes_links_no_less_likely(
            edges in prop::collection::vec((0_u32..12, 0_u32..12, 1_u8..4), 1..60),
            entries in prop::collection::vec(0_u8..4, 36),
            power in prop::sample::select(vec![0, 1, 40, 300]),
        ) {
            // Also weights that are further apart than double precision sees.
            let weight = |w: u8| f64::from(w) * 10_f64.powi(power * (i32::from(w) - 2));
            let edges: Vec<_> = edges.into_iter().map(|(i, j, w)| (i.max(j), i.min(j), weight(w))).collect();
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
            let before = hard(&x, Some(&parts));
            let links = Links::new(&graph, &components(&graph).neighbours).unwrap();
            let likely = |labels: &[usize]| Blocks::new(&links, labels, &links.to_own(labels), 3).log_likelihood(links.whole);
            prop_assert!(likely(&labels) >= likely(&before) - 1e-9);
        }
    }
}
