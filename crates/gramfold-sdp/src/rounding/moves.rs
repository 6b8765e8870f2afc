//! A partition, and what each node would gain by changing sides.

use gramfold_linalg::Csr;

/// Two sides of a graph with the gain of every single move.
pub(super) struct Partition<'a> {
    graph: &'a Csr,
    pub(super) side: Vec<bool>,
    pub(super) gain: Vec<f64>,
    /// Gains below this are rounding.
    pub(super) noise: f64,
}

impl<'a> Partition<'a> {
    pub(super) fn new(graph: &'a Csr, side: Vec<bool>) -> Self {
        let gain = |i: usize| {
            let row = graph.row(i).filter(|&(j, _)| j != i);
            row.map(|(j, weight)| if side[i] == side[j] { weight } else { -weight }).sum()
        };
        let gain: Vec<f64> = (0..graph.dim()).map(gain).collect();
        let largest = graph.values().iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        Self { graph, side, gain, noise: 1e-10 * largest }
    }

    pub(super) fn len(&self) -> usize {
        self.side.len()
    }

    /// The gain of moving two nodes of different sides: what is between them stays cut.
    pub(super) fn swap_gain(&self, i: usize, j: usize) -> f64 {
        self.gain[i] + self.gain[j] + 2.0 * self.graph.get(i, j)
    }

    /// √(Σw²/n): the gain of a move if the sides were drawn by lot.
    pub(super) fn typical_gain(&self) -> f64 {
        let squares: f64 = self.graph.values().iter().map(|weight| weight * weight).sum();
        (squares / self.len().max(1) as f64).sqrt()
    }

    /// Moves a node to the other side; calls `changed` for each neighbour, whose gain has changed.
    pub(super) fn flip(&mut self, i: usize, mut changed: impl FnMut(usize, f64)) {
        self.side[i] = !self.side[i];
        self.gain[i] = -self.gain[i];
        for (j, weight) in self.graph.row(i).filter(|&(j, _)| j != i) {
            self.gain[j] += if self.side[i] == self.side[j] { 2.0 * weight } else { -2.0 * weight };
            changed(j, self.gain[j]);
        }
    }

    /// Flips nodes that gain by it until none does.
    pub(super) fn flip_all(&mut self) {
        let mut waiting: Vec<usize> = (0..self.len()).rev().collect();
        let mut listed = vec![true; self.len()];
        while let Some(i) = waiting.pop() {
            listed[i] = false;
            if self.gain[i] > self.noise {
                let noise = self.noise;
                self.flip(i, |j, gain| {
                    if gain > noise && !std::mem::replace(&mut listed[j], true) {
                        waiting.push(j);
                    }
                });
            }
        }
    }
}
