//! The low-rank engine: Z_b = R_bR_bᵀ, an augmented Lagrangian over the constraints, and the certificate that
//! decides when to stop, when to raise a rank and when to lower one.

mod factor;
mod lagrangian;
mod outer;
mod parts;
mod program;
mod rank;
mod slack;
mod split;
mod start;
mod state;

use factor::Factor;
use lagrangian::Lagrangian;
use outer::{Best, LowRank, Pace};
use program::{BlockRows, Program, Slack, SlackBlock};
use slack::{Least, SlackSpectrum};

#[cfg(test)]
mod tests;

pub(crate) use outer::resume;
pub use outer::solve;
pub(crate) use state::State;
