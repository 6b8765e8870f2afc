//! The frame of a chart: where the axes lie, their ticks and labels.

use super::projection::{Projection, Span};
use super::svg::{Anchor, line, text};
use super::ticks::{Tick, minor, ticks};
use super::{Size, label_width};
use crate::chart::Scale;

/// Above the plot, where the label of the vertical axis stands.
const TOP: f64 = 30.0;
/// Below the plot, for tick labels and the label of the horizontal axis.
const BOTTOM: f64 = 46.0;
/// Right of the plot, for the half of the last tick label that sticks out.
const RIGHT: f64 = 22.0;
/// Between tick labels and the plot.
const GAP: f64 = 9.0;
/// The least room for a tick on the vertical axis.
const TICK_HEIGHT: f64 = 33.0;
/// The least room between labels on the horizontal axis.
const LABEL_GAP: f64 = 26.0;
/// The most labels on the horizontal axis.
const MOST_LABELS: usize = 10;
/// A horizontal axis grows by up to this share to end at a tick: iterations 0, …, 9999 end at
/// 10000.
const GROWTH: f64 = 0.025;

/// The two axes of a chart, laid out.
pub(crate) struct Axes {
    pub(crate) x: Projection,
    pub(crate) y: Projection,
    x_ticks: Vec<Tick>,
    y_ticks: Vec<Tick>,
}

impl Axes {
    pub(crate) fn new(size: Size, x: Span, y: Span) -> Self {
        let (top, bottom) = (TOP, size.height - BOTTOM);
        let y_ticks = ticks(&y, ((bottom - top) / TICK_HEIGHT) as usize);
        let left = widest(&y_ticks) + GAP + 4.0;
        let right = size.width - RIGHT;
        let x = grown(x, &fitting(&x, right - left));
        Self {
            x: Projection { span: x, start: left, end: right },
            y: Projection { span: y, start: bottom, end: top },
            x_ticks: fitting(&x, right - left),
            y_ticks,
        }
    }

    /// Grid, frame, ticks and labels.
    pub(crate) fn svg(&self, x_label: &str, y_label: &str) -> String {
        let (left, right) = (self.x.start, self.x.end);
        let (bottom, top) = (self.y.start, self.y.end);
        let mut svg = String::new();
        for position in minor(&self.x.span) {
            let x = self.x.position(position);
            svg += &line("tick", (x, bottom), (x, bottom + 3.0));
        }
        for position in minor(&self.y.span) {
            let y = self.y.position(position);
            svg += &line("tick", (left - 3.0, y), (left, y));
        }
        for tick in &self.y_ticks {
            let y = self.y.position(tick.position);
            svg += &line("grid", (left, y), (right, y));
            svg += &text("label", (left - GAP, y + 4.0), Anchor::End, &tick.label);
        }
        for tick in &self.x_ticks {
            let x = self.x.position(tick.position);
            svg += &line("grid", (x, top), (x, bottom));
            svg += &line("tick", (x, bottom), (x, bottom + 5.0));
            svg += &text("label", (x, bottom + 19.0), Anchor::Middle, &tick.label);
        }
        svg += &line("axis", (left, bottom), (right, bottom));
        svg += &line("axis", (left, top), (left, bottom));
        svg += &text("name", (left, top - 13.0), Anchor::Start, y_label);
        svg += &text("name", (right, bottom + 38.0), Anchor::End, x_label);
        svg
    }
}

fn widest(ticks: &[Tick]) -> f64 {
    ticks.iter().map(|tick| label_width(&tick.label)).fold(0.0, f64::max)
}

/// The span, reaching the tick after the last one if that is near.
fn grown(span: Span, ticks: &[Tick]) -> Span {
    let [.., before, last] = ticks else {
        return span;
    };
    let next = 2.0 * last.position - before.position;
    let near = next - span.high < GROWTH * (span.high - span.low);
    if span.scale != Scale::Log && near { Span { high: next, ..span } } else { span }
}

/// As many ticks as have room for their labels side by side.
fn fitting(span: &Span, width: f64) -> Vec<Tick> {
    let mut chosen = Vec::new();
    for most in (2..=MOST_LABELS).rev() {
        chosen = ticks(span, most);
        let room = span_width(&chosen, span, width);
        if widest(&chosen) + LABEL_GAP <= room {
            break;
        }
    }
    chosen
}

/// The least distance between neighbouring ticks.
fn span_width(ticks: &[Tick], span: &Span, width: f64) -> f64 {
    ticks
        .windows(2)
        .map(|pair| (pair[1].position - pair[0].position) / (span.high - span.low) * width)
        .fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_end_at_a_tick() {
        let span = Span { scale: Scale::Linear, low: 0.0, high: 9999.0 };
        assert_eq!(grown(span, &fitting(&span, 600.0)).high, 10000.0);
        let far = Span { high: 9600.0, ..span };
        assert_eq!(grown(far, &fitting(&far, 600.0)).high, 9600.0);
    }

    #[test]
    fn long_labels_get_fewer_ticks() {
        let short = Span { scale: Scale::Linear, low: 0.0, high: 10.0 };
        let long = Span { scale: Scale::Linear, low: 1e7, high: 1e7 + 0.001 };
        assert!(fitting(&long, 400.0).len() < fitting(&short, 400.0).len());
    }
}
