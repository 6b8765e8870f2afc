//! Linear semidefinite programs, solved and proved.
//!
//! ```text
//! primal   min ⟨C, Z⟩   s.t.  ⟨A_i, Z⟩ = b_i (i = 1 … m),  Z ∈ K
//! dual     max bᵀy      s.t.  S = C − Σ y_i A_i ∈ K
//! ```
//!
//! K is a product of semidefinite cones and nonnegative orthants. Whatever engine found it, an answer is a
//! [`Point`] (Z, y), and what is claimed of it is recomputed from the point and the problem alone.

#![forbid(unsafe_code)]

mod allowance;
mod aside;
mod axes;
pub mod certificate;
pub mod diagonal;
mod drive;
mod error;
pub mod interior;
mod lowest;
pub mod lowrank;
mod options;
mod outcome;
mod point;
mod problem;
mod progress;
pub mod rounding;
mod scale;
mod solve;
mod state;
mod status;
pub mod theta;

pub(crate) use allowance::Allowance;
pub(crate) use aside::Aside;
pub use certificate::Certificate;
pub use error::Error;
pub use options::{Method, Options};
pub use outcome::Outcome;
pub use point::{Point, Primal};
pub use problem::{Cone, Entry, RankOne, Sdp, Term};
pub use progress::{Progress, Stop, Watch};
pub use scale::Scale;
pub use solve::{Solution, choose, ranks, solve};
pub use state::State;
pub use status::Status;
