//! h, the regulariser: closed, convex, with a prox.

mod nonnegative;
mod ridge;
mod zero;

pub use nonnegative::Nonnegative;
pub use ridge::Ridge;
pub use zero::Zero;

use gramfold_linalg::Mat;

/// A closed convex function h on n×r matrices that acts row by row.
pub trait Regulariser: Send + Sync {
    /// Its name in specs and messages.
    fn name(&self) -> &'static str;

    /// h(X); +∞ outside its domain.
    fn value(&self, x: &Mat) -> f64;

    /// Replaces whole rows of `cols` entries by argmin_u step·h(u) + ½‖u − rows‖².
    ///
    /// A separable h ignores `cols`, and may be given any entries.
    fn prox(&self, rows: &mut [f64], cols: usize, step: f64);

    /// σ_h, its modulus of strong convexity.
    fn sigma(&self) -> f64 {
        0.0
    }

    /// h* = inf h.
    fn infimum(&self) -> f64 {
        0.0
    }

    /// Whether h is smallest at 0, as T1 and T2 assume.
    fn is_least_at_zero(&self) -> bool {
        true
    }

    /// What block solvers and certificates may use.
    fn shape(&self) -> Shape;
}

/// The shape of a regulariser, as block solvers and certificates see it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// h(X) = (λ/2)‖X‖²: blocks have a closed form, and h(X) = (λ/2)·tr XXᵀ is linear in Z.
    Ridge {
        /// λ ≥ 0.
        lambda: f64,
    },
    /// The indicator of X ≥ 0.
    Nonnegative,
    /// A sum over entries: column sweeps apply.
    Separable,
    /// A sum over rows only.
    Rows,
}

impl Shape {
    /// Whether the prox acts entry by entry.
    pub fn is_separable(self) -> bool {
        !matches!(self, Self::Rows)
    }
}
