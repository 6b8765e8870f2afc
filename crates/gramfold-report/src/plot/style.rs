//! How series are told apart: by colour (in the style sheet), by dashes and by markers.

use crate::number::coordinate as n;

/// Colours, dash patterns and marker shapes there are.
const STYLES: usize = 8;

/// Dash patterns; the first is a solid line.
const DASHES: [&str; STYLES] = ["", "7 3", "2 3", "9 3 2 3", "", "12 4", "4 2 1 2", "1 4"];

/// Runs up to this long have a marker at every point.
const MARK_ALL: usize = 30;

/// How many markers longer runs have.
const MARKERS: usize = 8;

/// The look of one series.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style(usize);

impl Style {
    /// The look of the series at `index`.
    pub(crate) fn of(index: usize) -> Self {
        Self(index % STYLES)
    }

    /// The class that carries the colour.
    pub(crate) fn class(self) -> String {
        format!("c{}", self.0 + 1)
    }

    /// The attribute that dashes a line.
    pub(crate) fn dashes(self) -> String {
        match DASHES[self.0] {
            "" => String::new(),
            dashes => format!(" stroke-dasharray=\"{dashes}\""),
        }
    }

    /// The path of one marker.
    pub(crate) fn marker(self, x: f64, y: f64) -> String {
        let at = |dx: f64, dy: f64| format!("M{} {}", n(x + dx), n(y + dy));
        match self.0 {
            0 => at(-3.0, 0.0) + "a3 3 0 1 0 6 0a3 3 0 1 0-6 0z",
            1 => at(-2.7, -2.7) + "h5.4v5.4h-5.4z",
            2 => at(0.0, -3.6) + "l3.4 6h-6.8z",
            3 => at(0.0, -3.8) + "l3.8 3.8-3.8 3.8-3.8-3.8z",
            4 => at(0.0, 3.6) + "l3.4-6h-6.8z",
            5 => at(-3.8, 0.0) + "h7.6m-3.8-3.8v7.6",
            6 => at(-3.0, -3.0) + "l6 6m0-6l-6 6",
            _ => at(-3.2, -3.4) + "h6.4l-6.4 6.8h6.4z",
        }
    }

    /// The path of the markers along a run; `lone` when no other series needs telling apart.
    pub(crate) fn markers(self, pixels: &[(f64, f64)], lone: bool) -> String {
        if pixels.len() <= MARK_ALL {
            return pixels.iter().map(|&(x, y)| self.marker(x, y)).collect();
        }
        if lone {
            return String::new();
        }
        let (start, end) = (pixels[0].0, pixels[pixels.len() - 1].0);
        let mut path = String::new();
        for k in 0..MARKERS {
            // Each style has its own phase, so that markers of coinciding curves do not coincide.
            let phase = (self.0 as f64 + 0.5) / STYLES as f64;
            let target = start + (end - start) * (k as f64 + phase) / MARKERS as f64;
            let distance = |point: &&(f64, f64)| (point.0 - target).abs();
            let nearest = pixels.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
            if let Some(&(x, y)) = nearest {
                path += &self.marker(x, y);
            }
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn eight_markers_differ() {
        let shapes: BTreeSet<String> = (0..8).map(|i| Style::of(i).marker(50.0, 50.0)).collect();
        assert_eq!(shapes.len(), 8);
    }

    #[test]
    fn a_single_point_has_a_marker() {
        assert!(!Style::of(0).markers(&[(1.0, 1.0)], true).is_empty());
    }
}
