//! How blocks alternate (lines 3 and 4 of Algorithm 1), and the direct method that never splits.

mod admm;
mod alternating;
mod conjugate;
mod direct;
mod extrapolated;
mod folded;
mod gauss_newton;
mod lbfgs;
mod pairs;
mod preconditioner;
mod smooth;
mod staged;

pub use admm::Admm;
pub use alternating::Alternating;
pub use conjugate::Conjugate;
pub use direct::Direct;
pub use extrapolated::Extrapolated;
pub use folded::{End, Folded, Products};
pub use gauss_newton::GaussNewton;
pub use lbfgs::Lbfgs;
pub use staged::Staged;

use crate::{Error, Memory, Problem, Split};

/// One iteration over both factors.
pub trait Algorithm: Send {
    /// Its name in specs and messages.
    fn name(&self) -> &'static str;

    /// Refuses a problem that it cannot take, naming what is missing, and makes its room.
    fn check(&mut self, problem: &Problem<'_>) -> Result<(), Error>;

    /// Moves the factors once, at the split's γ.
    fn advance(&mut self, split: &mut Split<'_>);

    /// How far the last iteration moved X = Y, from an algorithm that will tell the same of the next: nothing need be compared
    /// then.
    fn step(&self) -> Option<f64> {
        None
    }

    /// Whether a run that came to rest is to go on with columns exchanged, for a while or where that is better.
    fn exchanges(&self) -> bool {
        false
    }

    /// The factors were moved by someone else: what was learnt on the way here says nothing of the way on.
    fn forget(&mut self, problem: &Problem<'_>) {
        let _ = self.check(problem); // It took this problem once.
    }

    /// Stores what the next iteration depends on besides the factors and γ.
    fn remember(&self, _memory: &mut Memory) {}

    /// Takes it back, after `check`.
    fn recall(&mut self, _memory: &Memory) {}
}
