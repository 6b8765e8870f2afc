//! f(Z) = ½‖Z − A‖²: nearest low-rank PSD matrix, symmetric NMF.

use gramfold_linalg::{Mat, Symmetric};

use super::{
    Constants, Evaluation, Loss, Structure,
    affine::{Affine, AffineEvaluation},
};

/// f(Z) = ½‖Z − A‖_F², ∇f(Z) = Z − A, σ_f = l_f = l_1 = 1, f* = 0.
pub struct Quadratic {
    a: Symmetric,
    norm_squared: f64,
}

impl Quadratic {
    /// The loss for a symmetric A, dense or sparse.
    pub fn new(a: impl Into<Symmetric>) -> Self {
        let a = a.into();
        let norm_squared = a.norm_squared();
        Self { a, norm_squared }
    }

    /// A.
    pub fn matrix(&self) -> &Symmetric {
        &self.a
    }

    /// Its evaluation.
    pub(super) fn affine(&self, rank: usize) -> AffineEvaluation<'_> {
        let (constant, norm) = (self.at_zero(), self.norm_squared.sqrt());
        let loss = Affine { matrix: &self.a, kappa: 1.0, sign: -1.0, constant, norm };
        AffineEvaluation::new(loss, rank)
    }
}

impl Loss for Quadratic {
    fn name(&self) -> &'static str {
        "quadratic"
    }

    fn dim(&self) -> usize {
        self.a.dim()
    }

    fn constants(&self) -> Constants {
        Constants {
            sigma: 1.0,
            smoothness: 1.0,
            rank_one_smoothness: 1.0,
            infimum: 0.0,
            scale: self.norm_squared.sqrt(),
            slope: (self.norm_squared / self.dim() as f64).sqrt(),
        }
    }

    fn at_zero(&self) -> f64 {
        0.5 * self.norm_squared
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Frobenius(&self.a)
    }

    fn pull(&self, v: &Mat, out: &mut Mat) {
        self.a.apply(v, out);
    }

    fn curvature_saves(&self, rank: usize) -> f64 {
        self.a.stored() as f64 / (self.dim() * rank) as f64
    }

    fn evaluation(&self, rank: usize) -> Box<dyn Evaluation + '_> {
        Box::new(self.affine(rank))
    }
}
