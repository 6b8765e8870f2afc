//! The files of Gramfold: symmetric matrices in Matrix Market, npy, npz and tables, graphs as lists of edges or of
//! neighbours and in GML, GraphML, GEXF, Pajek and JSON, factors and points in npy, tables and labels in text,
//! semidefinite programs in the SDPA sparse format.
//!
//! Readers take plain or gzipped files, told apart by their first bytes. They trust nothing: what a
//! header promises is never allocated before the file has been seen to hold it, and every fault is
//! an [`Error`] that says where it is, what was expected and what was found. Writers replace their
//! file in one step, so that an interrupted run leaves the old file or the new one, never half.

#![forbid(unsafe_code)]

mod adjacency;
mod atomic;
mod builder;
mod delimited;
mod dense;
mod edge_list;
mod error;
mod extension;
mod fields;
mod finite;
mod foreign;
mod gml;
mod graph;
mod graph6;
mod input;
mod json;
mod labels;
mod limits;
mod lines;
mod matrix_market;
mod matrix_text;
mod name;
mod notes;
mod npy;
mod npz;
mod pajek;
mod quoted;
mod records;
mod rows;
mod rudy;
mod scanner;
mod sdpa;
mod symmetry;
mod table;
mod xml;

pub use atomic::write_atomically;
pub use dense::read_dense;
pub use edge_list::Duplicates;
pub use error::{Error, Place};
pub use graph::{Graph, GraphOptions, read_graph};
pub use input::lift_ratio_cap;
pub use labels::{Labels, labels_to, read_labels, write_labels};
pub use limits::most_rows;
pub use matrix_market::{Asymmetry, matrix_market_to, read_matrix_market, write_matrix_market};
pub use name::repeated;
pub use notes::Notes;
pub use npy::{npy_to, read_npy, write_npy};
pub use npz::read_npz;
pub use rows::{Row, read_rows};
pub use sdpa::{Sdpa, SdpaEntry, read_sdpa, write_sdpa};
pub use table::{Missing, Points, TableOptions, read_points};
