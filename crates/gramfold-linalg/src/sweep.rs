//! Coordinate sweeps over columns (HALS) for min_X ½⟨XH, X⟩ − ⟨B, X⟩ + Σ φ(x_ij).
//!
//! Column i with the others fixed is  x_i ← prox_{φ/H_ii}((b_i − Σ_{j≠i} x_j H_ji) / H_ii).
//! The problem splits into rows, so a tile of rows keeps all its columns in cache for every pass.

use crate::{
    Mat,
    chunk::{self, ROWS},
    fma,
    lanes::{LANES, add_combination, gather, lanes_for, scatter, scatter_add},
    multiversion,
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

/// What the sweeps minimise over X: ½⟨XH, X⟩ − ⟨B + γ·centre, X⟩ + Σ φ(x_ij).
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// H, r×r with a positive diagonal.
    pub curvature: &'a Mat,
    /// B, n×r.
    pub linear: &'a Mat,
    /// γ, which is also part of H.
    pub gamma: f64,
    /// The centre, n×r.
    pub centre: &'a Mat,
    /// prox of φ.
    pub prox: Prox<'a>,
}

/// Goes beyond the minimiser: X ← prox(M + weight·(M − last)) and last ← M, for the M that was reached.
pub struct Overshoot<'a> {
    /// The weight.
    pub weight: f64,
    /// The minimiser before this one, n×r.
    pub last: &'a mut Mat,
}

impl Sweep {
    /// Sweeps X in place.
    pub fn run(&self, x: &mut Mat, rows: Rows<'_>) {
        self.over_chunks(x.cols(), x.as_mut_slice(), None, rows);
    }

    /// Sweeps X in place, and then goes beyond.
    pub fn run_beyond(&self, x: &mut Mat, rows: Rows<'_>, beyond: Overshoot<'_>) {
        let Overshoot { weight, last } = beyond;
        self.over_chunks(x.cols(), x.as_mut_slice(), Some((weight, last.as_mut_slice())), rows);
    }

    fn over_chunks(
        &self,
        r: usize,
        x: &mut [f64],
        beyond: Option<(f64, &mut [f64])>,
        rows: Rows<'_>,
    ) {
        let size = ROWS * r;
        let work = |index: usize, part: &mut [f64], mut beyond: Option<(f64, &mut [f64])>| {
            let mut stack = [[0.0_f64; LANES]; 64];
            let mut heap = Vec::new();
            let lanes = lanes_for(2 * r, &mut stack, &mut heap);
            for (tile, part) in part.chunks_mut(LANES * r).enumerate() {
                let at = index * size + tile * LANES * r;
                let beyond = beyond.as_mut().map(|(weight, last)| {
                    (*weight, &mut last[tile * LANES * r..tile * LANES * r + part.len()])
                });
                sweep_tile::<LANES>(*self, part, at, rows, beyond, lanes);
            }
        };
        match beyond {
            None => chunk::for_each(x, size, |index, part| work(index, part, None)),
            Some((weight, last)) => {
                chunk::for_each_pair((x, size), (last, size), |index, part, last| {
                    work(index, part, Some((weight, last)));
                });
            }
        }
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
    /// Sweeps the rows of a tile, which begins at entry `at` of the factor.
    fn sweep_tile<const L: usize>(
        sweep: Sweep,
        tile: &mut [f64],
        at: usize,
        rows: Rows<'_>,
        beyond: Option<(f64, &mut [f64])>,
        lanes: &mut [[f64; L]],
    ) {
        let r = lanes.len() / 2;
        let count = tile.len() / r;
        let (h, prox) = (rows.curvature, rows.prox);
        // Whole vectors, as far as rows reach.
        let width = count.next_multiple_of(8).min(L);
        let (x, linear) = lanes.split_at_mut(r);
        scatter::<_, L>(tile, r, x);
        scatter::<_, L>(&rows.linear.as_slice()[at..at + tile.len()], r, linear);
        let centre = &rows.centre.as_slice()[at..at + tile.len()];
        scatter_add::<FUSED, _, L>(rows.gamma, centre, r, linear);
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
                add_combination::<FUSED, _, L>(h.row(i), i, others, &mut sum[..width]);
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
                    Prox::Custom(prox) => prox(&mut sum[..count], inverse),
                }
                if sweep.passes > 1 {
                    for l in 0..count {
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
        gather::<_, L>(x, r, tile);
        if let Some((weight, last)) = beyond {
            let nonnegative = matches!(prox, Prox::Nonnegative);
            let least = if nonnegative { 0.0 } else { f64::NEG_INFINITY };
            for (value, last) in tile.iter_mut().zip(last.iter_mut()) {
                let reached = *value;
                let beyond = fma::<FUSED, _>(weight, reached - *last, reached);
                *value = if beyond < least { least } else { beyond };
                *last = reached;
            }
            if let Prox::Custom(prox) = prox {
                // A tiny step: the projection if φ is an indicator, next to nothing otherwise.
                prox(tile, f64::MIN_POSITIVE);
            }
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
                let rows =
                    |prox| Rows { curvature: &h, linear: &b, gamma: 0.5, centre: &start, prox };
                sweep.run(&mut x, rows(Prox::Nonnegative));
                sweep.run(&mut other, rows(Prox::Custom(&custom)));
                assert_eq!(x, other);
                let mut pulled = b.clone();
                pulled.axpy(0.5, &start);
                let expected = naive(&start, &h, &pulled, order);
                let mut beyond = start.clone();
                let mut last = b.clone();
                let overshoot = Overshoot { weight: 0.7, last: &mut last };
                sweep.run_beyond(&mut beyond, rows(Prox::Nonnegative), overshoot);
                assert_eq!(last, x);
                let mut overshot = x.clone();
                overshot.zip(&b, |now, before| (now + 0.7 * (now - before)).max(0.0));
                assert!(beyond.distance(&overshot) < 1e-12 * (1.0 + overshot.norm()));
                assert!(
                    x.distance(&expected) < 1e-11 * (1.0 + expected.norm()),
                    "{order:?} {n} {r}"
                );
            }
        }
    }
}
