//! Coordinate sweeps over columns (HALS) for min_X ½⟨XH, X⟩ − ⟨B, X⟩ + Σ φ(x_ij).
//!
//! Column i with the others fixed is  x_i ← prox_{φ/H_ii}((b_i − Σ_{j≠i} x_j H_ji) / H_ii).
//! The problem splits into rows, so a tile of rows keeps all its columns in cache for every pass.

use crate::{
    Mat,
    chunk::{self, LANES, ROWS, lanes_for},
    simd::{add_scaled, multiversion},
};

/// Which values of the other columns a column update sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The newest: each update minimises over its column, so a pass never ascends.
    GaussSeidel,
    /// Those from before the pass, as the paper prints HAM: a pass may ascend.
    Jacobi,
}

/// How long to sweep.
#[derive(Clone, Copy, Debug)]
pub struct Sweep {
    /// Which values of the other columns an update sees.
    pub order: Order,
    /// The most passes over the columns.
    pub passes: usize,
    /// A tile of rows is done when a pass changes it by less than this share of its norm.
    pub tolerance: f64,
}

impl Sweep {
    /// Sweeps X in place.
    ///
    /// H must have a positive diagonal.
    pub fn run(&self, x: &mut Mat, h: &Mat, b: &Mat, prox: Prox<'_>) {
        let r = x.cols();
        chunk::for_each(x.as_mut_slice(), ROWS * r, |index, part| {
            let b = &b.as_slice()[index * ROWS * r..];
            let mut stack = [[0.0; LANES]; 64];
            let mut heap = Vec::new();
            let lanes = lanes_for(2 * r, &mut stack, &mut heap);
            for (tile, b) in part.chunks_mut(LANES * r).zip(b.chunks(LANES * r)) {
                sweep_tile::<LANES>(*self, tile, h, b, prox, lanes);
            }
        });
    }
}

/// prox of φ, applied to a column of a tile.
#[derive(Clone, Copy)]
pub enum Prox<'a> {
    /// φ = 0.
    Nothing,
    /// φ is the indicator of x ≥ 0; a NaN stays a NaN, to be seen.
    Nonnegative,
    /// `prox(values, step)` applies prox_{step·φ} to each value.
    Custom(&'a (dyn Fn(&mut [f64], f64) + Sync)),
}

multiversion! {
    fn sweep_tile<const L: usize>(
        sweep: Sweep,
        tile: &mut [f64],
        h: &Mat,
        b: &[f64],
        prox: Prox<'_>,
        lanes: &mut [[f64; L]],
    ) {
        let r = lanes.len() / 2;
        let rows = tile.len() / r;
        // Whole vectors, as far as rows reach.
        let width = rows.next_multiple_of(8).min(L);
        let (x, linear) = lanes.split_at_mut(r);
        // `% L` never changes l: it spares the check of every index.
        for (l, (row, b)) in tile.chunks_exact(r).zip(b.chunks_exact(r)).enumerate() {
            for ((x, linear), (value, b)) in x.iter_mut().zip(linear.iter_mut()).zip(row.iter().zip(b)) {
                x[l % L] = *value;
                linear[l % L] = *b;
            }
        }
        let mut before: Vec<[f64; L]> = Vec::new();
        for _ in 0..sweep.passes {
            if sweep.order == Order::Jacobi {
                before.clear();
                before.extend_from_slice(x);
            }
            let (mut change, mut size) = (0.0, 0.0);
            for i in 0..r {
                let mut sum = linear[i];
                let others = if sweep.order == Order::Jacobi { &before[..] } else { &*x };
                for (j, (other, &weight)) in others.iter().zip(h.row(i)).enumerate() {
                    let weight = if j == i { 0.0 } else { -weight };
                    add_scaled::<FUSED>(weight, &other[..width], &mut sum[..width]);
                }
                let inverse = 1.0 / h[(i, i)];
                for value in &mut sum {
                    *value *= inverse;
                }
                match prox {
                    Prox::Nothing => {}
                    Prox::Nonnegative => {
                        for value in &mut sum {
                            *value = if *value < 0.0 { 0.0 } else { *value };
                        }
                    }
                    Prox::Custom(prox) => prox(&mut sum[..rows], inverse),
                }
                if sweep.passes > 1 {
                    for l in 0..rows {
                        change += (sum[l] - x[i][l]) * (sum[l] - x[i][l]);
                        size += sum[l] * sum[l];
                    }
                }
                x[i] = sum;
            }
            if change <= sweep.tolerance * sweep.tolerance * size {
                break;
            }
        }
        for (l, row) in tile.chunks_exact_mut(r).enumerate() {
            row.iter_mut().zip(x.iter()).for_each(|(value, x)| *value = x[l % L]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One pass over the columns, written as the formula reads.
    fn naive(x: &Mat, h: &Mat, b: &Mat, order: Order) -> Mat {
        let mut out = x.clone();
        for i in 0..x.cols() {
            for row in 0..x.rows() {
                let others = if order == Order::Jacobi { x } else { &out };
                let sum: f64 =
                    (0..x.cols()).filter(|&j| j != i).map(|j| others[(row, j)] * h[(j, i)]).sum();
                out[(row, i)] = ((b[(row, i)] - sum) / h[(i, i)]).max(0.0);
            }
        }
        out
    }

    #[test]
    fn a_pass_matches_the_naive_formula() {
        for (n, r) in [(1, 1), (5, 3), (1030, 4), (11, 70)] {
            let c = Mat::from_fn(r, r, |i, j| ((i * r + j) as f64).sin());
            let h = Mat::from_fn(r, r, |i, j| {
                f64::from(i == j) + (0..r).map(|k| c[(i, k)] * c[(j, k)]).sum::<f64>()
            });
            let b = Mat::from_fn(n, r, |i, j| ((i + 3 * j) as f64).cos());
            let start = Mat::from_fn(n, r, |i, j| ((i * 2 + j) as f64).sin().abs());
            for order in [Order::GaussSeidel, Order::Jacobi] {
                let mut x = start.clone();
                let sweep = Sweep { order, passes: 1, tolerance: 0.0 };
                let custom = |v: &mut [f64], _: f64| v.iter_mut().for_each(|v| *v = v.max(0.0));
                let mut other = x.clone();
                sweep.run(&mut x, &h, &b, Prox::Nonnegative);
                sweep.run(&mut other, &h, &b, Prox::Custom(&custom));
                assert_eq!(x, other);
                let expected = naive(&start, &h, &b, order);
                assert!(
                    x.distance(&expected) < 1e-11 * (1.0 + expected.norm()),
                    "{order:?} {n} {r}"
                );
            }
        }
    }
}
