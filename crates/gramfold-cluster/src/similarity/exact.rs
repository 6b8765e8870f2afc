//! Meetings on random walks, computed: for graphs so small that all pairs are few.
//!
//! With P = D⁻¹A the probability that a walk starts at i and is at j after r steps is p = d_i·(P^r)_ij/vol, which
//! over the product d_i·d_j/vol² of chance is vol·(P^r·D⁻¹)_ij, a symmetric matrix: what is above its diagonal is enough.
//! Its columns come in blocks of products with A.

use gramfold_linalg::{Above, Csr, Mat, Symmetric};
use rayon::prelude::*;

use crate::rows;

/// Columns of a block.
const BLOCK: usize = 32;

/// The matrix of `of(M_ij)` where i ≠ j and M_ij > 1, M being the mean over r = 1…T of vol·P^r·D⁻¹.
pub(super) fn similarity(
    a: &Symmetric,
    degrees: &[f64],
    window: usize,
    of: impl Fn(f64) -> f64 + Sync,
) -> Csr {
    let inverse: Vec<f64> =
        degrees.iter().map(|d| if *d > 0.0 { d.recip() } else { 0.0 }).collect();
    let scale = degrees.iter().sum::<f64>() / window as f64;
    // No walk leads to a node without weight.
    let met: Vec<u32> = (0..a.dim() as u32).filter(|&j| degrees[j as usize] > 0.0).collect();
    let blocks: Vec<&[u32]> = met.chunks(BLOCK).collect();
    let parts: Vec<Above> = (0..blocks.len())
        .into_par_iter()
        .map_init(Work::default, |work, index| {
            let before = if index == 0 { 0 } else { last(blocks[index - 1]) + 1 };
            work.sum(a, &inverse, blocks[index], window);
            work.kept(before, blocks[index], scale, &of)
        })
        .collect();
    Csr::from_above(a.dim(), &parts)
}

/// The last node of a block.
fn last(block: &[u32]) -> usize {
    block[block.len() - 1] as usize
}

/// Work space for blocks of columns.
struct Work {
    sums: Mat,
    product: Mat,
    /// What is kept, row by row: the place in the block, the row and the ratio.
    found: Vec<(u32, u32, f64)>,
}

impl Default for Work {
    fn default() -> Self {
        Self { sums: Mat::zeros(0, 0), product: Mat::zeros(0, 0), found: Vec::new() }
    }
}

impl Work {
    /// Columns `block` of Σ_r P^r·D⁻¹ as P(D⁻¹ + P(D⁻¹ + …)), from the row of the first of them.
    fn sum(&mut self, a: &Symmetric, inverse: &[f64], block: &[u32], window: usize) {
        let (n, width) = (a.dim(), block.len());
        if self.sums.cols() == width {
            self.sums.as_mut_slice().fill(0.0);
        } else {
            (self.sums, self.product) = (Mat::zeros(n, width), Mat::zeros(n, width));
        }
        let sums = &mut self.sums;
        // The first product: every column of D⁻¹ has one entry.
        for (column, &node) in block.iter().enumerate() {
            let node = node as usize;
            rows::for_each(a, node, |i, weight| {
                sums[(i, column)] = inverse[i] * weight * inverse[node];
            });
        }
        for step in 1..window {
            for (column, &node) in block.iter().enumerate() {
                sums[(node as usize, column)] += inverse[node as usize];
            }
            let first = if step + 1 == window { block[0] as usize } else { 0 };
            let product = &mut self.product.as_mut_slice()[first * width..];
            a.apply_rows(sums, first, product);
            for (row, &inverse) in product.chunks_exact_mut(width).zip(&inverse[first..]) {
                for v in row {
                    *v *= inverse;
                }
            }
            std::mem::swap(sums, &mut self.product);
        }
    }

    /// What is kept below the diagonal in columns `block`, as what is right of it in the rows of the same nodes; rows between
    /// them, from `before` on, have nothing.
    fn kept(&mut self, before: usize, block: &[u32], scale: f64, of: impl Fn(f64) -> f64) -> Above {
        self.found.clear();
        let mut above = [(0, 0, 0.0); BLOCK];
        let mut lengths = [0; BLOCK];
        for i in block[0] as usize..self.sums.rows() {
            // All are written, and those that are not kept written over: a guess whether one is would often be wrong.
            let mut count = 0;
            let left = block.partition_point(|&j| (j as usize) < i);
            for (place, &sum) in self.sums.row(i)[..left].iter().enumerate() {
                let ratio = scale * sum;
                above[count] = (place as u32, i as u32, ratio);
                count += usize::from(ratio > 1.0);
                lengths[place] += usize::from(ratio > 1.0);
            }
            self.found.extend_from_slice(&above[..count]);
        }
        let mut next = [0; BLOCK];
        for place in 1..BLOCK {
            next[place] = next[place - 1] + lengths[place - 1];
        }
        let kept = self.found.len();
        let (mut columns, mut values) = (vec![0; kept], vec![0.0; kept]);
        for &(place, i, ratio) in &self.found {
            let at = &mut next[place as usize];
            (columns[*at], values[*at]) = (i, of(ratio));
            *at += 1;
        }
        let mut rows = vec![0; last(block) + 1 - before];
        for (&node, length) in block.iter().zip(lengths) {
            rows[node as usize - before] = length;
        }
        Above { lengths: rows, columns, values }
    }
}
