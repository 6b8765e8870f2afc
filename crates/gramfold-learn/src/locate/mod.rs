//! Localisation: positions of points from some of the distances between them.
//!
//! Minimises ½Σ w_ij(‖x_i − x_j‖² − d_ij²)² with w_ij = 1/(4d_ij²), which near the answer is ½Σ(‖x_i − x_j‖ − d_ij)². The start is
//! classical scaling of shortest paths to a few landmarks; Gauss–Newton does the rest. Where it gets stuck, the parts of the layout
//! that are folded over are mended: flaps are mirrored, points are placed anew, or lifted into two more dimensions, solved there and pressed back.
//! Where one cannot be mended, it all begins again from other landmarks.

mod anchors;
mod core;
mod determined;
mod flip;
mod frame;
mod landmarks;
mod pairs;
mod paths;
mod refine;
mod relocate;
mod repair;
mod rigid;
mod stress;

use std::{
    collections::{HashSet, VecDeque},
    ops::ControlFlow,
    time::Instant,
};

pub use anchors::Anchors;
pub use determined::{Reason, undetermined};
use gramfold::{
    Error, Loss, Observer, Record, Solution, Status,
    linalg::Mat,
    loss::{Composite, map::Distances, scalar::Square},
};

use crate::{Observations, adjacency::Neighbours};
use refine::{Outcome, Refinement};
use repair::Strains;
use stress::Stress;

/// A root mean square of relative residuals above this is not the end: repairs are tried.
const STUCK: f64 = 1e-7;

/// It goes down well where so many steps leave less than this share of the stress.
const WINDOW: usize = 4;
const WELL: f64 = 0.5;

/// Rounds of repairs, and how many of them may fail; the points of the parts that are mended, with other sizes and other random numbers
/// where nothing was mended, and the most parts, of which half are left each time.
const ROUNDS: u64 = 16;
const FAILURES: usize = 6;
const SIZES: [usize; 3] = [60, 200, 600];
const PARTS: usize = 32;

/// So many parts in a row that could not be mended end a round that has mended others: their strain is mostly that of what was
/// folded over before, and goes when all points move again.
const IN_VAIN: usize = 3;

/// Starts from other landmarks, at most, where a part stays folded over.
const STARTS: u64 = 5;

/// What is to be located.
pub struct Task<'a> {
    /// Distances d_ij > 0, i ≠ j.
    pub distances: &'a Observations,
    /// D.
    pub dim: usize,
    /// Points that are known.
    pub anchors: &'a Anchors,
    /// Steps are to fall below this share of the size of the layout.
    pub tolerance: f64,
    /// The most Gauss–Newton steps.
    pub max_iterations: usize,
    /// What is random is drawn from this.
    pub seed: u64,
}

impl Task<'_> {
    /// Whether the anchors fix the frame: at least D + 1 of them.
    pub fn is_framed(&self) -> bool {
        self.anchors.len() > self.dim
    }
}

/// The distances, and where the anchors fix the frame those between them and the first D + 1 of them, which hold them
/// together.
fn with_anchors(distances: &Observations, anchors: &Anchors, dim: usize) -> Observations {
    let mut all = distances.clone();
    if anchors.len() <= dim {
        return all;
    }
    let known: HashSet<(u32, u32)> = all.places.iter().copied().collect();
    for (a, &i) in anchors.rows().iter().enumerate().take(dim + 1) {
        for (b, &j) in anchors.rows().iter().enumerate().skip(a + 1) {
            let (place, distance) = ((i.min(j), i.max(j)), anchors.distance(a, b));
            if !known.contains(&place) && distance > 0.0 {
                all.places.push(place);
                all.values.push(distance);
            }
        }
    }
    all
}

/// The weight of a distance.
pub fn weight(distance: f64) -> f64 {
    0.25 / (distance * distance)
}

/// The loss that is minimised, as one of the core library.
pub fn loss(distances: &Observations) -> Result<Box<dyn Loss>, Error> {
    let map = Distances::new(distances.dim, &distances.places)?;
    let squares: Vec<f64> = distances.values.iter().map(|d| d * d).collect();
    let weights: Vec<f64> = distances.values.iter().map(|d| weight(*d)).collect();
    Ok(Box::new(Composite::new(Box::new(map), Box::new(Square), &squares, Some(&weights))?))
}

