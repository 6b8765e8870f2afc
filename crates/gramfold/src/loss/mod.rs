//! f, the loss: convex, differentiable, and blind to transposition, f(Z) = f(Zᵀ).
//!
//! A loss is *evaluated* at a pair (X, Y) once, and then *applies* G = ∇f(XYᵀ) to tall matrices as
//! often as asked. Block gradients, the bound on γ and the certificate all use that one operation,
//! so Z and G are never formed.

mod affine;
mod check;
mod composite;
mod hollow;
mod line;
mod linear;
pub mod map;
mod quadratic;
pub mod quartic;
pub mod scalar;

pub(crate) use affine::{PRECISE, rounding_of_gradient};
pub use check::{Violation, check_loss};
pub use composite::Composite;
pub use line::Line;
pub use linear::Linear;
pub use quadratic::Quadratic;

use gramfold_linalg::{Mat, Symmetric};

use crate::Memory;

/// Which factor of Z = XYᵀ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The left factor X.
    X,
    /// The right factor Y.
    Y,
}

/// A convex loss f on n×n matrices with f(Z) = f(Zᵀ).
pub trait Loss: Send + Sync {
    /// Its name in specs and messages.
    fn name(&self) -> &'static str;

    /// n.
    fn dim(&self) -> usize;

    /// Its constants of convexity and smoothness.
    fn constants(&self) -> Constants;

    /// f(0).
    fn at_zero(&self) -> f64;

    /// What the sharper theorems may use.
    fn structure(&self) -> Structure<'_> {
        Structure::General
    }

    /// out ← −sym ∇f(0)·V, or what points better to the answer: its leading eigenvectors are where a run may start.
    fn pull(&self, v: &Mat, out: &mut Mat) {
        let zero = Mat::zeros(v.rows(), 1);
        self.evaluation(1).apply_symmetric(&zero, &zero, v, out);
        out.scale(-1.0);
    }

    /// Whether its evaluations know their curvature and lines, and it is curved at all: tried at X = 0, unless the loss tells.
    fn is_curved(&self) -> bool {
        let mut evaluation = self.evaluation(1);
        let (x, mut out) = (Mat::zeros(self.dim(), 1), Mat::zeros(self.dim(), 1));
        self.constants().smoothness > 0.0
            && evaluation.curvature_product(&x, &x, false, &mut out)
            && evaluation.line(&x, &x).is_some()
    }

    /// Numbers that a product with ∇f reads for each that a Gauss–Newton product reads: above 1 where curvature is cheap.
    fn curvature_saves(&self, _rank: usize) -> f64 {
        1.0
    }

    /// The largest entry of the matrix, or of the measurements, that it is made of; 0 if it is not.
    fn largest_entry(&self) -> f64 {
        match self.structure() {
            Structure::Frobenius(a) | Structure::Linear(a) => a.max_abs(),
            _ => 0.0,
        }
    }

    /// Whether it has kinks that are rounded off.
    fn has_kinks(&self) -> bool {
        false
    }

    /// The same loss with kinks rounded off over widths so many times as large; none if it has no kink that is rounded off.
    fn smoother(&self, _times: f64) -> Option<Box<dyn Loss + '_>> {
        None
    }

    /// The share of its terms that are curved at XXᵀ: those that kinks are rounded off for are not, beyond them.
    fn curved_share(&self, _x: &Mat) -> f64 {
        1.0
    }

    /// An evaluation for factors with `rank` columns, at X = Y = 0.
    fn evaluation(&self, rank: usize) -> Box<dyn Evaluation + '_>;
}

/// Constants of a loss; every theorem and bound is stated in them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constants {
    /// σ_f: ⟨∇f(Z₁) − ∇f(Z₂), Z₁ − Z₂⟩ ≥ σ_f‖Z₁ − Z₂‖².
    pub sigma: f64,
    /// l_f: ⟨∇f(Z₁) − ∇f(Z₂), Z₁ − Z₂⟩ ≤ l_f‖Z₁ − Z₂‖².
    pub smoothness: f64,
    /// l_1 ≤ l_f: the same along directions uuᵀ only.
    pub rank_one_smoothness: f64,
    /// A lower bound on f over all n×n matrices; −∞ if there is none.
    pub infimum: f64,
    /// A typical ‖Z‖_F, to tell a vanishing factor from a small one; 0 if there is none.
    pub scale: f64,
    /// A typical ‖∇f(Z)·V‖/‖V‖, to tell a small gradient from a large one; 0 only if ∇f(0) = 0.
    pub slope: f64,
}

