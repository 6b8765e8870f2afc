//! What a search along X + tP needs to know of A and of X, in one pass over all of them.

use rayon::prelude::*;

use crate::{Mat, Symmetric, mat::dot_of_part, product::transposed_product};

/// Rows that one task handles: what it multiplies is still near when it takes inner products of it.
const ROWS: usize = 256;

/// ±A·P, and inner products with P.
#[derive(Clone, Debug)]
pub struct Along {
    /// ±A·P.
    pub image: Mat,
    /// XᵀP.
    pub cross: Mat,
    /// PᵀP.
    pub square: Mat,
    /// ⟨L, P⟩ for the L that was given.
    pub linear: f64,
    /// ⟨±A·P, P⟩.
    pub curvature: f64,
    /// What the chunks add to the sums, one after the other.
    partials: Vec<f64>,
}

impl Along {
    /// Room for n×r factors.
    pub fn new(n: usize, r: usize) -> Self {
        let (cross, square) = (Mat::zeros(r, r), Mat::zeros(r, r));
        let (linear, curvature) = (0.0, 0.0);
        Self { image: Mat::zeros(n, r), cross, square, linear, curvature, partials: Vec::new() }
    }

    /// Computes all of it for `sign`·A.
    pub fn read(&mut self, a: &Symmetric, sign: f64, x: &Mat, l: &Mat, p: &Mat) {
        let r = p.cols();
        let Self { image, cross, square, linear, curvature, partials } = self;
        let is_sparse = matches!(a, Symmetric::Sparse(_));
        if !is_sparse {
            a.apply(p, image);
        }
        let size = 2 * r * r + 2;
        partials.resize(size * p.rows().div_ceil(ROWS), 0.0);
        let chunks = image.as_mut_slice().par_chunks_mut(ROWS * r);
        chunks.zip(partials.par_chunks_mut(size)).enumerate().for_each(|(index, (image, sums))| {
            if is_sparse {
                a.apply_rows(p, index * ROWS, image);
            }
            if sign != 1.0 {
                for entry in &mut *image {
                    *entry *= sign;
                }
            }
            let from = index * ROWS * r;
            let [x, l, p] = [x, l, p].map(|m| &m.as_slice()[from..from + image.len()]);
            let (cross, rest) = sums.split_at_mut(r * r);
            let (square, dots) = rest.split_at_mut(r * r);
            transposed_product(x, r, p, r, cross);
            transposed_product(p, r, p, r, square);
            (dots[0], dots[1]) = (dot_of_part(l, p), dot_of_part(image, p));
        });
        for sum in [&mut *cross, &mut *square] {
            sum.as_mut_slice().fill(0.0);
        }
        (*linear, *curvature) = (0.0, 0.0);
        for sums in partials.chunks_exact(size) {
            let into = cross.as_mut_slice().iter_mut().chain(square.as_mut_slice());
            into.chain([&mut *linear, &mut *curvature]).zip(sums).for_each(|(sum, p)| *sum += p);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Csr, Dense, Gram};

    #[test]
    fn one_pass_gives_what_products_of_their_own_give() {
        for (n, r) in [(1, 1), (7, 3), (700, 2), (300, 9)] {
            let entries: Vec<_> =
                (0..n as u32).map(|i| (i, (i * 7 + 3) % n as u32, f64::from(i).sin())).collect();
            let sparse = Symmetric::from(Csr::symmetrised(n, &entries).unwrap());
            let dense = Symmetric::from(Dense::symmetrised(sparse.to_dense()));
            let wave = |s: f64| Mat::from_fn(n, r, |i, j| (s * i as f64 + j as f64).sin());
            let (x, l, p) = (wave(0.3), wave(0.7), wave(1.1));
            for (a, sign) in [(&sparse, 1.0), (&sparse, -1.0), (&dense, 1.0), (&dense, -1.0)] {
                let mut along = Along::new(n, r);
                let mut image = Mat::zeros(n, r);
                a.apply(&p, &mut image);
                image.scale(sign);
                for _ in 0..2 {
                    along.read(a, sign, &x, &l, &p);
                    assert!(along.image.distance(&image) < 1e-12 * (1.0 + image.norm()));
                    for (found, other) in [(&along.cross, &x), (&along.square, &p)] {
                        let mut gram = Gram::new(r);
                        assert!(found.distance(gram.of(other, &p)) < 1e-10 * (1.0 + n as f64));
                    }
                    for (found, other) in [(along.linear, &l), (along.curvature, &image)] {
                        assert!((found - other.dot(&p)).abs() < 1e-10 * (1.0 + n as f64));
                    }
                }
            }
        }
    }
}
