//! Where Gauss–Newton gets stuck, a few points are mostly folded over: they are found by their strain, and the part of the layout
//! around each is mended by itself while the rest lies still.

use gramfold::linalg::Mat;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Outcome, Refinement, Stress, flip::Flaps, relocate::relocate};
use crate::{Observations, adjacency::Neighbours};

/// Strain that is this many times that of most points is no noise.
const CONCENTRATED: f64 = 10.0;

/// Peaks of strain below this share of the largest wait until that is mended.
const PEAK: f64 = 1e-3;

/// A part is mended where this share of its stress is left at most.
const MENDED: f64 = 0.7;

/// What counts as on the hinge of a flap, in mean distances, one attempt after the other, and how many of the most strained points may be
/// on it: what lies under a flap is strained, too.
const NEAR: [f64; 4] = [0.05, 0.2, 0.5, 0.8];
const STRAINED: usize = 10;

/// Flaps that are mirrored in each of these attempts.
const FLAPS: usize = 2;

/// Points of a part with more than this share of its largest strain are placed anew, one attempt after the other.
const SHARES: [f64; 3] = [0.3, 0.03, 0.003];

/// Dimensions that a lift adds, how high the points are lifted, one attempt after the other, relative to the mean distance, and the
/// weights of the coordinates above that press the points back, relative to the mean curvature.
const ABOVE: usize = 2;
const LIFTS: [f64; 5] = [1.0, 0.3, 1.0, 0.3, 2.0];
const PRESSURES: [f64; 4] = [1e-4, 1e-3, 1e-2, 0.1];

/// The most Gauss–Newton steps of a part, and the share of its size that they are to fall below.
#[derive(Clone, Copy)]
struct Effort {
    steps: usize,
    tolerance: f64,
}

/// On the way to the bottom of a part, where more is wasted, and at the bottom, …
const ROUGH: Effort = Effort { steps: 10, tolerance: 1e-2 };
const PRECISE: Effort = Effort { steps: 20, tolerance: 1e-4 };

/// … or so little is left of its stress that the points around it are what is in the way.
const FOUND: f64 = 0.01;

/// What is known of each point's distances.
pub(super) struct Strains {
    /// The mean of w(‖x_i − x_j‖² − d²)²/d² over the distances of each point: four times a squared relative error, about.
    of: Vec<f64>,
    median: f64,
    largest: f64,
}

impl Strains {
    pub(super) fn new(stress: &Stress<'_>, x: &Mat) -> Self {
        let mut residuals = Vec::new();
        stress.residuals(x, &mut residuals);
        let (mut of, mut counts) = (vec![0.0; x.rows()], vec![0.0_f64; x.rows()]);
        let terms = stress.pairs.iter().zip(&residuals).zip(&stress.squares);
        for ((&(i, j), r), square) in terms {
            for node in [i as usize, j as usize] {
                of[node] += r * r / (square * square);
                counts[node] += 1.0;
            }
        }
        of.iter_mut().zip(&counts).for_each(|(strain, count)| *strain /= count.max(1.0));
        let mut sorted = of.clone();
        sorted.sort_by(f64::total_cmp);
        let median = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
        let largest = sorted.last().copied().unwrap_or(0.0);
        Self { of, median, largest }
    }

    /// The parts around strain that most points do not have, at most so many, each of so many points at most.
    pub(super) fn parts(
        &self,
        neighbours: &Neighbours,
        frozen: &[bool],
        size: usize,
        most: usize,
    ) -> Vec<Part> {
        let least = (CONCENTRATED * self.median).max(PEAK * self.largest);
        let mut peaks: Vec<usize> =
            (0..self.of.len()).filter(|&node| self.of[node] > least && !frozen[node]).collect();
        peaks.sort_by(|a, b| self.of[*b].total_cmp(&self.of[*a]));
        let (mut parts, mut taken) = (Vec::new(), vec![false; self.of.len()]);
        for peak in peaks {
            if taken[peak] || parts.len() == most {
                continue;
            }
            let part = Part::around(peak, neighbours, frozen, size);
            part.nodes[..part.free].iter().for_each(|&node| taken[node] = true);
            parts.push(part);
        }
        parts
    }
}

/// Some points, those around them, and the distances that the former have.
pub(super) struct Part {
    nodes: Vec<usize>,
    /// How many may move: the first ones.
    free: usize,
    distances: Observations,
}

impl Part {
    /// The points that are the fewest steps away.
    fn around(peak: usize, neighbours: &Neighbours, frozen: &[bool], size: usize) -> Self {
        let mut nodes = vec![peak];
        let mut number = std::collections::HashMap::from([(peak, 0_u32)]);
        let mut next = 0;
        while next < nodes.len() && nodes.len() < size {
            for &(other, _) in neighbours.of(nodes[next]) {
                let other = other as usize;
                if !frozen[other] && nodes.len() < size && !number.contains_key(&other) {
                    number.insert(other, nodes.len() as u32);
                    nodes.push(other);
                }
            }
            next += 1;
        }
        let free = nodes.len();
        let (mut places, mut values) = (Vec::new(), Vec::new());
        for i in 0..free {
            for &(other, distance) in neighbours.of(nodes[i]) {
                let j = *number.entry(other as usize).or_insert_with(|| {
                    nodes.push(other as usize);
                    nodes.len() as u32 - 1
                });
                if j as usize > i {
                    places.push((i as u32, j));
                    values.push(distance);
                }
            }
        }
        let distances = Observations { dim: nodes.len(), places, values };
        Self { nodes, free, distances }
    }

