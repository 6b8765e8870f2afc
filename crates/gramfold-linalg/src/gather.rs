//! Rows of a sparse matrix times a tall dense one: rows of the dense one are gathered and added up in registers.

use crate::simd::{fma, multiversion, prefetch};

/// Rows of a sparse matrix times v, which has `width` columns: as many rows as fit into `out`, the first of them at the
/// first of `starts`.
pub(crate) fn gather(
    starts: &[usize],
    columns: &[u32],
    values: &[f64],
    v: &[f64],
    width: usize,
    out: &mut [f64],
) {
    let starts = &starts[..=out.len() / width];
    let mut from = 0;
    // Columns of v go through registers, as many at a time as the widest kernel that fits takes.
    while from < width {
        let fits = KERNELS.partition_point(|(count, _)| *count <= width - from);
        let (count, kernel) = KERNELS[fits - 1];
        kernel(starts, columns, values, v, width, from, out);
        from += count;
    }
}

/// Adds up R columns of the rows between consecutive `starts`.
type Kernel = fn(&[usize], &[u32], &[f64], &[f64], usize, usize, &mut [f64]);

/// The kernel for each width from 1 to 32.
#[rustfmt::skip]
const KERNELS: [(usize, Kernel); 32] = [
        (1, rows::<1>), (2, rows::<2>), (3, rows::<3>),
        (4, rows::<4>), (5, rows::<5>), (6, rows::<6>),
        (7, rows::<7>), (8, rows::<8>), (9, rows::<9>),
        (10, rows::<10>), (11, rows::<11>), (12, rows::<12>),
        (13, rows::<13>), (14, rows::<14>), (15, rows::<15>),
        (16, rows::<16>), (17, rows::<17>), (18, rows::<18>),
        (19, rows::<19>), (20, rows::<20>), (21, rows::<21>),
        (22, rows::<22>), (23, rows::<23>), (24, rows::<24>),
        (25, rows::<25>), (26, rows::<26>), (27, rows::<27>),
        (28, rows::<28>), (29, rows::<29>), (30, rows::<30>),
        (31, rows::<31>), (32, rows::<32>),
];

/// Bytes of v, from the first to the last that a row gathers, that stay in the nearer caches, where asking ahead
/// costs more than waiting: those of the whole of a small v, or of a band.
const NEAR: usize = 1 << 20;

/// Nonzeros between asking for a row of v and using it.
const AHEAD: usize = 8;

/// Entries of a row from which four sums take turns: each product would wait for the sum of those before it. Short rows
/// only lose by it.
const LONG: usize = 24;

/// Columns of v up to which all four fit into registers.
const NARROW: usize = 8;

multiversion! {
    fn rows<const R: usize>(
        starts: &[usize],
        columns: &[u32],
        values: &[f64],
        v: &[f64],
        width: usize,
        from: usize,
        out: &mut [f64],
    ) {
        let reach = NEAR / (width * size_of::<f64>());
        // Where a row of v is all that is gathered, its address is a shift away.
        let whole: &[[f64; R]] = if width == R { v.as_chunks().0 } else { &[] };
        let gathered = |column: u32| -> &[f64; R] {
            let row = column as usize;
            if width == R { &whole[row] } else { part(v, row * width + from) }
        };
        for (out, range) in out.chunks_exact_mut(width).zip(starts.windows(2)) {
            let mut sums = [0.0; R];
            let here = &columns[range[0]..range[1]];
            let entries = here.iter().zip(&values[range[0]..range[1]]);
            // Sorted: what is between the ends is between them in v, too.
            let span = here.last().map_or(0, |last| (last - here[0]) as usize);
            if span > reach {
                for ((&column, &value), k) in entries.zip(range[0]..) {
                    if let Some(&ahead) = columns.get(k + AHEAD) {
                        prefetch_row::<R>(v, ahead as usize * width + from);
                    }
                    add_row::<FUSED, R>(value, gathered(column), &mut sums);
                }
            } else if R <= NARROW && here.len() >= LONG {
                sums = long_row::<FUSED, R>(here, &values[range[0]..range[1]], gathered);
            } else {
                for (&column, &value) in entries {
                    add_row::<FUSED, R>(value, gathered(column), &mut sums);
                }
            }
            out[from..from + R].copy_from_slice(&sums);
        }
    }
}

/// sums ← sums + value·(R entries of v).
#[inline(always)] // Or it would be compiled for the baseline.
#[allow(clippy::inline_always)]
fn add_row<const FUSED: bool, const R: usize>(
    value: f64,
    gathered: &[f64; R],
    sums: &mut [f64; R],
) {
    for l in 0..R {
        sums[l] = fma::<FUSED, _>(value, gathered[l], sums[l]);
    }
}

/// R entries of v.
#[inline(always)] // As above.
#[allow(clippy::inline_always)]
fn part<const R: usize>(v: &[f64], at: usize) -> &[f64; R] {
    v[at..at + R].try_into().expect("invariant: R entries")
}

/// The sum of a row, by four sums that take turns.
#[inline(always)] // As above.
#[allow(clippy::inline_always)]
fn long_row<'a, const FUSED: bool, const R: usize>(
    columns: &[u32],
    values: &[f64],
    gathered: impl Fn(u32) -> &'a [f64; R],
) -> [f64; R] {
    let (columns, last_columns) = columns.as_chunks::<4>();
    let (values, last_values) = values.as_chunks::<4>();
    let mut sums = [[0.0; R]; 4];
    for (columns, values) in columns.iter().zip(values) {
        for turn in 0..4 {
            add_row::<FUSED, R>(values[turn], gathered(columns[turn]), &mut sums[turn]);
        }
    }
    for (&column, &value) in last_columns.iter().zip(last_values) {
        add_row::<FUSED, R>(value, gathered(column), &mut sums[0]);
    }
    let [a, b, c, d] = sums;
    std::array::from_fn(|l| (a[l] + b[l]) + (c[l] + d[l]))
}

/// Asks for R entries of v.
#[inline(always)] // As above.
#[allow(clippy::inline_always)]
fn prefetch_row<const R: usize>(v: &[f64], at: usize) {
    let line = 64 / size_of::<f64>();
    prefetch(v, at);
    if R > line {
        prefetch(v, at + line);
    }
    if R > 2 * line {
        prefetch(v, at + 2 * line);
    }
    if R > 3 * line {
        prefetch(v, at + 3 * line);
    }
}
