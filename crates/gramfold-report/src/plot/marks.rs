//! Reference lines and their labels.

use super::axes::Axes;
use super::drawable::shows;
use super::label_width;
use super::svg::{Anchor, line, text};
use crate::chart::{Chart, Mark};
use crate::text::escape;

/// The height of a label and the air around it.
const LABEL_HEIGHT: f64 = 15.0;

/// The reference lines of a chart.
pub(crate) fn svg(chart: &Chart, axes: &Axes) -> String {
    let mut svg = String::new();
    let mut placed: Vec<Placed> = Vec::new();
    for mark in chart.marks.iter().filter(|mark| shows(chart, mark)) {
        let Mark { vertical, value, label } = mark;
        let candidates = if *vertical {
            let x = axes.x.pixel(*value);
            svg += &line("reference", (x, axes.y.start), (x, axes.y.end));
            beside(x, axes)
        } else {
            let y = axes.y.pixel(*value);
            svg += &line("reference", (axes.x.start, y), (axes.x.end, y));
            along(y, axes)
        };
        let width = label_width(label);
        let free = candidates
            .iter()
            .map(|&(at, anchor)| Placed::new(at, anchor, width))
            .find(|place| !placed.iter().any(|other| other.meets(place)));
        // With no free place an overlapping label still beats a line without a meaning.
        let place = free.unwrap_or_else(|| Placed::new(candidates[0].0, candidates[0].1, width));
        svg += &text("note", place.at, place.anchor, label);
        placed.push(place);
    }
    svg
}

/// What must be said about reference lines that the axes cannot show.
pub(crate) fn notes(chart: &Chart) -> Vec<String> {
    let hidden = chart.marks.iter().filter(|mark| !shows(chart, mark));
    hidden.map(|mark| format!("line “{}” not shown", escape(&mark.label))).collect()
}

/// Places for the label of a vertical line, on the side that has more room, from the top down.
fn beside(x: f64, axes: &Axes) -> Vec<((f64, f64), Anchor)> {
    let (dx, anchor) = if x < f64::midpoint(axes.x.start, axes.x.end) {
        (5.0, Anchor::Start)
    } else {
        (-5.0, Anchor::End)
    };
    (0..6)
        .map(|row| ((x + dx, axes.y.end + 12.0 + f64::from(row) * LABEL_HEIGHT), anchor))
        .collect()
}

/// Places for the label of a horizontal line: above or below, at the right or the left end.
fn along(y: f64, axes: &Axes) -> Vec<((f64, f64), Anchor)> {
    let right = (axes.x.end - 4.0, Anchor::End);
    let left = (axes.x.start + 6.0, Anchor::Start);
    let mut heights = vec![y - 5.0, y + 13.0];
    // Keep labels within the plot.
    if y - LABEL_HEIGHT < axes.y.end {
        heights.reverse();
    } else if y + LABEL_HEIGHT > axes.y.start {
        heights.truncate(1);
    }
    [right, left]
        .into_iter()
        .flat_map(|(x, anchor)| heights.iter().map(move |&height| ((x, height), anchor)))
        .collect()
}

/// A label with a place.
struct Placed {
    at: (f64, f64),
    anchor: Anchor,
    left: f64,
    right: f64,
}

impl Placed {
    fn new(at: (f64, f64), anchor: Anchor, width: f64) -> Self {
        let left = match anchor {
            Anchor::Start => at.0,
            Anchor::Middle => at.0 - width / 2.0,
            Anchor::End => at.0 - width,
        };
        Self { at, anchor, left, right: left + width }
    }

    fn meets(&self, other: &Self) -> bool {
        (self.at.1 - other.at.1).abs() < LABEL_HEIGHT - 1.0
            && self.left < other.right
            && other.left < self.right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_in_one_place_meet() {
        let place = |x, y| Placed::new((x, y), Anchor::Start, 30.0);
        assert!(place(0.0, 0.0).meets(&place(20.0, 5.0)));
        assert!(!place(0.0, 0.0).meets(&place(40.0, 5.0)));
        assert!(!place(0.0, 0.0).meets(&place(0.0, 20.0)));
    }
}
