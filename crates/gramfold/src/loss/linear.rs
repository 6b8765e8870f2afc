//! f(Z) = ⟨C, Z⟩: the objective of a semidefinite program.

use gramfold_linalg::Symmetric;

use super::{
    Constants, Evaluation, Loss, Structure,
    affine::{Affine, AffineEvaluation},
};

/// f(Z) = ⟨C, Z⟩, ∇f(Z) = C, σ_f = l_f = l_1 = 0, unbounded below unless C = 0.
pub struct Linear {
    c: Symmetric,
    norm: f64,
}

impl Linear {
    /// The loss for a symmetric C, dense or sparse.
    pub fn new(c: impl Into<Symmetric>) -> Self {
        let c = c.into();
        let norm = c.norm_squared().sqrt();
        Self { c, norm }
    }
}

impl Loss for Linear {
    fn name(&self) -> &'static str {
        "linear"
    }

    fn dim(&self) -> usize {
        self.c.dim()
    }

    fn constants(&self) -> Constants {
        Constants {
            sigma: 0.0,
            smoothness: 0.0,
            rank_one_smoothness: 0.0,
            infimum: if self.norm == 0.0 { 0.0 } else { f64::NEG_INFINITY },
            scale: 0.0,
            slope: self.norm / (self.dim() as f64).sqrt(),
        }
    }

    fn at_zero(&self) -> f64 {
        0.0
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Linear(&self.c)
    }

    fn evaluation(&self, rank: usize) -> Box<dyn Evaluation + '_> {
        let (matrix, norm) = (&self.c, self.norm);
        let loss = Affine { matrix, kappa: 0.0, sign: 1.0, constant: 0.0, norm, hollow: false };
        Box::new(AffineEvaluation::new(loss, rank))
    }
}
