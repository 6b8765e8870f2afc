//! Shortest paths along known distances.

use std::{cmp::Reverse, collections::BinaryHeap};

use gramfold::linalg::Total;

use crate::adjacency::Neighbours;

/// Lengths of the shortest paths from a point; infinite where there is none.
pub(super) fn shortest(neighbours: &Neighbours, from: usize) -> Vec<f64> {
    let mut lengths = vec![f64::INFINITY; neighbours.len()];
    lengths[from] = 0.0;
    // Points on the way; the nearest comes first.
    let mut open = BinaryHeap::from([Reverse((Total(0.0), from))]);
    while let Some(Reverse((Total(length), node))) = open.pop() {
        if length > lengths[node] {
            continue;
        }
        for &(other, d) in neighbours.of(node) {
            let (other, through) = (other as usize, length + d);
            if through < lengths[other] {
                lengths[other] = through;
                open.push(Reverse((Total(through), other)));
            }
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Observations;

    #[test]
    fn paths_and_groups_by_hand() {
        let places = vec![(0, 1), (1, 2), (0, 2), (3, 4)];
        let distances = Observations { dim: 6, places, values: vec![1.0, 1.0, 3.0, 2.0] };
        let neighbours = Neighbours::new(&distances);
        let infinite = f64::INFINITY;
        assert_eq!(shortest(&neighbours, 0), [0.0, 1.0, 2.0, infinite, infinite, infinite]);
        assert_eq!(neighbours.groups(), (vec![0, 0, 0, 1, 1, 2], 3));
    }
}
