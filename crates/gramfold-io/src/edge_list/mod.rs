//! Lists of edges: a line `source target` or `source target weight` for each.

mod assemble;
mod attributes;
mod edges;
mod layout;
mod nodes;
mod read;

pub use assemble::Duplicates;
pub(crate) use assemble::assemble;
pub(crate) use attributes::{attributes, opening as dictionary};
pub(crate) use edges::Edges;
pub(crate) use read::parse;
