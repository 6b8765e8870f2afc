//! Programs whose feasible Z all lie on a face of the cone.

use gramfold_linalg::{Mat, dot, symmetric_eigen};
use gramfold_sdp::{Cone, Sdp, Term};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// ab.
fn times(a: &Mat, b: &Mat) -> Mat {
    let bt = b.transposed();
    Mat::from_fn(a.rows(), b.cols(), |i, j| dot(a.row(i), bt.row(j)))
}

fn inner(a: &Mat, b: &Mat) -> f64 {
    dot(a.as_slice(), b.as_slice())
}

/// A program on the face V·Vᵀ, with optimum ⟨C, VX*Vᵀ⟩ that the dual does not attain: the slack is X*'s complement on
/// the face, and connects it with what is outside. No single constraint shows the face: I − VVᵀ is hidden in one by
/// another. X* has rank `third`, the face twice that, the cone thrice.
pub(crate) fn degenerate(seed: u64, third: usize) -> (Sdp, f64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut number = || 2.0 * random.random::<f64>() - 1.0;
    let (n, k, m) = (3 * third, 2 * third, third * (third + 1) / 2 + 1);
    let g = Mat::from_fn(n, n, |_, _| number());
    let q = symmetric_eigen(&Mat::from_fn(n, n, |i, j| g[(i, j)] + g[(j, i)])).unwrap().vectors;
    // Rows of q: k of the face, the others outside it.
    let spread = |weights: &[f64]| {
        let scaled = Mat::from_fn(n, n, |i, j| weights[i] * q[(i, j)]);
        times(&q.transposed(), &scaled)
    };
    let weights = |range: std::ops::Range<usize>| -> Vec<f64> {
        (0..n).map(|i| if range.contains(&i) { 1.0 + i as f64 / 4.0 } else { 0.0 }).collect()
    };
    let (z, s, outside) =
        (spread(&weights(0..third)), spread(&weights(third..k)), spread(&weights(k..n)));
    let symmetric = |number: &mut dyn FnMut() -> f64| {
        let g = Mat::from_fn(n, n, |_, _| number());
        Mat::from_fn(n, n, |i, j| g[(i, j)] + g[(j, i)])
    };
    let mut matrices: Vec<Mat> = (0..m).map(|_| symmetric(&mut number)).collect();
    // tr Z is fixed; the last is the first but for what exposes the face.
    matrices[0] = Mat::identity(n);
    let mut last = matrices[1].clone();
    last.axpy(1.0, &outside);
    matrices.push(last);
    let y: Vec<f64> = (0..=m).map(|_| number()).collect();
    let mut cost = s;
    for (y, matrix) in y.iter().zip(&matrices) {
        cost.axpy(*y, matrix);
    }
    // From the face to outside it, also where Z* is: then no y has C − A*(y) ⪰ 0 at the optimum.
    for i in 0..k {
        for j in k..n {
            let weight = 0.1 * number();
            let both = Mat::from_fn(n, n, |a, b| q[(i, a)] * q[(j, b)] + q[(j, a)] * q[(i, b)]);
            cost.axpy(weight, &both);
        }
    }
    let mut terms = Vec::new();
    for (matrix, of) in std::iter::once(&cost).chain(&matrices).enumerate() {
        for row in 0..n {
            for col in row..n {
                terms.push(Term { matrix, block: 0, row, col, value: of[(row, col)] });
            }
        }
    }
    let rhs: Vec<f64> = matrices.iter().map(|matrix| inner(matrix, &z)).collect();
    let optimum = inner(&cost, &z);
    (Sdp::new(vec![Cone::Semidefinite(n)], rhs, terms, Vec::new()).unwrap(), optimum)
}
