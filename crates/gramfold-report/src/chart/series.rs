//! A named run of points.

/// A named run of points, joined in the given order unless they are scattered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The points (x, y).
    pub points: Vec<(f64, f64)>,
    /// Whether they stand by themselves, without a line.
    pub scattered: bool,
    /// What each point is called, if they have names.
    pub names: Vec<String>,
}
