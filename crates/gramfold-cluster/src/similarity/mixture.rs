//! The mean of two similarities that are measured in different units.

use gramfold_linalg::{Csr, Dense, Symmetric};

/// ½(A + B·‖A‖/‖B‖) in Frobenius norms: the units are those of `weights`.
pub(super) fn mean(weights: &Symmetric, walks: &Symmetric) -> Symmetric {
    let scale = 0.5 * (weights.norm_squared() / walks.norm_squared()).sqrt();
    if let (Symmetric::Sparse(weights), Symmetric::Sparse(walks)) = (weights, walks) {
        return sum(weights, 0.5, walks, scale).into();
    }
    let mut mean = weights.to_dense();
    mean.scale(0.5);
    for i in 0..weights.dim() {
        walks.add_row(i, scale, mean.row_mut(i));
    }
    Dense::symmetrised(mean).into()
}

/// αA + βB.
fn sum(a: &Csr, alpha: f64, b: &Csr, beta: f64) -> Csr {
    let mut starts = Vec::with_capacity(a.dim() + 1);
    let most = a.stored() + b.stored();
    let (mut columns, mut values) = (Vec::with_capacity(most), Vec::with_capacity(most));
    starts.push(0);
    for i in 0..a.dim() {
        let (mut left, mut right) = (a.row(i).peekable(), b.row(i).peekable());
        loop {
            let next = [left.peek(), right.peek()].into_iter().flatten().map(|entry| entry.0).min();
            let Some(column) = next else { break };
            let of = |entry: Option<(usize, f64)>| entry.map_or(0.0, |entry| entry.1);
            let (one, two) = (left.next_if(|e| e.0 == column), right.next_if(|e| e.0 == column));
            columns.push(column as u32);
            values.push(alpha * of(one) + beta * of(two));
        }
        starts.push(columns.len());
    }
    Csr::from_rows(starts, columns, values).expect("invariant: a sum of symmetric matrices")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_have_the_same_share() {
        let a = Csr::from_triangle(3, &[(0, 1, 3.0), (1, 2, 4.0)]).unwrap();
        let b = Csr::from_triangle(3, &[(0, 1, 6.0), (0, 2, 8.0)]).unwrap();
        let dense =
            |a: &Csr| Symmetric::from(Dense::symmetrised(Symmetric::from(a.clone()).to_dense()));
        let (one, two) = (Symmetric::from(a.clone()), Symmetric::from(b.clone()));
        for mixed in [mean(&one, &two), mean(&dense(&a), &two)] {
            // ‖A‖ is half of ‖B‖.
            let expected = [(0, 1, 3.0), (0, 2, 2.0), (1, 2, 2.0), (0, 0, 0.0)];
            for (i, j, value) in expected {
                assert!((mixed.get(i, j) - value).abs() < 1e-15);
                assert_eq!(mixed.get(i, j), mixed.get(j, i));
            }
        }
    }
}
