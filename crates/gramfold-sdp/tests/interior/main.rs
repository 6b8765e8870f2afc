//! The interior-point engine against programs whose optimum, or whose lack of one, is known by construction.

mod infeasible;
mod limits;
mod optimum;
mod random;
mod shapes;
mod written;
