//! SciPy's sparse matrix file: a zip archive with an npy file for each array of the matrix.

mod archive;
mod indices;
mod read;

pub(crate) use read::parse;
pub use read::read_npz;
