//! Simulated annealing: moves at a loss are made with a chance that falls as it gets colder.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::moves::Partition;
use crate::Stop;

/// The first temperature, in units of the typical gain of a move. Above it the start would be forgotten.
const HOT: f64 = 0.45;

/// The last one: moves at a loss have all but ceased.
const COLD: f64 = 0.02;

/// Losses of more temperatures than this are not worth an exponential: the chance is below 1e-10.
const HOPELESS: f64 = 23.0;

/// Anneals for so many sweeps over the nodes, or until `stop` says so. With `halves` nodes change sides in pairs, so that
/// the sizes stay.
pub(super) fn improve(
    partition: &mut Partition<'_>,
    halves: bool,
    sweeps: usize,
    seed: u64,
    stop: Stop<'_>,
) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let scale = partition.typical_gain();
    if scale == 0.0 || partition.len() < 2 {
        return;
    }
    for sweep in 0..sweeps {
        if stop() {
            return;
        }
        let left = 1.0 - (sweep + 1) as f64 / sweeps as f64;
        let temperature = scale * (COLD + (HOT - COLD) * left);
        let mut accepts = |gain: f64| {
            gain >= 0.0
                || (gain > -HOPELESS * temperature
                    && random.random::<f64>() < (gain / temperature).exp())
        };
        if halves {
            let mut pairs = Xoshiro256PlusPlus::seed_from_u64(seed ^ (sweep as u64 + 1));
            for i in 0..partition.len() {
                let j = pairs.random_range(0..partition.len());
                if partition.side[i] != partition.side[j] && accepts(partition.swap_gain(i, j)) {
                    partition.flip(i, |_, _| {});
                    partition.flip(j, |_, _| {});
                }
            }
        } else {
            for i in 0..partition.len() {
                if accepts(partition.gain[i]) {
                    partition.flip(i, |_, _| {});
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::Csr;

    use super::{super::Cut, *};

    /// A graph with weights from −3 to 3 that a hash decides.
    fn graph(n: usize) -> Csr {
        let mut entries = Vec::new();
        for i in 0..n {
            for j in i + 1..n {
                let hash = (i * 7919 + j * 104_729).wrapping_mul(2_654_435_761) >> 9;
                let weight = (hash % 7) as f64 - 3.0;
                if weight != 0.0 {
                    entries.push((i as u32, j as u32, weight));
                }
            }
        }
        Csr::from_triangle(n, &entries).unwrap()
    }

    #[test]
    fn the_best_of_all_cuts_is_found_from_the_worst_start() {
        let n = 14;
        let graph = graph(n);
        for halves in [false, true] {
            let best = (0_usize..1 << n)
                .filter(|s| !halves || s.count_ones() as usize == n / 2)
                .map(|s| Cut::of(&graph, (0..n).map(|i| s >> i & 1 == 1).collect()).weight)
                .fold(f64::NEG_INFINITY, f64::max);
            let found = (0..8).map(|seed| {
                let mut partition = Partition::new(&graph, (0..n).map(|i| i < n / 2).collect());
                improve(&mut partition, halves, 200, seed, &|| false);
                let side = partition.side;
                assert!(!halves || side.iter().filter(|side| **side).count() == n / 2);
                Cut::of(&graph, side).weight
            });
            assert_eq!(found.fold(f64::NEG_INFINITY, f64::max), best, "halves: {halves}");
        }
    }

    #[test]
    fn gains_of_swaps_are_what_swaps_gain() {
        let n = 9;
        let graph = graph(n);
        let side: Vec<bool> = (0..n).map(|i| i % 3 == 0).collect();
        let before = Cut::of(&graph, side.clone()).weight;
        for (i, j) in [(0, 1), (3, 8), (6, 2)] {
            let mut swapped = side.clone();
            swapped.swap(i, j);
            let gain = Partition::new(&graph, side.clone()).swap_gain(i, j);
            assert_eq!(before + gain, Cut::of(&graph, swapped).weight);
        }
    }
}
