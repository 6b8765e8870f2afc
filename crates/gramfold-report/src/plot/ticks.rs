//! Where an axis has ticks, and what they say.

use super::projection::Span;
use crate::chart::Scale;
use crate::number::{power_of_ten, pretty};

/// A labelled tick.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    /// The coordinate of the span: a value, or its decimal logarithm.
    pub(crate) position: f64,
    pub(crate) label: String,
}

/// Steps between labelled decades.
const DECADE_STEPS: [i32; 8] = [1, 2, 3, 5, 10, 20, 50, 100];

/// With fewer decades in sight, labels between them are needed too.
const FEWEST_DECADES: usize = 3;

/// Magnitudes written without a power of ten, as in [`pretty`].
const PLAIN: std::ops::Range<f64> = 1e-4..1e6;

/// Digits beyond which a power of ten would round the differences between ticks away.
const PRETTY_DIGITS: f64 = 6.0;

/// At most about `most` labelled ticks in `span`.
pub(crate) fn ticks(span: &Span, most: usize) -> Vec<Tick> {
    match span.scale {
        Scale::Linear => linear(span.low, span.high, most),
        Scale::Count => {
            // No more ticks than steps of one.
            linear(span.low, span.high, most.min((span.high - span.low).ceil().max(1.0) as usize))
        }
        Scale::Log => log(span.low, span.high, most),
    }
}

/// Unlabelled ticks at 2, …, 9 times the powers of ten, while they are far enough apart to see.
pub(crate) fn minor(span: &Span) -> Vec<f64> {
    const MOST_DECADES: f64 = 7.0;
    if span.scale != Scale::Log || span.high - span.low > MOST_DECADES {
        return Vec::new();
    }
    (span.low.floor() as i32..=span.high.floor() as i32)
        .flat_map(|decade| (2..10).map(move |k| f64::from(decade) + f64::from(k).log10()))
        .filter(|position| (span.low..=span.high).contains(position))
        .collect()
}

/// Ticks at multiples of 1, 2 or 5 times a power of ten.
pub(crate) fn linear(low: f64, high: f64, most: usize) -> Vec<Tick> {
    let rough = (high - low) / most.max(1) as f64;
    let mut exponent = rough.log10().floor() as i32;
    // The allowance forgives a step that is just right but for rounding.
    let fits = |factor: &f64| factor * 10f64.powi(exponent) >= rough * (1.0 - 1e-9);
    let factor = [1.0, 2.0, 5.0].into_iter().find(fits).unwrap_or_else(|| {
        exponent += 1;
        1.0
    });
    let step = factor * 10f64.powi(exponent);
    // Only ranges at the very ends of the floating-point numbers have no step.
    if !step.is_normal() {
        return Vec::new();
    }
    let largest = low.abs().max(high.abs());
    let allowance = (1e-9 * (high - low)).max(2.0 * f64::EPSILON * largest);
    let first = ((low - allowance) / step).ceil();
    let last = ((high + allowance) / step).floor();
    let digits = largest.log10().floor() - f64::from(exponent) + 1.0;
    let plain = PLAIN.contains(&largest) || digits > PRETTY_DIGITS;
    (0..=(last - first).max(-1.0) as i64)
        .take_while(|_| last >= first)
        .map(|i| {
            let multiple = (first + i as f64) * factor;
            // Dividing by an exact power of ten gives 0.3 where multiplying gives 0.30000000000000004.
            let value = if exponent < 0 && exponent > -300 {
                multiple / 10f64.powi(-exponent)
            } else {
                multiple * 10f64.powi(exponent)
            };
            let label = if plain {
                let decimals = (-exponent).max(0) as usize;
                format!("{:.decimals$}", value + 0.0).replace('-', "−")
            } else {
                pretty(value)
            };
            Tick { position: value, label }
        })
        .collect()
}

