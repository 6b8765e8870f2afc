//! Start, finish, prove, escape: the loop.

use std::{ops::ControlFlow, time::Instant};

use gramfold_linalg::{Krylov, Mat, SparseCholesky};

use super::{
    Structure,
    bound::{self, Curvature, Proof},
    manifold::Manifold,
    newton::{self, Iterate, Newton},
    rank, start,
    structure::Normalised,
};
use crate::{Point, Progress, Watch};

/// What to do and when to stop.
#[derive(Clone, Debug)]
pub struct Options {
    /// Stop at a bound within this share of the objective.
    pub tolerance: f64,
    /// Columns to start with; chosen from n where none is given.
    pub rank: Option<usize>,
    /// Draws the start.
    pub seed: u64,
    /// Seconds after which the best point is returned.
    pub time_limit: Option<f64>,
    /// A point to start from instead.
    pub warm: Option<Point>,
    /// Coordinate sweeps before Newton.
    pub sweeps: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { tolerance: 1e-6, rank: None, seed: 0, time_limit: None, warm: None, sweeps: 10 }
    }
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The bound is within the tolerance.
    Solved,
    /// No further progress in double precision; the bound says how good the point is.
    Stalled,
    /// Time was up, or the watch asked to stop.
    Interrupted,
}

/// A point and how it was found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Feasible Z = RRᵀ, and y shifted so that S ⪰ 0 up to what Lanczos may miss.
    pub point: Point,
    /// How it ended.
    pub status: Status,
    /// ⟨C, Z⟩.
    pub objective: f64,
    /// bᵀy after the shift: the engine's own bound, whose λmin is a Lanczos estimate.
    pub bound: f64,
    /// Newton steps.
    pub iterations: usize,
    /// Products of C with a factor.
    pub products: usize,
    /// Columns of the factor.
    pub rank: usize,
    /// Times that columns were appended along negative curvature.
    pub escapes: usize,
}

/// Inner steps of one Newton step, at most.
const INNER: usize = 500;
/// Newton steps, at most.
const STEPS: usize = 1000;
/// Lanczos steps where they must prove, and where they only look for a way down.
const LANCZOS: usize = 5000;
const GLIMPSE: usize = 200;
/// Directions of negative curvature that an escape may use.
const ESCAPES: usize = 4;
/// Columns come in multiples of what a vector register holds.
const LANES: usize = 4;
/// The share of ‖X‖² below which an axis of X is dropped before new ones come.
const VANISHED: f64 = 1e-12;
/// Evaluations of λmin in the choice of a multiplier that the factor leaves open.
const TUNING: usize = 60;
/// Random starts to try in a plane, which a start may miss.
const DRAWS: usize = 100;
/// Operations of a Cholesky factorisation that are worth a proof.
const PROOF: f64 = 3e10;

/// Solves a problem of this structure.
pub fn solve(structure: &Structure, options: &Options, watch: &mut dyn Watch) -> Outcome {
    Engine::new(structure, options).run(watch)
}

struct Engine<'a> {
    structure: &'a Structure,
    options: &'a Options,
    manifold: Manifold<'a>,
    krylov: Krylov,
    began: Instant,
    /// The diagonal of C.
    own: Vec<f64>,
    /// ‖C‖∞, a bound of its spectrum.
    width: f64,
    /// Below this share of the scale a gap is as good as zero for objectives near zero.
    floor: f64,
    proof: Option<Proof>,
    escapes: usize,
}

impl<'a> Engine<'a> {
    fn new(structure: &'a Structure, options: &'a Options) -> Self {
        let cost = structure.cost();
        let n = cost.dim();
        let width = (0..n)
            .map(|i| cost.row(i).map(|(_, value)| value.abs()).sum::<f64>())
            .fold(0.0_f64, f64::max);
        let largest = cost.values().iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        Self {
            structure,
            options,
            manifold: Manifold::new(structure),
            krylov: Krylov::new(n, options.seed ^ 0x5eed),
            began: Instant::now(),
            own: (0..n).map(|i| cost.get(i, i)).collect(),
            width,
            floor: largest.min(1.0),
            proof: None,
            escapes: 0,
        }
    }

