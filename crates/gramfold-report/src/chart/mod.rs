//! A chart: named series over two axes.

mod axis;

pub use axis::{Axis, Scale};

/// Named series of points over two axes.
///
/// Points that an axis cannot show (not finite, or at or below zero on a logarithmic axis) are
/// left out, and the chart says how many.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chart {
    /// What the chart shows.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The series; up to eight are told apart by colour, dashes and markers.
    pub series: Vec<Series>,
    /// Reference lines.
    pub marks: Vec<Mark>,
}

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

/// A reference line across a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Whether it is vertical: its value is one of the horizontal axis.
    pub vertical: bool,
    /// Where it crosses its axis.
    pub value: f64,
    /// What it stands for.
    pub label: String,
}

impl Chart {
    /// A chart without series on two linear axes without labels.
    ///
    /// ```
    /// use gramfold_report::{Axis, Chart};
    ///
    /// let chart = Chart::new("Objective")
    ///     .x(Axis::log("iteration"))
    ///     .y(Axis::linear("f(XYᵀ)"))
    ///     .series("fixed", vec![(1.0, 30.0), (10.0, 27.0)])
    ///     .mark_y(26.7, "optimum");
    /// assert_eq!(chart.series.len(), 1);
    /// ```
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// The chart with another horizontal axis.
    #[must_use]
    pub fn x(mut self, axis: Axis) -> Self {
        self.x = axis;
        self
    }

    /// The chart with another vertical axis.
    #[must_use]
    pub fn y(mut self, axis: Axis) -> Self {
        self.y = axis;
        self
    }

    /// The chart with one more series.
    #[must_use]
    pub fn series(mut self, name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        self.series.push(Series { name: name.into(), points, ..Series::default() });
        self
    }

    /// The chart with points that stand by themselves, without a line.
    #[must_use]
    pub fn points(self, name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        self.named_points(name, points, Vec::new())
    }

    /// The chart with such points, each with a name.
    #[must_use]
    pub fn named_points(
        mut self,
        name: impl Into<String>,
        points: Vec<(f64, f64)>,
        names: Vec<String>,
    ) -> Self {
        self.series.push(Series { name: name.into(), points, scattered: true, names });
        self
    }

    /// The chart with a vertical line at `value` of the horizontal axis.
    #[must_use]
    pub fn mark_x(mut self, value: f64, label: impl Into<String>) -> Self {
        self.marks.push(Mark { vertical: true, value, label: label.into() });
        self
    }

    /// The chart with a horizontal line at `value` of the vertical axis.
    #[must_use]
    pub fn mark_y(mut self, value: f64, label: impl Into<String>) -> Self {
        self.marks.push(Mark { vertical: false, value, label: label.into() });
        self
    }
}
