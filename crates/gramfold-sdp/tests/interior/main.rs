//! The interior-point engine against programs whose optimum, or whose lack of one, is known by construction.

mod infeasible;
mod limits;
mod optimum;
mod random;
mod shapes;
mod written;

/// Options with a tolerance near what double precision allows.
fn precise() -> gramfold_sdp::Options {
    gramfold_sdp::Options { tolerance: 1e-8, ..gramfold_sdp::Options::default() }
}
