//! Numbers as text: typeset for readers, compact for scripts.

/// Digits after the leading one: six significant digits in all.
const DECIMALS: i32 = 5;

/// Decimal exponents written without a power of ten.
const PLAIN: std::ops::RangeInclusive<i32> = -4..=DECIMALS;

/// Below it a whole number is written with all its digits.
const WHOLE: f64 = 1e9;

/// `value` typeset with up to six significant digits: `0.25`, `−3`, `1.5×10⁻⁹`, `∞`, and `–` for
/// a value that is not a number.
pub(crate) fn pretty(value: f64) -> String {
    if value.is_nan() {
        return "–".to_owned();
    }
    let sign = if value < 0.0 { "−" } else { "" };
    if value.is_infinite() {
        return format!("{sign}∞");
    }
    match Decimal::of(value) {
        Decimal::Plain(digits) => format!("{sign}{digits}"),
        Decimal::Scientific(digits, exponent) if digits == "1" => {
            format!("{sign}{}", power_of_ten(exponent))
        }
        Decimal::Scientific(digits, exponent) => {
            format!("{sign}{digits}×{}", power_of_ten(exponent))
        }
    }
}

/// As [`pretty`], but a whole number that a person would count has all its digits.
pub(crate) fn counted(value: f64) -> String {
    let sign = if value < 0.0 { "−" } else { "" };
    if value.fract() == 0.0 && value.abs() < WHOLE {
        return format!("{sign}{}", value.abs());
    }
    pretty(value)
}

/// A finite `value` as the shortest text a script reads back to six significant digits.
pub(crate) fn compact(value: f64) -> String {
    let sign = if value < 0.0 { "-" } else { "" };
    match Decimal::of(value) {
        Decimal::Plain(digits) => format!("{sign}{digits}"),
        Decimal::Scientific(digits, exponent) => format!("{sign}{digits}e{exponent}"),
    }
}

/// A drawing coordinate: a tenth of a pixel is finer than any screen shows.
pub(crate) fn coordinate(value: f64) -> String {
    let tenths = (value * 10.0).round() / 10.0;
    // Adding zero turns −0 into 0.
    (tenths + 0.0).to_string()
}

/// The least and the largest of some numbers; infinities the other way round of none.
pub(crate) fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}

/// `10⁻³`.
pub(crate) fn power_of_ten(exponent: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let superscript = |c: char| c.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize]);
    format!("10{}", exponent.to_string().chars().map(superscript).collect::<String>())
}

/// The magnitude of a finite number, rounded to six significant digits, without trailing zeros.
enum Decimal {
    Plain(String),
    Scientific(String, i32),
}

impl Decimal {
    fn of(value: f64) -> Self {
        if value == 0.0 {
            return Self::Plain("0".to_owned());
        }
        // Rust rounds here, so that 999999.9 already counts as 10⁶ below.
        let rounded = format!("{:.*e}", DECIMALS as usize, value.abs());
        let (digits, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
        let exponent = exponent.parse().unwrap_or(0);
        if PLAIN.contains(&exponent) {
            let decimals = (DECIMALS - exponent) as usize;
            Self::Plain(trim(&format!("{:.decimals$}", value.abs())))
        } else {
            Self::Scientific(trim(digits), exponent)
        }
    }
}

fn trim(digits: &str) -> String {
    if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        digits.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_numbers() {
        assert_eq!(pretty(0.0), "0");
        assert_eq!(pretty(-0.0), "0");
        assert_eq!(pretty(-3.0), "−3");
        assert_eq!(pretty(0.1 + 0.2), "0.3");
        assert_eq!(pretty(123456.4), "123456");
        assert_eq!(pretty(1234.5678), "1234.57");
        assert_eq!(pretty(0.000123456789), "0.000123457");
        assert_eq!(pretty(100000.0), "100000");
    }

    #[test]
    fn powers_of_ten() {
        assert_eq!(pretty(1.5e-9), "1.5×10⁻⁹");
        assert_eq!(pretty(-1e-6), "−10⁻⁶");
        assert_eq!(pretty(999999.9), "10⁶");
        assert_eq!(pretty(6.02214076e23), "6.02214×10²³");
        assert_eq!(pretty(f64::MIN_POSITIVE), "2.22507×10⁻³⁰⁸");
    }

    #[test]
    fn not_finite() {
        assert_eq!(
            (counted(1234567.0), counted(-3.0), counted(1e12)),
            ("1234567".into(), "−3".into(), "10¹²".into())
        );
        assert_eq!(pretty(f64::INFINITY), "∞");
        assert_eq!(pretty(f64::NEG_INFINITY), "−∞");
        assert_eq!(pretty(f64::NAN), "–");
    }

    #[test]
    fn compact_numbers_read_back() {
        for value in [0.0, -2.5, 1e-12, -7.25e30, 0.125, 31.0] {
            assert_eq!(compact(value).parse::<f64>().ok(), Some(value));
        }
    }

    #[test]
    fn coordinates_are_short() {
        assert_eq!(coordinate(12.3456), "12.3");
        assert_eq!(coordinate(-0.001), "0");
        assert_eq!(coordinate(7.0), "7");
    }
}
