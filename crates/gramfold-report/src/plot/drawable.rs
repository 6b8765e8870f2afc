//! The points of a chart that its axes can show.

use crate::chart::{Axis, Chart, Mark, Scale};
use crate::text::count;

/// Beyond this the width of an axis would overflow.
const LARGEST: f64 = 1e300;

/// The points of a chart that its axes can show, and how many were left out of series of which some are shown.
pub(crate) struct Drawable {
    /// One list a series, in the order of the chart.
    pub(crate) series: Vec<Vec<(f64, f64)>>,
    not_finite: usize,
    not_positive: usize,
}

enum Fit {
    Fits,
    NotFinite,
    NotPositive,
}

impl Drawable {
    pub(crate) fn of(chart: &Chart) -> Self {
        let mut drawable = Self { series: Vec::new(), not_finite: 0, not_positive: 0 };
        for series in &chart.series {
            let mut points = Vec::with_capacity(series.points.len());
            let (mut not_finite, mut not_positive) = (0, 0);
            for &(x, y) in &series.points {
                match (fit(&chart.x, x), fit(&chart.y, y)) {
                    (Fit::Fits, Fit::Fits) => points.push((x, y)),
                    (Fit::NotFinite, _) | (_, Fit::NotFinite) => not_finite += 1,
                    _ => not_positive += 1,
                }
            }
            if !points.is_empty() {
                drawable.not_finite += not_finite;
                drawable.not_positive += not_positive;
            }
            drawable.series.push(points);
        }
        drawable
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.series.iter().all(Vec::is_empty)
    }

    /// What a reader must know that the drawing does not show.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.not_positive > 0 {
            notes.push(format!("{} at or below zero not shown", count(self.not_positive, "point")));
        }
        if self.not_finite > 0 {
            notes.push(format!(
                "{} without a finite value not shown",
                count(self.not_finite, "point")
            ));
        }
        notes
    }
}

/// Whether the axis that `mark` belongs to can show it.
pub(crate) fn shows(chart: &Chart, mark: &Mark) -> bool {
    let axis = if mark.vertical { &chart.x } else { &chart.y };
    matches!(fit(axis, mark.value), Fit::Fits)
}

fn fit(axis: &Axis, value: f64) -> Fit {
    if !value.is_finite() || value.abs() > LARGEST {
        Fit::NotFinite
    } else if axis.scale == Scale::Log && value <= 0.0 {
        Fit::NotPositive
    } else {
        Fit::Fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_an_axis_cannot_show_are_counted() {
        let points = vec![(1.0, 1.0), (2.0, 0.0), (3.0, -1.0), (4.0, f64::NAN), (0.0, 5.0)];
        let log = Chart::new("").y(Axis::log("")).series("", points.clone());
        let drawable = Drawable::of(&log);
        assert_eq!(drawable.series, [vec![(1.0, 1.0), (0.0, 5.0)]]);
        assert_eq!(
            drawable.notes(),
            ["2 points at or below zero not shown", "1 point without a finite value not shown"]
        );
        let linear = Chart::new("").series("", points);
        assert_eq!(Drawable::of(&linear).series[0].len(), 4);
    }
}
