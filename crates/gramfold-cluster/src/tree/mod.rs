//! A tree of clusters within clusters, from links alone.
//!
//! Clusters a and b, single nodes at first, are as close as w_ab·W/(D_a·D_b): the weight of the links between them over what chance would
//! put there, with D their degrees, summed, and W those of all nodes. The closest two become one, until nothing is joined any more
//! (Bonald, Charpentier, Galland and Hollocou, "Hierarchical graph clustering using node pair sampling", 2018). Two that are each
//! other's closest may become one before other pairs do (chains of nearest neighbours), as a union is never closer to a third than both of its halves.
//!
//! Such a tree follows clusters that are long: their pieces join end to end before they join what they merely touch. A factor
//! of few columns, which sees a cluster as one heap, cuts them across.

mod cut;

pub(crate) use cut::UNTOUCHED;

use gramfold_linalg::Symmetric;

use crate::rows;

/// Looks at a link, for each stored weight, after which the tree is given up: where a few nodes are joined to most others
/// it takes too long, and those graphs have no long clusters.
const LOOKS: usize = 64;

/// Stored weights beyond which no tree is made: it needs more memory than the graph.
const LARGEST: usize = 4_000_000;

/// Nodes 0…n−1 are those of the graph; each further one is made of two before it.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: usize,
    /// The sum of the degrees of each node of the tree.
    volumes: Vec<f64>,
    /// Of node n + i: the two it is made of, the larger first, and how close they are.
    joints: Vec<Joint>,
    /// What nothing was joined to, the largest first.
    roots: Vec<usize>,
    /// W.
    whole: f64,
}

#[derive(Clone, Copy, Debug)]
struct Joint {
    parts: [usize; 2],
    closeness: f64,
}

impl Tree {
    /// None where there are negative weights, none at all, too many, or nodes that most others are joined to.
    ///
    /// ```
    /// use gramfold_cluster::Tree;
    /// use gramfold_linalg::{Csr, Symmetric};
    ///
    /// // Two long clusters, paths of twenty nodes, that touch at their ends.
    /// let path = |first: u32| (first..first + 19).map(|i| (i + 1, i, 1.0));
    /// let edges: Vec<_> = path(0).chain(path(20)).chain([(20, 19, 0.1)]).collect();
    /// let graph = Symmetric::from(Csr::from_triangle(40, &edges).unwrap());
    /// let labels = Tree::of(&graph).unwrap().cut(2).unwrap();
    /// assert!((0..40).all(|i| (labels[i] == labels[0]) == (i < 20)));
    /// ```
    pub fn of(graph: &Symmetric) -> Option<Self> {
        let n = graph.dim();
        let mut stored = 0;
        let mut fine = true;
        let mut lists: Vec<Vec<(u32, f64)>> = Vec::with_capacity(2 * n);
        let mut volumes = Vec::with_capacity(2 * n);
        if graph.stored() > LARGEST || u32::try_from(2 * n).is_err() {
            return None;
        }
        for i in 0..n {
            let mut list = Vec::new();
            rows::for_each(graph, i, |j, value| {
                fine &= value >= 0.0;
                if i != j {
                    list.push((j as u32, value));
                }
            });
            stored += list.len();
            volumes.push(list.iter().map(|link| link.1).sum());
            lists.push(list);
        }
        let whole: f64 = volumes.iter().sum();
        if !(fine && whole > 0.0 && whole.is_finite()) {
            return None;
        }
        Growing {
            lists,
            volumes,
            parents: (0..n as u32).collect(),
            joints: Vec::with_capacity(n),
            places: vec![usize::MAX; 2 * n],
            left: LOOKS * (stored + n),
        }
        .grow(whole)
    }
}

/// A tree that is being made.
struct Growing {
    /// The links of each cluster that is not part of another yet; they may lead to clusters that are.
    lists: Vec<Vec<(u32, f64)>>,
    volumes: Vec<f64>,
    /// What each cluster is part of; itself where that is nothing.
    parents: Vec<u32>,
    joints: Vec<Joint>,
    /// Where a cluster stands in the list that is being tidied.
    places: Vec<usize>,
    /// Looks that may still be taken.
    left: usize,
}

