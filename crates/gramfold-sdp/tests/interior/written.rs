//! Programs and points written out in full, and what must hold of them.

use gramfold_linalg::{Mat, is_positive_definite, symmetric_eigen};
use gramfold_sdp::{Cone, Outcome, Point, Primal, Sdp, Status, Term};

pub(crate) fn term(matrix: usize, row: usize, col: usize, value: f64) -> Term {
    Term { matrix, block: 0, row, col, value }
}

pub(crate) fn inner(a: &[Mat], b: &[Mat]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(b)).sum()
}

pub(crate) fn combine(target: &mut [Mat], weight: f64, of: &[Mat]) {
    target.iter_mut().zip(of).for_each(|(t, o)| t.axpy(weight, o));
}

pub(crate) fn stretch(target: &mut [Mat], factor: f64) {
    for block in target {
        block.scale(factor);
    }
}

pub(crate) fn program(cones: &[Cone], cost: &[Mat], matrices: &[Vec<Mat>], rhs: Vec<f64>) -> Sdp {
    let mut terms = Vec::new();
    let all = std::iter::once(cost).chain(matrices.iter().map(Vec::as_slice));
    for (matrix, blocks) in all.enumerate() {
        for (block, values) in blocks.iter().enumerate() {
            for row in 0..values.rows() {
                for col in row..values.rows() {
                    let value = values[(row, col)];
                    if value != 0.0 {
                        terms.push(Term { matrix, block, row, col, value });
                    }
                }
            }
        }
    }
    Sdp::new(cones.to_vec(), rhs, terms, Vec::new()).unwrap()
}

/// A_i (or C, matrix 0) written out, from the program alone.
pub(crate) fn written_out(sdp: &Sdp, matrix: usize) -> Vec<Mat> {
    let mut blocks: Vec<Mat> =
        sdp.cones().iter().map(|cone| Mat::zeros(cone.size(), cone.size())).collect();
    for (block, values) in blocks.iter_mut().enumerate() {
        for entry in sdp.entries(matrix, block) {
            let (i, j) = (entry.row as usize, entry.col as usize);
            values[(i, j)] += entry.value;
            if i != j {
                values[(j, i)] += entry.value;
            }
        }
    }
    for part in sdp.rank_ones().iter().filter(|part| part.matrix == matrix) {
        let n = part.vector.len();
        let outer = Mat::from_fn(n, n, |i, j| part.weight * part.vector[i] * part.vector[j]);
        blocks[part.block].axpy(1.0, &outer);
    }
    blocks
}

pub(crate) fn dense(primal: &[Primal]) -> Vec<Mat> {
    primal
        .iter()
        .map(|block| match block {
            Primal::Dense(mat) => mat.clone(),
            Primal::Diagonal(d) => {
                Mat::from_fn(d.len(), d.len(), |i, j| if i == j { d[i] } else { 0.0 })
            }
            Primal::Factor(_) => panic!("the engine has no factors"),
        })
        .collect()
}

pub(crate) fn least_eigenvalue(blocks: &[Mat]) -> f64 {
    blocks.iter().map(|b| symmetric_eigen(b).unwrap().values[0]).fold(f64::INFINITY, f64::min)
}

/// C − A*(y), written out.
pub(crate) fn slack(sdp: &Sdp, y: &[f64]) -> Vec<Mat> {
    let mut slack = written_out(sdp, 0);
    for (i, y) in y.iter().enumerate() {
        combine(&mut slack, -y, &written_out(sdp, i + 1));
    }
    slack
}

pub(crate) fn infeasibility(sdp: &Sdp, z: &[Mat]) -> f64 {
    let size = 1.0 + sdp.rhs().iter().fold(0.0, |m: f64, b| m.max(b.abs()));
    let square: f64 = (0..sdp.constraints())
        .map(|i| (inner(&written_out(sdp, i + 1), z) - sdp.rhs()[i]).powi(2))
        .sum();
    square.sqrt() / size
}

pub(crate) fn objectives(sdp: &Sdp, point: &Point) -> (f64, f64) {
    let primal = inner(&written_out(sdp, 0), &dense(&point.primal));
    (primal, sdp.rhs().iter().zip(&point.dual).map(|(b, y)| b * y).sum())
}

/// Converged, to the known optimum, with a slack that a Cholesky factorisation proves positive definite.
pub(crate) fn assert_optimal(sdp: &Sdp, outcome: &Outcome, optimum: f64, name: &str) {
    assert!(outcome.status == Status::Solved, "{name}: {:?}", outcome.status);
    let (primal, dual) = objectives(sdp, &outcome.point);
    let size = 1.0 + optimum.abs();
    assert!((primal - optimum).abs() < 1e-7 * size, "{name}: {primal} for {optimum}");
    assert!((dual - optimum).abs() < 1e-7 * size, "{name}: dual {dual} for {optimum}");
    let z = dense(&outcome.point.primal);
    assert!(infeasibility(sdp, &z) < 2e-8, "{name}: {}", infeasibility(sdp, &z));
    assert!(least_eigenvalue(&z) > -1e-14 * size, "{name}: Z has {}", least_eigenvalue(&z));
}

pub(crate) fn assert_proved(sdp: &Sdp, outcome: &Outcome, name: &str) {
    for slack in slack(sdp, &outcome.point.dual) {
        assert!(is_positive_definite(&slack, 1.0, 0.0, 0.0), "{name}: S cannot be proved");
    }
}
