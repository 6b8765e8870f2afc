//! The two passes over a factor that a projected conjugate gradient step makes: inner products over the entries that are free, and
//! the direction.
//!
//! An entry of X ≥ 0 is free unless a gradient step of its own would take it to zero: held entries, not only those that are
//! zero already, would otherwise cut every step short (Bertsekas' two-metric projection).

// A helper that is not inlined would be compiled for the baseline, whoever calls it.
#![allow(clippy::inline_always)]
// Branches would make the loops scalar.
#![allow(clippy::needless_bitwise_bool)]

use rayon::prelude::*;

use crate::{
    Mat,
    simd::{fma, multiversion},
};

/// Rows that one task handles.
const ROWS: usize = 1024;

/// Entries of the weights that are repeated, at least: long enough for vectors, whatever the number of columns.
const REPEATED: usize = 64;

/// Where the step is, and what was learnt from the last one.
pub struct Bent<'a> {
    /// X.
    pub x: &'a Mat,
    /// The gradient g at X.
    pub gradient: &'a Mat,
    /// The gradient before the last step, which was a multiple of the last direction.
    pub before: &'a Mat,
    /// W: a weight for each column, roughly the inverse of its curvature.
    pub weights: &'a [f64],
    /// Whether X ≥ 0.
    pub nonnegative: bool,
}

/// Inner products over the free entries, with s the last direction and y the change of the gradient.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FreeProducts {
    /// ⟨s, g⟩.
    pub step_gradient: f64,
    /// ⟨s, y⟩.
    pub step_change: f64,
    /// ⟨y, Wy⟩.
    pub change_change: f64,
    /// ⟨y, Wg⟩.
    pub change_gradient: f64,
}

/// The direction −(`gradient`·Wg + `change`·Wy + `step`·s) on the free entries, before it is cut off at X = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Combination {
    /// The share of Wg.
    pub gradient: f64,
    /// The share of Wy.
    pub change: f64,
    /// The share of s.
    pub step: f64,
}

impl Bent<'_> {
    /// The inner products with the last direction.
    pub fn products(&self, last: &Mat) -> FreeProducts {
        let r = self.x.cols();
        let weights = repeated(self.weights);
        let [x, g, before, s] = [self.x, self.gradient, self.before, last].map(Mat::as_slice);
        let parts: Vec<[f64; 4]> = (0..x.len())
            .into_par_iter()
            .step_by(ROWS * r)
            .map(|from| {
                let to = (from + ROWS * r).min(x.len());
                let part = [&x[from..to], &g[from..to], &before[from..to], &s[from..to]];
                add_products::<0>(part, &weights, self.nonnegative)
            })
            .collect();
        let mut sum = [0.0; 4];
        for part in parts {
            sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        }
        let [step_gradient, step_change, change_change, change_gradient] = sum;
        FreeProducts { step_gradient, step_change, change_change, change_gradient }
    }

    /// last ← the next direction, given the last one: X + direction ≥ 0 where X ≥ 0 is asked for. Returns ⟨g, direction⟩.
    pub fn direct(&self, combination: Combination, last: &mut Mat) -> f64 {
        let r = self.x.cols();
        let weights = repeated(self.weights);
        let [x, g, before] = [self.x, self.gradient, self.before].map(Mat::as_slice);
        let parts = last.as_mut_slice().par_chunks_mut(ROWS * r).enumerate();
        let slopes: Vec<f64> = parts
            .map(|(index, s)| {
                let from = index * ROWS * r;
                let to = from + s.len();
                let part = [&x[from..to], &g[from..to], &before[from..to]];
                direct_part::<0>(part, &weights, combination, self.nonnegative, s)
            })
            .collect();
        slopes.iter().sum()
    }
}

/// The weights again and again.
fn repeated(weights: &[f64]) -> Vec<f64> {
    let times = REPEATED.div_ceil(weights.len().max(1));
    weights.iter().copied().cycle().take(times * weights.len()).collect()
}

/// Entries that are handled together.
const LANES: usize = 8;

/// As many entries, from `at` on; zeros beyond the end.
#[inline(always)]
fn lanes(entries: &[f64], at: usize) -> [f64; LANES] {
    if let Some(whole) = entries[at..].first_chunk::<LANES>() {
        return *whole;
    }
    let mut lanes = [0.0; LANES];
    lanes.iter_mut().zip(&entries[at..]).for_each(|(lane, entry)| *lane = *entry);
    lanes
}

/// Whether an entry is held at zero.
#[inline(always)]
fn is_held(nonnegative: bool, x: f64, g: f64, w: f64) -> bool {
    nonnegative & (g > 0.0) & (x <= w * g)
}

