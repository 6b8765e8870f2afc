//! Low-rank positive semidefinite matrices, learnt and proved.
//!
//! ```text
//! sBMF   min_X    f(XXᵀ) + h(X)                                    the problem you have
//! aBMF   min_X,Y  f(XYᵀ) + ½h(X) + ½h(Y) + (γ/2)‖X−Y‖²              the problem we solve
//! exact  γ > ½λmax(sym ∇f(XYᵀ)) − σ_h/4 at a critical point  ⇒  X = Y   (Theorem 1)
//! ```
//!
//! Splitting Z = XXᵀ into XYᵀ makes every step convex; a γ above a threshold that can be computed
//! folds the factors back into one. Every answer comes with a [`Certificate`].
//!
//! ```
//! use gramfold::{Problem, Spec, linalg::{Dense, Mat}, loss::Quadratic, solve, start};
//!
//! let a = Mat::from_fn(6, 6, |i, j| if i % 2 == j % 2 { 1.0 } else { 0.1 });
//! let loss = Quadratic::new(Dense::symmetrised(a));
//! let spec = Spec { rank: 2, ..Spec::default() };
//! let regulariser = spec.regulariser()?;
//! let problem = Problem::new(&loss, &*regulariser, spec.rank)?;
//! let solution = solve(&problem, spec.method()?, &start::random(&problem, spec.seed), &mut ())?;
//! let certificate = solution.certify(&problem, 1e-6)?;
//! assert!(certificate.exact && certificate.optimal);
//! # Ok::<(), gramfold::Error>(())
//! ```
//!
//! # Where the paper's Algorithm 1 lives
//!
//! | line | what | file |
//! |---|---|---|
//! | 1, 2, 6, 7 | initialise, loop, stop, return ½(X + Y) | `solve.rs`, `start/`, `stop.rs` |
//! | 3, 4 | X_k ≈ argmin F(·, Y_{k−1}), Y_k ≈ argmin F(X_k, ·) | `algorithm/alternating.rs`, `block/` |
//! | 5 | update γ_k | `penalty/`, one rule a file |

#![forbid(unsafe_code)]

pub mod algorithm;
pub mod block;
pub mod bounds;
pub mod certificate;
mod checkpoint;
mod error;
pub mod extended;
mod factorise;
mod homotopy;
pub mod loss;
mod observer;
pub mod penalty;
mod problem;
pub mod registry;
pub mod regulariser;
mod solve;
mod spec;
mod split;
pub mod start;
mod stop;
mod tiles;

pub use gramfold_linalg as linalg;

pub use algorithm::Algorithm;
pub use certificate::Certificate;
pub use checkpoint::{Checkpoint, Memory, stored};
pub use error::Error;
pub use factorise::factorise;
pub use homotopy::Quiet;
pub use loss::Loss;
pub use observer::{Observer, Record};
pub use penalty::PenaltyRule;
pub use problem::Problem;
pub use regulariser::Regulariser;
pub use solve::{Method, Solution, resume, solve, solve_from};
pub use spec::Spec;
pub use split::Split;
pub use stop::{Divergence, Status, Stop};

use loss::{BlockForm, Side, Structure};
use regulariser::Shape;

/// The README's example, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The walk through a scalar function and a map of one's own, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/extending.md")]
struct Extending;
