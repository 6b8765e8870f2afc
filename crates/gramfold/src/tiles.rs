//! Proximal steps of ½‖A − XYᵀ‖² + ½h(X) + ½h(Y) + (γ/2)‖X − Y‖² by tiles of rows: neither A·Y nor a gradient is ever
//! stored.

use gramfold_linalg::{Gram, Mat, Symmetric};
use rayon::prelude::*;

use crate::{
    Regulariser,
    split::{length_of, longest_step},
};

/// Rows of a tile.
const ROWS: usize = 256;

/// A block of the split problem: `factor` moves, `other` stays.
pub(crate) struct Tiles<'a> {
    pub(crate) a: &'a Symmetric,
    pub(crate) regulariser: &'a dyn Regulariser,
    pub(crate) gamma: f64,
    /// The step size.
    pub(crate) step: f64,
    pub(crate) factor: &'a Mat,
    pub(crate) other: &'a Mat,
    /// otherᵀ·other.
    pub(crate) gram: &'a Mat,
}

/// A tile: its rows, their gradient ∇f(XYᵀ)Y + γ(X − Y), and the rows after a proximal step.
#[derive(Default)]
pub(crate) struct Tile {
    pub(crate) rows: Vec<f64>,
    pub(crate) gradient: Vec<f64>,
    pub(crate) stepped: Vec<f64>,
}

/// The step size that leaves γ out: a large γ must not make every symmetric point look critical.
pub(crate) fn step_size(gram_of_other: &Mat, slope: f64) -> f64 {
    longest_step(gram_of_other.norm() + slope)
}

impl Tiles<'_> {
    /// Fills a tile with rows `first .. first + count`.
    pub(crate) fn fill(&self, first: usize, count: usize, tile: &mut Tile) {
        let r = self.factor.cols();
        let Tile { rows, gradient, stepped } = tile;
        for part in [&mut *rows, &mut *gradient, &mut *stepped] {
            part.resize(count * r, 0.0);
        }
        rows.copy_from_slice(&self.factor.as_slice()[first * r..(first + count) * r]);
        stepped.copy_from_slice(&self.other.as_slice()[first * r..(first + count) * r]);
        self.a.apply_rows(self.other, first, gradient);
        for (i, gradient) in gradient.chunks_exact_mut(r).enumerate() {
            let (row, other) = (&rows[i * r..(i + 1) * r], &stepped[i * r..(i + 1) * r]);
            for (j, out) in gradient.iter_mut().enumerate() {
                *out = self.gamma * (row[j] - other[j]) - *out;
            }
            for (value, gram) in row.iter().zip(self.gram.as_slice().chunks_exact(r)) {
                gradient.iter_mut().zip(gram).for_each(|(out, g)| *out += value * g);
            }
        }
        stepped.copy_from_slice(rows);
        stepped.iter_mut().zip(&*gradient).for_each(|(s, g)| *s -= self.step * g);
        self.regulariser.prox(stepped, r, 0.5 * self.step);
    }

    /// The length of a proximal step.
    pub(crate) fn length(&self) -> f64 {
        let n = self.factor.rows();
        let square = sum_over_tiles(n, Tile::default, |tile, first, count| {
            self.fill(first, count, tile);
            distance_squared(&tile.stepped, &tile.rows)
        });
        length_of(square.sqrt(), self.step)
    }

    /// out ← the factor after a proximal step; returns the length of the step.
    pub(crate) fn step_into(&self, out: &mut Mat) -> f64 {
        let r = self.factor.cols();
        let parts = out.as_mut_slice().par_chunks_mut(ROWS * r).enumerate();
        let squares: Vec<f64> = parts
            .map_init(Tile::default, |tile, (index, out)| {
                self.fill(index * ROWS, out.len() / r, tile);
                out.copy_from_slice(&tile.stepped);
                distance_squared(&tile.stepped, &tile.rows)
            })
            .collect();
        length_of(squares.iter().sum::<f64>().sqrt(), self.step)
    }
}

/// Σ work(scratch, first, count) over tiles of rows, in their order.
pub(crate) fn sum_over_tiles<S: Send>(
    n: usize,
    scratch: impl Fn() -> S + Sync + Send,
    work: impl Fn(&mut S, usize, usize) -> f64 + Sync + Send,
) -> f64 {
    let tiles = (0..n.div_ceil(ROWS)).into_par_iter().map_init(scratch, |scratch, index| {
        let first = index * ROWS;
        work(scratch, first, ROWS.min(n - first))
    });
    tiles.collect::<Vec<f64>>().iter().sum()
}

/// ⟨A·X, X⟩.
pub(crate) fn quadratic_form(a: &Symmetric, x: &Mat) -> f64 {
    let r = x.cols();
    sum_over_tiles(x.rows(), Vec::new, |image, first, count| {
        image.resize(count * r, 0.0);
        a.apply_rows(x, first, image);
        gramfold_linalg::dot(&x.as_slice()[first * r..(first + count) * r], image)
    })
}

fn distance_squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// XᵀX.
pub(crate) fn square(x: &Mat) -> Mat {
    Gram::new(x.cols()).of(x, x).clone()
}
