//! Fixed-size chunks, in parallel when there is more than one.

use rayon::prelude::*;

/// Rows of a tall factor that one task handles.
pub(crate) const ROWS: usize = 1024;

/// The most columns of a strip.
const WIDEST: usize = 1 << 16;

/// Rows or columns, of n, of a strip that one thread handles where all strips read the whole matrix: few, but so many that no
/// thread has all the work, and that what is written stays near. Answers must not depend on it.
pub fn strip_width(n: usize) -> usize {
    let threads = rayon::current_num_threads();
    let strips = if threads == 1 { 1 } else { 2 * threads };
    n.div_ceil(strips).clamp(1, WIDEST)
}

/// Calls `work(index, chunk)` for consecutive chunks of `size` entries of `data`.
///
/// A single chunk stays on the calling thread: waking the pool costs more than small work.
pub(crate) fn for_each<T: Send>(
    data: &mut [T],
    size: usize,
    work: impl Fn(usize, &mut [T]) + Sync,
) {
    if data.len() <= size {
        if !data.is_empty() {
            work(0, data);
        }
    } else {
        data.par_chunks_mut(size).enumerate().for_each(|(i, chunk)| work(i, chunk));
    }
}

/// [`for_each`] over the chunks of two slices, as many of each, which may differ in size.
pub(crate) fn for_each_pair<T: Send>(
    (left, size): (&mut [T], usize),
    (right, other): (&mut [T], usize),
    work: impl Fn(usize, &mut [T], &mut [T]) + Sync,
) {
    if left.len() <= size {
        if !left.is_empty() {
            work(0, left, right);
        }
    } else {
        let pairs = left.par_chunks_mut(size).zip(right.par_chunks_mut(other));
        pairs.enumerate().for_each(|(i, (left, right))| work(i, left, right));
    }
}
