//! The Matrix Market exchange format (Boisvert, Pozo, Remington, NISTIR 5935, 1996).

mod array;
mod banner;
mod coordinate;
mod header;
mod read;
mod scanner;
mod write;

pub(crate) use read::parse;
pub use read::{Asymmetry, read_matrix_market};
pub use write::write_matrix_market;
