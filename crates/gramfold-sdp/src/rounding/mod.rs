//! Cuts from factors: random hyperplanes, then local search.
//!
//! A factor of the Max-Cut relaxation gives every node a direction; a random hyperplane through the origin
//! parts the nodes (Goemans and Williamson); single moves, chains of moves and annealing improve what it found.

mod anneal;
mod chain;
mod moves;
mod planes;

use gramfold_linalg::{Csr, Mat};

use crate::Stop;
use moves::Partition;

/// How much to try.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Random hyperplanes.
    pub planes: usize,
    /// Sweeps of annealing from each of the best; none for 0.
    pub sweeps: usize,
    /// What is random is drawn from this.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { planes: 100, sweeps: 1000, seed: 0 }
    }
}

/// Two sides and the weight between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    /// The side of each node.
    pub side: Vec<bool>,
    /// The total weight of the edges between the sides.
    pub weight: f64,
}

impl Cut {
    fn of(graph: &Csr, side: Vec<bool>) -> Self {
        let across = |i: usize| {
            let row = graph.row(i).filter(|&(j, _)| j < i && side[j] != side[i]);
            row.map(|(_, weight)| weight).sum::<f64>()
        };
        // Not −0 of no edges at all.
        let weight = 0.0 + (0..graph.dim()).map(across).sum::<f64>();
        Self { side, weight }
    }
}

/// A heavy cut of the graph, from a factor with a row for each node. Loops do not matter. One hyperplane is rounded however
/// early `stop` says so.
///
/// # Panics
/// If the factor has another number of rows than the graph.
pub fn heavy_cut(graph: &Csr, factor: &Mat, options: Options, stop: Stop<'_>) -> Cut {
    assert_eq!(graph.dim(), factor.rows(), "a row of the factor for each node");
    best(graph, factor, options, false, stop)
}

/// A light cut of the graph into halves, whose sizes differ by one if there is no other way.
///
/// # Panics
/// If the factor has another number of rows than the graph.
pub fn light_bisection(graph: &Csr, factor: &Mat, options: Options, stop: Stop<'_>) -> Cut {
    assert_eq!(graph.dim(), factor.rows(), "a row of the factor for each node");
    let entries = (0..graph.dim())
        .flat_map(|i| graph.row(i).map(move |(j, weight)| (i as u32, j as u32, -weight)));
    let entries: Vec<_> = entries.collect();
    let negated =
        Csr::from_entries(graph.dim(), &entries).expect("invariant: as symmetric as before");
    let cut = best(&negated, factor, options, true, stop);
    Cut::of(graph, cut.side)
}

/// The heaviest of many: single moves for every plane, chains for the best of them, annealing for the best of those.
fn best(graph: &Csr, factor: &Mat, options: Options, halves: bool, stop: Stop<'_>) -> Cut {
    let planes = options.planes.max(1);
    let mut found: Vec<Cut> = planes::cuts(factor, planes, options.seed, halves, stop, |side| {
        let mut partition = Partition::new(graph, side);
        if halves {
            chain::improve(&mut partition, true, 1, stop);
        } else {
            partition.flip_all();
        }
        Cut::of(graph, partition.side)
    });
    // Ties stay in the order of the planes: the same answer on any number of threads.
    found.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    found.truncate(planes.div_ceil(FINALISTS));
    let mut finals = planes::each(found, |cut| {
        let mut partition = Partition::new(graph, cut.side);
        chain::improve(&mut partition, halves, usize::MAX, stop);
        Cut::of(graph, partition.side)
    });
    finals.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    finals.truncate(ANNEALED);
    let annealed = planes::each(finals.iter().zip(0..).collect(), |(cut, start)| {
        let mut partition = Partition::new(graph, cut.side.clone());
        let seed = options.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(start);
        anneal::improve(&mut partition, halves, options.sweeps, seed, stop);
        chain::improve(&mut partition, halves, usize::MAX, stop);
        Cut::of(graph, partition.side)
    });
    let heavier = |best: Cut, cut: Cut| if cut.weight > best.weight { cut } else { best };
    finals.into_iter().chain(annealed).reduce(heavier).expect("invariant: at least one plane")
}

/// One plane in so many is improved by chains.
const FINALISTS: usize = 5;

/// Cuts to anneal from.
const ANNEALED: usize = 4;
