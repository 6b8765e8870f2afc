//! The Matrix Market exchange format (Boisvert, Pozo, Remington, NISTIR 5935, 1996).

mod array;
mod banner;
mod coordinate;
mod header;
mod read;
mod scanner;
mod write;

pub use read::{Asymmetry, read_matrix_market};
pub(crate) use read::{is_pattern, parse};
pub use write::{matrix_market_to, write_matrix_market};
