//! f(Z) = ½‖Z − A‖²: nearest low-rank PSD matrix, symmetric NMF; off the diagonal: factor analysis.

use gramfold_linalg::{Mat, Symmetric};

use super::{
    Constants, Evaluation, Loss, Structure,
    affine::{Affine, AffineEvaluation},
    hollow::hollow,
};

/// f(Z) = ½‖Z − A‖_F², ∇f(Z) = Z − A, σ_f = l_f = l_1 = 1, f* = 0; off the diagonal σ_f = 0.
pub struct Quadratic {
    a: Symmetric,
    norm_squared: f64,
    hollow: bool,
}

impl Quadratic {
    /// The loss for a symmetric A, dense or sparse.
    pub fn new(a: impl Into<Symmetric>) -> Self {
        let a = a.into();
        let norm_squared = a.norm_squared();
        Self { a, norm_squared, hollow: false }
    }

    /// ½Σ_{i≠j}(Z_ij − A_ij)²: the diagonal, of Z as of A, is not looked at.
    pub fn off_diagonal(a: impl Into<Symmetric>) -> Self {
        Self { hollow: true, ..Self::new(hollow(a.into())) }
    }

    /// A, with zeros on its diagonal where that is not looked at.
    pub fn matrix(&self) -> &Symmetric {
        &self.a
    }
}

impl Loss for Quadratic {
    fn name(&self) -> &'static str {
        if self.hollow { "off-diagonal" } else { "quadratic" }
    }

    fn dim(&self) -> usize {
        self.a.dim()
    }

    fn constants(&self) -> Constants {
        Constants {
            sigma: if self.hollow { 0.0 } else { 1.0 },
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
        if self.hollow { Structure::General } else { Structure::Frobenius(&self.a) }
    }

    fn is_curved(&self) -> bool {
        true
    }

    fn pull(&self, v: &Mat, out: &mut Mat) {
        self.a.apply(v, out);
    }

    fn curvature_saves(&self, rank: usize) -> f64 {
        self.a.stored() as f64 / (self.dim() * rank) as f64
    }

    fn evaluation(&self, rank: usize) -> Box<dyn Evaluation + '_> {
        Box::new(AffineEvaluation::new(
            Affine {
                matrix: &self.a,
                kappa: 1.0,
                sign: -1.0,
                constant: self.at_zero(),
                norm: self.norm_squared.sqrt(),
                hollow: self.hollow,
            },
            rank,
        ))
    }
}
