//! What a user may bring: a loss that is merely smooth, and a regulariser that is not least at 0.

use gramfold::{
    Loss, Regulariser,
    linalg::Mat,
    loss::{AugmentedLagrangian, BlockForm, Constants, Evaluation, LinearMap, Side, Structure},
    regulariser::Shape,
};

use super::{inner, outer, product, top};

/// f(Z) = Σ δ²(√(1 + (Z_ij − A_ij)²/δ²) − 1): convex, slopes at most δ, curvature at most 1.
pub(crate) struct PseudoHuber {
    pub(crate) a: Mat,
    pub(crate) delta: f64,
    /// What `Evaluation::rounding` reports; infinite leaves the certificate with an estimate.
    pub(crate) rounding: f64,
}

impl PseudoHuber {
    pub(crate) fn new(a: Mat, delta: f64) -> Self {
        Self { a, delta, rounding: 1e-13 }
    }

    fn root(&self, residual: f64) -> f64 {
        (1.0 + (residual / self.delta).powi(2)).sqrt()
    }

    fn value(&self, z: &Mat) -> f64 {
        let entries = z.as_slice().iter().zip(self.a.as_slice());
        entries.map(|(z, a)| self.delta.powi(2) * (self.root(z - a) - 1.0)).sum()
    }

    fn gradient(&self, z: &Mat) -> Mat {
        let n = z.rows();
        Mat::from_fn(n, n, |i, j| {
            let residual = z[(i, j)] - self.a[(i, j)];
            residual / self.root(residual)
        })
    }
}

impl Loss for PseudoHuber {
    fn name(&self) -> &'static str {
        "pseudo-huber"
    }

    fn dim(&self) -> usize {
        self.a.rows()
    }

    fn constants(&self) -> Constants {
        Constants {
            sigma: 0.0,
            smoothness: 1.0,
            rank_one_smoothness: 1.0,
            infimum: 0.0,
            scale: self.a.norm(),
            slope: self.a.norm() / (self.a.rows() as f64).sqrt(),
        }
    }

    fn at_zero(&self) -> f64 {
        self.value(&Mat::zeros(self.dim(), self.dim()))
    }

    fn structure(&self) -> Structure<'_> {
        // |G_ij| ≤ δ, and the matrix of ones has spectral radius n.
        Structure::BoundedGradient(self.delta * self.dim() as f64)
    }

    fn evaluation(&self, _: usize) -> Box<dyn Evaluation + '_> {
        Box::new(Seen { loss: self, x: 0.0, y: 0.0 })
    }
}

/// Only ‖X‖² and ‖Y‖² are remembered; the rest is computed anew at each call.
struct Seen<'a> {
    loss: &'a PseudoHuber,
    x: f64,
    y: f64,
}

impl Evaluation for Seen<'_> {
    fn moved(&mut self, side: Side, factor: &Mat) {
        match side {
            Side::X => self.x = factor.norm_squared(),
            Side::Y => self.y = factor.norm_squared(),
        }
    }

    fn value(&self, x: &Mat, y: &Mat) -> f64 {
        self.loss.value(&outer(x, y))
    }

    fn gradient_norm(&self, x: &Mat, y: &Mat) -> f64 {
        self.loss.gradient(&outer(x, y)).norm()
    }

    fn apply(&self, x: &Mat, y: &Mat, v: &Mat, out: &mut Mat) {
        out.copy_from(&product(&self.loss.gradient(&outer(x, y)), v));
    }

    fn apply_transpose(&self, x: &Mat, y: &Mat, v: &Mat, out: &mut Mat) {
        out.copy_from(&product(&self.loss.gradient(&outer(x, y)).transposed(), v));
    }

    fn rounding(&self, _: &Mat, _: &Mat) -> f64 {
        self.loss.rounding
    }

    fn block(&self, side: Side) -> BlockForm<'_> {
        BlockForm::Smooth { lipschitz: if side == Side::X { self.y } else { self.x } }
    }

    fn columns_multiplied(&self) -> u64 {
        0
    }
}

