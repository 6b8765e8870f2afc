//! Connected components: what no clustering should join.

use gramfold_linalg::Symmetric;

use crate::rows;

/// The connected components of a graph, largest first, equal sizes by their first node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// The component of every node.
    pub labels: Vec<usize>,
    /// The number of nodes of every component, descending.
    pub sizes: Vec<usize>,
    /// How many others every node has an edge to.
    pub neighbours: Vec<usize>,
}

impl Components {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.sizes.len()
    }

    /// The size of the largest; 0 for no nodes.
    pub fn largest(&self) -> usize {
        self.sizes.first().copied().unwrap_or(0)
    }

    /// How many have a single node.
    pub fn singletons(&self) -> usize {
        self.sizes.iter().filter(|&&size| size == 1).count()
    }
}

/// Finds the components of the graph with an edge for every nonzero, in time that is next to O(stored entries).
pub fn components(a: &Symmetric) -> Components {
    let n = a.dim();
    let mut neighbours = vec![0; n];
    // Rows are read in their order, which is faster than to follow edges: a tree for each component, its first node the root.
    let mut parents: Vec<u32> = (0..n as u32).collect();
    for (node, neighbours) in neighbours.iter_mut().enumerate() {
        let mut own = root(&mut parents, node);
        rows::for_each(a, node, |next, _| {
            *neighbours += usize::from(next != node);
            // Of two ends of an edge the later one joins them.
            if next < node && parents[next] != own as u32 {
                let other = root(&mut parents, next);
                let first = own.min(other);
                parents[own.max(other)] = first as u32;
                own = first;
            }
        });
    }
    let mut labels = vec![0; n];
    let mut sizes = Vec::new();
    for node in 0..n {
        // Roots come before all others.
        let root = root(&mut parents, node);
        if root == node {
            labels[node] = sizes.len();
            sizes.push(0);
        } else {
            labels[node] = labels[root];
        }
        sizes[labels[node]] += 1;
    }
    // Stable, and components were found by their first node: equal sizes keep that order.
    let mut largest_first: Vec<usize> = (0..sizes.len()).collect();
    largest_first.sort_by_key(|&component| std::cmp::Reverse(sizes[component]));
    let mut rank = vec![0; sizes.len()];
    largest_first.iter().enumerate().for_each(|(new, &old)| rank[old] = new);
    for label in &mut labels {
        *label = rank[*label];
    }
    let sizes = largest_first.iter().map(|&old| sizes[old]).collect();
    Components { labels, sizes, neighbours }
}

/// The root of a tree; those on the way get nearer to it.
fn root(parents: &mut [u32], mut node: usize) -> usize {
    while parents[node] as usize != node {
        parents[node] = parents[parents[node] as usize];
        node = parents[node] as usize;
    }
    node
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::{Csr, Dense};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn two_paths_and_two_singletons() {
        // A stored zero is no edge.
        let edges = [(1, 2, 1.0), (2, 5, -1.0), (0, 6, 1.0), (3, 4, 0.0), (2, 2, 1.0)];
        let sparse = Symmetric::from(Csr::from_triangle(7, &edges).unwrap());
        let dense = Dense::symmetrised(sparse.to_dense()).into();
        for a in [sparse, dense] {
            let found = components(&a);
            assert_eq!(found.labels, [1, 0, 0, 2, 3, 0, 1]);
            assert_eq!(found.sizes, [3, 2, 1, 1]);
            assert_eq!((found.count(), found.largest(), found.singletons()), (4, 3, 2));
            assert_eq!(found.neighbours, [1, 1, 2, 0, 0, 1, 1]);
        }
    }

    proptest! {
        #[test]
        fn nodes_share_a_label_exactly_if_a_path_joins_them(
            edges in prop::collection::vec((0_u32..12, 0_u32..12), 0..14),
        ) {
            let edges: Vec<_> = edges.into_iter().map(|(i, j)| (i, j, 1.0)).collect();
            let a = Symmetric::from(Csr::from_triangle(12, &edges).unwrap());
            // Warshall's closure.
            let mut joined = [[false; 12]; 12];
            (0..12).for_each(|i| joined[i][i] = true);
            for &(i, j, _) in &edges {
                joined[i as usize][j as usize] = true;
                joined[j as usize][i as usize] = true;
            }
            for k in 0..12 {
                for i in 0..12 {
                    for j in 0..12 {
                        joined[i][j] |= joined[i][k] && joined[k][j];
                    }
                }
            }
            let found = components(&a);
            for (i, row) in joined.iter().enumerate() {
                for (j, &joined) in row.iter().enumerate() {
                    prop_assert_eq!(found.labels[i] == found.labels[j], joined);
                }
            }
            prop_assert!(found.sizes.is_sorted_by(|a, b| a >= b));
            prop_assert_eq!(found.sizes.iter().sum::<usize>(), 12);
        }
    }
}
