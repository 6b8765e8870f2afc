//! What has been measured of the factors of a split.

use std::cell::Cell;

/// Measures of the present factors, each a pass over them and made once.
#[derive(Default)]
pub(super) struct Known {
    pub(super) loss: Cell<Option<f64>>,
    pub(super) regularisation: Cell<Option<f64>>,
    pub(super) distance: Cell<Option<f64>>,
    pub(super) norms: Cell<Option<(f64, f64)>>,
    /// Of the block of X, where X = Y.
    pub(super) curvature: Cell<Option<f64>>,
    pub(super) stationarity: Cell<Option<f64>>,
}

/// What the cell holds, computed the first time.
pub(super) fn once<T: Copy>(cell: &Cell<Option<T>>, compute: impl FnOnce() -> T) -> T {
    let value = cell.get().unwrap_or_else(compute);
    cell.set(Some(value));
    value
}
