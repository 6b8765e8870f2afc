//! Double-double numbers: the unevaluated sum of two `f64`, of some 31 digits.
//!
//! Sums and products are Dekker's and Knuth's error-free transformations; the product splits its factors instead of
//! fusing, so that it is the same on every machine and loops over it vectorise. What overflows is not finite, and the
//! engine stops on it.
//!
//! faer's `fx128` is as accurate, but its fused products are calls where the processor is not known to fuse: with 10 to 40 rows a
//! Cholesky factorisation takes 1.3 to 1.5 times as long with it, and a product 2.1 to 2.3 times.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// hi + lo, |lo| at most half a unit in the last place of hi.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in super::super) struct Double {
    hi: f64,
    lo: f64,
}

/// a + b as sum and error.
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// a + b as sum and error, where |a| ≥ |b|.
#[inline]
fn renormalised(a: f64, b: f64) -> Double {
    let hi = a + b;
    Double { hi, lo: b - (hi - a) }
}

/// The upper and the lower half of the digits.
#[inline]
fn split(a: f64) -> (f64, f64) {
    let wide = 134_217_729.0 * a; // 2²⁷ + 1
    let upper = wide - (wide - a);
    (upper, a - upper)
}

/// ab as product and error.
#[inline]
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    let ((a1, a2), (b1, b2)) = (split(a), split(b));
    (product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2)
}

impl Double {
    pub(super) const ZERO: Self = Self { hi: 0.0, lo: 0.0 };
    pub(super) const ONE: Self = Self { hi: 1.0, lo: 0.0 };

    /// The nearest `f64`.
    #[inline]
    pub(super) fn rounded(self) -> f64 {
        self.hi
    }

    /// The square root of what is positive; otherwise zero.
    pub(super) fn sqrt(self) -> Self {
        if self.hi <= 0.0 {
            return Self::ZERO;
        }
        // Karp: one Newton step, whose correction needs `f64` only.
        let root = self.hi.sqrt();
        let (square, error) = two_product(root, root);
        let rest = (self - Self { hi: square, lo: error }).hi;
        renormalised(root, rest / (2.0 * root))
    }
}

impl From<f64> for Double {
    #[inline]
    fn from(value: f64) -> Self {
        Self { hi: value, lo: 0.0 }
    }
}

impl Neg for Double {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

impl Add for Double {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        // The variant whose error is relative to the sum, also where the terms cancel.
        let (sum, error) = two_sum(self.hi, other.hi);
        let (low, lower) = two_sum(self.lo, other.lo);
        let Self { hi, lo } = renormalised(sum, error + low);
        renormalised(hi, lo + lower)
    }
}

impl Sub for Double {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        let (product, error) = two_product(self.hi, other.hi);
        renormalised(product, error + (self.hi * other.lo + self.lo * other.hi))
    }
}

impl Div for Double {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        // Long division, a `f64` at a time.
        let first = self.hi / other.hi;
        let rest = self - other * Self::from(first);
        let second = rest.hi / other.hi;
        let rest = rest - other * Self::from(second);
        renormalised(first, second) + Self::from(rest.hi / other.hi)
    }
}

impl AddAssign for Double {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Double {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 + 2⁻⁸⁰ and the like, which `f64` cannot hold.
    fn near_one(exponent: i32) -> Double {
        Double::ONE + Double::from(2_f64.powi(exponent))
    }

    #[test]
    fn what_is_far_below_is_kept() {
        let tiny = near_one(-80) - Double::ONE;
        assert_eq!(tiny, Double::from(2_f64.powi(-80)));
        // (1 + ε)(1 − ε) = 1 − ε², exactly at ε = 2⁻⁵⁰.
        let product = near_one(-50) * (Double::ONE - Double::from(2_f64.powi(-50)));
        assert_eq!((product - Double::ONE).rounded(), -(2_f64.powi(-100)));
    }

    #[test]
    fn products_of_integers_are_exact() {
        // Against arithmetic in i128.
        let mut state = 1_u64;
        for _ in 0..1000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let a = i64::try_from(state >> 12).unwrap();
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let b = i64::try_from(state >> 12).unwrap() - (1 << 51);
            let Double { hi, lo } = Double::from(a as f64) * Double::from(b as f64);
            assert_eq!(hi as i128 + lo as i128, i128::from(a) * i128::from(b));
            let Double { hi, lo } =
                Double::from(a as f64) * Double::from(b as f64) + Double::from(a as f64);
            assert!((hi as i128 + lo as i128 - i128::from(a) * i128::from(b + 1)).abs() <= 1);
        }
    }

    #[test]
    fn quotients_and_roots_undo_products() {
        for i in 1..200 {
            let a = Double::from(f64::from(i)) / Double::from(7.0) + Double::from(1e-20);
            let b = Double::from(f64::from(i).sqrt()) + Double::from(3e-19);
            let back = a / b * b - a;
            assert!(back.rounded().abs() <= 1e-30 * a.rounded(), "{back:?}");
            let back = a.sqrt() * a.sqrt() - a;
            assert!(back.rounded().abs() <= 1e-30 * a.rounded(), "{back:?}");
        }
        assert_eq!(Double::ZERO.sqrt(), Double::ZERO);
    }
}