/// Positions: rows of the factor, in the frame of the anchors where these fix it, else centred on principal axes.
pub fn locate(task: &Task<'_>, observer: &mut dyn Observer) -> Solution {
    let clock = Instant::now();
    let framed = task.is_framed();
    let every = with_anchors(task.distances, task.anchors, task.dim);
    let mut frozen = vec![false; every.dim];
    if framed {
        task.anchors.rows().iter().for_each(|&i| frozen[i as usize] = true);
    }
    let stress = Stress::new(task.distances);
    let (steps, passes, seed) = (0, 0, task.seed);
    let mut run =
        Attempts { task, seed, stress: &stress, frozen: &frozen, observer, clock, steps, passes };
    let mut best: Option<(f64, Mat, Status)> = None;
    let mut cut_short = None;
    for attempt in 0..STARTS {
        run.seed = task.seed.wrapping_add(attempt);
        let mut x = landmarks::start(&every, task.dim, run.seed);
        if framed {
            frame::align(&mut x, task.anchors);
            task.anchors.put(&mut x);
        }
        let (status, folded) = run.attempt(&mut x);
        let value = stress.value(&x);
        if best.as_ref().is_none_or(|(least, ..)| value < *least) {
            best = Some((value, x, status));
        }
        cut_short = status.is_cut_short().then_some(status);
        if !folded || cut_short.is_some() || run.steps >= task.max_iterations {
            break;
        }
    }
    let (_, mut x, status) = best.expect("invariant: there is a first attempt");
    let status = cut_short.unwrap_or(status);
    if !framed {
        frame::centre(&mut x);
    }
    let last = run.record(&x, None);
    Solution { factor: x.clone(), x: x.clone(), y: x, gamma: 0.0, status, last }
}

/// The attempts from one start after another, and what they share.
struct Attempts<'a> {
    task: &'a Task<'a>,
    /// Of this attempt.
    seed: u64,
    stress: &'a Stress<'a>,
    frozen: &'a [bool],
    observer: &'a mut dyn Observer,
    clock: Instant,
    steps: usize,
    passes: usize,
}

