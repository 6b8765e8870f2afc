//! C7: a lower bound for symmetric NMF from the doubly nonnegative relaxation.
//!
//! For W = P + N with P ⪰ 0 and N ≥ 0, every XXᵀ with X ≥ 0 has ⟨W, XXᵀ⟩ ≥ 0, so
//! ½‖XXᵀ − A‖² ≥ −½‖W‖² − ⟨W, A⟩, and the best multiple of W gives ⟨W, A⟩²/(2‖W‖²) if ⟨W, A⟩ < 0.

use gramfold_linalg::{Mat, Symmetric, accumulate, dot, multiply, symmetric_eigen};

use super::{
    global::{LowerBound, Method},
    spectrum::Proof,
};

/// n up to which the alternating projections (an eigendecomposition each) are affordable.
const LARGEST: usize = 200;

/// The most rounds of projections onto the two cones, and the share that a round must add for another to be worth its
/// eigendecomposition.
const ROUNDS: usize = 60;
const GROWTH: f64 = 1e-4;

/// Rounds gain ever less: what all that follow one add is taken to be at most so many times what it added.
const AHEAD: f64 = 4.0;

/// The bound at the W nearest to −A, with P and N by turns, from where X leaves them. It is given up where it cannot or will not
/// come to `known`, which another bound has reached.
pub(super) fn bound(a: &Symmetric, x: &Mat, known: f64) -> Option<LowerBound> {
    let n = a.dim();
    if n > LARGEST {
        return None;
    }
    let target = a.to_dense();
    // N = [XXᵀ − A]₊, then P = [−A − N]_PSD and N = [−A − P]₊.
    let mut negative_part = target.clone();
    negative_part.scale(-1.0);
    accumulate(1.0, x, &x.transposed(), &mut negative_part);
    if reached(&negative_part, x) <= known {
        return None;
    }
    negative_part.as_mut_slice().iter_mut().for_each(|v| *v = v.max(0.0));
    let mut best = 0.0_f64;
    for round in 0..ROUNDS {
        negative_part.zip(&target, |n, a| -a - n);
        let (mut w, error) = positive_part(&negative_part)?;
        negative_part.zip2(&target, &w, |_, a, p| (-a - p).max(0.0));
        w.axpy(1.0, &negative_part);
        let before = best;
        best = best.max(value(&w, &target, error));
        let gained = best - before;
        if round > 0 && (gained <= GROWTH * best || best + AHEAD * gained < known) {
            break;
        }
    }
    Some(LowerBound { value: best, method: Method::DoublyNonnegative, proof: Proof::Rigorous })
}

/// ½‖Z − A‖² for a doubly nonnegative Z not far from XXᵀ, given XXᵀ − A: no bound of this kind is above it.
///
/// With R = A − XXᵀ among the nodes of one cluster, B = (R² + sR)² is positive semidefinite and has more of what is positive in R
/// than of the rest. Z is XXᵀ + tB there, with t so small that no entry is negative.
fn reached(excess: &Mat, x: &Mat) -> f64 {
    let mut clusters = vec![Vec::new(); x.cols()];
    for i in 0..x.rows() {
        let row = x.row(i);
        let largest = (0..row.len()).fold(0, |best, j| if row[j] > row[best] { j } else { best });
        clusters[largest].push(i);
    }
    let gained: f64 = clusters.iter().map(|nodes| gained(excess, x, nodes)).sum();
    0.5 * excess.norm_squared() - gained
}

/// What tB gains among the nodes of one cluster.
fn gained(excess: &Mat, x: &Mat, nodes: &[usize]) -> f64 {
    let m = nodes.len();
    let residual = Mat::from_fn(m, m, |i, j| -excess[(nodes[i], nodes[j])]);
    let (mut root, mut b) = (Mat::zeros(m, m), Mat::zeros(m, m));
    multiply(1.0, &residual, &residual, &mut root);
    // s is about as large as the eigenvalues that count.
    root.axpy(root.norm() / residual.norm(), &residual);
    multiply(1.0, &root, &root, &mut b);
    let (along, square) = (residual.dot(&b), b.norm_squared());
    let mut t = along / square;
    for (i, &node) in nodes.iter().enumerate() {
        for (j, &other) in nodes.iter().enumerate().filter(|(j, _)| b[(i, *j)] < 0.0) {
            t = t.min(dot(x.row(node), x.row(other)) / -b[(i, j)]);
        }
    }
    // Not a number where R or B is zero: nothing is gained there.
    if t > 0.0 { t * (along - 0.5 * t * square) } else { 0.0 }
}

