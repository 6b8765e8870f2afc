//! Random hyperplanes, in parallel and reproducible: each has its own seed.

use gramfold_linalg::{Mat, dot};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use crate::Stop;

/// What `finish` makes of the sides of each of `count` random hyperplanes; of the halves around the median with
/// `halves`. Planes after the first that have not begun when `stop` says so are left out.
pub(super) fn cuts<T: Send>(
    factor: &Mat,
    count: usize,
    seed: u64,
    halves: bool,
    stop: Stop<'_>,
    finish: impl Fn(Vec<bool>) -> T + Send + Sync,
) -> Vec<T> {
    let one = |plane: usize| {
        if plane > 0 && stop() {
            return None;
        }
        let seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(plane as u64);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let normal: Vec<f64> =
            (0..factor.cols()).map(|_| StandardNormal.sample(&mut random)).collect();
        let heights: Vec<f64> = (0..factor.rows()).map(|i| dot(factor.row(i), &normal)).collect();
        Some(finish(if halves {
            upper_half(&heights)
        } else {
            heights.iter().map(|h| *h > 0.0).collect()
        }))
    };
    each((0..count).collect(), one).into_iter().flatten().collect()
}

/// Maps in parallel, in order.
pub(super) fn each<S: Send, T: Send>(items: Vec<S>, map: impl Fn(S) -> T + Send + Sync) -> Vec<T> {
    items.into_par_iter().map(map).collect()
}

/// The ⌊n/2⌋ highest.
fn upper_half(heights: &[f64]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..heights.len()).collect();
    order.sort_by(|&i, &j| heights[j].total_cmp(&heights[i]));
    let mut side = vec![false; heights.len()];
    for &i in &order[..heights.len() / 2] {
        side[i] = true;
    }
    side
}