/// Structure of a loss beyond its constants.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Structure<'a> {
    /// f(Z) = ½‖Z − A‖².
    Frobenius(&'a Symmetric),
    /// f(Z) = ⟨C, Z⟩.
    Linear(&'a Symmetric),
    /// λmax(sym ∇f) ≤ this everywhere, as for entrywise losses with bounded slopes.
    BoundedGradient(f64),
    /// f(Z) = ⟨C, Z⟩ + q(Z) with q ≥ `infimum` and the constants of f.
    WithLinear {
        /// C.
        c: &'a Symmetric,
        /// A lower bound on q.
        infimum: f64,
    },
    /// Nothing more is known.
    General,
}

/// f seen from a pair (X, Y) whose movements it is told of.
pub trait Evaluation: Send {
    /// One factor has moved.
    fn moved(&mut self, side: Side, factor: &Mat);

    /// Both factors are now `factor`.
    fn folded(&mut self, factor: &Mat) {
        self.moved(Side::X, factor);
        self.moved(Side::Y, factor);
    }

    /// f(XYᵀ).
    fn value(&self, x: &Mat, y: &Mat) -> f64;

    /// f(XYᵀ) without cancellation, at any cost that a certificate may have.
    fn precise_value(&self, x: &Mat, y: &Mat) -> f64 {
        self.value(x, y)
    }

    /// ‖∇f(XYᵀ)‖_F, or an upper bound.
    fn gradient_norm(&self, x: &Mat, y: &Mat) -> f64;

    /// out ← G·V with G = ∇f(XYᵀ).
    fn apply(&self, x: &Mat, y: &Mat, v: &Mat, out: &mut Mat);

    /// out ← Gᵀ·V.
    fn apply_transpose(&self, x: &Mat, y: &Mat, v: &Mat, out: &mut Mat);

    /// out ← S·V with S = ½(G + Gᵀ).
    fn apply_symmetric(&self, x: &Mat, y: &Mat, v: &Mat, out: &mut Mat);

    /// tr(DᵀGD) for D = X − Y.
    fn curvature_along_difference(&self, x: &Mat, y: &Mat, d: &Mat) -> f64 {
        let mut image = Mat::zeros(d.rows(), d.cols());
        self.apply(x, y, d, &mut image);
        image.dot(d)
    }

    /// A bound on the error in spectral norm, from rounding, of S as `apply_symmetric` gives it.
    fn rounding(&self, x: &Mat, y: &Mat) -> f64;

    /// out ← the diagonal of sym ∇f(XYᵀ), where that is cheap; false if it is not, and nothing was done.
    fn gradient_diagonal(&self, _out: &mut [f64]) -> bool {
        false
    }

    /// What f(·Yᵀ) (side X) or f(X·ᵀ) (side Y) looks like to a block solver. Costs nothing.
    fn block(&self, side: Side) -> BlockForm<'_>;

    /// out ← the gradient of that function at the present point: ∇f(XYᵀ)Y (side X) or ∇f(XYᵀ)ᵀX (side Y).
    fn block_gradient(&self, side: Side, x: &Mat, y: &Mat, out: &mut Mat) {
        match side {
            Side::X => self.apply(x, y, y, out),
            Side::Y => self.apply_transpose(x, y, x, out),
        }
    }

    /// An upper bound on the curvature of that function, everywhere.
    fn lipschitz(&self, side: Side) -> f64;

    /// About its largest curvature at the present point: residuals are measured by a step of its inverse.
    /// A bound is safe for descent, but one that is far too large makes every residual far too small.
    fn curvature(&self, side: Side) -> f64 {
        self.lipschitz(side)
    }

    /// t ↦ f((X + tP)(X + tP)ᵀ) when both factors are X, where a few products make every trial cheap;
    /// [`Evaluation::folded_along`] then needs none.
    fn line(&mut self, _x: &Mat, _p: &Mat) -> Option<Line<'_>> {
        None
    }

    /// out ← H·V for the Hessian H of X ↦ f(XXᵀ) when both factors are X, or, unless `full`, for its Gauss–Newton part,
    /// V ↦ 2·f″(Z)[XVᵀ + VXᵀ]·X, or a model of it: positive semidefinite in any case. False if the loss cannot tell.
    fn curvature_product(&self, _x: &Mat, _v: &Mat, _full: bool, _out: &mut Mat) -> bool {
        false
    }

    /// The Gauss–Newton part to about six digits, where that takes less time: enough to tell a direction, or how large the
    /// curvature is.
    fn rough_curvature_product(&self, x: &Mat, v: &Mat, out: &mut Mat) -> bool {
        self.curvature_product(x, v, false, out)
    }

    /// Both factors are now `factor`, which is X + tP of the last [`Evaluation::line`].
    fn folded_along(&mut self, _t: f64, factor: &Mat) {
        self.folded(factor);
    }

    /// Both factors, which are one, were multiplied by `scale` and are now `factor`.
    fn rescaled(&mut self, _scale: f64, factor: &Mat) {
        self.folded(factor);
    }

    /// The t > 0 that minimises f(t·XXᵀ) when both factors are X, where that is cheap to tell; none if there is none.
    fn best_multiple(&self, _x: &Mat) -> Option<f64> {
        None
    }

    /// Stores what the factors alone do not give back to the same bits, as what [`Evaluation::folded_along`] updated.
    fn remember(&self, _memory: &mut Memory) {}

    /// Takes it back, after the factors.
    fn recall(&mut self, _memory: &Memory) {}

    /// Columns multiplied by the data matrix so far; r columns are one product A·Y.
    fn columns_multiplied(&self) -> u64;
}

