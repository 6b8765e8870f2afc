//! Tall factors in single precision, where memory rules, and the half step that never stores A·Y.
//!
//! What is *held* is `f32`; what is added up over rows is `f64`.

// A helper that is not inlined would be compiled for the baseline, whoever calls it.
#![allow(clippy::inline_always)]

use rayon::prelude::*;

use crate::{
    Csr, Mat,
    chunk::{self, ROWS},
    lanes::{LANES, add_combination, gather, lanes_for, scatter, scatter_add},
    simd::{add_scaled, add_scaled4, fma, multiversion},
};

/// A row-major matrix of `f32`.
#[derive(Clone, Debug, PartialEq)]
pub struct Single {
    rows: usize,
    cols: usize,
    data: Vec<f32>,
}

impl Single {
    /// The zero matrix.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self { rows, cols, data: vec![0.0; rows * cols] }
    }

    /// The matrix with entries `entry(i, j)`, filled row by row.
    pub fn from_fn(rows: usize, cols: usize, mut entry: impl FnMut(usize, usize) -> f32) -> Self {
        let mut data = Vec::with_capacity(rows * cols);
        for i in 0..rows {
            data.extend((0..cols).map(|j| entry(i, j)));
        }
        Self { rows, cols, data }
    }

    /// The nearest matrix to one in `f64`.
    pub fn nearest(matrix: &Mat) -> Self {
        let data = matrix.as_slice().iter().map(|&v| v as f32).collect();
        Self { rows: matrix.rows(), cols: matrix.cols(), data }
    }

    /// The same matrix in `f64`.
    pub fn to_mat(&self) -> Mat {
        let data = self.data.iter().map(|&v| f64::from(v)).collect();
        Mat::from_row_major(self.rows, self.cols, data)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// All entries, row by row.
    pub fn as_slice(&self) -> &[f32] {
        &self.data
    }

    /// self ← combine(self, other), entry by entry.
    pub fn zip(&mut self, other: &Self, combine: impl Fn(f32, f32) -> f32 + Sync) {
        let size = ROWS * self.cols.max(1);
        chunk::for_each(&mut self.data, size, |i, part| {
            let other = &other.data[i * size..];
            part.iter_mut().zip(other).for_each(|(a, &b)| *a = combine(*a, b));
        });
    }

    /// self ← α·self.
    pub fn scale(&mut self, alpha: f32) {
        let size = ROWS * self.cols.max(1);
        chunk::for_each(&mut self.data, size, |_, part| part.iter_mut().for_each(|v| *v *= alpha));
    }

    /// selfᵀ·other (r×s), added up in `f64`.
    pub fn gram(&self, other: &Self) -> Mat {
        let (r, s) = (self.cols, other.cols);
        let mut result = Mat::zeros(r, s);
        self.over_rows(r * s, result.as_mut_slice(), |first, rows, partial| {
            let mut wide = vec![0.0; 4 * s];
            for from in (first..first + rows).step_by(4) {
                let four = 4.min(first + rows - from);
                widen(&other.data[from * s..(from + four) * s], &mut wide);
                outer::<8>(&self.data[from * r..(from + four) * r], &wide, s, partial);
            }
        });
        result
    }

    /// selfᵀ·v for a vector v, added up in `f64`.
    pub fn transpose_times(&self, v: &[f64]) -> Vec<f64> {
        let mut result = vec![0.0; self.cols];
        self.over_rows(self.cols, &mut result, |first, rows, partial| {
            for (row, v) in self.rows_from(first).zip(&v[first..first + rows]) {
                row.iter().zip(&mut *partial).for_each(|(a, sum)| *sum += f64::from(*a) * v);
            }
        });
        result
    }

    /// out ← out + α·self·c for a short vector c.
    pub fn add_times(&self, alpha: f64, c: &[f64], out: &mut [f64]) {
        chunk::for_each(out, ROWS, |index, part| {
            for (row, out) in self.rows_from(index * ROWS).zip(part) {
                *out += alpha * row.iter().zip(c).map(|(a, c)| f64::from(*a) * c).sum::<f64>();
            }
        });
    }

    /// self·S in `f64`, for a small S.
    pub fn times(&self, s: &Mat) -> Mat {
        let mut out = Mat::zeros(self.rows, s.cols());
        let width = s.cols();
        chunk::for_each(out.as_mut_slice(), ROWS * width, |index, part| {
            for (row, out) in self.rows_from(index * ROWS).zip(part.chunks_exact_mut(width)) {
                for (j, &a) in row.iter().enumerate() {
                    let a = f64::from(a);
                    out.iter_mut().zip(s.row(j)).for_each(|(out, s)| *out += a * s);
                }
            }
        });
        out
    }

    fn rows_from(&self, first: usize) -> impl Iterator<Item = &[f32]> {
        self.data[first * self.cols..].chunks_exact(self.cols)
    }

    /// Adds up `work(first, rows, partial)` over fixed chunks of rows, in their order.
    fn over_rows(
        &self,
        size: usize,
        result: &mut [f64],
        work: impl Fn(usize, usize, &mut [f64]) + Sync,
    ) {
        let mut partials = vec![0.0; size * self.rows.div_ceil(ROWS)];
        chunk::for_each(&mut partials, size, |index, partial| {
            let first = index * ROWS;
            work(first, ROWS.min(self.rows - first), partial);
        });
        add_up(&partials, result);
    }
}

