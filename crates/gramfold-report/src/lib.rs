//! Turns results into one self-contained HTML page.
//!
//! A report never computes a result, it only shows one: [`Page::to_html`] is a pure function of
//! its data. The page needs no network and no other file; its charts are inline SVG, its
//! heatmaps inline PNG, and a small script adds hover and the hiding of series.
//!
//! ```
//! use gramfold_report::{Axis, Chart, Item, Page};
//!
//! let gap = Chart::new("Symmetry gap")
//!     .x(Axis::linear("iteration"))
//!     .y(Axis::log("‖X − Y‖"))
//!     .series("dynamic", vec![(0.0, 1.0), (1.0, 1e-3), (2.0, 1e-9)])
//!     .mark_y(1e-8, "tolerance");
//! let html = Page::new("A run", "40 × 40, rank 4")
//!     .section("Convergence", vec![Item::good("X = Y to the tolerance"), gap.into()])
//!     .to_html();
//! assert!(html.starts_with("<!doctype html>"));
//! ```
#![forbid(unsafe_code)]
#![allow(
    clippy::format_collect,
    clippy::format_push_string,
    reason = "a page is written once, and pieces of text read better than results of `write!`"
)]

mod cell;
mod chart;
mod heatmap;
mod item;
mod network;
mod number;
mod page;
mod plot;
mod table;
mod text;

pub use cell::Cell;
pub use chart::{Axis, Chart, Mark, Scale, Series};
pub use heatmap::Heatmap;
pub use item::Item;
pub use network::Network;
pub use page::{Page, Section};
pub use table::Table;
pub use text::shortened;
