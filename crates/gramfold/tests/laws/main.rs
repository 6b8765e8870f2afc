//! Laws: what every loss, regulariser, block solver, algorithm and γ rule must satisfy.
//!
//! They walk the registry, so that a new component is covered without a change here.

#[path = "../common/mod.rs"]
mod common;

mod blocks;
mod claims;
mod composites;
mod constants;
mod equivalence;
mod losses;
mod maps;
mod methods;
mod regularisers;
mod residuals;
mod resume;
mod scalars;
mod smooth;
