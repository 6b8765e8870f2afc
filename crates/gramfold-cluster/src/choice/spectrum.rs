//! Leading eigenvalues, well enough to see gaps.

use gramfold_linalg::{Krylov, KrylovOptions, Mat, Symmetric, Which, symmetric_eigenvalues};

/// n up to which all eigenvalues are computed.
const DENSE: usize = 300;

/// Residuals, relative to the largest eigenvalue, below which gaps are seen well enough.
const TOLERANCE: f64 = 1e-4;

/// The `count` largest eigenvalues, largest first, or all of them; none if the matrix is not finite. One that is there several times may
/// be seen once.
pub fn leading_eigenvalues(a: &Symmetric, count: usize) -> Option<Vec<f64>> {
    let n = a.dim();
    if n <= DENSE {
        let mut values = symmetric_eigenvalues(&a.to_dense())?;
        values.reverse();
        values.truncate(count);
        return Some(values);
    }
    let wanted = count.min(n);
    let basis = (2 * wanted + 30).min(n);
    let options = KrylovOptions {
        which: Which::Largest,
        wanted,
        basis,
        steps: 8 * basis,
        tolerance: TOLERANCE,
    };
    let mut apply = |v: &Mat, out: &mut Mat| a.apply(v, out);
    Some(Krylov::new(n, 1).run(&mut apply, None, options)?.values)
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::Csr;

    use super::*;

    #[test]
    fn the_largest_come_first() {
        for n in [40_usize, 400] {
            let entries: Vec<_> = (0..n as u32).map(|i| (i, i, 1.0 / f64::from(i + 1))).collect();
            let matrix: Symmetric = Csr::from_triangle(n, &entries).unwrap().into();
            let found = leading_eigenvalues(&matrix, 5).unwrap();
            assert_eq!(found.len(), 5);
            for (value, i) in found.iter().zip(1..) {
                assert!((value - 1.0 / f64::from(i)).abs() < 1e-3, "{n}: {found:?}");
            }
            assert!(n > 300 || leading_eigenvalues(&matrix, 99).unwrap().len() == n);
        }
    }
}
