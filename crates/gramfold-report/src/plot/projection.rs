//! From values to pixels along one axis.

use crate::chart::Scale;
use crate::number::range;

/// Room left beside the data, as a share of their spread.
const PADDING: f64 = 0.05;

/// Spreads narrower than this share of the values are rounding noise, not a curve.
const NARROWEST: f64 = 1e-12;

/// The values an axis covers, in the coordinate in which they are spread evenly: the value
/// itself, or its decimal logarithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Span {
    pub(crate) scale: Scale,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// A [`Span`] laid between two pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Projection {
    pub(crate) span: Span,
    pub(crate) start: f64,
    pub(crate) end: f64,
}

impl Span {
    /// The span of `values`, never of zero width.
    pub(crate) fn of(scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = range(values.map(|value| scale.spread(value)));
        let half = match scale {
            _ if high - low > NARROWEST * low.abs().max(high.abs()) => {
                return Self { scale, low, high };
            }
            Scale::Log => 0.5,
            Scale::Count => 1.0,
            Scale::Linear if low == 0.0 => 1.0,
            Scale::Linear => (0.1 * low.abs()).max(f64::MIN_POSITIVE),
        };
        Self { scale, low: low - half, high: high + half }
    }

    /// The span with room on both sides; the room does not suggest values below zero where
    /// there are none.
    pub(crate) fn padded(self) -> Self {
        let room = PADDING * (self.high - self.low);
        let low = if self.scale != Scale::Log && self.low >= 0.0 {
            (self.low - room).max(0.0)
        } else {
            self.low - room
        };
        Self { low, high: self.high + room, ..self }
    }
}

impl Scale {
    fn spread(self, value: f64) -> f64 {
        match self {
            Self::Linear | Self::Count => value,
            Self::Log => value.log10(),
        }
    }
}

impl Projection {
    /// The pixel of a value.
    pub(crate) fn pixel(&self, value: f64) -> f64 {
        self.position(self.span.scale.spread(value))
    }

    /// The pixel of a coordinate of the span.
    pub(crate) fn position(&self, coordinate: f64) -> f64 {
        let share = (coordinate - self.span.low) / (self.span.high - self.span.low);
        self.start + share * (self.end - self.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_series_has_height() {
        for value in [0.0, 5.0, -5.0, 1e-300, 5e-324] {
            let span = Span::of(Scale::Linear, [value, value].into_iter());
            assert!(span.low < value && value < span.high, "{span:?}");
        }
        let span = Span::of(Scale::Log, [1e-9].into_iter());
        assert!(span.low < -9.0 && -9.0 < span.high, "{span:?}");
    }

    #[test]
    fn padding_stays_at_zero() {
        let span = Span::of(Scale::Linear, [0.0, 10.0].into_iter()).padded();
        assert_eq!((span.low, span.high), (0.0, 10.5));
    }

    #[test]
    fn decades_are_equally_long() {
        let span = Span::of(Scale::Log, [1e-4, 1.0].into_iter());
        let axis = Projection { span, start: 400.0, end: 0.0 };
        assert!((axis.pixel(1e-4) - 400.0).abs() < 1e-9);
        assert!((axis.pixel(1e-1) - 100.0).abs() < 1e-9);
    }
}
