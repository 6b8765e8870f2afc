//! Draws a chart as inline SVG.

mod axes;
mod decimate;
mod drawable;
mod figure;
mod legend;
mod marks;
mod projection;
mod style;
mod svg;
mod ticks;

pub(crate) use figure::figure;
pub(crate) use svg::{Anchor, line, text};
pub(crate) use ticks::linear;

/// The size of a drawing in its own units, which are pixels when it is shown unscaled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// A chart on its own.
pub(crate) const WIDE: Size = Size { width: 760.0, height: 360.0 };

/// A chart in a grid.
pub(crate) const NARROW: Size = Size { width: 520.0, height: 320.0 };

/// About how wide `label` is at the size of tick labels (12 px), in the widest of the common
/// system fonts, so that no label is cut off.
pub(crate) fn label_width(label: &str) -> f64 {
    const DIGIT: f64 = 7.7;
    const SIGN: f64 = 10.1;
    const SMALL: f64 = 5.2;
    let width = |c| match c {
        '−' | '×' => SIGN,
        '.' | '⁻' | '⁰' | '¹' | '²' | '³' | '⁴' | '⁵' | '⁶' | '⁷' | '⁸' | '⁹' => {
            SMALL
        }
        _ => DIGIT,
    };
    label.chars().map(width).sum()
}
