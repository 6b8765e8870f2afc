//! The lowest eigenvalues of a symmetric matrix as Lanczos sees them: they steer engines, and say where a proof may begin.

use gramfold_linalg::{Krylov, KrylovOptions, Mat};

/// Ritz pairs at the lower end of the spectrum.
pub(crate) struct Lowest {
    /// The smallest value less its residual: no eigenvalue was found below it, which proves nothing.
    pub(crate) below: f64,
    /// Smallest first; none is below λmin.
    pub(crate) values: Vec<f64>,
    /// Unit vectors, one a row, one a value.
    pub(crate) vectors: Mat,
}

impl Lowest {
    /// The largest of −A that the options ask for, from the start that `krylov` draws; none if nothing was found before `stop` said so.
    pub(crate) fn of(
        krylov: &mut Krylov,
        apply: &mut dyn FnMut(&Mat, &mut Mat),
        options: KrylovOptions,
        stop: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let mut negated = |v: &Mat, out: &mut Mat| {
            apply(v, out);
            out.scale(-1.0);
        };
        let ritz = krylov.run_until(stop, &mut negated, None, options)?;
        let values = ritz.values.iter().map(|value| -value).collect();
        let below = -(ritz.values[0] + ritz.residuals[0]);
        Some(Self { below, values, vectors: ritz.vectors })
    }
}