    fn run(mut self, watch: &mut dyn Watch) -> Outcome {
        let mut at = self.start();
        self.prepare_proof();
        let mut newton = self.newton(&at);
        let mut weights = vec![0.0; at.x.rows()];
        let mut best: Option<(f64, f64, Iterate)> = None;
        let (mut iterations, mut failed_at, mut status) = (0, f64::INFINITY, Status::Stalled);
        let mut first = f64::INFINITY;
        while iterations < STEPS {
            let gradient = at.gradient.norm();
            if first.is_infinite() {
                first = gradient;
            }
            let forcing = (gradient / first).sqrt().clamp(1e-3, 0.1);
            newton::row_weights(&self.own, &at.y, &mut weights);
            let report = newton.step(&mut self.manifold, &weights, &mut at, forcing, INNER);
            iterations += 1;
            if self.report(watch, iterations, &at).is_break() || self.late() {
                status = Status::Interrupted;
                break;
            }
            let scale = at.objective.abs() + self.floor;
            let needed = self.options.tolerance * scale;
            if gradient > 0.0 && (report.decrease > 0.1 * needed || !report.accepted) {
                continue;
            }
            let now = at.gradient.norm();
            if now > 0.3 * failed_at && report.decrease > 1e-3 * needed {
                continue;
            }
            let lambda = self.certify(&mut at, needed);
            let gap = Self::gap(&at, lambda);
            if best.as_ref().is_none_or(|best| gap < best.0) {
                best = Some((gap, lambda, at.clone()));
            }
            if gap <= needed {
                status = Status::Solved;
                break;
            }
            failed_at = now;
            // What is left to gain by Newton against what the curvature promises.
            if report.decrease <= 1e-3 * needed {
                if !self.escape(&mut at, needed) {
                    break;
                }
                newton = self.newton(&at);
                (failed_at, first) = (f64::INFINITY, f64::INFINITY);
            }
        }
        let (lambda, at) = if let Some((_, lambda, at)) = best {
            (lambda, at)
        } else {
            let needed = self.options.tolerance * (at.objective.abs() + self.floor);
            (self.certify(&mut at, needed), at)
        };
        self.finish(&at, lambda.min(0.0), status, iterations)
    }

    fn start(&mut self) -> Iterate {
        let n = self.manifold.rows();
        let slacks = self.manifold.slacks();
        let warm = self.options.warm.as_ref().and_then(|point| self.structure.normalise(point));
        let cold = warm.is_none();
        let full = ((2.0 * n as f64).sqrt().ceil() as usize + 1).min(n);
        let least = if self.manifold.normal().is_some() { 2 } else { 1 };
        let wanted = self.options.rank.unwrap_or_else(|| full.min(16)).min(n).max(least);
        let mut x = warm.unwrap_or_else(|| start::random(n, wanted, slacks, self.options.seed));
        if cold && slacks == 0 && self.manifold.normal().is_none() {
            start::sweep(self.structure.cost(), &mut x, self.options.sweeps);
            self.manifold.products += self.options.sweeps;
        }
        let still = Mat::zeros(n, x.cols());
        let mut on = Mat::zeros(n, x.cols());
        let mut seed = self.options.seed;
        for _ in 0..DRAWS {
            if self.manifold.retract(&x, &still, &mut on) {
                break;
            }
            // Rows too much alike to be pushed into the plane: draw again.
            seed = seed.wrapping_add(0x5eed);
            x = start::random(n, x.cols() - slacks, slacks, seed);
        }
        let mut at = Iterate::at(&mut self.manifold, on);
        if self.open_slacks(&mut at.x, &at.y) {
            at = Iterate::at(&mut self.manifold, at.x);
        }
        at
    }

    /// Gives slack to the rows that would gain by it and have none; whether there were any.
    fn open_slacks(&self, x: &mut Mat, y: &[f64]) -> bool {
        let Some(costs) = self.manifold.slack_costs() else { return false };
        let last = x.cols() - 1;
        let mut any = false;
        for (i, cost) in costs.iter().enumerate() {
            if cost.is_some_and(|d| d < y[i]) && x[(i, last)].abs() < 1e-3 {
                let row = x.row_mut(i);
                for v in row.iter_mut() {
                    *v *= 0.91_f64.sqrt();
                }
                row[last] = 0.3;
                any = true;
            }
        }
        any
    }

