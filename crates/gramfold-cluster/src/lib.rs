//! The mathematics of graph clustering around symmetric NMF.
//!
//! ```text
//! points ──self_tuning──▶ A ──similar──▶ D^-½ B D^-½ ≈ XXᵀ ──hard, soft──▶ labels ──score, agreement──▶
//! ```
//!
//! A factorisation turns a symmetric weight matrix into a nonnegative n×k factor X; this crate has
//! what comes before (a graph from points, its normalisation, its components) and after (labels,
//! memberships, scores against a truth, stability over restarts, the order of a picture).
//! It reads no files and prints nothing. Every result is the same whatever the number of threads.

#![forbid(unsafe_code)]

mod affinity;
mod agreement;
mod choice;
mod components;
mod contingency;
mod error;
mod matching;
mod membership;
mod neighbours;
mod normalise;
mod order;
mod overlap;
mod row_order;
mod rows;
mod score;
mod settle;
mod similarity;
mod tree;

pub use affinity::self_tuning;
pub use agreement::agreement;
pub use choice::{Choice, Evidence, leading_eigenvalues, modularity, separations, spectra};
pub use components::{Components, components};
pub use contingency::Contingency;
pub use error::Error;
pub use matching::assignment;
pub use membership::{Relabelling, hard, permute_columns, relabel, sizes, soft};
pub use normalise::{Diagonal, Normalise, Prepared, prepare};
pub use order::{binned, by_cluster};
pub use overlap::{Memberships, clusters_of, omega, overlapping, overlapping_nmi};
pub use row_order::RowOrder;
pub use score::{Score, score};
pub use settle::settled;
pub use similarity::{
    Chosen, Measure, Similarity, Walks, local_clustering, similar, similar_or_default,
};
pub use tree::Tree;
