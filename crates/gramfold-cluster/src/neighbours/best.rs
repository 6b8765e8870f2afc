//! The nearest neighbours of one point so far.

use super::Neighbour;

/// A sorted list of at most `count` neighbours.
///
/// Few offers succeed once the nearest cell is done, and a short sorted list beats a heap.
pub(super) struct Best {
    count: usize,
    list: Vec<Neighbour>,
}

impl Best {
    pub(super) fn new(count: usize) -> Self {
        Self { count, list: Vec::with_capacity(count) }
    }

    /// The squared distance that a new neighbour must not exceed.
    pub(super) fn bar(&self) -> f64 {
        if self.list.len() < self.count { f64::INFINITY } else { self.list[self.count - 1].0 }
    }

    /// Takes the neighbour if it is nearer than the last, or as near with a smaller index.
    pub(super) fn offer(&mut self, squared: f64, id: u32) {
        let before = |&(s, i): &Neighbour| s < squared || (s == squared && i < id);
        if self.list.len() == self.count {
            if before(&self.list[self.count - 1]) {
                return;
            }
            self.list.pop();
        }
        let at = self.list.partition_point(before);
        self.list.insert(at, (squared, id));
    }

    pub(super) fn as_slice(&self) -> &[Neighbour] {
        &self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_keeps_the_nearest_and_breaks_ties_by_index() {
        let mut best = Best::new(2);
        best.offer(3.0, 0);
        assert_eq!(best.bar(), f64::INFINITY);
        for (squared, id) in [(1.0, 7), (2.0, 5), (2.0, 6), (2.0, 4)] {
            best.offer(squared, id);
        }
        assert_eq!(best.as_slice(), [(1.0, 7), (2.0, 4)]);
        assert_eq!(best.bar(), 2.0);
    }
}