/// result ← Σ partials, in their order.
fn add_up(partials: &[f64], result: &mut [f64]) {
    result.fill(0.0);
    for partial in partials.chunks_exact(result.len()) {
        result.iter_mut().zip(partial).for_each(|(sum, p)| *sum += p);
    }
}

/// What a half step returns, all in `f64`.
#[derive(Clone, Debug)]
pub struct Sums {
    /// XᵀX of the new X.
    pub gram: Mat,
    /// ⟨A·Y, X⟩.
    pub product: f64,
    /// ‖X − Y‖².
    pub distance: f64,
    /// ‖X − X_before‖².
    pub change: f64,
    partials: Vec<f64>,
}

impl Sums {
    /// Room for rank r.
    pub fn new(rank: usize) -> Self {
        let gram = Mat::zeros(rank, rank);
        Self { gram, product: 0.0, distance: 0.0, change: 0.0, partials: Vec::new() }
    }
}

/// One pass over the columns of X for min_X ½‖A − XYᵀ‖² + (γ/2)‖X − Y‖² over X ≥ 0, and beyond:
/// with M the X that the pass reaches, X ← max(0, M + weight·(M − last)) and last ← M.
#[derive(Clone, Copy)]
pub struct HalfStep<'a> {
    /// A.
    pub matrix: &'a Csr<f32>,
    /// Y.
    pub other: &'a Single,
    /// YᵀY.
    pub gram: &'a Mat,
    /// γ > 0.
    pub gamma: f64,
    /// How far beyond.
    pub weight: f64,
}

