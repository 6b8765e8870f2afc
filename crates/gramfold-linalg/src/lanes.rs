//! A tile of rows, turned so that each column is one array of lanes: row-local solves then work on
//! whole vectors.

// A helper that is not inlined would be compiled for the baseline, whoever calls it.
#![allow(clippy::inline_always)]

use crate::{add_scaled, add_scaled4, fma, simd::Real};

/// Rows that a row-local solve handles together, one a vector lane: several registers of them, since
/// the additions of one lane wait for each other.
pub(crate) const LANES: usize = 32;

/// `count` lanes from the stack where they fit: no allocation for ranks up to 32.
pub(crate) fn lanes_for<'a, T: Real>(
    count: usize,
    stack: &'a mut [[T; LANES]; 64],
    heap: &'a mut Vec<[T; LANES]>,
) -> &'a mut [[T; LANES]] {
    if count <= stack.len() {
        &mut stack[..count]
    } else {
        heap.resize(count, [T::default(); LANES]);
        heap
    }
}

/// lanes\[j\]\[l\] ← entry j of row l. Four rows at a time, so that shuffles do the work of sixteen moves.
#[inline(always)]
pub(crate) fn scatter<T: Real, const L: usize>(tile: &[T], r: usize, lanes: &mut [[T; L]]) {
    let mut from = 0;
    for rows in tile.chunks_exact(4 * r) {
        let [a, b, c, d] = quarters(rows, r);
        for (lane, (((a, b), c), d)) in lanes.iter_mut().zip(a.iter().zip(b).zip(c).zip(d)) {
            lane[from..from + 4].copy_from_slice(&[*a, *b, *c, *d]);
        }
        from += 4;
    }
    for (l, row) in tile.chunks_exact(r).enumerate().skip(from) {
        lanes.iter_mut().zip(row).for_each(|(lane, value)| lane[l % L] = *value);
    }
}

/// lanes\[j\]\[l\] ← lanes\[j\]\[l\] + γ·(entry j of row l).
#[inline(always)]
pub(crate) fn scatter_add<const FUSED: bool, T: Real, const L: usize>(
    gamma: T,
    tile: &[T],
    r: usize,
    lanes: &mut [[T; L]],
) {
    let mut from = 0;
    for rows in tile.chunks_exact(4 * r) {
        let [a, b, c, d] = quarters(rows, r);
        for (lane, (((a, b), c), d)) in lanes.iter_mut().zip(a.iter().zip(b).zip(c).zip(d)) {
            add_scaled::<FUSED, _>(gamma, &[*a, *b, *c, *d], &mut lane[from..from + 4]);
        }
        from += 4;
    }
    for (l, row) in tile.chunks_exact(r).enumerate().skip(from) {
        for (lane, value) in lanes.iter_mut().zip(row) {
            lane[l % L] = fma::<FUSED, _>(gamma, *value, lane[l % L]);
        }
    }
}

/// Four rows of r entries.
#[inline(always)]
fn quarters<T>(rows: &[T], r: usize) -> [&[T]; 4] {
    let (a, rest) = rows.split_at(r);
    let (b, rest) = rest.split_at(r);
    let (c, d) = rest.split_at(r);
    [a, b, c, d]
}

/// Entry j of row l ← lanes\[j\]\[l\].
#[inline(always)]
pub(crate) fn gather<T: Real, const L: usize>(lanes: &[[T; L]], r: usize, tile: &mut [T]) {
    for (l, row) in tile.chunks_exact_mut(r).enumerate() {
        row.iter_mut().zip(lanes).for_each(|(value, lane)| *value = lane[l % L]);
    }
}

/// sum ← sum − Σ_{j≠i} weights\[j\]·lanes\[j\].
#[inline(always)]
pub(crate) fn add_combination<const FUSED: bool, T: Real, const L: usize>(
    weights: &[T],
    i: usize,
    lanes: &[[T; L]],
    sum: &mut [T],
) {
    let width = sum.len();
    let weight = |j: usize| if j == i { T::default() } else { -weights[j] };
    let whole = lanes.len() / 4 * 4;
    for (block, four) in lanes.chunks_exact(4).enumerate() {
        let j = 4 * block;
        let weights = [weight(j), weight(j + 1), weight(j + 2), weight(j + 3)];
        let others = [&four[0][..width], &four[1][..width], &four[2][..width], &four[3][..width]];
        add_scaled4::<FUSED, _>(weights, others, sum);
    }
    for (j, lane) in lanes.iter().enumerate().skip(whole) {
        add_scaled::<FUSED, _>(weight(j), &lane[..width], sum);
    }
}
