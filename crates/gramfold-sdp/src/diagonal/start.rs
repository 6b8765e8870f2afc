//! Where the engine starts: random unit rows, then coordinate sweeps.

use gramfold_linalg::{Csr, Mat, normalise};

/// Random unit rows of the given width; the last `slacks` columns are zero.
pub(super) fn random(n: usize, rank: usize, slacks: usize, seed: u64) -> Mat {
    // SplitMix64: short, seeded by any number, and more than random enough for a start.
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    };
    // Sums of uniforms are near enough to normal for directions without preference.
    let mut normal = move || (0..4).map(|_| next()).sum::<f64>() - 2.0;
    let mut x = Mat::zeros(n, rank + slacks);
    for i in 0..n {
        let row = &mut x.row_mut(i)[..rank];
        loop {
            for v in row.iter_mut() {
                *v = normal();
            }
            if normalise(row) > 1e-3 {
                break;
            }
        }
    }
    x
}

/// So many coordinate sweeps.
pub(super) fn sweep(cost: &Csr, x: &mut Mat, count: usize) {
    let mut row = Vec::new();
    for _ in 0..count {
        cost.sweep_spheres(x, &mut row);
    }
}
