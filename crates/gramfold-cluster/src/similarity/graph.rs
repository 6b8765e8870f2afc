//! A weighted graph to walk on: alias tables (Walker 1977; Vose 1991) for steps in constant time.

use std::borrow::Cow;

use gramfold_linalg::Symmetric;

use crate::{Error, rows};

/// One slot of a row's table: `first` with probability `threshold`·2⁻³², `second` otherwise.
#[derive(Clone, Copy)]
struct Slot {
    first: u32,
    second: u32,
    threshold: u32,
}

/// Where the positive weights of each node begin, and the columns and values of all.
struct Rows<'a> {
    starts: Cow<'a, [usize]>,
    columns: Cow<'a, [u32]>,
    weights: Cow<'a, [f64]>,
}

/// The neighbours of every node, and a table to choose one in proportion to its weight.
pub(super) struct Graph<'a> {
    rows: Rows<'a>,
    /// None where the weights of each node are all alike, and any column will do.
    table: Option<Vec<Slot>>,
    /// Sums of the weights of every row.
    pub(super) degrees: Vec<f64>,
}

impl<'a> Graph<'a> {
    /// The graph of a matrix without negative entries.
    pub(super) fn new(a: &'a Symmetric) -> Result<Self, Error> {
        if u32::try_from(a.dim()).is_err() {
            return Err(Error::TooLarge { dim: a.dim() });
        }
        let rows = Rows::of(a)?;
        let Rows { starts, columns, weights } = &rows;
        let row = |i: usize| &weights[starts[i]..starts[i + 1]];
        let degrees: Vec<f64> = (0..a.dim()).map(|i| row(i).iter().sum()).collect();
        let alike = (0..a.dim()).all(|i| row(i).iter().all(|weight| *weight == row(i)[0]));
        let table = (!alike).then(|| {
            let mut table = Vec::with_capacity(columns.len());
            let mut work = Vose::default();
            for (range, &degree) in starts.windows(2).zip(&degrees) {
                let range = range[0]..range[1];
                work.fill(&columns[range.clone()], &weights[range], degree, &mut table);
            }
            table
        });
        Ok(Self { rows, table, degrees })
    }

    pub(super) fn dim(&self) -> usize {
        self.degrees.len()
    }

    /// Number of stored weights, both directions of an edge.
    pub(super) fn stored(&self) -> usize {
        self.rows.columns.len()
    }

    /// Σ d_i.
    pub(super) fn volume(&self) -> f64 {
        self.degrees.iter().sum()
    }

    /// The neighbours of `node` and their weights.
    pub(super) fn row(&self, node: usize) -> (&[u32], &[f64]) {
        let Rows { starts, columns, weights } = &self.rows;
        let range = starts[node]..starts[node + 1];
        (&columns[range.clone()], &weights[range])
    }

    /// The place of a step from `node`, chosen by the upper half of 64 random bits. The node must have a neighbour.
    #[inline]
    pub(super) fn place(&self, node: u32, random: u64) -> usize {
        let starts = &self.rows.starts;
        let (first, end) = (starts[node as usize], starts[node as usize + 1]);
        first + (((random >> 32) * (end - first) as u64) >> 32) as usize
    }

    /// Where the step of a place leads; the lower half of the bits chooses between the two of its slot. Each probability is
    /// off by at most 2⁻³².
    #[inline]
    pub(super) fn step(&self, place: usize, random: u64) -> u32 {
        let Some(table) = &self.table else { return self.rows.columns[place] };
        let slot = table[place];
        if (random as u32) <= slot.threshold { slot.first } else { slot.second }
    }
}

impl<'a> Rows<'a> {
    /// Of a matrix without negative entries; a large one is walked on where it is.
    fn of(a: &'a Symmetric) -> Result<Self, Error> {
        if let Symmetric::Sparse(a) = a
            && a.values().iter().all(|weight| *weight > 0.0)
        {
            let (starts, columns, weights) = a.parts();
            let (starts, columns, weights) = (starts.into(), columns.into(), weights.into());
            return Ok(Self { starts, columns, weights });
        }
        let (mut starts, mut columns, mut weights) = (vec![0], Vec::new(), Vec::new());
        let mut refused = None;
        for row in 0..a.dim() {
            rows::for_each(a, row, |column, value| {
                if value < 0.0 && refused.is_none() {
                    refused = Some(Error::Negative { row, column, value });
                }
                columns.push(column as u32);
                weights.push(value);
            });
            starts.push(columns.len());
        }
        let (starts, columns, weights) = (starts.into(), columns.into(), weights.into());
        refused.map_or(Ok(Self { starts, columns, weights }), Err)
    }
}

