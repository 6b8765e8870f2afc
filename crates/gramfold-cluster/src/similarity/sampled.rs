//! Meetings on random walks, sampled.
//!
//! A walk starts at a node with probability d_i/vol, so that its first step is an edge in proportion to the weight, and
//! ends after r steps, r uniform on 1…T. On an undirected graph such a walk is as likely as its reverse, so that a start
//! with r steps ahead has the same law as an edge with steps from both its ends, and all walks of a row share the cache.
//!
//! Starts, first steps and lengths are stratified: node i begins ⌊N·d_i/vol⌋ or one more walks, walk s of m takes its
//! first step from the s-th of m equal parts of the row's weight, and lengths go round. That changes no expectation and
//! takes variance away.

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use super::{
    graph::Graph,
    meetings::{Meetings, Strip},
};

/// Rows that share a stream of random numbers.
const ROWS: usize = 64;

/// Walks that advance side by side, to wait for memory together.
const TOGETHER: usize = 64;

/// Samples about `samples`·(stored weights) walks; the same for a seed whatever the number of threads.
pub(super) fn walks(graph: &Graph<'_>, window: usize, samples: f64, seed: u64) -> Meetings {
    let per_volume = samples * graph.stored() as f64 / graph.volume();
    let begun = allotted(&graph.degrees, per_volume, &mut stream(seed, u64::MAX));
    let strips = begun
        .par_chunks(ROWS)
        .enumerate()
        .map(|(index, begun)| {
            let mut random = stream(seed, index as u64);
            let mut starts = Vec::with_capacity(begun.len() + 1);
            let mut ends = Vec::with_capacity(begun.iter().sum());
            starts.push(0);
            for (row, &walks) in (index * ROWS..).zip(begun) {
                if walks > 0 {
                    walk(graph, row, walks, window, &mut random, &mut ends);
                }
                ends[starts[row % ROWS]..].sort_unstable();
                starts.push(ends.len());
            }
            Strip { starts, ends }
        })
        .collect();
    Meetings { width: ROWS, strips }
}

/// A stream of its own for every chunk: the seed is spread by the generator's own seeding.
fn stream(seed: u64, index: u64) -> Xoshiro256PlusPlus {
    let mut mixed = Xoshiro256PlusPlus::seed_from_u64(seed);
    Xoshiro256PlusPlus::seed_from_u64(mixed.next_u64() ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Whole numbers of walks whose expectations are the degrees times `per_volume`.
fn allotted(degrees: &[f64], per_volume: f64, random: &mut impl Rng) -> Vec<usize> {
    let mut sum = random.random::<f64>();
    let mut before = sum.floor();
    let mut count = |degree: f64| {
        sum += degree * per_volume;
        let begun = sum.floor() - before;
        before = sum.floor();
        begun as usize
    };
    degrees.iter().map(|&degree| count(degree)).collect()
}

/// Appends where walks from `row` end.
fn walk(
    graph: &Graph<'_>,
    row: usize,
    walks: usize,
    window: usize,
    random: &mut impl Rng,
    ends: &mut Vec<u32>,
) {
    let turn = random.random_range(0..window);
    let begin = ends.len();
    first_steps(graph, row, walks, random, ends);
    let mut steps = [(0, 0, 0); TOGETHER];
    for (batch, here) in ends[begin..].chunks_mut(TOGETHER).enumerate() {
        let first_length = 1 + (batch * TOGETHER + turn) % window;
        for step in 1..window {
            // First where all of them look, then what is there: memory is waited for once.
            let (mut count, mut length) = (0, first_length);
            for (place, &node) in here.iter().enumerate() {
                if length > step {
                    let bits = random.next_u64();
                    steps[count] = (place, graph.place(node, bits), bits);
                    count += 1;
                }
                length = if length == window { 1 } else { length + 1 };
            }
            for &(place, slot, bits) in &steps[..count] {
                here[place] = graph.step(slot, bits);
            }
        }
    }
}

fn first_steps(
    graph: &Graph<'_>,
    row: usize,
    walks: usize,
    random: &mut impl Rng,
    reached: &mut Vec<u32>,
) {
    let (columns, weights) = graph.row(row);
    let part = graph.degrees[row] / walks as f64;
    let (mut place, mut passed) = (0, 0.0);
    for walk in 0..walks {
        let at = (walk as f64 + random.random::<f64>()) * part;
        while place + 1 < columns.len() && passed + weights[place] <= at {
            passed += weights[place];
            place += 1;
        }
        reached.push(columns[place]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_are_allotted_by_degree() {
        let degrees = [1.0, 0.0, 2.5, 0.25, 0.25];
        let mut means = [0.0; 5];
        for seed in 0..400 {
            let begun = allotted(&degrees, 2.0, &mut stream(seed, 0));
            for ((mean, &count), degree) in means.iter_mut().zip(&begun).zip(degrees) {
                assert!((count as f64 - 2.0 * degree).abs() <= 1.0);
                *mean += count as f64 / 400.0;
            }
            assert_eq!(begun.iter().sum::<usize>(), 8);
        }
        assert!(means.iter().zip(degrees).all(|(mean, degree)| (mean - 2.0 * degree).abs() < 0.1));
    }

    #[test]
    fn streams_differ() {
        let mut first: Vec<u64> = (0..100).map(|index| stream(5, index).next_u64()).collect();
        first.extend((0..100).map(|index| stream(6, index).next_u64()));
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), 200);
    }
}
