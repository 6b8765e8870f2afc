//! How large a matrix a file may ask for.

use std::path::Path;

use crate::Error;

/// The largest dimension read: a row number still fits 32 bits, and beyond it one column of a
/// factor alone would take 16 GiB.
pub(crate) const LARGEST: u64 = 1 << 31;

/// A sparse matrix takes memory for each row, so a file may not ask for many more rows than it has
/// entries; this many entries more are assumed.
const FREE_ROWS: u64 = 10_000;
const ROWS_PER_ENTRY: u64 = 16;

/// How many times its size a gzipped file may have unpacked, and up to which size any.
pub(crate) const RATIO: u64 = 100;
pub(crate) const UNPACKED: u64 = 1 << 28;

/// How many rows a file with that many entries may have.
pub fn most_rows(entries: u64) -> u64 {
    ROWS_PER_ENTRY * (entries + FREE_ROWS)
}

/// Refuses a graph with more nodes than can be numbered.
pub(crate) fn refuse_too_many(path: &Path, nodes: usize) -> Result<(), Error> {
    if nodes as u64 <= LARGEST {
        return Ok(());
    }
    Err(Error::in_file(path, format!("at most {LARGEST} nodes"), nodes.to_string()))
}
