//! The low-rank engine: Z_b = R_bR_bᵀ, an augmented Lagrangian over the constraints, and the certificate that
//! decides when to stop, when to raise a rank and when to lower one.

mod factors;
mod lagrangian;
mod lbfgs;
mod newton;
mod operator;
mod outer;
mod parts;
mod precondition;
mod rank;
mod slack;
mod split;
mod start;
mod state;

#[cfg(test)]
mod tests;

pub(crate) use outer::resume;
pub use outer::solve;
pub(crate) use state::State;

use factors::Factors;