/// What a loss can tell a block solver about the convex function X ↦ f(XYᵀ).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum BlockForm<'a> {
    /// Every row sees the same curvature: ½⟨X·gram, X⟩ − ⟨linear, X⟩ + constant.
    SharedGram {
        /// r×r, positive semidefinite.
        gram: &'a Mat,
        /// n×r.
        linear: &'a Mat,
    },
    /// Every row is a function of its own.
    Rows(&'a dyn RowModels),
    /// A quadratic whose Hessian is known by its products.
    Quadratic(&'a dyn QuadraticBlock),
    /// Only that its gradient X ↦ ∇f(XYᵀ)Y is Lipschitz.
    Smooth,
}

/// ½⟨H(X), X⟩ − ⟨linear, X⟩ + constant with a positive semidefinite H, used through its products only.
pub trait QuadraticBlock: std::fmt::Debug {
    /// out ← H(V).
    fn apply(&self, v: &Mat, out: &mut Mat);

    /// The linear term, n×r.
    fn linear(&self) -> &Mat;

    /// out\[i\] ← the mean of the diagonal of H over row i, roughly: a preconditioner.
    fn row_curvatures(&self, out: &mut [f64]);

    /// grams ← the r×r diagonal block of H of each row; false where that is not cheap, and nothing was done.
    fn row_grams(&self, _grams: &mut [f64]) -> bool {
        false
    }
}

/// The rows of a block that decouple: X ↦ f(XYᵀ) = Σ_i f_i(x_i), each f_i convex.
pub trait RowModels: Sync + std::fmt::Debug {
    /// Whether every f_i is quadratic.
    fn is_quadratic(&self) -> bool;

    /// f_i, its gradient and its Hessian (r×r) at each of the given rows, from row `first` on.
    fn models(
        &self,
        first: usize,
        rows: &[f64],
        values: &mut [f64],
        gradients: &mut [f64],
        grams: &mut [f64],
    );

    /// The matrix of each row in the model of Gauss–Newton: its Hessian, or where that vanishes what stands for it there.
    fn grams(&self, first: usize, rows: &[f64], grams: &mut [f64]) {
        let rank = (grams.len() / rows.len().max(1)).max(1);
        let (mut values, mut gradients) = (vec![0.0; rows.len() / rank], vec![0.0; rows.len()]);
        self.models(first, rows, &mut values, &mut gradients, grams);
    }

    /// f_i alone.
    fn values(&self, first: usize, rows: &[f64], values: &mut [f64]);
}
