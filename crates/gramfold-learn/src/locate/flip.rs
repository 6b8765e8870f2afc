//! Flaps: points that hang on others which lie nearly on a line, and are mirrored at it. Gauss–Newton leaves them there, since all
//! distances but those of the hinge are met.

use gramfold::linalg::{Mat, symmetric_eigen};

use super::stress::Stress;

/// Mirrors the flaps at the hyperplane through the `hinge`: what hangs together without the points that are nearer to it than `near` mean
/// distances, and without points that are frozen. Says whether there are any.
pub(super) fn flip(
    stress: &Stress<'_>,
    frozen: &[bool],
    hinge: &[usize],
    near: f64,
    x: &mut Mat,
) -> bool {
    let (n, d) = (x.rows(), x.cols());
    if hinge.len() < d {
        return false;
    }
    let count = hinge.len() as f64;
    let mean: Vec<f64> =
        (0..d).map(|l| hinge.iter().map(|&i| x[(i, l)]).sum::<f64>() / count).collect();
    let entry = |a: usize, b: usize| -> f64 {
        hinge.iter().map(|&i| (x[(i, a)] - mean[a]) * (x[(i, b)] - mean[b])).sum()
    };
    let Some(eigen) = symmetric_eigen(&Mat::from_fn(d, d, entry)) else { return false };
    let normal: Vec<f64> = eigen.vectors.row(0).to_vec();
    let above: Vec<f64> =
        (0..n).map(|i| (0..d).map(|l| (x[(i, l)] - mean[l]) * normal[l]).sum()).collect();
    let least = near * stress.mean_distance();
    let is_off = |i: usize| above[i].abs() > least;
    let mut around = vec![Vec::new(); n];
    for &(i, j) in stress.pairs {
        let (i, j) = (i as usize, j as usize);
        if is_off(i) && is_off(j) {
            around[i].push(j);
            around[j].push(i);
        }
    }
    let (mut seen, mut flipped) = (vec![false; n], false);
    for first in (0..n).filter(|&i| is_off(i)) {
        if seen[first] {
            continue;
        }
        seen[first] = true;
        let (mut flap, mut next) = (vec![first], 0);
        while next < flap.len() {
            for &j in &around[flap[next]] {
                if !seen[j] {
                    seen[j] = true;
                    flap.push(j);
                }
            }
            next += 1;
        }
        if flap.iter().any(|&i| frozen[i]) {
            continue;
        }
        flipped = true;
        for i in flap {
            (0..d).for_each(|l| x[(i, l)] -= 2.0 * above[i] * normal[l]);
        }
    }
    flipped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Observations;

    #[test]
    fn a_flap_turns_over_its_hinge_and_the_rest_stays() {
        // Four frozen points below, a hinge of three on the first axis, and two points above it.
        let truth = Mat::from_row_major(
            9,
            2,
            [
                [0.0, -0.5],
                [0.5, -0.6],
                [1.0, -0.5],
                [0.4, -1.0],
                [0.0, 0.0],
                [0.5, 0.01],
                [1.0, 0.0],
                [0.3, 0.4],
                [0.7, 0.5],
            ]
            .concat(),
        );
        let (mut places, mut values) = (Vec::new(), Vec::new());
        for i in 0..9_u32 {
            for j in i + 1..9 {
                if j < 7 || i >= 4 {
                    let gap = |l: usize| truth[(i as usize, l)] - truth[(j as usize, l)];
                    places.push((i, j));
                    values.push(gap(0).hypot(gap(1)));
                }
            }
        }
        let distances = Observations { dim: 9, places, values };
        let stress = Stress::new(&distances);
        let frozen: Vec<bool> = (0..9).map(|i| i < 4).collect();
        let mut x = truth.clone();
        (7..9).for_each(|i| x[(i, 1)] = -x[(i, 1)]);
        assert!(flip(&stress, &frozen, &[4, 6], 0.2, &mut x));
        assert!(x.distance(&truth) < 1e-12);
        // A point alone is no hinge of the plane.
        assert!(!flip(&stress, &frozen, &[4], 0.2, &mut x));
    }
}
