//! A three-term recurrence of a few vectors with a sparse matrix, beside a space: half the bytes of double precision, where
//! bytes are what a product waits for. Vectors are stored in single precision; every sum is made in double.

use rayon::prelude::*;

use crate::{
    Csr, Mat,
    product::transposed_product,
    simd::{fma, multiversion, prefetch},
};

/// Vectors.
pub const BESIDE: usize = 8;

/// Rows that one task handles.
const ROWS: usize = 256;

/// Bytes of the vectors that caches hold, so that asking ahead costs more than waiting.
const NEAR: usize = 8 << 20;

/// Nonzeros between asking for a row and using it.
const AHEAD: usize = 48;

type Row = [f32; BESIDE];
type Sums = [f64; BESIDE];

/// Vectors orthogonal to the orthonormal columns of V, and those before them.
pub struct Beside<'a> {
    a: &'a Csr,
    v: &'a Mat,
    now: Vec<Row>,
    before: Vec<Row>,
    /// Vᵀ·vectors, the squared lengths of what the last step rounded, and what the chunks add to both.
    along: Mat,
    squares: [f64; BESIDE],
    partials: Vec<f64>,
}

impl<'a> Beside<'a> {
    /// The columns of an n×8 matrix that is given row by row, without what V has of them; zeros before them.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn new(a: &'a Csr, v: &'a Mat, vectors: Vec<[f32; BESIDE]>) -> Self {
        let n = a.dim();
        assert_eq!((v.rows(), vectors.len()), (n, n), "n×8 vectors");
        let (along, partials) = (Mat::zeros(v.cols(), BESIDE), Vec::new());
        let (before, squares) = (vec![[0.0; BESIDE]; n], [0.0; BESIDE]);
        let mut found = Self { a, v, now: vectors, before, along, squares, partials };
        // −1 times the zeros before, and so the vectors themselves with their sign turned, which nobody minds.
        found.step(0.0, 1.0);
        found.before.fill([0.0; BESIDE]);
        found
    }

    /// (now, before) ← ((I − VVᵀ)(αA·now − β·now − before), now).
    pub fn step(&mut self, alpha: f64, beta: f64) {
        let Self { a, v, now, before, along, squares, partials } = self;
        let size = (v.cols() + 1) * BESIDE;
        partials.resize(size * now.len().div_ceil(ROWS), 0.0);
        let rows_of = |index: usize, count: usize| {
            &v.as_slice()[index * ROWS * v.cols()..(index * ROWS + count) * v.cols()]
        };
        let chunks = before.par_chunks_mut(ROWS).zip(partials.par_chunks_mut(size));
        chunks.enumerate().for_each(|(index, (next, partial))| {
            let mut room = [0.0; ROWS * BESIDE];
            let room = &mut room[..next.len() * BESIDE];
            let (along, squares) = partial.split_at_mut(v.cols() * BESIDE);
            next_rows::<0>(a.parts(), now, index * ROWS, (alpha, beta), next, room, squares);
            transposed_product(rows_of(index, next.len()), v.cols(), room, BESIDE, along);
        });
        along.as_mut_slice().fill(0.0);
        squares.fill(0.0);
        for partial in partials.chunks_exact(size) {
            let sums = along.as_mut_slice().iter_mut().chain(squares.iter_mut());
            sums.zip(partial).for_each(|(sum, p)| *sum += p);
        }
        let along: &[Sums] = along.as_slice().as_chunks().0;
        before.par_chunks_mut(ROWS).enumerate().for_each(|(index, next)| {
            subtract_rows::<0>(rows_of(index, next.len()), along, next);
        });
        std::mem::swap(now, before);
    }

    /// How long each vector of the last step was, which may be that of [`Self::new`], before what V has of it was taken out. It was rounded
    /// then and afterwards: neither moved it by more than half of single precision's ε times this.
    pub fn unprojected_norms(&self) -> [f64; BESIDE] {
        self.squares.map(f64::sqrt)
    }

    /// The length of each vector.
    pub fn norms(&self) -> [f64; BESIDE] {
        let mut squares = [0.0; BESIDE];
        for row in &self.now {
            squares.iter_mut().zip(row).for_each(|(sum, v)| *sum += f64::from(*v) * f64::from(*v));
        }
        squares.map(f64::sqrt)
    }
}