/// ⟨W, A⟩²/(2‖W‖²), less what a W that is only nearly copositive may lose.
fn value(w: &Mat, a: &Mat, error: f64) -> f64 {
    let (along, size) = (w.dot(a), w.norm_squared());
    if along >= 0.0 || size == 0.0 {
        return 0.0;
    }
    let multiple = -along / size;
    // ⟨W, Z⟩ ≥ −error·tr Z, and a competitor better than Z = 0 has tr Z ≤ √n·2‖A‖.
    let trace = 2.0 * (a.rows() as f64).sqrt() * a.norm();
    0.5 * along * along / size - multiple * error * trace - 1e-14 * a.norm_squared()
}

/// The positive semidefinite part VΛ₊Vᵀ of M, and a bound on how far from PSD its rounded entries are.
fn positive_part(matrix: &Mat) -> Option<(Mat, f64)> {
    let n = matrix.rows();
    let eigen = symmetric_eigen(matrix)?;
    let mut scaled = eigen.vectors.clone();
    for (i, &value) in eigen.values.iter().enumerate() {
        let root = value.max(0.0).sqrt();
        scaled.row_mut(i).iter_mut().for_each(|v| *v *= root);
    }
    // RᵀR is PSD whatever R is; only the rounding of the product counts.
    let mut psd = Mat::zeros(n, n);
    accumulate(1.0, &scaled.transposed(), &scaled, &mut psd);
    let error = 2.0 * (n as f64 + 2.0) * f64::EPSILON * scaled.norm_squared();
    Some((psd, error))
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::Dense;

    use super::*;

    /// Z itself is checked, and what it reaches is above what the relaxation bounds.
    #[test]
    fn no_bound_is_above_what_a_doubly_nonnegative_matrix_reaches() {
        for seed in 0..12_usize {
            let (n, r) = (9 + 2 * seed, 1 + seed % 4);
            let entry = |i: usize, j: usize| ((i * j + 3 * (i + j) + seed) as f64).sin();
            let a = Symmetric::from(Dense::symmetrised(Mat::from_fn(n, n, |i, j| {
                0.5 + 0.5 * entry(i, j) + f64::from(i % r == j % r)
            })));
            let x = Mat::from_fn(n, r, |i, j| {
                [0.1, 0.8][usize::from(i % r == j)] + 0.1 * entry(i, 2 * j)
            });
            let mut excess = a.to_dense();
            excess.scale(-1.0);
            accumulate(1.0, &x, &x.transposed(), &mut excess);
            let reached = reached(&excess, &x);
            assert!(reached <= 0.5 * excess.norm_squared());
            let found = bound(&a, &x, 0.0).unwrap().value;
            assert!(found <= reached * (1.0 + 1e-12), "{seed}: {found} {reached}");
            assert!(bound(&a, &x, reached).is_none());
        }
    }

    /// Of the doubly nonnegative matrices [a b; b a], b ≤ a, the nearest to [0 1; 1 0] has a = b = ½, at ½‖Z − A‖² = ½ a pair of
    /// nodes, whatever X is that the search for it starts from.
    #[test]
    fn the_bound_is_that_of_the_relaxation_from_any_factor() {
        let pairs = 3;
        let n = 2 * pairs;
        let matching = Mat::from_fn(n, n, |i, j| f64::from(i != j && i / 2 == j / 2));
        let a = Symmetric::from(Dense::symmetrised(matching));
        let half = 0.5_f64.sqrt();
        let best = Mat::from_fn(n, pairs, |i, j| if i / 2 == j { half } else { 0.0 });
        let poor = Mat::from_fn(n, 2, |i, j| ((3 * i + 5 * j + 1) as f64).sin().abs());
        for x in [best, poor, Mat::zeros(n, 1)] {
            let found = bound(&a, &x, 0.0).unwrap().value;
            let expected = 0.5 * pairs as f64;
            assert!(found <= expected && found > 0.999 * expected, "{found} of {expected}");
        }
        // Nothing is looked for where another bound is out of reach.
        assert!(bound(&a, &Mat::zeros(n, 1), 1e3).is_none());
    }
}