/// h(x) = μ(B − x) on [0, B]: h* = 0 is at B, which is what Corollary 1 as printed forgets.
pub(crate) struct Decline {
    pub(crate) mu: f64,
    pub(crate) end: f64,
}

impl Regulariser for Decline {
    fn name(&self) -> &'static str {
        "decline"
    }

    fn value(&self, x: &Mat) -> f64 {
        let inside = x.as_slice().iter().all(|v| (0.0..=self.end).contains(v));
        let sum: f64 = x.as_slice().iter().map(|v| self.mu * (self.end - v)).sum();
        if inside { sum } else { f64::INFINITY }
    }

    fn prox(&self, rows: &mut [f64], _: usize, step: f64) {
        for v in rows {
            *v = (*v + step * self.mu).clamp(0.0, self.end);
        }
    }

    fn is_least_at_zero(&self) -> bool {
        false
    }

    fn shape(&self) -> Shape {
        Shape::Separable
    }
}

/// C and the A_k as whole matrices.
pub(crate) struct Matrices(pub(crate) Vec<Mat>);

impl Matrices {
    /// Σ w_k A_k.
    fn sum(&self, weights: &[f64]) -> Mat {
        let mut sum = Mat::zeros(self.dim(), self.dim());
        self.0.iter().zip(weights).for_each(|(a, w)| sum.axpy(*w, a));
        sum
    }
}

impl LinearMap for Matrices {
    fn dim(&self) -> usize {
        self.0[0].rows()
    }

    fn constraints(&self) -> usize {
        self.0.len() - 1
    }

    fn image(&self, x: &Mat, y: &Mat, out: &mut [f64]) {
        let z = outer(x, y);
        self.0.iter().zip(out).for_each(|(a, out)| *out = inner(a, &z));
    }

    fn combine(&self, weights: &[f64], v: &Mat, out: &mut Mat) {
        out.copy_from(&product(&self.sum(weights), v));
    }

    fn row_squares(&self, v: &Mat, out: &mut [f64]) {
        out.fill(0.0);
        for a in &self.0[1..] {
            let image = product(a, v);
            for (i, out) in out.iter_mut().enumerate() {
                *out += image.row(i).iter().map(|value| value * value).sum::<f64>();
            }
        }
    }

    fn norm_squared(&self) -> f64 {
        let m = self.constraints();
        let gram = Mat::from_fn(m, m, |i, j| inner(&self.0[i + 1], &self.0[j + 1]));
        if m == 0 { 0.0 } else { top(&gram) * (1.0 + 1e-12) }
    }

    fn size(&self, weights: &[f64]) -> f64 {
        self.sum(weights).norm() * (1.0 + 1e-12)
    }
}

/// The augmented Lagrangian with cost A, unit diagonal and a few single entries as constraints.
pub(crate) fn lagrangian(a: &Mat) -> AugmentedLagrangian<'static> {
    let n = a.rows();
    let unit = |i: usize, j: usize| {
        Mat::from_fn(n, n, |p, q| {
            0.5 * f64::from((p, q) == (i, j)) + 0.5 * f64::from((q, p) == (i, j))
        })
    };
    let mut matrices = vec![a.clone()];
    matrices.extend((0..n).map(|i| unit(i, i)));
    matrices.extend((1..n).step_by(2).map(|i| unit(i - 1, i)));
    let m = matrices.len() - 1;
    // Leaked: a test's data live as long as the test.
    let map: &'static Matrices = Box::leak(Box::new(Matrices(matrices)));
    let rhs: &'static [f64] = Box::leak((0..m).map(|k| f64::from(u8::from(k < n))).collect());
    let multipliers = (0..m).map(|k| (k as f64).cos()).collect();
    AugmentedLagrangian::new(map, rhs, multipliers, 1.3).expect("β is positive")
}