multiversion! {
    /// next ← αA·now − β·now − next for rows from `first` on, and the same in `room` before it is rounded, and squared and summed
    /// in `squares`. Four sums take turns: each product would wait for the one before it.
    fn next_rows<const UNUSED: usize>(
        parts: (&[usize], &[u32], &[f64]),
        now: &[Row],
        first: usize,
        scales: (f64, f64),
        next: &mut [Row],
        room: &mut [f64],
        squares: &mut [f64],
    ) {
        let (starts, columns, values) = parts;
        let (alpha, beta) = scales;
        let starts = &starts[first..=first + next.len()];
        let here = &now[first..first + next.len()];
        let room = room.as_chunks_mut::<BESIDE>().0;
        let mut lengths = [0.0; BESIDE];
        let far = size_of_val(now) > NEAR;
        let ask = |k: usize| {
            if far && let Some(&ahead) = columns.get(k + AHEAD) {
                prefetch(now, ahead as usize);
            }
        };
        for (((range, next), now_row), room) in
            starts.windows(2).zip(next).zip(here).zip(room)
        {
            let mut turns = [[0.0; BESIDE]; 4];
            if alpha != 0.0 {
                let (fours, last) = columns[range[0]..range[1]].as_chunks::<4>();
                let (values, last_values) = values[range[0]..range[1]].as_chunks::<4>();
                for ((columns, values), k) in fours.iter().zip(values).zip((range[0]..).step_by(4)) {
                    for turn in 0..4 {
                        ask(k + turn);
                        let row = &now[columns[turn] as usize];
                        add_row::<FUSED>(values[turn], row, &mut turns[turn]);
                    }
                }
                let entries = last.iter().zip(last_values).zip(range[1] - last.len()..);
                for (((&column, &value), k), sums) in entries.zip(&mut turns) {
                    ask(k);
                    add_row::<FUSED>(value, &now[column as usize], sums);
                }
            }
            let [a, b, c, d] = &turns;
            for l in 0..BESIDE {
                let rest = fma::<FUSED, _>(beta, f64::from(now_row[l]), f64::from(next[l]));
                let sum = (a[l] + b[l]) + (c[l] + d[l]);
                room[l] = fma::<FUSED, _>(alpha, sum, -rest);
                lengths[l] = fma::<FUSED, _>(room[l], room[l], lengths[l]);
                next[l] = room[l] as f32;
            }
        }
        squares.copy_from_slice(&lengths);
    }
}

/// sums ← sums + value·row.
#[inline(always)] // Or it would be compiled for the baseline.
#[allow(clippy::inline_always)]
fn add_row<const FUSED: bool>(value: f64, row: &Row, sums: &mut Sums) {
    for l in 0..BESIDE {
        sums[l] = fma::<FUSED, _>(value, f64::from(row[l]), sums[l]);
    }
}

multiversion! {
    /// next ← next − V·along for rows of both.
    fn subtract_rows<const UNUSED: usize>(v: &[f64], along: &[Sums], next: &mut [Row]) {
        for (next, v) in next.iter_mut().zip(v.chunks_exact(along.len())) {
            let mut sums = [0.0; BESIDE];
            for l in 0..BESIDE {
                sums[l] = f64::from(next[l]);
            }
            for (v, along) in v.iter().zip(along) {
                for l in 0..BESIDE {
                    sums[l] = fma::<FUSED, _>(-v, along[l], sums[l]);
                }
            }
            for l in 0..BESIDE {
                next[l] = sums[l] as f32;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Gram, Symmetric, accumulate};

    fn project(v: &Mat, out: &mut Mat) {
        let along = Gram::new(v.cols()).of(v, out).clone();
        accumulate(-1.0, v, &along, out);
    }

    #[test]
    fn steps_match_products_in_double_precision() {
        for (n, w) in [(9, 2), (600, 5), (700, 19)] {
            let entries: Vec<_> = (0..n as u32)
                .flat_map(|i| (0..5).map(move |k| (i, (i * 11 + 7 * k) % n as u32, 0.2)))
                .collect();
            let sparse = Csr::symmetrised(n, &entries).unwrap();
            // Orthonormal: single entries.
            let v = Mat::from_fn(n, w, |i, j| f64::from(i == j * (n / w)));
            let entry = |i: usize, j: usize| ((i * 3 + j * j) as f32).sin();
            let rows = (0..n).map(|i| std::array::from_fn(|j| entry(i, j))).collect();
            let mut beside = Beside::new(&sparse, &v, rows);
            let a = Symmetric::from(sparse.clone());
            let mut now = Mat::from_fn(n, BESIDE, |i, j| -f64::from(entry(i, j)));
            project(&v, &mut now);
            let mut before = Mat::zeros(n, BESIDE);
            for (alpha, beta) in [(1.5, 0.2), (2.0, -0.4), (1.1, 0.7)] {
                let mut next = Mat::zeros(n, BESIDE);
                a.apply(&now, &mut next);
                next.zip2(&now, &before, |image, now, before| alpha * image - beta * now - before);
                let unprojected = next.clone();
                project(&v, &mut next);
                (before, now) = (now, next);
                beside.step(alpha, beta);
                let found = Mat::from_fn(n, BESIDE, |i, j| f64::from(beside.now[i][j]));
                assert!(found.distance(&now) < 1e-6 * (1.0 + now.norm()), "{n} {w}");
                for (found, expected) in
                    [(beside.norms(), &now), (beside.unprojected_norms(), &unprojected)]
                {
                    for (j, norm) in found.iter().enumerate() {
                        let expected = expected.column(j).map(|v| v * v).sum::<f64>().sqrt();
                        assert!((norm - expected).abs() < 1e-6 * (1.0 + expected));
                    }
                }
            }
        }
    }
}
