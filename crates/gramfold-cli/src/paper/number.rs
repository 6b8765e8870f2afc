//! Numbers as readers and as scripts see them.

use gramfold::extended;
use serde_json::{Value, value::Serializer};

/// Five digits or so: `0.5`, `1.66773`, `-7.7004e-11`, `inf`.
pub(crate) fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".into() } else { value.to_string() };
    }
    if !(1e-4..1e5).contains(&size) {
        return format!("{value:.4e}");
    }
    let text = format!("{value:.5}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A JSON number, or "inf", "-inf", or null for what has no value.
pub(crate) fn json(value: f64) -> Value {
    extended::serialize(&value, Serializer).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers() {
        let shown = [0.5, 1.0, 1.667666667, 1.242e16, -7.70041e-11, f64::NEG_INFINITY, 0.0];
        let expected = ["0.5", "1", "1.66767", "1.2420e16", "-7.7004e-11", "-inf", "0"];
        assert_eq!(shown.map(short), expected);
    }

    #[test]
    fn json_has_no_infinities() {
        assert_eq!(json(f64::INFINITY), "inf");
        assert_eq!(json(f64::NEG_INFINITY), "-inf");
        assert_eq!(json(f64::NAN), Value::Null);
        assert_eq!(json(0.25), 0.25);
    }
}
