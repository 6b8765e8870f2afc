//! Lists of edges: a line `source target` or `source target weight` for each.

mod assemble;
mod edges;
mod layout;
mod nodes;
mod read;

pub use assemble::Duplicates;
pub use read::read_edge_list;
