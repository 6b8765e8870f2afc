//! Kernels on products of spheres: factors whose rows have unit length, and their tangent vectors.
//!
//! Each is one pass over its operands, row by row, with partial sums in a fixed order.

use rayon::prelude::*;

use crate::{Csr, Mat, add_scaled, chunk, chunk::ROWS, fma, multiversion};

/// out_i ← ⟨x_i, g_i⟩, row by row.
pub fn row_dots(x: &Mat, g: &Mat, out: &mut [f64]) {
    let width = x.cols();
    chunk::for_each(out, ROWS, |index, part| {
        let from = index * ROWS * width;
        let to = from + part.len() * width;
        dots::<4>(&x.as_slice()[from..to], &g.as_slice()[from..to], width, part);
    });
}

/// w_i ← (w_i − s_i·v_i) less its part along x_i; returns ⟨v, w⟩.
///
/// With w = C·v and s = diag(CXXᵀ) this is the Riemannian Hessian of ½⟨C, XXᵀ⟩ applied to v.
pub fn project_shifted(x: &Mat, shifts: &[f64], v: &Mat, w: &mut Mat, sums: &mut Vec<f64>) -> f64 {
    let width = x.cols();
    sums.clear();
    sums.resize(shifts.len().div_ceil(ROWS), 0.0);
    let size = ROWS * width;
    chunk::for_each_pair((sums, 1), (w.as_mut_slice(), size), |index, sum, w| {
        let from = index * size;
        let to = from + w.len();
        let shifts = &shifts[index * ROWS..];
        let (x, v) = (&x.as_slice()[from..to], &v.as_slice()[from..to]);
        sum[0] = shifted::<4>(x, shifts, v, width, w);
    });
    sums.iter().sum()
}

/// One step of conjugate gradients with step `alpha`: s ← s + α·p, r ← r − α·h; returns Σ_i m_i‖r_i‖².
pub fn cg_step(
    alpha: f64,
    weights: &[f64],
    [p, h]: [&Mat; 2],
    [s, r]: [&mut Mat; 2],
    sums: &mut Vec<f64>,
) -> f64 {
    let width = p.cols();
    sums.clear();
    sums.resize(weights.len().div_ceil(ROWS), 0.0);
    let size = ROWS * width;
    let work = |index: usize, sum: &mut f64, s: &mut [f64], r: &mut [f64]| {
        let from = index * size;
        let to = from + s.len();
        let weights = &weights[index * ROWS..];
        let (p, h) = (&p.as_slice()[from..to], &h.as_slice()[from..to]);
        *sum = step::<4>(alpha, weights, p, h, width, s, r);
    };
    if sums.len() <= 1 {
        for sum in sums.iter_mut() {
            work(0, sum, s.as_mut_slice(), r.as_mut_slice());
        }
    } else {
        let parts = sums
            .par_iter_mut()
            .zip(s.as_mut_slice().par_chunks_mut(size))
            .zip(r.as_mut_slice().par_chunks_mut(size));
        parts.enumerate().for_each(|(index, ((sum, s), r))| work(index, sum, s, r));
    }
    sums.iter().sum()
}

/// p_i ← m_i·r_i + β·p_i, row by row.
pub fn cg_direction(weights: &[f64], r: &Mat, beta: f64, p: &mut Mat) {
    let width = r.cols();
    chunk::for_each(p.as_mut_slice(), ROWS * width, |index, p| {
        let from = index * ROWS * width;
        let r = &r.as_slice()[from..from + p.len()];
        direction::<4>(&weights[index * ROWS..], r, beta, width, p);
    });
}

/// x_i ← (x_i + v_i)/‖x_i + v_i‖ into `out`: the retraction.
pub fn retract(x: &Mat, v: &Mat, out: &mut Mat) {
    let width = x.cols();
    chunk::for_each(out.as_mut_slice(), ROWS * width, |index, out| {
        let from = index * ROWS * width;
        let to = from + out.len();
        normalised::<4>(&x.as_slice()[from..to], &v.as_slice()[from..to], width, out);
    });
}

