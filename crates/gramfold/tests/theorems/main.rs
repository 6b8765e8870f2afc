//! Theorems as tests: on hundreds of small random problems every bound on γ keeps its promise, and
//! where the paper's statement is wrong the counterexample is run.

#[path = "../common/mod.rs"]
mod common;

mod bounds;
mod composite;
mod convex;
mod critical;
mod descent;
mod formulas;
mod page;
mod printed;
mod transient;
