//! Shortest paths along known distances.

use std::{cmp::Ordering, collections::BinaryHeap};

use crate::Observations;

/// The known distances around each point.
pub(super) struct Neighbours {
    starts: Vec<usize>,
    ends: Vec<(u32, f64)>,
}

impl Neighbours {
    pub(super) fn new(distances: &Observations) -> Self {
        let mut starts = vec![0; distances.dim + 1];
        for &(i, j) in &distances.places {
            starts[i as usize + 1] += 1;
            starts[j as usize + 1] += 1;
        }
        for i in 0..distances.dim {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut ends = vec![(0, 0.0); starts[distances.dim]];
        for (&(i, j), &d) in distances.places.iter().zip(&distances.values) {
            for (from, to) in [(i, j), (j, i)] {
                ends[next[from as usize]] = (to, d);
                next[from as usize] += 1;
            }
        }
        Self { starts, ends }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Those of one point.
    pub(super) fn of(&self, node: usize) -> &[(u32, f64)] {
        &self.ends[self.starts[node]..self.starts[node + 1]]
    }

    /// Lengths of the shortest paths from a point; infinite where there is none.
    pub(super) fn shortest(&self, from: usize) -> Vec<f64> {
        let mut lengths = vec![f64::INFINITY; self.len()];
        lengths[from] = 0.0;
        let mut open = BinaryHeap::from([Open { length: 0.0, node: from as u32 }]);
        while let Some(Open { length, node }) = open.pop() {
            if length > lengths[node as usize] {
                continue;
            }
            for &(other, d) in self.of(node as usize) {
                let through = length + d;
                if through < lengths[other as usize] {
                    lengths[other as usize] = through;
                    open.push(Open { length: through, node: other });
                }
            }
        }
        lengths
    }

    /// The number of the group that each point is in, and how many there are; points of a group are connected.
    pub(super) fn groups(&self) -> (Vec<u32>, usize) {
        let mut group = vec![u32::MAX; self.len()];
        let mut count = 0;
        let mut open = Vec::new();
        for first in 0..self.len() {
            if group[first] != u32::MAX {
                continue;
            }
            group[first] = count;
            open.push(first);
            while let Some(node) = open.pop() {
                for &(other, _) in self.of(node) {
                    if group[other as usize] == u32::MAX {
                        group[other as usize] = count;
                        open.push(other as usize);
                    }
                }
            }
            count += 1;
        }
        (group, count as usize)
    }
}

/// A point on the way; the nearest comes first.
struct Open {
    length: f64,
    node: u32,
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        other.length.total_cmp(&self.length).then(other.node.cmp(&self.node))
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_groups_by_hand() {
        let places = vec![(0, 1), (1, 2), (0, 2), (3, 4)];
        let distances = Observations { dim: 6, places, values: vec![1.0, 1.0, 3.0, 2.0] };
        let neighbours = Neighbours::new(&distances);
        let infinite = f64::INFINITY;
        assert_eq!(neighbours.shortest(0), [0.0, 1.0, 2.0, infinite, infinite, infinite]);
        assert_eq!(neighbours.groups(), (vec![0, 0, 0, 1, 1, 2], 3));
    }
}
