//! What the property tests of kernels share.

use gramfold_linalg::Mat;
use proptest::prelude::*;

/// Numbers of rows: small ones, and those beside the boundaries of chunks and tiles.
pub(crate) fn rows() -> impl Strategy<Value = usize> {
    prop_oneof![1..80_usize, 250..260_usize, 1020..1030_usize, 2045..2053_usize, Just(3077_usize)]
}

/// Widths: all that have kernels of their own, and some beyond.
pub(crate) fn width() -> impl Strategy<Value = usize> {
    prop_oneof![1..20_usize, 30..35_usize, 63..66_usize]
}

/// Entries in [−1, 1) that depend on the seed.
pub(crate) fn random(rows: usize, cols: usize, seed: u64) -> Mat {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    Mat::from_fn(rows, cols, |_, _| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    })
}

/// Runs on 1, 2 and 5 threads and returns what all of them gave.
pub(crate) fn on_any_threads<T: PartialEq + Send>(run: impl Fn() -> T + Sync) -> T {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(&run)
    };
    let one = on(1);
    assert!(one == on(2) && one == on(5), "bits depend on the number of threads");
    one
}

pub(crate) fn close(found: &Mat, expected: &Mat) {
    let error = found.distance(expected);
    assert!(error <= 1e-11 * (1.0 + expected.norm()), "off by {error:e}");
}
