//! Learning problems: a model around the low-rank factor, its parameters chosen and its errors judged on held-out data.
//!
//! A model here is data turned into a loss of the core library, one run of it, and what the factor means: completed
//! entries, or positions.

#![forbid(unsafe_code)]

mod adjacency;
mod amplitudes;
mod biases;
mod choose;
mod completion;
mod correlation;
mod determined;
mod factors;
mod folded;
mod folds;
mod kernel;
pub mod locate;
mod metric;
mod missing;
mod neighbours;
mod observations;
mod recover;
mod rotation;
mod scale;
mod scarce;
mod score;

pub use biases::Biases;
use choose::largest_ridge;
pub use choose::{Asked, Choice, Trial, choose};
pub use completion::{Completion, Model, predict};
pub use correlation::{Correlation, SphereObserver, SphereState};
pub use determined::Determined;
pub use factors::{FactorSummary, correlations, factors_spec, normalised, turn_to_axes};
pub use folded::folded_spec;
pub use folds::{Folds, held_out_of_classes};
pub use kernel::{Links, laplacian};
pub use metric::{Comparison, MetricModel, Supervision, comparisons, spread, standardised};
pub use missing::largest_missing;
pub use neighbours::hits;
pub use observations::Observations;
pub use recover::{
    Measured, Measurements, SparseEntry, leading_start, near_spec, recover_spec, unknowns,
};
pub use rotation::{Rotated, Rotation, principal_axes};
pub use scale::with_scale;
pub use scarce::fit;
pub use score::{Interval, Score};