    /// Analyses C for proofs by Cholesky where one costs little against the search.
    fn prepare_proof(&mut self) {
        if self.manifold.normal().is_some() {
            return;
        }
        let cholesky = SparseCholesky::analyse(self.structure.cost());
        let cheap = cholesky.filter(|cholesky| cholesky.flops() < PROOF);
        self.proof = cheap.map(|cholesky| Proof::new(cholesky, &self.own));
    }

    fn newton(&self, at: &Iterate) -> Newton {
        let total: f64 = self.own.iter().zip(&at.y).map(|(c, y)| (c - y).abs()).sum();
        let plain = self.manifold.normal().is_none();
        Newton::new(at.x.rows(), at.x.cols(), 0.5 * total.sqrt(), plain)
    }

    /// p − Σy − n·min(0, λ).
    fn gap(at: &Iterate, lambda: f64) -> f64 {
        at.objective - at.y.iter().sum::<f64>() - at.y.len() as f64 * lambda.min(0.0)
    }

    /// A lower estimate of λmin over S and the slacks, as accurate as a gap of `needed` asks.
    fn certify(&mut self, at: &mut Iterate, needed: f64) -> f64 {
        let slack = bound::slack_curvature(&self.manifold, &at.y);
        if slack < 0.0 && Self::gap(at, slack) > needed {
            return slack;
        }
        if let Some(proof) = &mut self.proof {
            let spare = needed - (at.objective - at.y.iter().sum::<f64>());
            if let Some(lambda) = proof.lower(&at.y, 0.95 * spare / at.y.len() as f64) {
                return lambda.min(slack);
            }
        }
        let steps = if self.proof.is_some() { GLIMPSE } else { LANCZOS };
        let accuracy = 0.2 * needed / at.y.len() as f64;
        let found = self.curvature(&at.y, accuracy, steps);
        let lambda = found.map_or(-2.0 * self.width, |curvature| curvature.lambda).min(slack);
        if Self::gap(at, lambda) > needed
            && let Some(free) = self.manifold.free_multiplier(&at.x)
        {
            return self.tune(&mut at.y, &free, accuracy, lambda).min(slack);
        }
        lambda
    }

    /// Maximises λmin, a concave function of α, over y − α·`free` by bisection on the sign of its derivative Σ u_i²·free_i;
    /// moves y to the best α seen and returns its λmin.
    fn tune(&mut self, y: &mut [f64], free: &[f64], accuracy: f64, start: f64) -> f64 {
        let most = free.iter().fold(0.0_f64, |m, f| m.max(f.abs()));
        let (mut low, mut high) = (-2.0 * self.width / most, 2.0 * self.width / most);
        let (mut alpha, mut best) = (0.0, (start, 0.0));
        let mut moved = y.to_vec();
        for _ in 0..TUNING {
            for ((moved, y), free) in moved.iter_mut().zip(y.iter()).zip(free) {
                *moved = y - alpha * free;
            }
            let Some(found) = self.curvature(&moved, accuracy, LANCZOS) else { break };
            if found.lambda > best.0 {
                best = (found.lambda, alpha);
            }
            let squares = found.vectors.row(0).iter().zip(free).map(|(u, f)| u * u * f);
            if squares.sum::<f64>() > 0.0 {
                low = alpha;
            } else {
                high = alpha;
            }
            if best.0 >= -accuracy || high - low <= f64::EPSILON * high.abs().max(low.abs()) {
                break;
            }
            alpha = 0.5 * (low + high);
        }
        y.iter_mut().zip(free).for_each(|(y, free)| *y -= best.1 * free);
        best.0
    }

    fn curvature(&mut self, y: &[f64], accuracy: f64, steps: usize) -> Option<Curvature> {
        let width = self.width + y.iter().fold(0.0_f64, |m, y| m.max(y.abs()));
        let (cost, normal) = (self.manifold.cost(), self.manifold.normal());
        bound::curvature(&mut self.krylov, cost, normal, y, accuracy, width, (ESCAPES, steps))
    }

