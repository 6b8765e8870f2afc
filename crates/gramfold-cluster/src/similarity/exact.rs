//! Meetings on random walks, computed: for graphs so small that all pairs are few.
//!
//! With P = D⁻¹A the probability that a walk starts at i and is at j after r steps is p = d_i·(P^r)_ij/vol, which
//! over the product d_i·d_j/vol² of chance is vol·(P^r·D⁻¹)_ij, a symmetric matrix. Its columns come in blocks of products
//! with A.

use gramfold_linalg::{Mat, Symmetric};
use rayon::prelude::*;

/// Columns of a block.
const BLOCK: usize = 32;

/// The entries (i, j, M_ij) with i < j and M_ij > `above`, ordered by j and then i, where M is the mean over r = 1…T of
/// vol·P^r·D⁻¹.
pub(super) fn ratios(
    a: &Symmetric,
    degrees: &[f64],
    window: usize,
    above: f64,
) -> Vec<(u32, u32, f64)> {
    let n = a.dim();
    let inverse: Vec<f64> =
        degrees.iter().map(|d| if *d > 0.0 { d.recip() } else { 0.0 }).collect();
    let scale = degrees.iter().sum::<f64>() / window as f64;
    let blocks: Vec<Vec<(u32, u32, f64)>> = (0..n.div_ceil(BLOCK))
        .into_par_iter()
        .map(|index| {
            let first = index * BLOCK;
            let width = BLOCK.min(n - first);
            let sum = block(a, &inverse, first, width, window);
            let mut kept = Vec::new();
            for column in 0..width {
                let j = first + column;
                for i in 0..j {
                    let ratio = scale * sum[(i, column)];
                    if ratio > above {
                        kept.push((i as u32, j as u32, ratio));
                    }
                }
            }
            kept
        })
        .collect();
    blocks.concat()
}

/// Columns `first ..` of Σ_r P^r·D⁻¹.
fn block(a: &Symmetric, inverse: &[f64], first: usize, width: usize, window: usize) -> Mat {
    let n = a.dim();
    let mut here = Mat::zeros(n, width);
    for column in 0..width {
        here[(first + column, column)] = inverse[first + column];
    }
    let (mut next, mut sum) = (Mat::zeros(n, width), Mat::zeros(n, width));
    for _ in 0..window {
        a.apply_rows(&here, 0, next.as_mut_slice());
        for (row, &inverse) in next.as_mut_slice().chunks_exact_mut(width).zip(inverse) {
            for v in row {
                *v *= inverse;
            }
        }
        sum.zip(&next, |sum, next| sum + next);
        std::mem::swap(&mut here, &mut next);
    }
    sum
}
