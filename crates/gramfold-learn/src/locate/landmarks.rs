//! The start: classical scaling of shortest paths to a few landmarks (de Silva and Tenenbaum).

use gramfold::linalg::{Mat, symmetric_eigen};

use super::paths::shortest;
use crate::{Observations, adjacency::Neighbours};

/// Landmarks of each group of points.
const LANDMARKS: usize = 40;

/// Positions whose distances are roughly the lengths of shortest paths, group by group; each group is centred.
pub(super) fn start(distances: &Observations, dim: usize, seed: u64) -> Mat {
    let neighbours = Neighbours::new(distances);
    let (group, count) = neighbours.groups();
    let mut members = vec![Vec::new(); count];
    for (node, &group) in group.iter().enumerate() {
        members[group as usize].push(node);
    }
    let mut x = Mat::zeros(distances.dim, dim);
    for members in members.iter().filter(|members| members.len() > 1) {
        place(&neighbours, members, dim, seed, &mut x);
    }
    x
}

fn place(neighbours: &Neighbours, members: &[usize], dim: usize, seed: u64, x: &mut Mat) {
    // Each landmark is as far as can be from those before it; the first one is at the rim, as far from any point.
    let count = LANDMARKS.max(2 * (dim + 1)).min(members.len());
    let any = members[(seed as usize) % members.len()];
    let mut nearest = shortest(neighbours, any);
    let (mut landmarks, mut lengths) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for k in 0..count {
        let farthest = members.iter().copied().max_by(|&a, &b| nearest[a].total_cmp(&nearest[b]));
        let Some(next) = farthest else { break };
        let new = shortest(neighbours, next);
        let near = |(near, new): (&f64, &f64)| if k == 0 { *new } else { near.min(*new) };
        nearest = nearest.iter().zip(&new).map(near).collect();
        landmarks.push(next);
        lengths.push(new);
    }
    // B = −½JΔJ over the squared lengths between landmarks.
    let l = landmarks.len();
    let square = |a: usize, node: usize| lengths[a][node] * lengths[a][node];
    let means: Vec<f64> =
        (0..l).map(|a| landmarks.iter().map(|&b| square(a, b)).sum::<f64>() / l as f64).collect();
    let mean = means.iter().sum::<f64>() / l as f64;
    let b = Mat::from_fn(l, l, |a, c| {
        -0.25 * (square(a, landmarks[c]) + square(c, landmarks[a]))
            + 0.5 * (means[a] + means[c] - mean)
    });
    let Some(eigen) = symmetric_eigen(&b) else { return };
    for axis in 0..dim.min(l) {
        let at = l - 1 - axis;
        let value = eigen.values[at];
        if value <= 0.0 {
            continue;
        }
        let direction = eigen.vectors.row(at);
        for &node in members {
            let pull: f64 = (0..l).map(|a| direction[a] * (means[a] - square(a, node))).sum();
            x[(node, axis)] = 0.5 * pull / value.sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where every distance is known the start is the answer.
    #[test]
    fn full_distances_give_the_points() {
        let points = Mat::from_fn(12, 2, |i, j| ((3 * i + 5 * j) as f64).sin());
        let distance = |i: usize, j: usize| {
            (points[(i, 0)] - points[(j, 0)]).hypot(points[(i, 1)] - points[(j, 1)])
        };
        let places: Vec<(u32, u32)> =
            (0..12).flat_map(|i| (i + 1..12).map(move |j| (i, j))).collect();
        let values = places.iter().map(|&(i, j)| distance(i as usize, j as usize)).collect();
        let x = start(&Observations { dim: 12, places, values }, 2, 5);
        for i in 0..12 {
            for j in 0..12 {
                let found = (x[(i, 0)] - x[(j, 0)]).hypot(x[(i, 1)] - x[(j, 1)]);
                assert!((found - distance(i, j)).abs() < 1e-10, "({i}, {j})");
            }
        }
    }
}
