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

/// Bytes of v, from the first to the last that a row gathers, that caches hold, so that asking ahead costs more than waiting: those
/// of the whole of a small v, or of a band. A processor looks ahead by itself, but less far where rows of v are long.
const NEAR: usize = 8 << 20;
const NEAR_OF_WIDE: usize = 2 << 20;

/// Columns of v beyond which its rows are long.
const WIDE: usize = 16;

/// Nonzeros between asking for a row of v and using it.
const AHEAD: usize = 48;

/// Rows that are looked at for how far their entries are from each other.
const LOOKED_AT: usize = 8;

/// Whether most rows gather what no cache holds.
fn is_far(starts: &[usize], columns: &[u32], v: &[f64], width: usize) -> bool {
    let bytes = if width > WIDE { NEAR_OF_WIDE } else { NEAR };
    let near = bytes / size_of::<f64>();
    if v.len() <= near {
        return false;
    }
    let step = (starts.len() - 1).div_ceil(LOOKED_AT).max(1);
    let rows = starts.windows(2).step_by(step).map(|range| &columns[range[0]..range[1]]);
    let looked_at = rows.len();
    // Sorted: what is between the ends is between them in v, too.
    let is_far = |row: &[u32]| match row {
        [first, .., last] => (last - first) as usize * width > near,
        _ => false,
    };
    2 * rows.filter(|row| is_far(row)).count() > looked_at
}

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
        let far = is_far(starts, columns, v, width);
        let rows = starts.windows(2).map(|range| {
            let here = range[0]..range[1];
            (here.start, &columns[here.clone()], &values[here])
        });
        let ask = |k: usize| {
            if let Some(&ahead) = columns.get(k + AHEAD) {
                prefetch_row::<R>(v, ahead as usize * width + from);
            }
        };
        // Where a row of v is all that is gathered, its address is a shift away.
        if width == R {
            let whole: &[[f64; R]] = v.as_chunks().0;
            let gathered = |column: u32| &whole[column as usize];
            for ((at, here, values), out) in rows.zip(out.as_chunks_mut::<R>().0) {
                *out = if far {
                    sum::<FUSED, R>(at, here, values, ask, gathered)
                } else {
                    sum::<FUSED, R>(at, here, values, |_| (), gathered)
                };
            }
            return;
        }
        let gathered = |column: u32| part::<R>(v, column as usize * width + from);
        for ((at, here, values), out) in rows.zip(out.chunks_exact_mut(width)) {
            let sums = if far {
                sum::<FUSED, R>(at, here, values, ask, gathered)
            } else {
                sum::<FUSED, R>(at, here, values, |_| (), gathered)
            };
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

/// The sum of a row that begins at entry `at` of the matrix, where `ask` asks for what is used some entries later.
#[inline(always)] // As above.
#[allow(clippy::inline_always)]
fn sum<'a, const FUSED: bool, const R: usize>(
    at: usize,
    columns: &[u32],
    values: &[f64],
    ask: impl Fn(usize),
    gathered: impl Fn(u32) -> &'a [f64; R],
) -> [f64; R] {
    if R > NARROW || columns.len() < LONG {
        let mut sums = [0.0; R];
        for ((&column, &value), k) in columns.iter().zip(values).zip(at..) {
            ask(k);
            add_row::<FUSED, R>(value, gathered(column), &mut sums);
        }
        return sums;
    }
    let (columns, last_columns) = columns.as_chunks::<4>();
    let (values, last_values) = values.as_chunks::<4>();
    let mut sums = [[0.0; R]; 4];
    for ((columns, values), k) in columns.iter().zip(values).zip((at..).step_by(4)) {
        for turn in 0..4 {
            ask(k + turn);
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
    // Rows need not begin where a line does.
    if R > 1 {
        prefetch(v, at + R - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows with few and many entries from all over a large v, so that what is used later is asked for.
    #[test]
    fn what_no_cache_holds_is_added_up_as_by_a_naive_loop() {
        for (n, width) in [(150_000, 8), (600_000, 2), (40_000, 33)] {
            let v: Vec<f64> = (0..n * width).map(|k| ((k % 1009) as f64).sin()).collect();
            let mut starts = vec![0];
            let mut columns = Vec::new();
            for row in 0..60_usize {
                let count = 2 + row % 40;
                let step = n / count;
                columns.extend((0..count).map(|k| (k * step + row * 7 % step) as u32));
                starts.push(columns.len());
            }
            let values: Vec<f64> = (0..columns.len()).map(|k| (k as f64).cos()).collect();
            assert!(is_far(&starts, &columns, &v, width));
            let mut out = vec![0.0; 60 * width];
            gather(&starts, &columns, &values, &v, width, &mut out);
            for (out, range) in out.chunks_exact(width).zip(starts.windows(2)) {
                for (l, &found) in out.iter().enumerate() {
                    let term = |k: usize| values[k] * v[columns[k] as usize * width + l];
                    let naive: f64 = (range[0]..range[1]).map(term).sum();
                    assert!((found - naive).abs() < 1e-12, "{n} {width}: {found} {naive}");
                }
            }
        }
    }
}
