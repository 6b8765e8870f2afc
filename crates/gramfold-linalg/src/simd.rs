//! One source, three instruction sets: kernels are compiled for AVX-512, for AVX2 with FMA and for
//! the baseline, and the best that the processor has is picked at run time.

// A helper that is not inlined would be compiled for the baseline, whoever calls it.
#![allow(clippy::inline_always)]

use std::ops::{Add, Neg};

/// The two precisions.
pub(crate) trait Real:
    Copy + Default + Add<Output = Self> + Neg<Output = Self> + Send + Sync + 'static
{
    /// a·b + c, fused where the instruction set has it: elsewhere `mul_add` is a slow library call.
    fn fma<const FUSED: bool>(self, b: Self, c: Self) -> Self;
}

impl Real for f64 {
    #[inline(always)]
    fn fma<const FUSED: bool>(self, b: Self, c: Self) -> Self {
        if FUSED { self.mul_add(b, c) } else { self * b + c }
    }
}

impl Real for f32 {
    #[inline(always)]
    fn fma<const FUSED: bool>(self, b: Self, c: Self) -> Self {
        if FUSED { self.mul_add(b, c) } else { self * b + c }
    }
}

/// a·b + c.
#[inline(always)]
pub(crate) fn fma<const FUSED: bool, T: Real>(a: T, b: T, c: T) -> T {
    a.fma::<FUSED>(b, c)
}

/// sum ← sum + weight·other.
#[inline(always)]
pub(crate) fn add_scaled<const FUSED: bool, T: Real>(weight: T, other: &[T], sum: &mut [T]) {
    for (sum, other) in sum.iter_mut().zip(other) {
        *sum = weight.fma::<FUSED>(*other, *sum);
    }
}

/// sum ← sum + Σ weights\[j\]·others\[j\]. On slices: arrays of constant length are unrolled into scalar
/// code. Four terms at a time: a sum that goes through memory after each waits for the store.
#[inline(always)]
pub(crate) fn add_scaled4<const FUSED: bool, T: Real>(
    weights: [T; 4],
    others: [&[T]; 4],
    sum: &mut [T],
) {
    let [a, b, c, d] = others;
    for ((((sum, a), b), c), d) in sum.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        let first = fma::<FUSED, _>(weights[0], *a, *sum);
        let second = fma::<FUSED, _>(weights[1], *b, first);
        let third = fma::<FUSED, _>(weights[2], *c, second);
        *sum = fma::<FUSED, _>(weights[3], *d, third);
    }
}

/// Defines a kernel whose body may use `FUSED` (for [`fma`]), one more const parameter and, in brackets
/// before it, types.
macro_rules! multiversion {
    (
        $(#[$meta:meta])*
        $vis:vis fn $name:ident<$([$($t:ident: $bound:path),+],)? const $param:ident: usize>($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? $body:block
    ) => {
        $(#[$meta])*
        $vis fn $name<$($($t: $bound,)+)? const $param: usize>($($arg: $ty),*) $(-> $ret)? {
            #[inline(always)]
            #[allow(clippy::too_many_arguments)]
            fn body<$($($t: $bound,)+)? const FUSED: bool, const $param: usize>($($arg: $ty),*) $(-> $ret)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
                #[allow(clippy::too_many_arguments)]
                fn avx512<$($($t: $bound,)+)? const $param: usize>($($arg: $ty),*) $(-> $ret)? {
                    body::<$($($t,)+)? true, $param>($($arg),*)
                }

                #[target_feature(enable = "avx2,fma")]
                #[allow(clippy::too_many_arguments)]
                fn avx2<$($($t: $bound,)+)? const $param: usize>($($arg: $ty),*) $(-> $ret)? {
                    body::<$($($t,)+)? true, $param>($($arg),*)
                }

                let fused = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
                if fused && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
                    // SAFETY: the processor has every feature that the function is compiled for.
                    #[allow(unsafe_code)]
                    return unsafe { avx512::<$($($t,)+)? $param>($($arg),*) };
                }
                if fused {
                    // SAFETY: the processor has every feature that the function is compiled for.
                    #[allow(unsafe_code)]
                    return unsafe { avx2::<$($($t,)+)? $param>($($arg),*) };
                }
            }
            body::<$($($t,)+)? false, $param>($($arg),*)
        }
    };
}

pub(crate) use multiversion;

/// The kernel for so many columns among those of the widths that are listed, or another.
macro_rules! by_width {
    ($width:expr, $kernel:ident, [$($fixed:literal)+], $other:expr) => {
        match $width {
            $($fixed => $kernel::<$fixed>,)+
            _ => $other,
        }
    };
}

pub(crate) use by_width;

/// Asks for the cache line of `data[at]`, if there is one, ahead of its use.
#[inline(always)]
pub(crate) fn prefetch<T>(data: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if at < data.len() {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the address lies inside the slice, and a prefetch reads nothing.
        #[allow(unsafe_code)]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(data.as_ptr().add(at).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (data, at);
}
