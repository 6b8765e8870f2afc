//! h, the regulariser: closed, convex or nearly so (σ_h < 0), with a prox.

mod bounded;
mod elastic_net;
mod group;
mod mcp;
mod nonnegative;
mod nonnegative_l1;
mod ridge;
mod row_ball;
mod simplex_rows;
mod zero;

pub use bounded::Bounded;
pub use elastic_net::ElasticNet;
pub use group::Group;
pub use mcp::Mcp;
pub use nonnegative::Nonnegative;
pub use nonnegative_l1::NonnegativeL1;
pub use ridge::Ridge;
pub use row_ball::RowBall;
pub use simplex_rows::SimplexRows;
pub use zero::Zero;

use gramfold_linalg::Mat;

use crate::Error;

/// A closed function h on n×r matrices, with h − (σ_h/2)‖X‖² convex.
pub trait Regulariser: Send + Sync {
    /// Its name in specs and messages.
    fn name(&self) -> &'static str;

    /// h(X); +∞ outside its domain.
    fn value(&self, x: &Mat) -> f64;

    /// Replaces whole rows of `cols` entries by argmin_u step·h(u) + ½‖u − rows‖², for a step below
    /// [`Regulariser::longest_step`].
    ///
    /// A separable h ignores `cols`, and may be given any entries; one that acts on columns is given all rows at once.
    fn prox(&self, rows: &mut [f64], cols: usize, step: f64);

    /// σ_h, its modulus of strong convexity; negative if h is only weakly convex.
    fn sigma(&self) -> f64 {
        0.0
    }

    /// Steps of the prox must be shorter than this: −1/σ_h where h is only weakly convex.
    fn longest_step(&self) -> f64 {
        if self.sigma() < 0.0 { -1.0 / self.sigma() } else { f64::INFINITY }
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
    /// A sum over columns only.
    Columns,
}

/// A parameter that may be 0.
fn weight(name: &str, value: f64) -> Result<f64, Error> {
    if value >= 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(Error::Parameter { name: name.into(), value, range: "at least 0" })
}

/// v, nearer to 0 by `by`.
fn soft(v: f64, by: f64) -> f64 {
    if v > by {
        v - by
    } else if v < -by {
        v + by
    } else {
        0.0 * v // A NaN stays one, to be seen.
    }
}

impl Shape {
    /// Whether the prox acts entry by entry.
    pub fn is_separable(self) -> bool {
        !matches!(self, Self::Rows | Self::Columns)
    }
}