/// Work space to fill tables.
#[derive(Default)]
struct Vose {
    shares: Vec<f64>,
    small: Vec<usize>,
    large: Vec<usize>,
}

impl Vose {
    fn fill(&mut self, columns: &[u32], weights: &[f64], degree: f64, table: &mut Vec<Slot>) {
        let count = columns.len() as f64;
        let base = table.len();
        table.extend(columns.iter().map(|&c| Slot { first: c, second: c, threshold: u32::MAX }));
        if weights.iter().all(|&w| w == weights[0]) {
            return;
        }
        self.shares.clear();
        self.shares.extend(weights.iter().map(|w| w / degree * count));
        self.small.clear();
        self.large.clear();
        for (place, &share) in self.shares.iter().enumerate() {
            if share < 1.0 { self.small.push(place) } else { self.large.push(place) }
        }
        while let (Some(&small), Some(&large)) = (self.small.last(), self.large.last()) {
            self.small.pop();
            let share = self.shares[small];
            // Below one, as `share` is; the cast rounds down.
            let threshold = (share * 4_294_967_296.0) as u32;
            table[base + small] = Slot { first: columns[small], second: columns[large], threshold };
            self.shares[large] -= 1.0 - share;
            if self.shares[large] < 1.0 {
                self.large.pop();
                self.small.push(large);
            }
        }
        // Whatever is left has a share of one, but for rounding: its slot leads to itself.
    }
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::Csr;

    use super::*;

    #[test]
    fn steps_have_the_probabilities_of_the_weights() {
        let weights =
            [(0, 1, 5.0), (0, 2, 0.25), (0, 3, 1.75), (0, 4, 0.001), (0, 0, 2.0), (1, 2, 1.0)];
        let a = Symmetric::from(Csr::from_triangle(6, &weights).unwrap());
        let graph = Graph::new(&a).unwrap();
        for node in 0..5_u32 {
            let (columns, weights) = graph.row(node as usize);
            let mut probability = [0.0; 6];
            let starts = &graph.rows.starts;
            let slots = starts[node as usize]..starts[node as usize + 1];
            let count = slots.len() as f64;
            for slot in &graph.table.as_ref().unwrap()[slots] {
                let share = (f64::from(slot.threshold) + 1.0) / 4_294_967_296.0;
                probability[slot.first as usize] += share / count;
                probability[slot.second as usize] += (1.0 - share) / count;
            }
            for (&column, &weight) in columns.iter().zip(weights) {
                let expected = weight / graph.degrees[node as usize];
                assert!((probability[column as usize] - expected).abs() < 1e-9);
            }
            assert!((probability.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_step_uses_both_halves_of_its_bits() {
        let a = Symmetric::from(Csr::from_triangle(3, &[(0, 1, 3.0), (0, 2, 1.0)]).unwrap());
        let graph = Graph::new(&a).unwrap();
        let step = |node, random| graph.step(graph.place(node, random), random);
        // The second slot is half its own, half its neighbour's.
        assert_eq!(step(0, 0), 1);
        assert_eq!(step(0, (1 << 63) | (1 << 30)), 2);
        assert_eq!(step(0, (1 << 63) | (3 << 30)), 1);
        assert_eq!(step(1, u64::MAX), 0);
    }

    #[test]
    fn weights_that_are_alike_need_no_table() {
        let edges = [(0, 1, 2.0), (0, 2, 2.0), (0, 3, 2.0), (4, 5, 2.0)];
        let a = Symmetric::from(Csr::from_triangle(6, &edges).unwrap());
        let graph = Graph::new(&a).unwrap();
        assert!(graph.table.is_none());
        let thirds = [0, 0x5555_5556 << 32, 0xaaaa_aaab << 32, u64::MAX];
        let reached = thirds.map(|random| graph.step(graph.place(0, random), random));
        assert_eq!(reached, [1, 2, 3, 3]);
    }

    #[test]
    fn negative_weights_are_refused() {
        let a = Symmetric::from(Csr::from_triangle(3, &[(0, 1, 3.0), (0, 2, -1.0)]).unwrap());
        let Err(error) = Graph::new(&a) else { panic!("accepted") };
        assert_eq!(error, Error::Negative { row: 0, column: 2, value: -1.0 });
    }
}
