//! Whole registers: arithmetic on four or eight numbers at once, spelt out where the compiler, left to itself, cuts sums of
//! products into short pieces.

// A helper that is not inlined would be compiled for the baseline, whoever calls it.
#![allow(clippy::inline_always)]
// Registers and arrays of as many numbers, as the signatures say.
#![allow(clippy::missing_transmute_annotations)]

#[cfg(target_arch = "x86_64")]
use std::{
    arch::x86_64::{
        _mm256_add_ps, _mm256_fmadd_pd, _mm256_fmadd_ps, _mm256_permute_ps, _mm256_permute2f128_ps,
    },
    mem::transmute,
};

/// a·b + c for four numbers of double precision.
#[inline(always)]
pub(crate) fn fma4<const FUSED: bool>(a: &[f64; 4], b: &[f64; 4], c: [f64; 4]) -> [f64; 4] {
    #[cfg(target_arch = "x86_64")]
    if FUSED {
        // SAFETY: kernels are fused only where the processor has AVX2 and FMA, and four numbers are one register.
        #[allow(unsafe_code)]
        return unsafe { transmute(_mm256_fmadd_pd(transmute(*a), transmute(*b), transmute(c))) };
    }
    std::array::from_fn(|l| a[l] * b[l] + c[l])
}

/// a·b + c for eight numbers of single precision.
#[inline(always)]
pub(crate) fn fma8<const FUSED: bool>(a: &[f32; 8], b: &[f32; 8], c: [f32; 8]) -> [f32; 8] {
    #[cfg(target_arch = "x86_64")]
    if FUSED {
        // SAFETY: as above, with eight numbers.
        #[allow(unsafe_code)]
        return unsafe { transmute(_mm256_fmadd_ps(transmute(*a), transmute(*b), transmute(c))) };
    }
    std::array::from_fn(|l| a[l] * b[l] + c[l])
}

/// The sum of eight numbers, eight times.
#[inline(always)]
pub(crate) fn sum8<const FUSED: bool>(v: [f32; 8]) -> [f32; 8] {
    #[cfg(target_arch = "x86_64")]
    if FUSED {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            let whole = transmute(v);
            let halves = _mm256_add_ps(whole, _mm256_permute2f128_ps::<0b01>(whole, whole));
            let quarters = _mm256_add_ps(halves, _mm256_permute_ps::<0b0100_1110>(halves));
            return transmute(_mm256_add_ps(quarters, _mm256_permute_ps::<0b1011_0001>(quarters)));
        }
    }
    let four: [f32; 4] = std::array::from_fn(|l| v[l] + v[l + 4]);
    [(four[0] + four[2]) + (four[1] + four[3]); 8]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::simd::multiversion;

    multiversion! {
        /// Both sums and the total, by the best registers of this processor.
        fn all<const UNUSED: usize>(a: &[f64; 8], b: &[f64; 8]) -> ([f64; 4], [f32; 8], [f32; 8]) {
            let half = |v: &[f64; 8], from: usize| -> [f64; 4] { std::array::from_fn(|l| v[from + l]) };
            let narrow = |v: &[f64; 8]| v.map(|v| v as f32);
            let eight = fma8::<FUSED>(&narrow(a), &narrow(b), [1.0; 8]);
            (fma4::<FUSED>(&half(a, 0), &half(b, 0), half(a, 4)), eight, sum8::<FUSED>(eight))
        }
    }

    proptest! {
        #[test]
        fn registers_are_loops(
            a in prop::array::uniform8(-1e3..1e3_f64),
            b in prop::array::uniform8(-1e3..1e3_f64),
        ) {
            let (four, eight, sums) = all::<0>(&a, &b);
            // Entries are rounded to single precision, and so is each sum.
            let rounding = |size: f64| 3.0 * f64::from(f32::EPSILON) * size;
            for l in 0..4 {
                let size = (a[l] * b[l]).abs() + a[4 + l].abs();
                prop_assert!((four[l] - (a[l] * b[l] + a[4 + l])).abs() <= f64::EPSILON * size);
            }
            for l in 0..8 {
                let size = (a[l] * b[l]).abs() + 1.0;
                prop_assert!((f64::from(eight[l]) - (a[l] * b[l] + 1.0)).abs() <= rounding(size));
            }
            let wide = eight.map(f64::from);
            let (sum, size) = (wide.iter().sum::<f64>(), wide.iter().map(|v| v.abs()).sum());
            let near = |s: f32| (f64::from(s) - sum).abs() <= rounding(size);
            prop_assert!(sums.iter().all(|s| *s == sums[0] && near(*s)));
        }
    }
}
