//! What the commands that learn from measurements share: what is claimed of a fitted factor, and what nodes are called.

mod constants;
mod fit;
mod links;
mod nodes;
mod sparse;

pub(crate) use constants::Constants;
pub(crate) use fit::Fit;
pub use fit::Fitted;
pub(crate) use links::{Link, read_links, warn_of_contradictions};
pub(crate) use nodes::{Nodes, field};
pub(crate) use sparse::{Sparse, number, without_header};