multiversion! {
    /// The four sums over a part.
    fn add_products<const UNUSED: usize>(
        part: [&[f64]; 4],
        weights: &[f64],
        nonnegative: bool,
    ) -> [f64; 4] {
        let mut sums = [[0.0; LANES]; 4];
        let [x, g, before, s] = part.map(|entries| entries.chunks(weights.len()));
        for (((x, g), before), s) in x.zip(g).zip(before).zip(s) {
            for at in (0..x.len()).step_by(LANES) {
                let (x, g, s, w) = (lanes(x, at), lanes(g, at), lanes(s, at), lanes(weights, at));
                let before = lanes(before, at);
                for l in 0..LANES {
                    let free = if is_held(nonnegative, x[l], g[l], w[l]) { 0.0 } else { 1.0 };
                    let y = free * (g[l] - before[l]);
                    let (wy, step) = (w[l] * y, free * s[l]);
                    sums[0][l] = fma::<FUSED, _>(step, g[l], sums[0][l]);
                    sums[1][l] = fma::<FUSED, _>(step, y, sums[1][l]);
                    sums[2][l] = fma::<FUSED, _>(wy, y, sums[2][l]);
                    sums[3][l] = fma::<FUSED, _>(wy, g[l], sums[3][l]);
                }
            }
        }
        sums.map(|lanes| lanes.iter().sum())
    }
}

multiversion! {
    /// The direction of a part, and its inner product with the gradient.
    fn direct_part<const UNUSED: usize>(
        part: [&[f64]; 3],
        weights: &[f64],
        combination: Combination,
        nonnegative: bool,
        s: &mut [f64],
    ) -> f64 {
        let mut sums = [0.0; LANES];
        let [x, g, before] = part.map(|entries| entries.chunks(weights.len()));
        for (((x, g), before), s) in x.zip(g).zip(before).zip(s.chunks_mut(weights.len())) {
            for at in (0..x.len()).step_by(LANES) {
                let (x, g, w) = (lanes(x, at), lanes(g, at), lanes(weights, at));
                let (before, mut d) = (lanes(before, at), lanes(s, at));
                for l in 0..LANES {
                    let y = g[l] - before[l];
                    let steep = fma::<FUSED, _>(combination.change, y, combination.gradient * g[l]);
                    let turned = -fma::<FUSED, _>(w[l], steep, combination.step * d[l]);
                    let held = is_held(nonnegative, x[l], g[l], w[l]);
                    let beyond = held | (nonnegative & (x[l] + turned < 0.0));
                    d[l] = if beyond { -x[l] } else { turned };
                    sums[l] = fma::<FUSED, _>(d[l], g[l], sums[l]);
                }
                match s[at..].first_chunk_mut::<LANES>() {
                    Some(whole) => *whole = d,
                    None => s[at..].iter_mut().zip(d).for_each(|(s, d)| *s = d),
                }
            }
        }
        sums.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_passes_match_plain_loops() {
        for (n, r) in [(1, 1), (7, 3), (1500, 5), (40, 70)] {
            let wave =
                |a: f64, b: f64| Mat::from_fn(n, r, |i, j| (a * i as f64 + b * j as f64).sin());
            let mut x = wave(0.7, 1.1);
            x.zip(&wave(0.0, 0.0), |x, _| x.max(0.0));
            let (gradient, before, last) = (wave(0.3, 2.0), wave(1.3, 0.4), wave(0.9, 0.2));
            let weights: Vec<f64> = (0..r).map(|j| 1.0 / (1.0 + j as f64)).collect();
            for nonnegative in [true, false] {
                let bent = Bent {
                    x: &x,
                    gradient: &gradient,
                    before: &before,
                    weights: &weights,
                    nonnegative,
                };
                let found = bent.products(&last);
                let shares = Combination { gradient: 0.8, change: -0.3, step: 0.2 };
                let mut direction = last.clone();
                let slope = bent.direct(shares, &mut direction);
                let (mut sums, mut expected_slope) = ([0.0; 4], 0.0);
                for i in 0..n {
                    for j in 0..r {
                        let (x, g, s, w) = (x[(i, j)], gradient[(i, j)], last[(i, j)], weights[j]);
                        let y = g - before[(i, j)];
                        let free = !nonnegative || g <= 0.0 || x > w * g;
                        if free {
                            sums[0] += s * g;
                            sums[1] += s * y;
                            sums[2] += w * y * y;
                            sums[3] += w * y * g;
                        }
                        let d = -(0.8 * w * g - 0.3 * w * y + 0.2 * s);
                        let d = if !free || (nonnegative && x + d < 0.0) { -x } else { d };
                        assert!((direction[(i, j)] - d).abs() < 1e-14, "{n} {r} {i} {j}");
                        expected_slope += g * d;
                    }
                }
                let FreeProducts { step_gradient, step_change, change_change, change_gradient } =
                    found;
                for (a, b) in
                    [step_gradient, step_change, change_change, change_gradient].iter().zip(sums)
                {
                    assert!((a - b).abs() < 1e-10, "{found:?} {sums:?}");
                }
                assert!((slope - expected_slope).abs() < 1e-10);
            }
        }
    }
}
