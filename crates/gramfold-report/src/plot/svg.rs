//! Pieces of SVG.

use crate::number::coordinate;
use crate::text::escape;

/// Where a text is anchored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// A straight line.
pub(crate) fn line(class: &str, from: (f64, f64), to: (f64, f64)) -> String {
    format!(
        "<line class=\"{class}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n",
        coordinate(from.0),
        coordinate(from.1),
        coordinate(to.0),
        coordinate(to.1)
    )
}

/// A text.
pub(crate) fn text(class: &str, at: (f64, f64), anchor: Anchor, content: &str) -> String {
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    format!(
        "<text class=\"{class}\" x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>\n",
        coordinate(at.0),
        coordinate(at.1),
        escape(content)
    )
}
