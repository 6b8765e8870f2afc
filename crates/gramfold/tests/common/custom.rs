//! What a user may bring: a loss that is merely smooth, and a regulariser that is not least at 0.

use std::sync::Arc;

use gramfold::{
    Loss, Regulariser,
    linalg::Mat,
    loss::{BlockForm, Composite, Constants, Evaluation, Side, Structure, map::Matrices},
    regulariser::Shape,
};

use super::{outer, product};

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

    fn apply_symmetric(&self, x: &Mat, y: &Mat, v: &Mat, out: &mut Mat) {
        self.apply(x, y, v, out);
        let transposed = product(&self.loss.gradient(&outer(x, y)).transposed(), v);
        out.zip(&transposed, |a, b| 0.5 * (a + b));
    }

    fn rounding(&self, _: &Mat, _: &Mat) -> f64 {
        self.loss.rounding
    }

    fn block(&self, _: Side) -> BlockForm<'_> {
        BlockForm::Smooth
    }

    fn lipschitz(&self, side: Side) -> f64 {
        if side == Side::X { self.y } else { self.x }
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

/// The augmented Lagrangian with cost A, and a unit diagonal, a few single entries and a sum of all as constraints.
pub(crate) fn lagrangian(a: &Mat) -> Composite {
    let n = a.rows();
    let whole = (0..n).flat_map(|i| (0..n).map(move |j| (i as u32, j as u32, a[(i, j)])));
    let mut matrices: Vec<Vec<_>> = vec![whole.collect()];
    matrices.extend((0..n as u32).map(|i| vec![(i, i, 1.0)]));
    matrices.extend((1..n as u32).step_by(2).map(|i| vec![(i - 1, i, 1.0)]));
    matrices.push(Vec::new());
    let m = matrices.len() - 1;
    let mut map = Matrices::new(n, &matrices).expect("places of the matrix");
    map.add_rank_one(m, 0.3, 0, vec![1.0; n]);
    let rhs: Vec<f64> = (0..m).map(|k| f64::from(u8::from(k < n))).collect();
    let multipliers: Vec<f64> = (0..m).map(|k| (k as f64).cos()).collect();
    Composite::lagrangian(Arc::new(map), &rhs, &multipliers, 1.3).expect("β is positive")
}
