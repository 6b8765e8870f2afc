//! The SDPA sparse format for semidefinite programs (Fujisawa, Kojima, Nakata: the SDPA manual).

mod entries;
mod header;
mod program;
mod read;
mod scanner;
mod write;

pub use entries::SdpaEntry;
pub use read::{Sdpa, read_sdpa};
pub use write::write_sdpa;
