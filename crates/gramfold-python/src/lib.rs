//! The extension module `gramfold._gramfold`: arrays in, arrays out, errors mapped, the interpreter's lock released.
//!
//! Nothing is decided here. What a run is comes from the same [`gramfold::Spec`] and [`gramfold_sdp::Options`] as on the
//! command line, and the public interface, with its documentation, is the Python package in `python/gramfold`.

// Arguments are extracted from Python's objects into values of their own; lengths and indices stay far below 2⁶³.
#![allow(clippy::needless_pass_by_value, clippy::cast_possible_wrap)]

use pyo3::prelude::*;

mod answer;
mod arrays;
mod clusters;
mod completion;
mod correlation;
mod cuts;
mod errors;
mod factorisation;
mod factors;
mod kernel;
mod location;
mod matrix;
mod measured;
mod metric;
mod program;
mod recovery;
mod session;
mod spec;
mod threads;
mod user;

/// As for the program: it asks for huge pages and keeps what is freed for what is asked for next.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs the command-line program with its arguments, and returns the exit code.
#[pyfunction]
#[pyo3(signature = (*arguments))]
fn main(py: Python<'_>, arguments: Vec<String>) -> u8 {
    let arguments = std::iter::once("gramfold".to_owned()).chain(arguments);
    py.detach(|| gramfold_cli::main(arguments))
}

/// The parts of Gramfold that are written in Rust.
#[pymodule]
mod _gramfold {
    #[pymodule_export]
    use crate::{
        answer::Answer,
        clusters::{cluster, self_tuning},
        completion::complete,
        correlation::nearest_correlation,
        cuts::round_cut,
        factorisation::Problem,
        factors::{correlations, explain},
        kernel::learn_kernel,
        location::place,
        main,
        matrix::Matrix,
        metric::learn_metric,
        program::{Outcome, Program},
        recovery::recover,
        threads::set_threads,
    };
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
