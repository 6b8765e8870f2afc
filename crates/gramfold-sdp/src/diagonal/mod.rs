//! Problems whose constraints fix the diagonal: Max-Cut and its kin, ball rows, bisection.
//!
//! With rows scaled to unit length the factor lives on a product of spheres (cut by a plane for bisection), where
//! the Hessian of ½⟨C, XXᵀ⟩ is S = C − Diag(y) between two projections, y = diag(CXXᵀ): one sparse product.
//! Coordinate sweeps start, trust-region Newton finishes, and what ends it is the bound p + n·min(0, λmin(S)).
//! Where λmin(S) stays negative at a critical point, its eigenvectors are appended as columns and the search goes on.

mod bound;
mod certify;
mod engine;
mod escape;
mod graph;
mod manifold;
mod newton;
mod plane;
mod rank;
mod reflected;
mod start;
mod state;
mod structure;

use bound::Proof;
use engine::Workspace;
use escape::Escape;
use manifold::Manifold;
use newton::{Iterate, Newton};
use reflected::Reflected;

pub(crate) use engine::resume;
pub use engine::solve;
pub use graph::{bisection, max_cut};
pub(crate) use state::State;
pub use structure::DiagonalProgram;
