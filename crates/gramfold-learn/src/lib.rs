//! Learning problems: a model around the low-rank factor, its parameters chosen and its errors judged on held-out data.
//!
//! A model here is data turned into a loss of the core library, one run of it, and what the factor means: completed
//! entries, or positions.

#![forbid(unsafe_code)]

mod biases;
mod choose;
mod completion;
mod determined;
mod folds;
pub mod locate;
mod missing;
mod observations;
mod score;

pub use biases::Biases;
pub use choose::{Asked, Choice, Trial, choose};
pub use completion::{Completion, Model, predict};
pub use determined::Determined;
pub use folds::Folds;
pub use missing::largest_missing;
pub use observations::Observations;
pub use score::{Interval, Score};