    /// Moves the points of a part to where its stress is far less, if such a place is found; says whether it was.
    pub(super) fn mend(&self, seed: u64, x: &mut Mat, is_over: &mut dyn FnMut() -> bool) -> bool {
        let d = x.cols();
        let here = Mat::from_fn(self.nodes.len(), d, |i, j| x[(self.nodes[i], j)]);
        let frozen: Vec<bool> = (0..self.nodes.len()).map(|i| i >= self.free).collect();
        let stress = Stress::new(&self.distances);
        let strains = Strains::new(&stress, &here);
        let before = stress.value(&here);
        let goal = FOUND * before;
        let mut mending = Mending { stress: &stress, frozen: &frozen, goal, is_over };
        let (mut best, mut least) = (here.clone(), before);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut strained: Vec<usize> = (0..self.free).collect();
        strained.sort_by(|a, b| strains.of[*b].total_cmp(&strains.of[*a]));
        strained.truncate(STRAINED);
        let flaps = Flaps::new(&stress, &frozen, &here);
        let attempts = NEAR.map(Attempt::Mirror).into_iter().chain(SHARES.map(Attempt::Relocate));
        for attempt in attempts.chain(LIFTS.map(Attempt::Lift)) {
            let trials = match attempt {
                Attempt::Mirror(near) => flaps.mirrored(&strained, near, FLAPS),
                Attempt::Relocate(share) => {
                    let mut trial = here.clone();
                    let strained = |i: usize| strains.of[i] > share * strains.largest;
                    relocate(&stress, &frozen, strained, &mut trial);
                    vec![trial]
                }
                Attempt::Lift(height) => {
                    let mut trial = here.clone();
                    mending.lift(&mut trial, height, &mut random);
                    vec![trial]
                }
            };
            for mut trial in trials {
                mending.refine(&mut trial, &[], PRECISE);
                let value = stress.value(&trial);
                if value < least {
                    (best, least) = (trial, value);
                }
            }
            if least <= mending.goal || (mending.is_over)() {
                break;
            }
        }
        let mended = least <= MENDED * before;
        if mended {
            for (i, &node) in self.nodes[..self.free].iter().enumerate() {
                x.row_mut(node).copy_from_slice(best.row(i));
            }
        }
        mended
    }
}

/// A way to mend a part, with its number.
enum Attempt {
    Mirror(f64),
    Relocate(f64),
    Lift(f64),
}

/// What a part is mended by.
struct Mending<'a> {
    stress: &'a Stress<'a>,
    frozen: &'a [bool],
    /// The stress that is good enough.
    goal: f64,
    is_over: &'a mut dyn FnMut() -> bool,
}

impl Mending<'_> {
    /// A few Gauss–Newton steps with a pressure on each column.
    fn refine(&mut self, x: &mut Mat, pressures: &[f64], effort: Effort) {
        let mut refinement = Refinement::new(self.stress, self.frozen, pressures, x.cols());
        for _ in 0..effort.steps {
            let outcome = refinement.step(x, effort.tolerance, &mut *self.is_over);
            let found = pressures.is_empty() && self.stress.value(x) <= self.goal;
            if !matches!(outcome, Outcome::Moved(_)) || found || (self.is_over)() {
                break;
            }
        }
    }

    /// Into more dimensions, to the bottom there, and pressed back.
    fn lift(&mut self, x: &mut Mat, height: f64, random: &mut Xoshiro256PlusPlus) {
        let (n, d) = (x.rows(), x.cols());
        let height = height * self.stress.mean_distance();
        let mut lifted = Mat::from_fn(n, d + ABOVE, |i, j| {
            if j < d {
                x[(i, j)]
            } else if self.frozen[i] {
                0.0
            } else {
                height * (2.0 * random.random::<f64>() - 1.0)
            }
        });
        self.refine(&mut lifted, &[], ROUGH);
        let scale = self.stress.mean_curvature(&lifted);
        for pressure in PRESSURES {
            let pressures: Vec<f64> =
                (0..d + ABOVE).map(|j| if j < d { 0.0 } else { pressure * scale }).collect();
            self.refine(&mut lifted, &pressures, ROUGH);
        }
        *x = Mat::from_fn(n, d, |i, j| lifted[(i, j)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points around the middle of a square, mirrored in place, are found by their strain and put back.
    #[test]
    fn a_folded_patch_is_unfolded() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        let points = Mat::from_fn(300, 2, |_, _| random.random::<f64>());
        let gap =
            |x: &Mat, i: usize, j: usize| (x[(i, 0)] - x[(j, 0)]).hypot(x[(i, 1)] - x[(j, 1)]);
        let mut distances = Observations { dim: 300, places: Vec::new(), values: Vec::new() };
        for i in 0..300 {
            for j in i + 1..300 {
                if gap(&points, i, j) < 0.13 {
                    distances.places.push((i as u32, j as u32));
                    distances.values.push(gap(&points, i, j));
                }
            }
        }
        let mut x = points.clone();
        let patch: Vec<usize> =
            (0..300).filter(|&i| (x[(i, 0)] - 0.5).hypot(x[(i, 1)] - 0.5) < 0.1).collect();
        assert!(patch.len() > 5);
        for &i in &patch {
            x[(i, 0)] = 1.0 - x[(i, 0)];
        }
        let (stress, neighbours) = (Stress::new(&distances), Neighbours::new(&distances));
        let (before, frozen) = (stress.value(&x), vec![false; 300]);
        let parts = Strains::new(&stress, &x).parts(&neighbours, &frozen, 60, 8);
        let mended = parts.iter().filter(|part| part.mend(1, &mut x, &mut || false)).count();
        assert!(mended > 0 && stress.value(&x) < 0.01 * before, "{} of {before}", stress.value(&x));
        let off = patch.iter().map(|&i| (x[(i, 0)] - points[(i, 0)]).abs()).fold(0.0, f64::max);
        assert!(off < 0.01, "{off}");
    }
}