impl Growing {
    fn grow(mut self, whole: f64) -> Option<Tree> {
        let n = self.lists.len();
        let (mut chain, mut roots) = (Vec::new(), Vec::new());
        let mut next = 0;
        loop {
            // Every cluster begins a chain, those that were made on the way, too.
            let Some(&last) = chain.last() else {
                let Some(first) = (next..self.lists.len()).find(|&i| self.is_free(i)) else {
                    break;
                };
                next = first + 1;
                chain.push(first);
                continue;
            };
            // Rounding can lead a chain around in a circle; what it meets twice may be part of something by then.
            if !self.is_free(last) {
                chain.pop();
                continue;
            }
            self.tidy(last)?;
            let before = chain.iter().nth_back(1).copied();
            let Some((nearest, density)) = self.nearest(last, before) else {
                roots.push(last);
                chain.pop();
                continue;
            };
            if before == Some(nearest) {
                chain.truncate(chain.len() - 2);
                self.join(last, nearest, density * whole);
            } else {
                chain.push(nearest);
            }
        }
        let Self { volumes, joints, .. } = self;
        roots.sort_by(|&a, &b| volumes[b].total_cmp(&volumes[a]).then(a.cmp(&b)));
        Some(Tree { nodes: n, volumes, joints, roots, whole })
    }

    fn is_free(&self, i: usize) -> bool {
        self.parents[i] as usize == i
    }

    /// The closest neighbour and w/(D·D) to it, the one `before` in the chain among equals, which must not be run around in; none
    /// without neighbours.
    fn nearest(&self, of: usize, before: Option<usize>) -> Option<(usize, f64)> {
        let own = self.volumes[of];
        let mut best: Option<(usize, f64)> = None;
        for &(other, weight) in &self.lists[of] {
            let (other, density) = (other as usize, weight / (own * self.volumes[other as usize]));
            let better = best.is_none_or(|(found, most)| {
                density > most
                    || density == most
                        && (Some(other) == before || Some(found) != before && other < found)
            });
            if better {
                best = Some((other, density));
            }
        }
        best
    }

    /// Lets the links of a cluster lead to whole clusters, one link to each; none where looks have run out.
    fn tidy(&mut self, of: usize) -> Option<()> {
        let mut list = std::mem::take(&mut self.lists[of]);
        self.left = self.left.checked_sub(list.len())?;
        let mut kept = 0;
        for at in 0..list.len() {
            let (other, weight) = list[at];
            let root = self.root(other as usize);
            let place = self.places[root];
            if root == of {
                continue;
            }
            if place < kept && list[place].0 as usize == root {
                list[place].1 += weight;
            } else {
                self.places[root] = kept;
                list[kept] = (root as u32, weight);
                kept += 1;
            }
        }
        list.truncate(kept);
        self.lists[of] = list;
        Some(())
    }

    /// The cluster that another is part of by now, whose way there is made shorter.
    fn root(&mut self, mut i: usize) -> usize {
        while !self.is_free(i) {
            let parent = self.parents[i] as usize;
            self.parents[i] = self.parents[parent];
            i = parent;
        }
        i
    }

    fn join(&mut self, a: usize, b: usize, closeness: f64) {
        let made = self.lists.len();
        let (larger, smaller) =
            if (self.volumes[a], b) >= (self.volumes[b], a) { (a, b) } else { (b, a) };
        self.joints.push(Joint { parts: [larger, smaller], closeness });
        self.volumes.push(self.volumes[a] + self.volumes[b]);
        let (mut list, more) =
            (std::mem::take(&mut self.lists[a]), std::mem::take(&mut self.lists[b]));
        list.extend(more);
        self.lists.push(list);
        self.parents.push(made as u32);
        (self.parents[a], self.parents[b]) = (made as u32, made as u32);
    }
}
