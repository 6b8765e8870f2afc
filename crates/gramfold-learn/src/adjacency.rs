//! Observations by node.

use gramfold::linalg::counting_sort;

use crate::Observations;

/// The observations around each node.
pub(crate) struct Neighbours {
    starts: Vec<usize>,
    ends: Vec<(u32, f64)>,
}

impl Neighbours {
    /// An observation of a node with itself stands there once.
    pub(crate) fn new(observed: &Observations) -> Self {
        let both = observed.places.iter().zip(&observed.values).flat_map(|(&(i, j), &value)| {
            std::iter::once((i, j, value)).chain((i != j).then_some((j, i, value)))
        });
        let (sorted, starts) = counting_sort(observed.dim, both, |entry| entry.0);
        Self { starts, ends: sorted.into_iter().map(|(_, other, value)| (other, value)).collect() }
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Those of one node: the other ends, and what was observed.
    pub(crate) fn of(&self, node: usize) -> &[(u32, f64)] {
        &self.ends[self.starts[node]..self.starts[node + 1]]
    }

    /// The number of the group that each node is in, and how many there are; nodes of a group are connected.
    pub(crate) fn groups(&self) -> (Vec<u32>, usize) {
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
