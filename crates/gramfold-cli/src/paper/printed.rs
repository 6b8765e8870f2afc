//! A number as a paper prints it, and whether a computed one agrees with its digits.

use serde::Deserialize;

/// Decimals of the mantissa that are compared at least: a short `0.5` stands for `0.5000`.
const DECIMALS: i32 = 4;

/// A printed number, kept as the text it was printed as.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Printed {
    text: String,
    value: f64,
    tolerance: f64,
}

impl Printed {
    /// As printed.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether `computed` rounds to the printed digits; infinities agree by sign.
    pub(crate) fn agrees(&self, computed: f64) -> bool {
        computed == self.value || (computed - self.value).abs() <= self.tolerance
    }
}

impl TryFrom<String> for Printed {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong =
            || format!("`{text}` is not a printed number such as \"-7.7004e-11\" or \"inf\"");
        let value: f64 = text.parse().map_err(|_| wrong())?;
        if value.is_nan() {
            return Err(wrong());
        }
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().map_err(|_| wrong())?;
        let decimals = mantissa.split_once('.').map_or(0, |(_, digits)| digits.len());
        let decimals = i32::try_from(decimals).map_err(|_| wrong())?;
        // Half a unit of the last digit, widened by what the subtraction itself may round.
        let unit = 10f64.powi(exponent - decimals.max(DECIMALS));
        let tolerance =
            if value.is_finite() { 0.5 * unit + 4.0 * f64::EPSILON * value.abs() } else { 0.0 };
        Ok(Self { text, value, tolerance })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agrees(printed: &str, computed: f64) -> bool {
        Printed::try_from(printed.to_owned()).unwrap().agrees(computed)
    }

    #[test]
    fn every_printed_digit_counts() {
        assert!(agrees("1.2420e16", 1.24204e16) && !agrees("1.2420e16", 1.24206e16));
        assert!(agrees("-7.7004e-11", -7.70036e-11) && !agrees("-7.7004e-11", -7.7003e-11));
        assert!(!agrees("-7.7004e-11", 7.7004e-11) && !agrees("-7.7004e-11", 0.0));
        assert!(agrees("1.234567", 1.2345674) && !agrees("1.234567", 1.234568));
    }

    #[test]
    fn short_numbers_stand_for_four_decimals() {
        assert!(agrees("0.5", 0.50004) && !agrees("0.5", 0.50006));
        assert!(agrees("1e-3", 1.00004e-3) && !agrees("1e-3", 1.0001e-3));
        assert!(agrees("1", 0.99998) && !agrees("1", 0.9999));
        assert!(agrees("0", 1e-162) && agrees("0", -4e-5) && !agrees("0", 6e-5));
    }

    #[test]
    fn half_a_unit_rounds_to_the_digit() {
        assert!(agrees("0.5", 0.50005) && agrees("2.0", 2.00005));
    }

    #[test]
    fn infinities_agree_by_sign() {
        assert!(agrees("inf", f64::INFINITY) && agrees("-inf", f64::NEG_INFINITY));
        assert!(!agrees("inf", f64::NEG_INFINITY) && !agrees("inf", f64::MAX));
        assert!(!agrees("1", f64::INFINITY) && !agrees("inf", f64::NAN) && !agrees("0", f64::NAN));
    }

    #[test]
    fn what_is_not_a_number_is_refused() {
        for text in ["", "one", "nan", "1e", "1.5e2.5", "1,5"] {
            assert!(Printed::try_from(text.to_owned()).is_err(), "{text}");
        }
    }
}