impl Attempts<'_> {
    /// From a start to the end, and whether a part is folded over there.
    fn attempt(&mut self, x: &mut Mat) -> (Status, bool) {
        // A start is a step of its own where others went before.
        self.steps += usize::from(self.steps > 0);
        let begun = self.record(x, None);
        let mut status = match self.observer.observe(&begun) {
            ControlFlow::Continue(()) => self.refine(x, true),
            ControlFlow::Break(()) => Status::Interrupted,
        };
        let mut folded = false;
        if self.stress.relative(x) > STUCK && !status.is_cut_short() {
            (status, folded) = self.repair(x, status);
        }
        if status == Status::Stalled {
            status = self.refine(x, false);
        }
        (status, folded)
    }

    /// Gauss–Newton from x to the tolerance; if `brisk`, only as long as it goes down well.
    fn refine(&mut self, x: &mut Mat, brisk: bool) -> Status {
        let mut refinement = Refinement::new(self.stress, self.frozen, &[], x.cols());
        let mut values = VecDeque::new();
        loop {
            if self.steps >= self.task.max_iterations {
                return Status::MaxIterations;
            }
            let observer = &mut *self.observer;
            let outcome = refinement.step(x, self.task.tolerance, &mut || observer.interrupts());
            self.passes += refinement.take_passes();
            let stationarity = match outcome {
                Outcome::Moved(step) | Outcome::Done(step) => Some(step),
                Outcome::Stalled => None,
            };
            let (loss, interrupted) = self.show(x, stationarity.filter(|s| s.is_finite()));
            match outcome {
                Outcome::Done(_) => return Status::Converged,
                Outcome::Stalled => return Status::Stalled,
                Outcome::Moved(_) if interrupted => return Status::Interrupted,
                Outcome::Moved(_) if brisk => {
                    values.push_back(loss);
                    let before = if values.len() > WINDOW { values.pop_front() } else { None };
                    if before.is_some_and(|before| loss > WELL * before) {
                        return Status::Stalled;
                    }
                }
                Outcome::Moved(_) => {}
            }
        }
    }

    /// Mends the parts of a layout that are strained, and moves all points again; where the strain is spread out it is noise,
    /// and there are no such parts. Whether some are left is told, too.
    fn repair(&mut self, x: &mut Mat, mut status: Status) -> (Status, bool) {
        let neighbours = Neighbours::new(self.task.distances);
        let (mut failed, mut folded) = (0, true);
        for round in 0..ROUNDS {
            if self.steps >= self.task.max_iterations {
                break;
            }
            let (size, most) = (SIZES[failed % SIZES.len()], (PARTS >> failed).max(1));
            let parts = Strains::new(self.stress, x).parts(&neighbours, self.frozen, size, most);
            folded = self.stress.relative(x) > STUCK && !parts.is_empty();
            if !folded || failed == FAILURES {
                break;
            }
            let (mut mended, mut in_vain) = (false, 0);
            for (part, k) in parts.iter().zip(0..) {
                let seed = self.seed ^ (1 + (round << 32) + k);
                let observer = &mut *self.observer;
                let better = part.mend(seed, x, &mut || observer.interrupts());
                mended |= better;
                in_vain = if better { 0 } else { in_vain + 1 };
                let (_, interrupted) = self.show(x, None);
                if interrupted {
                    return (Status::Interrupted, true);
                }
                if self.steps >= self.task.max_iterations || mended && in_vain == IN_VAIN {
                    break;
                }
            }
            if mended {
                status = self.refine(x, true);
            } else {
                failed += 1;
            }
            if status.is_cut_short() {
                break;
            }
        }
        (status, folded)
    }

    /// Shows a step; the stress, and whether to stop.
    fn show(&mut self, x: &Mat, stationarity: Option<f64>) -> (f64, bool) {
        self.steps += 1;
        let record = self.record(x, stationarity);
        (record.loss, self.observer.observe(&record).is_break())
    }

    fn record(&self, x: &Mat, stationarity: Option<f64>) -> Record {
        let (loss, seconds) = (self.stress.value(x), self.clock.elapsed().as_secs_f64());
        let record = Record::folded(loss, x.norm(), self.passes as f64, seconds);
        Record { iteration: self.steps, stationarity, ..record }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    /// Points in the unit square, with the distances below a radius.
    fn geometric(n: usize, radius: f64, seed: u64) -> (Mat, Observations) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let points = Mat::from_fn(n, 2, |_, _| random.random::<f64>());
        let (mut places, mut values) = (Vec::new(), Vec::new());
        for i in 0..n {
            for j in i + 1..n {
                let distance = ((points[(i, 0)] - points[(j, 0)]).powi(2)
                    + (points[(i, 1)] - points[(j, 1)]).powi(2))
                .sqrt();
                if distance < radius {
                    places.push((i as u32, j as u32));
                    values.push(distance);
                }
            }
        }
        (points, Observations { dim: n, places, values })
    }

    fn task<'a>(distances: &'a Observations, anchors: &'a Anchors) -> Task<'a> {
        Task { distances, dim: 2, anchors, tolerance: 1e-10, max_iterations: 500, seed: 0 }
    }

    #[test]
    fn anchored_points_come_out_where_they_are() {
        for seed in 0..5 {
            let (points, distances) = geometric(120, 0.25, seed);
            let rows: Vec<u32> = (0..4).collect();
            let known = Mat::from_fn(4, 2, |i, j| points[(i, j)]);
            let anchors = Anchors::new(rows, known).unwrap();
            let task = task(&distances, &anchors);
            let free = undetermined(&distances, &anchors, 2, &points);
            let found = locate(&task, &mut ());
            for i in (0..120).filter(|i| free.iter().all(|(node, _)| node != i)) {
                let off = (found.factor[(i, 0)] - points[(i, 0)])
                    .hypot(found.factor[(i, 1)] - points[(i, 1)]);
                assert!(off < 1e-6, "seed {seed}, node {i}: {off:e}, {:?}", found.status);
            }
        }
    }

    #[test]
    fn without_anchors_every_distance_is_met() {
        let (_, distances) = geometric(150, 0.25, 11);
        let anchors = Anchors::none(2);
        let found = locate(&task(&distances, &anchors), &mut ());
        assert_eq!(found.status, Status::Converged);
        assert!(Stress::new(&distances).relative(&found.factor) < 1e-9);
        for j in 0..2 {
            assert!(found.factor.column(j).sum::<f64>().abs() < 1e-9, "it is centred");
        }
    }

    /// The first start of these leaves a part folded over that cannot be mended; another start does not.
    #[test]
    fn a_layout_that_stays_folded_over_begins_again() {
        let mut needed = 0;
        for (n, degree, seed) in [(40, 8.0, 4), (40, 10.0, 102), (60, 8.0, 5), (60, 9.0, 58)] {
            let (_, distances) =
                geometric(n, (degree / (std::f64::consts::PI * n as f64)).sqrt(), seed);
            let (anchors, stress) = (Anchors::none(2), Stress::new(&distances));
            let task = task(&distances, &anchors);
            let mut first = landmarks::start(&distances, 2, task.seed);
            let mut run = Attempts {
                task: &task,
                seed: task.seed,
                stress: &stress,
                frozen: &vec![false; n],
                observer: &mut (),
                clock: Instant::now(),
                steps: 0,
                passes: 0,
            };
            let (_, folded) = run.attempt(&mut first);
            needed += usize::from(folded && stress.relative(&first) > 1e-4);
            let found = locate(&task, &mut ());
            assert_eq!(found.status, Status::Converged);
            assert!(stress.relative(&found.factor) < 1e-9, "{n} nodes, seed {seed}");
        }
        assert!(needed > 0, "none of these needs another start any more: choose others");
    }

    /// The loss of the core library is the stress that is minimised here.
    #[test]
    fn the_stress_is_the_loss() {
        let (points, distances) = geometric(30, 0.4, 3);
        let moved = Mat::from_fn(30, 2, |i, j| points[(i, j)] * (1.0 + 0.1 * (i as f64).sin()));
        let loss = loss(&distances).unwrap();
        let mut evaluation = loss.evaluation(2);
        evaluation.folded(&moved);
        let value = evaluation.value(&moved, &moved);
        assert!((value - Stress::new(&distances).value(&moved)).abs() < 1e-12 * value);
    }
}
