//! Points placed anew, one after the other, from their distances to others.

use gramfold::linalg::{Mat, symmetric_eigen};

use super::Stress;

/// Gauss–Newton steps for one point.
const STEPS: usize = 8;

/// Places the points that are strained and not frozen anew, those first that have the most distances to points that are placed.
pub(super) fn relocate(
    stress: &Stress<'_>,
    frozen: &[bool],
    strained: impl Fn(usize) -> bool,
    x: &mut Mat,
) {
    let n = x.rows();
    let mut placed: Vec<bool> = (0..n).map(|i| frozen[i] || !strained(i)).collect();
    let mut around = vec![Vec::new(); n];
    for (k, &(i, j)) in stress.pairs.iter().enumerate() {
        for (node, other) in [(i, j), (j, i)] {
            if !placed[node as usize] {
                around[node as usize].push((other as usize, k));
            }
        }
    }
    let mut open: Vec<usize> = (0..n).filter(|&i| !placed[i]).collect();
    while !open.is_empty() {
        let known = |node: usize| around[node].iter().filter(|(other, _)| placed[*other]).count();
        let (at, &node) = open
            .iter()
            .enumerate()
            .max_by_key(|(at, node)| (known(**node), usize::MAX - at))
            .expect("invariant: some are open");
        let anchors: Vec<(usize, f64)> = around[node]
            .iter()
            .filter(|(other, _)| placed[*other])
            .map(|&(other, k)| (other, stress.squares[k]))
            .collect();
        if anchors.len() > x.cols() {
            place(node, &anchors, x);
        }
        placed[node] = true;
        open.swap_remove(at);
    }
}

/// Puts a point where its squared distances to others are as given: linear least squares, then Gauss–Newton.
fn place(node: usize, anchors: &[(usize, f64)], x: &mut Mat) {
    let d = x.cols();
    let count = anchors.len() as f64;
    let mean = |of: &dyn Fn(usize, f64) -> f64| {
        anchors.iter().map(|&(other, square)| of(other, square)).sum::<f64>() / count
    };
    // ‖a‖² − d² − 2a·x is the same for all: differences from the mean are linear in x.
    let centre: Vec<f64> = (0..d).map(|l| mean(&|other, _| x[(other, l)])).collect();
    let level = |other: usize, square: f64| {
        (0..d).map(|l| (x[(other, l)] - centre[l]).powi(2)).sum::<f64>() - square
    };
    let mean_level = mean(&level);
    let (mut gram, mut right) = (Mat::zeros(d, d), vec![0.0; d]);
    for &(other, square) in anchors {
        let off = level(other, square) - mean_level;
        for a in 0..d {
            let left = 2.0 * (x[(other, a)] - centre[a]);
            right[a] += left * off;
            for b in 0..d {
                gram[(a, b)] += left * 2.0 * (x[(other, b)] - centre[b]);
            }
        }
    }
    let Some(start) = solved(&gram, &right) else { return };
    let mut at: Vec<f64> = start.iter().zip(&centre).map(|(x, centre)| x + centre).collect();
    for _ in 0..STEPS {
        let (mut gram, mut right) = (Mat::zeros(d, d), vec![0.0; d]);
        for &(other, square) in anchors {
            let difference: Vec<f64> = (0..d).map(|l| at[l] - x[(other, l)]).collect();
            let residual = difference.iter().map(|v| v * v).sum::<f64>() - square;
            for a in 0..d {
                right[a] -= 2.0 * difference[a] * residual / square;
                for b in 0..d {
                    gram[(a, b)] += 4.0 * difference[a] * difference[b] / square;
                }
            }
        }
        let Some(step) = solved(&gram, &right) else { break };
        at.iter_mut().zip(&step).for_each(|(at, step)| *at += step);
    }
    if at.iter().all(|v| v.is_finite()) {
        x.row_mut(node).copy_from_slice(&at);
    }
}

/// A small definite system; none where it is nearly singular.
fn solved(gram: &Mat, right: &[f64]) -> Option<Vec<f64>> {
    let eigen = symmetric_eigen(gram)?;
    let d = right.len();
    if eigen.values[0] <= 1e-10 * eigen.values[d - 1] {
        return None;
    }
    let mut out = vec![0.0; d];
    for (value, k) in eigen.values.iter().zip(0..) {
        let axis = eigen.vectors.row(k);
        let along: f64 = axis.iter().zip(right).map(|(a, b)| a * b).sum::<f64>() / value;
        out.iter_mut().zip(axis).for_each(|(out, axis)| *out += along * axis);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_put_where_its_distances_meet() {
        let mut x = Mat::from_fn(5, 2, |i, j| ((3 * i + 2 * j) as f64).sin());
        let truth = [0.4, -0.7];
        let square = |k: usize, x: &Mat| (0..2).map(|l| (x[(k, l)] - truth[l]).powi(2)).sum();
        let anchors: Vec<(usize, f64)> = (0..4).map(|k| (k, square(k, &x))).collect();
        place(4, &anchors, &mut x);
        assert!((x[(4, 0)] - truth[0]).hypot(x[(4, 1)] - truth[1]) < 1e-10);
    }
}
