//! What the commands that learn from measurements share: what is claimed of a fitted factor, and what nodes are called.

mod fit;
mod nodes;

pub use fit::Fitted;
pub(crate) use fit::{Fit, result};
pub(crate) use nodes::{Nodes, field};