/// Ticks at powers of ten, thinned when there are many, filled when there are few.
fn log(low: f64, high: f64, most: usize) -> Vec<Tick> {
    let (first, last) = (low.ceil() as i32, high.floor() as i32);
    let decades = (last - first + 1).max(0) as usize;
    if decades >= FEWEST_DECADES {
        let step = DECADE_STEPS
            .into_iter()
            .find(|step| decades.div_ceil(*step as usize) <= most)
            .unwrap_or(DECADE_STEPS[DECADE_STEPS.len() - 1]);
        return (first..=last)
            .filter(|exponent| exponent.rem_euclid(step) == 0)
            .map(|exponent| Tick { position: f64::from(exponent), label: power_of_ten(exponent) })
            .collect();
    }
    let factors: &[f64] = if high - low > 1.7 { &[1.0, 3.0] } else { &[1.0, 2.0, 5.0] };
    let filled: Vec<Tick> = (low.floor() as i32..=last)
        .flat_map(|exponent| factors.iter().map(move |factor| (exponent, *factor)))
        .map(|(exponent, factor)| Tick {
            position: f64::from(exponent) + factor.log10(),
            label: pretty(factor * 10f64.powi(exponent)),
        })
        .filter(|tick| (low..=high).contains(&tick.position))
        .collect();
    if filled.len() >= 2 {
        return filled;
    }
    // Within a fraction of a decade a logarithmic axis is nearly linear.
    linear(10f64.powf(low), 10f64.powf(high), most)
        .into_iter()
        .filter(|tick| tick.position > 0.0)
        .map(|tick| Tick { position: tick.position.log10(), ..tick })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, low: f64, high: f64, most: usize) -> Vec<String> {
        ticks(&Span { scale, low, high }, most).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn counts_have_whole_ticks() {
        assert_eq!(labels(Scale::Count, 0.0, 2.0, 6), ["0", "1", "2"]);
        assert_eq!(labels(Scale::Count, 1.0, 2.0, 6), ["1", "2"]);
        assert_eq!(labels(Scale::Count, 0.0, 4.0, 9), ["0", "1", "2", "3", "4"]);
        assert_eq!(labels(Scale::Count, 0.0, 100.0, 5), labels(Scale::Linear, 0.0, 100.0, 5));
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(labels(Scale::Linear, 0.0, 1.0, 5), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(Scale::Linear, -3.0, 8.0, 6), ["−2", "0", "2", "4", "6", "8"]);
        assert_eq!(labels(Scale::Linear, 0.0, 10000.0, 4), ["0", "5000", "10000"]);
        assert_eq!(
            labels(Scale::Linear, 0.0, 4e-9, 4),
            ["0", "10⁻⁹", "2×10⁻⁹", "3×10⁻⁹", "4×10⁻⁹"]
        );
    }

    #[test]
    fn ticks_far_from_zero_stay_apart() {
        assert_eq!(
            labels(Scale::Linear, 12345678.1, 12345678.6, 3),
            ["12345678.2", "12345678.4", "12345678.6"]
        );
    }

    #[test]
    fn decades_are_labelled_with_powers() {
        assert_eq!(labels(Scale::Log, -3.2, 0.1, 6), ["10⁻³", "10⁻²", "10⁻¹", "10⁰"]);
    }

    #[test]
    fn many_decades_are_thinned() {
        assert_eq!(labels(Scale::Log, -16.0, 2.0, 5), ["10⁻¹⁵", "10⁻¹⁰", "10⁻⁵", "10⁰"]);
        assert!(labels(Scale::Log, -323.0, 300.0, 6).len() <= 8);
    }

    #[test]
    fn few_decades_are_filled() {
        assert_eq!(labels(Scale::Log, 0.9, 2.05, 6), ["10", "20", "50", "100"]);
        assert_eq!(labels(Scale::Log, 1.01_f64.log10(), 1.05_f64.log10(), 4).len(), 5);
    }

    #[test]
    fn minor_ticks_lie_between_decades() {
        let span = Span { scale: Scale::Log, low: 0.0, high: 1.0 };
        assert_eq!(minor(&span).len(), 8);
    }
}
