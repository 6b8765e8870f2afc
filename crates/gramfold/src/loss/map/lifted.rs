//! A map on PZPᵀ instead of Z: metrics, which see the features of points, measured by distances between the points.

use std::sync::OnceLock;

use gramfold_linalg::{Gram, Mat, multiply, symmetric_eigen};

use super::Map;

/// ⟨A_k, PZPᵀ⟩ for the A_k of another map and an m×n matrix P.
pub struct Lifted {
    points: Mat,
    inner: Box<dyn Map>,
    /// At least ‖P‖₂².
    spread: f64,
    /// ‖PᵀA_kP‖², where they can be known; computed when a bound first asks for them.
    squares: OnceLock<Option<Vec<f64>>>,
}

impl Lifted {
    /// Its name in specs and files.
    pub const NAME: &'static str = "lifted";

    /// The measurements of `inner`, which are on as many rows as `points` has.
    ///
    /// # Panics
    /// If the sizes do not match.
    pub fn new(points: Mat, inner: Box<dyn Map>) -> Self {
        assert_eq!(points.rows(), inner.dim(), "a point for each row of the inner map");
        let spread = spread(&points);
        Self { points, inner, spread, squares: OnceLock::new() }
    }

    /// P·V.
    fn lift(&self, v: &Mat) -> Mat {
        let mut lifted = Mat::zeros(self.points.rows(), v.cols());
        multiply(1.0, &self.points, v, &mut lifted);
        lifted
    }

    /// out ← Pᵀ·V.
    fn lower(&self, v: &Mat, out: &mut Mat) {
        out.copy_from(Gram::new(1).of(&self.points, v));
    }
}

/// At least ‖P‖₂²: by the eigenvalues of PᵀP where that is small, with what rounding may take; else ‖P‖_F².
fn spread(points: &Mat) -> f64 {
    const SMALL: usize = 256;
    let n = points.cols();
    let whole = points.norm_squared();
    let rounding = 8.0 * (points.rows() + 2 * n) as f64 * f64::EPSILON * whole;
    let sharp = if n <= SMALL { symmetric_eigen(Gram::new(1).of(points, points)) } else { None };
    let top = sharp.and_then(|eigen| eigen.values.last().copied()).unwrap_or(whole);
    (top + rounding).min(whole * (1.0 + 1e-10))
}

impl Map for Lifted {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn dim(&self) -> usize {
        self.points.cols()
    }

    fn len(&self) -> usize {
        self.inner.len()
    }

    fn observations(&self) -> usize {
        self.inner.observations()
    }

    fn expand(&self, values: &[f64]) -> Vec<f64> {
        self.inner.expand(values)
    }

    fn image(&self, x: &Mat, y: &Mat, out: &mut [f64]) {
        let left = self.lift(x);
        if std::ptr::eq(x, y) {
            self.inner.image(&left, &left, out);
        } else {
            self.inner.image(&left, &self.lift(y), out);
        }
    }

    fn tangent(&self, x: &Mat, v: &Mat, out: &mut [f64]) {
        self.inner.tangent(&self.lift(x), &self.lift(v), out);
    }

    fn curvature_product(&self, c: &[f64], x: &Mat, v: &Mat, out: &mut Mat) -> bool {
        let lifted = self.lift(x);
        let mut image = Mat::zeros(lifted.rows(), lifted.cols());
        if !self.inner.curvature_product(c, &lifted, &self.lift(v), &mut image) {
            return false;
        }
        self.lower(&image, out);
        true
    }

    fn line(&self, x: &Mat, p: &Mat, first: &mut [f64], second: &mut [f64]) {
        self.inner.line(&self.lift(x), &self.lift(p), first, second);
    }

    fn stored(&self) -> usize {
        self.inner.stored()
    }

    fn load(&self, s: &[f64], values: &mut [f64]) {
        self.inner.load(s, values);
    }

    fn apply(&self, s: &[f64], values: &[f64], v: &Mat, out: &mut Mat) {
        let lifted = self.lift(v);
        let mut image = Mat::zeros(lifted.rows(), lifted.cols());
        self.inner.apply(s, values, &lifted, &mut image);
        self.lower(&image, out);
    }

    fn transpose(&self, s: &[f64], out: &mut [f64]) -> bool {
        self.inner.transpose(s, out)
    }

    fn absolute(&self, s: &[f64], v: &Mat, out: &mut Mat) {
        let (m, n) = (self.points.rows(), self.dim());
        let size = |i: usize| -> f64 {
            self.points.row(i).iter().zip(v.as_slice()).map(|(p, v)| p.abs() * v).sum()
        };
        let lifted = Mat::from_fn(m, 1, |i, _| size(i));
        let mut image = Mat::zeros(m, 1);
        self.inner.absolute(s, &lifted, &mut image);
        *out = Mat::zeros(n, 1);
        for (i, weight) in image.as_slice().iter().enumerate() {
            let pairs = out.as_mut_slice().iter_mut().zip(self.points.row(i));
            pairs.for_each(|(out, p)| *out += weight * p.abs());
        }
    }

    fn norm_squared(&self, c: &[f64]) -> f64 {
        // ‖PZPᵀ‖ ≤ ‖P‖₂²·‖Z‖; and the trace of the Gram matrix of the PᵀA_kP bounds its norm, too.
        let whole = self.inner.norm_squared(c) * self.spread * self.spread;
        let squares = self.squares.get_or_init(|| self.inner.squares_through(&self.points));
        let trace = squares.as_ref().map(|squares| {
            let sum: f64 = squares.iter().zip(c).map(|(square, c)| square * c).sum();
            let rounding = 1e-14 * (self.dim() + 64) as f64 * self.points.norm_squared().powi(2);
            sum * (1.0 + 1e-10) + rounding * f64::EPSILON * c.iter().sum::<f64>()
        });
        trace.map_or(whole, |trace| trace.min(whole))
    }

    fn size(&self, s: &[f64]) -> f64 {
        self.inner.size(s) * self.spread
    }

    fn rounding(&self, rank: usize) -> f64 {
        // Of the image of PX and PY as computed, and of PX and PY themselves.
        let ones = vec![1.0; self.len()];
        let product = (self.dim() + 2) as f64 * f64::EPSILON * self.points.norm_squared();
        self.inner.rounding(rank) * self.points.norm_squared()
            + 4.0 * product * self.inner.norm_squared(&ones).sqrt()
    }
}
