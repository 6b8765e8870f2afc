//! Sums of products with a bound on their rounding.

/// A number and how wrong it may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Enclosed {
    /// The computed value.
    pub(crate) value: f64,
    /// |value − exact| is at most this.
    pub(crate) error: f64,
}

impl Enclosed {
    /// A number not above the exact one.
    pub(crate) fn low(self) -> f64 {
        (self.value - self.error).next_down()
    }

    /// A number not below the exact one.
    pub(crate) fn high(self) -> f64 {
        (self.value + self.error).next_up()
    }
}

/// Σ aᵢbᵢ as if summed in twice the precision (Ogita, Rump, Oishi, SISC 2005, `Dot2`).
pub(crate) fn dot(pairs: impl Iterator<Item = (f64, f64)>) -> Enclosed {
    let (mut sum, mut lost, mut size, mut count) = (0.0_f64, 0.0_f64, 0.0_f64, 0_usize);
    for (a, b) in pairs {
        let product = a * b;
        let product_error = a.mul_add(b, -product);
        let next = sum + product;
        let virtual_part = next - sum;
        let sum_error = (sum - (next - virtual_part)) + (product - virtual_part);
        sum = next;
        lost += sum_error + product_error;
        size += product.abs();
        count += 1;
    }
    // Their theorem: the error is at most u|result| + γ_n²·Σ|ab|. ε is 2u, and every factor below is doubled
    // again, which covers the rounding of the bound itself; the last term is for products that underflow.
    let value = sum + lost;
    let gamma = (count as f64 + 2.0) * f64::EPSILON;
    let error = f64::EPSILON * value.abs()
        + 4.0 * gamma * gamma * size
        + (count as f64 + 1.0) * f64::MIN_POSITIVE;
    Enclosed { value, error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancellation_is_enclosed() {
        // Exactly 2 − 2⁻⁵², which a plain sum gets as 0 or 1.
        let big = 1e17;
        let tiny = f64::EPSILON;
        let pairs = [(big, 1.0), (1.0, 2.0), (-big, 1.0), (tiny, -1.0)];
        let enclosed = dot(pairs.into_iter());
        assert!((enclosed.value - 2.0).abs() <= 2.0 * tiny, "{enclosed:?}");
        assert!(enclosed.low() <= 2.0 - tiny && 2.0 - tiny <= enclosed.high());
        assert!(enclosed.error < 1e-11);
    }

    #[test]
    fn integers_are_exact_and_nan_is_seen() {
        let enclosed = dot((1..=100).map(|i| (f64::from(i), 1.0)));
        assert_eq!(enclosed.value, 5050.0);
        assert!(enclosed.error < 1e-11);
        assert!(dot([(f64::NAN, 1.0)].into_iter()).value.is_nan());
    }
}