impl HalfStep<'_> {
    /// Moves X, a tile of rows at a time: its rows of A·Y live only as long as the tile is worked on.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn run(&self, x: &mut Single, last: &mut Single, sums: &mut Sums) {
        let (n, r) = (x.rows, x.cols);
        let shape = |m: &Single| (m.rows, m.cols);
        assert!(shape(last) == (n, r) && shape(self.other) == (n, r), "factors have one shape");
        assert_eq!(self.matrix.dim(), n, "A has a row for each row of X");
        assert_eq!((self.gram.rows(), self.gram.cols()), (r, r), "the Gram matrix is r×r");
        // H = YᵀY + γI, by rows with the inverse of its diagonal.
        let mut curvature: Vec<f32> = self.gram.as_slice().iter().map(|&h| h as f32).collect();
        let mut inverse = Vec::with_capacity(r);
        for i in 0..r {
            let own = self.gram[(i, i)] + self.gamma;
            curvature[i * r + i] = own as f32;
            inverse.push((1.0 / own) as f32);
        }
        let size = r * r + 3;
        sums.partials.resize(size * n.div_ceil(ROWS), 0.0);
        let tasks = x.data.par_chunks_mut(ROWS * r).zip(last.data.par_chunks_mut(ROWS * r));
        let tasks = tasks.zip(sums.partials.par_chunks_mut(size)).enumerate();
        tasks.for_each(|(index, ((x, last), partial))| {
            partial.fill(0.0);
            let mut stack = [[0.0_f32; LANES]; 64];
            let mut heap = Vec::new();
            let lanes = lanes_for(2 * r, &mut stack, &mut heap);
            let mut product = [[0.0_f32; LANES]; 64];
            let mut heap = Vec::new();
            let product = lanes_for(2 * r, &mut product, &mut heap).as_flattened_mut();
            let mut wide = [0.0_f64; 128];
            let mut heap = Vec::new();
            let wide = if 4 * r <= wide.len() {
                &mut wide[..4 * r]
            } else {
                heap.resize(4 * r, 0.0);
                &mut heap[..]
            };
            let tiles = x.chunks_mut(LANES * r).zip(last.chunks_mut(LANES * r));
            for (tile, (x, last)) in tiles.enumerate() {
                let first = index * ROWS + tile * LANES;
                let (product, reached) = product.split_at_mut(LANES * r);
                let (product, reached) = (&mut product[..x.len()], &mut reached[..x.len()]);
                self.matrix.apply_rows(&self.other.data, r, first, product);
                let y = &self.other.data[first * r..first * r + x.len()];
                let gamma = self.gamma as f32;
                let sweep = Tile { curvature: &curvature, inverse: &inverse, gamma, y, product };
                sweep_tile::<LANES>(sweep, x, reached, lanes);
                let (gram, rest) = partial.split_at_mut(r * r);
                beyond_tile::<8>(self.weight as f32, reached, [y, product], x, last, rest);
                for rows in x.chunks(4 * r) {
                    widen(rows, wide);
                    outer::<8>(rows, wide, r, gram);
                }
            }
        });
        let (gram, mut rest) = (sums.gram.as_mut_slice(), [0.0; 3]);
        gram.fill(0.0);
        for partial in sums.partials.chunks_exact(size) {
            gram.iter_mut().zip(partial).for_each(|(sum, p)| *sum += p);
            rest.iter_mut().zip(&partial[r * r..]).for_each(|(sum, p)| *sum += p);
        }
        [sums.product, sums.distance, sums.change] = rest;
    }
}

/// What the sweep of a tile reads.
#[derive(Clone, Copy)]
struct Tile<'a> {
    curvature: &'a [f32],
    inverse: &'a [f32],
    gamma: f32,
    y: &'a [f32],
    product: &'a [f32],
}

multiversion! {
    /// reached ← the rows of a tile after one Gauss–Seidel pass over its columns.
    fn sweep_tile<const L: usize>(
        tile: Tile<'_>,
        x: &[f32],
        reached: &mut [f32],
        lanes: &mut [[f32; L]],
    ) {
        let r = lanes.len() / 2;
        // Whole vectors, as far as rows reach.
        let width = (x.len() / r).next_multiple_of(16).min(L);
        let (columns, linear) = lanes.split_at_mut(r);
        scatter::<_, L>(x, r, columns);
        scatter::<_, L>(tile.product, r, linear);
        scatter_add::<FUSED, _, L>(tile.gamma, tile.y, r, linear);
        for i in 0..r {
            let mut sum = linear[i];
            let weights = &tile.curvature[i * r..(i + 1) * r];
            add_combination::<FUSED, _, L>(weights, i, columns, &mut sum[..width]);
            for value in &mut sum {
                *value *= tile.inverse[i];
                // A NaN stays a NaN, to be seen.
                *value = if *value < 0.0 { 0.0 } else { *value };
            }
            columns[i] = sum;
        }
        gather::<_, L>(columns, r, reached);
    }
}

