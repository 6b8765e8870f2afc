//! The files of Gramfold: symmetric matrices in Matrix Market, npy and npz, graphs as lists of edges,
//! factors and points in npy, tables and labels in text, semidefinite programs in the SDPA sparse format.
//!
//! Readers take plain or gzipped files, told apart by their first bytes. They trust nothing: what a
//! header promises is never allocated before the file has been seen to hold it, and every fault is
//! an [`Error`] that says where it is, what was expected and what was found. Writers replace their
//! file in one step, so that an interrupted run leaves the old file or the new one, never half.

#![forbid(unsafe_code)]

mod atomic;
mod dense;
mod edge_list;
mod error;
mod extension;
mod fields;
mod finite;
mod graph;
mod input;
mod labels;
mod limits;
mod lines;
mod matrix_market;
mod name;
mod npy;
mod npz;
mod quoted;
mod rudy;
mod scanner;
mod sdpa;
mod table;

pub use atomic::write_atomically;
pub use dense::read_dense;
pub use edge_list::{Duplicates, read_edge_list};
pub use error::{Error, Place};
pub use graph::{Graph, read_graph};
pub use input::lift_ratio_cap;
pub use labels::{Labels, read_labels, write_labels};
pub use matrix_market::{Asymmetry, read_matrix_market, write_matrix_market};
pub use npy::{read_npy, write_npy};
pub use npz::read_npz;
pub use sdpa::{Sdpa, SdpaEntry, read_sdpa};
pub use table::read_points;
