//! The files of Gramfold: symmetric matrices in Matrix Market, factors in npy.
//!
//! Readers take plain or gzipped files, told apart by their first bytes. They trust nothing: what a
//! header promises is never allocated before the file has been seen to hold it, and every fault is
//! an [`Error`] that says where it is, what was expected and what was found. Writers replace their
//! file in one step, so that an interrupted run leaves the old file or the new one, never half.

#![forbid(unsafe_code)]

mod atomic;
mod error;
mod input;
mod matrix_market;
mod npy;
mod quoted;

pub use atomic::write_atomically;
pub use error::{Error, Place};
pub use matrix_market::{Asymmetry, read_matrix_market, write_matrix_market};
pub use npy::{read_npy, write_npy};