    /// Appends directions of negative curvature and slides along them; false if nothing is gained.
    fn escape(&mut self, at: &mut Iterate, needed: f64) -> bool {
        self.escapes += 1;
        let slacks = self.manifold.slacks();
        let before = at.objective;
        let mut x = rank::compress(&at.x, slacks, VANISHED).unwrap_or_else(|| at.x.clone());
        self.open_slacks(&mut x, &at.y);
        let Some(found) = self.curvature(&at.y, 0.2 * needed / at.y.len() as f64, GLIMPSE) else {
            return false;
        };
        let down: Vec<usize> = (0..found.values.len()).filter(|&k| found.values[k] < 0.0).collect();
        let r = x.cols() - slacks;
        let columns = (r + down.len().max(1)).next_multiple_of(LANES) - r;
        let wide = rank::widen(&x, slacks, columns);
        let mut step = Mat::zeros(wide.rows(), wide.cols());
        let mut out = Mat::zeros(wide.rows(), wide.cols());
        let mut length = 0.5 * (wide.rows() as f64).sqrt();
        for _ in 0..40 {
            for (column, &k) in down.iter().enumerate() {
                let share = length * (found.values[k] / found.values[0]).sqrt();
                for (i, u) in found.vectors.row(k).iter().enumerate() {
                    step[(i, r + column)] = share * u;
                }
            }
            let reached = self.manifold.retract(&wide, &step, &mut out);
            let trial = Iterate::at(&mut self.manifold, out.clone());
            if reached && trial.objective < before - 1e-15 * before.abs() {
                *at = trial;
                return true;
            }
            length *= 0.5;
        }
        false
    }

    fn late(&self) -> bool {
        self.options.time_limit.is_some_and(|limit| self.began.elapsed().as_secs_f64() >= limit)
    }

    fn report(&self, watch: &mut dyn Watch, iteration: usize, at: &Iterate) -> ControlFlow<()> {
        watch.step(&Progress {
            iteration,
            primal_objective: at.objective,
            dual_objective: at.y.iter().sum(),
            primal_infeasibility: 0.0,
            dual_infeasibility: None,
            rank: Some(at.x.cols() - self.manifold.slacks()),
            gamma: None,
            threshold: None,
            seconds: self.began.elapsed().as_secs_f64(),
        })
    }

    fn finish(mut self, at: &Iterate, lambda: f64, status: Status, iterations: usize) -> Outcome {
        let n = at.y.len() as f64;
        let mut along = 0.0;
        let mut shift = lambda;
        if let Some(normal) = self.manifold.normal() {
            let spare = 0.1 * self.options.tolerance * (at.objective.abs() + self.floor) / n;
            along = self.plane_multiplier(normal, &at.y, spare);
            shift -= spare;
        }
        let y: Vec<f64> = at.y.iter().map(|y| y + shift).collect();
        let bound = y.iter().sum();
        let point = self.structure.point(&Normalised { x: &at.x, y: &y, along });
        Outcome {
            point,
            status,
            objective: at.objective,
            bound,
            iterations,
            products: self.manifold.products,
            rank: at.x.cols() - self.manifold.slacks(),
            escapes: self.escapes,
        }
    }

    /// −s with S + s·vvᵀ ⪰ −`spare` where S ⪰ 0 in the plane: by the Schur complement of the normal's row.
    fn plane_multiplier(&mut self, normal: &[f64], y: &[f64], spare: f64) -> f64 {
        let length = gramfold_linalg::norm(normal);
        let unit =
            Mat::from_row_major(normal.len(), 1, normal.iter().map(|v| v / length).collect());
        let mut image = Mat::zeros(normal.len(), 1);
        self.manifold.cost().apply(&unit, &mut image);
        for (i, y) in y.iter().enumerate() {
            image[(i, 0)] -= y * unit[(i, 0)];
        }
        let own = unit.dot(&image);
        image.axpy(-own, &unit);
        -((image.norm_squared() / spare - own).max(0.0)) / (length * length)
    }
}
