//! How curved a block is at the present point, λmax of V ↦ f″(Z)[V·Yᵀ]·Y, and a line.
//!
//! ‖𝒜‖²·‖Y‖² bounds the curvature, but may be thousands of times too large: no Z that few numbers are measured of meets both norms.
//! A residual that was measured by such a bound would be as many times too small.

use std::ops::Range;

use gramfold_linalg::{Mat, dot};
use rayon::prelude::*;

use super::{super::Evaluation, Composite};

/// Measurements whose sums are taken together, while they are in the cache.
const TOGETHER: usize = 1 << 13;

/// The most power steps …
const STEPS: usize = 10;

/// … which end where one gains less than this factor.
const GAIN: f64 = 1.1;

/// How much of a start is scattered, relative to the largest entry of the factor.
const SCATTER: f64 = 0.2;

/// At most the largest curvature of the block beside `other`, and near it; zero where nothing was seen to be curved.
pub(super) fn largest(evaluation: &dyn Evaluation, other: &Mat) -> f64 {
    let mut v = start(other);
    let mut image = Mat::zeros(v.rows(), v.cols());
    let mut largest = 0.0;
    for _ in 0..STEPS {
        // Of Z = XXᵀ, which moves by XVᵀ + VXᵀ: twice the block's twice.
        evaluation.rough_curvature_product(other, &v, &mut image);
        let size = image.norm();
        let curvature = 0.25 * size / v.norm();
        if !(curvature.is_finite() && curvature > 0.0) {
            break;
        }
        let settled = curvature <= GAIN * largest;
        largest = curvature;
        if settled {
            break;
        }
        v.copy_from(&image);
        v.scale(1.0 / size);
    }
    largest
}

/// ⟨s, a⟩, ⟨s, b⟩, ⟨a, a⟩_c, ⟨a, b⟩_c and ⟨b, b⟩_c for the curvatures c of a quadratic, and the slopes s, the first and the second
/// images a and b of a line.
pub(super) fn quadratic_sums(loss: &Composite, [s, a, b]: [&[f64]; 3]) -> [f64; 5] {
    let mut all = [0.0; 5];
    for term in &loss.terms {
        let curvature = term.curvature();
        let range = term.range.clone();
        let images = [&s[range.clone()], &a[range.clone()], &b[range]];
        let sums = line_sums(images, &term.weights);
        let times = [1.0, 1.0, curvature, curvature, curvature];
        all = std::array::from_fn(|i| all[i] + times[i] * sums[i]);
    }
    all
}

/// The slope and the curvature of t ↦ f(t·XXᵀ) at 0 without a linear term, of a quadratic whose map need not keep the image.
pub(super) fn of_multiples(loss: &Composite, x: &Mat) -> Option<[f64; 2]> {
    let [term] = &loss.terms[..] else { return None };
    let curvature = term.curvature();
    loss.map.summed(x, &|range: Range<usize>, z: &[f64]| {
        let slopes = &loss.at_origin[range.clone()];
        let [slope, _, square, ..] = line_sums([slopes, z, z], term.weights(range));
        [slope, curvature * square]
    })
}

/// ⟨s, a⟩, ⟨s, b⟩, ⟨a, a⟩_w, ⟨a, b⟩_w and ⟨b, b⟩_w with weights w, or ones.
fn line_sums([s, a, b]: [&[f64]; 3], weights: &[f64]) -> [f64; 5] {
    let parts = (0..s.len()).into_par_iter().step_by(TOGETHER).map(|from| {
        let range = from..(from + TOGETHER).min(s.len());
        let [s, a, b] = [s, a, b].map(|v| &v[range.clone()]);
        let [aa, ab, bb] = if weights.is_empty() {
            [dot(a, a), dot(a, b), dot(b, b)]
        } else {
            let each = a.iter().zip(b).zip(&weights[range.clone()]);
            each.fold([0.0; 3], |[aa, ab, bb], ((a, b), w)| {
                [aa + w * a * a, ab + w * a * b, bb + w * b * b]
            })
        };
        [dot(s, a), dot(s, b), aa, ab, bb]
    });
    // In their order, whoever took them.
    let parts: Vec<[f64; 5]> = parts.collect();
    let add = |sums: [f64; 5], part: &[f64; 5]| std::array::from_fn(|i| sums[i] + part[i]);
    parts.iter().fold([0.0; 5], add)
}

/// The factor itself, which is most curved where measurements do not cancel, and numbers that depend on their place alone.
fn start(factor: &Mat) -> Mat {
    let cols = factor.cols();
    let scatter = |i: usize, j: usize| {
        // Weyl's sequence is spread evenly.
        let place = (i * cols + j + 1) as f64;
        (place * 0.618_033_988_749_894_9).fract() - 0.5
    };
    let size = factor.max_abs();
    let share = if size > 0.0 { 1.0 / size } else { 0.0 };
    Mat::from_fn(factor.rows(), cols, |i, j| share * factor[(i, j)] + SCATTER * scatter(i, j))
}
