//! Fixed-size chunks, in parallel when there is more than one.

use rayon::prelude::*;

/// Rows of a tall factor that one task handles.
pub(crate) const ROWS: usize = 1024;

/// Rows that a row-local solve handles together, one a vector lane: several registers of them, since
/// the additions of one lane wait for each other.
pub(crate) const LANES: usize = 32;

/// `count` lanes from the stack where they fit: no allocation for ranks up to 32.
pub(crate) fn lanes_for<'a>(
    count: usize,
    stack: &'a mut [[f64; LANES]; 64],
    heap: &'a mut Vec<[f64; LANES]>,
) -> &'a mut [[f64; LANES]] {
    if count <= stack.len() {
        &mut stack[..count]
    } else {
        heap.resize(count, [0.0; LANES]);
        heap
    }
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
