//! Flaps: points that hang on others which lie nearly on a line, and are mirrored at it. Gauss–Newton leaves them there, since all
//! distances but those of the hinge are met.

use std::collections::BTreeMap;

use gramfold::linalg::{Mat, symmetric_eigen};

use super::Stress;

/// Where flaps are looked for.
pub(super) struct Flaps<'a> {
    stress: &'a Stress<'a>,
    frozen: &'a [bool],
    x: &'a Mat,
    /// The other points of each point's pairs, and which pairs these are.
    around: Vec<Vec<(usize, usize)>>,
}

/// A hyperplane: one of its points, and its unit normal.
#[derive(Clone)]
struct Plane {
    point: Vec<f64>,
    normal: Vec<f64>,
}

impl Plane {
    /// That through D points, nearly; none where they are not numbers.
    fn through(points: &[usize], x: &Mat) -> Option<Self> {
        let d = x.cols();
        let share = 1.0 / points.len() as f64;
        let point: Vec<f64> =
            (0..d).map(|l| share * points.iter().map(|&i| x[(i, l)]).sum::<f64>()).collect();
        let entry = |a: usize, b: usize| -> f64 {
            points.iter().map(|&i| (x[(i, a)] - point[a]) * (x[(i, b)] - point[b])).sum()
        };
        let normal = symmetric_eigen(&Mat::from_fn(d, d, entry))?.vectors.row(0).to_vec();
        Some(Self { point, normal })
    }

    fn above(&self, x: &[f64]) -> f64 {
        x.iter().zip(&self.point).zip(&self.normal).map(|((x, p), n)| (x - p) * n).sum()
    }

    fn mirrored(&self, x: &[f64]) -> Vec<f64> {
        let above = self.above(x);
        x.iter().zip(&self.normal).map(|(x, n)| x - 2.0 * above * n).collect()
    }
}

impl<'a> Flaps<'a> {
    pub(super) fn new(stress: &'a Stress<'a>, frozen: &'a [bool], x: &'a Mat) -> Self {
        let mut around = vec![Vec::new(); x.rows()];
        for (k, &(i, j)) in stress.pairs.iter().enumerate() {
            around[i as usize].push((j as usize, k));
            around[j as usize].push((i as usize, k));
        }
        Self { stress, frozen, x, around }
    }

    /// The layouts with one flap mirrored at the hyperplane through D of the `strained` points: what hangs together without the points
    /// that are nearer to it than `near` mean distances, and without points that are frozen. Each flap once, and of them the `most`
    /// that leave the least stress.
    pub(super) fn mirrored(&self, strained: &[usize], near: f64, most: usize) -> Vec<Mat> {
        let least = near * self.stress.mean_distance();
        let mut found: BTreeMap<Vec<usize>, (f64, Plane)> = BTreeMap::new();
        for chosen in (0..1_u32 << strained.len())
            .filter(|chosen| chosen.count_ones() as usize == self.x.cols())
        {
            let hinge = strained.iter().zip(0..).filter(|(_, k)| chosen >> k & 1 == 1);
            let hinge: Vec<usize> = hinge.map(|(i, _)| *i).collect();
            let Some(plane) = Plane::through(&hinge, self.x) else { continue };
            for flap in self.at(&plane, least) {
                let more = self.more(&flap, &plane);
                if found.get(&flap).is_none_or(|(least, _)| more < *least) {
                    found.insert(flap, (more, plane.clone()));
                }
            }
        }
        let mut found: Vec<_> = found.into_iter().collect();
        found.sort_by(|a, b| a.1.0.total_cmp(&b.1.0));
        let layouts = found.into_iter().take(most).map(|(flap, (_, plane))| {
            let mut x = self.x.clone();
            for i in flap {
                x.row_mut(i).copy_from_slice(&plane.mirrored(self.x.row(i)));
            }
            x
        });
        layouts.collect()
    }

    /// The flaps at a hyperplane, each in order.
    fn at(&self, plane: &Plane, least: f64) -> Vec<Vec<usize>> {
        let n = self.x.rows();
        let mut open: Vec<bool> =
            (0..n).map(|i| plane.above(self.x.row(i)).abs() > least).collect();
        let mut flaps = Vec::new();
        for first in 0..n {
            if !std::mem::take(&mut open[first]) {
                continue;
            }
            let (mut flap, mut next) = (vec![first], 0);
            while next < flap.len() {
                for &(j, _) in &self.around[flap[next]] {
                    if std::mem::take(&mut open[j]) {
                        flap.push(j);
                    }
                }
                next += 1;
            }
            if !flap.iter().any(|&i| self.frozen[i]) {
                flap.sort_unstable();
                flaps.push(flap);
            }
        }
        flaps
    }

    /// The stress that mirroring a flap adds: that of its pairs with others, since those inside keep their lengths.
    fn more(&self, flap: &[usize], plane: &Plane) -> f64 {
        let square =
            |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum() };
        let mut more = 0.0;
        for &i in flap {
            let (here, there) = (self.x.row(i), plane.mirrored(self.x.row(i)));
            for &(j, k) in &self.around[i] {
                if flap.binary_search(&j).is_err() {
                    let (other, wanted) = (self.x.row(j), self.stress.squares[k]);
                    let after = (square(&there, other) - wanted).powi(2);
                    let before = (square(here, other) - wanted).powi(2);
                    more += 0.5 * self.stress.weights[k] * (after - before);
                }
            }
        }
        more
    }
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
        // Of all lines through two of the strained points, among them those of the flap, the hinge leaves the least.
        let flaps = Flaps::new(&stress, &frozen, &x);
        let best = flaps.mirrored(&[7, 4, 8, 6], 0.2, 1);
        assert!(best[0].distance(&truth) < 1e-12);
        // What mirroring adds is the difference of two stresses.
        let plane = Plane::through(&[4, 5], &x).unwrap();
        let mut other = x.clone();
        (7..9).for_each(|i| other.row_mut(i).copy_from_slice(&plane.mirrored(x.row(i))));
        let more = stress.value(&other) - stress.value(&x);
        assert!((flaps.more(&[7, 8], &plane) - more).abs() < 1e-12);
        // A point alone is no hinge of the plane.
        assert!(flaps.mirrored(&[4], 0.2, 1).is_empty());
    }
}
