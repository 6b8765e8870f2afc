//! A reference line.

/// A reference line across a chart.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// A vertical line.
    X {
        /// Where it crosses the horizontal axis.
        value: f64,
        /// What it stands for.
        label: String,
    },
    /// A horizontal line.
    Y {
        /// Where it crosses the vertical axis.
        value: f64,
        /// What it stands for.
        label: String,
    },
}
