//! NumPy's array file (NEP 1): a magic string, a Python dictionary, and the raw entries.

mod array;
mod header;
mod read;
mod write;

pub(crate) use array::Array;
pub(crate) use read::parse;
pub use read::read_npy;
#[cfg(test)]
pub(crate) use read::tests;
pub use write::{npy_to, write_npy};

/// The first bytes of every file.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";
