//! NumPy's array file (NEP 1): a magic string, a Python dictionary, and the raw entries.

mod header;
mod read;
mod write;

pub use read::read_npy;
pub use write::write_npy;

/// The first bytes of every file.
const MAGIC: &[u8] = b"\x93NUMPY";
