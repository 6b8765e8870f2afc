//! The nonzeros of a row, dense or sparse.

use gramfold_linalg::Symmetric;

/// Calls `visit(j, a_ij)` for the nonzeros of row `i`, by increasing column.
pub(crate) fn for_each(a: &Symmetric, i: usize, mut visit: impl FnMut(usize, f64)) {
    let mut visit_nonzero = |j, value| {
        if value != 0.0 {
            visit(j, value);
        }
    };
    match a {
        Symmetric::Sparse(a) => a.row(i).for_each(|(j, value)| visit_nonzero(j, value)),
        a => (0..a.dim()).for_each(|j| visit_nonzero(j, a.get(i, j))),
    }
}