impl Csr {
    /// One pass of coordinate descent for min ½⟨C, XXᵀ⟩ with unit rows: x_i ← −g_i/‖g_i‖,
    /// g_i = Σ_{j≠i} c_ij x_j. Rows with g_i = 0 stay. `row` is scratch. Sequential by nature.
    pub fn sweep_spheres(&self, x: &mut Mat, row: &mut Vec<f64>) {
        let width = x.cols();
        row.clear();
        row.resize(width, 0.0);
        let (starts, columns, values) = self.parts();
        gauss_seidel::<4>(starts, columns, values, width, row, x.as_mut_slice());
    }
}

multiversion! {
    fn dots<const L: usize>(x: &[f64], g: &[f64], width: usize, out: &mut [f64]) {
        for ((x, g), out) in x.chunks_exact(width).zip(g.chunks_exact(width)).zip(out) {
            *out = dot_row::<FUSED, L>(x, g);
        }
    }
}

multiversion! {
    fn shifted<const L: usize>(
        x: &[f64],
        shifts: &[f64],
        v: &[f64],
        width: usize,
        w: &mut [f64],
    ) -> f64 {
        let rows = x.chunks_exact(width).zip(v.chunks_exact(width)).zip(w.chunks_exact_mut(width));
        let mut sum = 0.0;
        for (((x, v), w), &shift) in rows.zip(shifts) {
            add_scaled::<FUSED, _>(-shift, v, w);
            let along = dot_row::<FUSED, L>(x, w);
            add_scaled::<FUSED, _>(-along, x, w);
            sum += dot_row::<FUSED, L>(v, w);
        }
        sum
    }
}

multiversion! {
    fn step<const L: usize>(
        alpha: f64,
        weights: &[f64],
        p: &[f64],
        h: &[f64],
        width: usize,
        s: &mut [f64],
        r: &mut [f64],
    ) -> f64 {
        let given = p.chunks_exact(width).zip(h.chunks_exact(width));
        let changed = s.chunks_exact_mut(width).zip(r.chunks_exact_mut(width));
        let mut weighted = 0.0;
        for (((p, h), (s, r)), &weight) in given.zip(changed).zip(weights) {
            add_scaled::<FUSED, _>(alpha, p, s);
            add_scaled::<FUSED, _>(-alpha, h, r);
            let square = dot_row::<FUSED, L>(r, r);
            weighted = fma::<FUSED, _>(weight, square, weighted);
        }
        weighted
    }
}

multiversion! {
    fn direction<const L: usize>(
        weights: &[f64],
        r: &[f64],
        beta: f64,
        width: usize,
        p: &mut [f64],
    ) {
        let rows = r.chunks_exact(width).zip(p.chunks_exact_mut(width));
        for ((r, p), &weight) in rows.zip(weights) {
            for (p, r) in p.iter_mut().zip(r) {
                *p = fma::<FUSED, _>(weight, *r, beta * *p);
            }
        }
    }
}

multiversion! {
    fn normalised<const L: usize>(x: &[f64], v: &[f64], width: usize, out: &mut [f64]) {
        let rows = x.chunks_exact(width).zip(v.chunks_exact(width));
        for ((x, v), out) in rows.zip(out.chunks_exact_mut(width)) {
            for ((out, x), v) in out.iter_mut().zip(x).zip(v) {
                *out = x + v;
            }
            let length = dot_row::<FUSED, L>(out, out).sqrt();
            let inverse = 1.0 / length;
            for out in out.iter_mut() {
                *out *= inverse;
            }
        }
    }
}

multiversion! {
    fn gauss_seidel<const L: usize>(
        starts: &[usize],
        columns: &[u32],
        values: &[f64],
        width: usize,
        row: &mut [f64],
        x: &mut [f64],
    ) {
        for (i, range) in starts.windows(2).enumerate() {
            row.fill(0.0);
            for k in range[0]..range[1] {
                let j = columns[k] as usize;
                if j != i {
                    add_scaled::<FUSED, _>(values[k], &x[j * width..(j + 1) * width], row);
                }
            }
            let length = dot_row::<FUSED, L>(row, row).sqrt();
            if length > 0.0 {
                let inverse = -1.0 / length;
                let own = &mut x[i * width..(i + 1) * width];
                own.iter_mut().zip(row.iter()).for_each(|(x, g)| *x = inverse * g);
            }
        }
    }
}