multiversion! {
    /// Goes beyond, and adds ⟨A·Y, X⟩, ‖X − Y‖² and ‖X − X_before‖² to `sums`.
    fn beyond_tile<const P: usize>(
        weight: f32,
        reached: &[f32],
        others: [&[f32]; 2],
        x: &mut [f32],
        last: &mut [f32],
        sums: &mut [f64],
    ) {
        let [y, product] = others;
        let mut lanes = [[0.0_f64; P]; 3];
        let mut from = 0;
        while from < x.len() {
            let count = P.min(x.len() - from);
            let range = from..from + count;
            let (x, last) = (&mut x[range.clone()], &mut last[range.clone()]);
            let (m, y, product) = (&reached[range.clone()], &y[range.clone()], &product[range]);
            for l in 0..count {
                let beyond = fma::<FUSED, _>(weight, m[l] - last[l], m[l]);
                let beyond = if beyond < 0.0 { 0.0 } else { beyond };
                let apart = f64::from(beyond) - f64::from(y[l]);
                let moved = f64::from(beyond) - f64::from(x[l]);
                lanes[0][l] = fma::<FUSED, _>(f64::from(product[l]), f64::from(beyond), lanes[0][l]);
                lanes[1][l] = fma::<FUSED, _>(apart, apart, lanes[1][l]);
                lanes[2][l] = fma::<FUSED, _>(moved, moved, lanes[2][l]);
                last[l] = m[l];
                x[l] = beyond;
            }
            from += count;
        }
        for (sum, lanes) in sums.iter_mut().zip(&lanes) {
            *sum += lanes.iter().sum::<f64>();
        }
    }
}

/// wide ← values, in `f64`, and zeros after them.
fn widen(values: &[f32], wide: &mut [f64]) {
    wide.fill(0.0);
    wide.iter_mut().zip(values).for_each(|(wide, value)| *wide = f64::from(*value));
}

multiversion! {
    /// gram ← gram + UᵀV for up to four rows of U, and V (of `cols` columns) in `wide`.
    fn outer<const UNUSED: usize>(u: &[f32], wide: &[f64], cols: usize, gram: &mut [f64]) {
        let r = gram.len() / cols;
        let (a, rest) = wide.split_at(cols);
        let (b, rest) = rest.split_at(cols);
        let (c, d) = rest.split_at(cols);
        let whole = u.len() == 4 * r;
        for (i, sum) in gram.chunks_exact_mut(cols).enumerate() {
            if whole {
                let weight = |l: usize| f64::from(u[l * r + i]);
                let weights = [weight(0), weight(1), weight(2), weight(3)];
                add_scaled4::<FUSED, _>(weights, [a, b, c, &d[..cols]], sum);
            } else {
                for (u, v) in u.chunks_exact(r).zip(wide.chunks_exact(cols)) {
                    add_scaled::<FUSED, _>(f64::from(u[i]), v, sum);
                }
            }
        }
    }
}

impl Csr<f32> {
    /// out ← A·v in single precision.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn apply_single(&self, v: &Single, out: &mut Single) {
        assert_eq!((v.rows, v.cols), (out.rows, out.cols), "A·v has the shape of v");
        assert_eq!(v.rows, self.dim(), "v has a row for each column of A");
        let width = v.cols;
        chunk::for_each(&mut out.data, LANES * width, |index, rows| {
            self.apply_rows(&v.data, width, index * LANES, rows);
        });
    }

    /// Rows `first ..` of A·v, as many as fit into `out`, each entry of v exact and added up in `f64`.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn apply_rows_widened(&self, v: &Single, first: usize, out: &mut [f64]) {
        assert_eq!(v.rows, self.dim(), "v has a row for each column of A");
        self.apply_rows_plainly(&v.data, v.cols, first, out);
    }
}

#[cfg(test)]
mod tests;