/// ⟨a, b⟩ with L running sums.
#[inline(always)]
#[allow(clippy::inline_always)]
fn dot_row<const FUSED: bool, const L: usize>(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; L];
    let (a_full, a_tail) = a.as_chunks::<L>();
    let (b_full, b_tail) = b.as_chunks::<L>();
    for (a, b) in a_full.iter().zip(b_full) {
        for l in 0..L {
            sums[l] = fma::<FUSED, _>(a[l], b[l], sums[l]);
        }
    }
    let tail: f64 = a_tail.iter().zip(b_tail).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + tail
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(n: usize, r: usize, phase: f64) -> Mat {
        Mat::from_fn(n, r, |i, j| ((i * 7 + 3 * j) as f64 + phase).sin())
    }

    fn unit(n: usize, r: usize) -> Mat {
        let mut x = Mat::zeros(n, r);
        retract(&wave(n, r, 0.3), &Mat::zeros(n, r), &mut x);
        x
    }

    #[test]
    fn projections_and_steps_match_plain_loops() {
        for (n, r) in [(3, 1), (5, 7), (1025, 4), (2100, 6)] {
            let (x, v, g) = (unit(n, r), wave(n, r, 0.1), wave(n, r, 2.0));
            let shifts: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
            let mut w = g.clone();
            let mut sums = Vec::new();
            let curvature = project_shifted(&x, &shifts, &v, &mut w, &mut sums);
            let mut expected = g.clone();
            for i in 0..n {
                let raw: Vec<f64> = (0..r).map(|j| g[(i, j)] - shifts[i] * v[(i, j)]).collect();
                let along: f64 = (0..r).map(|j| raw[j] * x[(i, j)]).sum();
                (0..r).for_each(|j| expected[(i, j)] = raw[j] - along * x[(i, j)]);
            }
            assert!(w.distance(&expected) < 1e-12 * (1.0 + expected.norm()));
            assert!((curvature - v.dot(&expected)).abs() < 1e-9);

            let (mut s, mut residual) = (wave(n, r, 4.0), g.clone());
            let (before, weights) = (s.clone(), shifts);
            let weighted = cg_step(0.7, &weights, [&v, &w], [&mut s, &mut residual], &mut sums);
            let (mut s_plain, mut r_plain) = (before, g.clone());
            s_plain.axpy(0.7, &v);
            r_plain.axpy(-0.7, &w);
            assert!(s.distance(&s_plain) + residual.distance(&r_plain) < 1e-10);
            let by_row = (0..n).map(|i| weights[i] * crate::dot(r_plain.row(i), r_plain.row(i)));
            let size = 1.0 + r_plain.norm_squared();
            assert!((weighted - by_row.sum::<f64>()).abs() < 1e-9 * size);
        }
    }

    #[test]
    fn a_sweep_puts_every_row_opposite_its_pull() {
        let entries = [(0, 1, 1.0), (1, 2, -2.0), (0, 2, 0.5), (1, 1, 9.0), (3, 3, 1.0)];
        let c = Csr::from_triangle(4, &entries).unwrap();
        let mut x = unit(4, 3);
        let start = x.clone();
        c.sweep_spheres(&mut x, &mut Vec::new());
        // The last coupled row was updated last: it is optimal given the others.
        let pull: Vec<f64> = (0..3).map(|j| 0.5 * x[(0, j)] - 2.0 * x[(1, j)]).collect();
        let length = crate::norm(&pull);
        (0..3).for_each(|j| assert!((x[(2, j)] + pull[j] / length).abs() < 1e-14));
        assert_eq!(x.row(3), start.row(3));
    }
}
