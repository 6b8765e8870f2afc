//! Start, finish, prove, escape: the loop.

use std::time::Instant;

use gramfold_linalg::{Krylov, Mat};
use serde::{Deserialize, Serialize};

use super::{
    DiagonalProgram, Escape, Iterate, Manifold, Newton, Proof, State,
    newton::{self, Limits, Report},
    plane, start,
    structure::Normalised,
};
use crate::{
    Allowance, Error, Options, Outcome, Progress, Status, Watch,
    drive::{self, Clock, Turn},
    state,
};

/// Coordinate sweeps before Newton.
const SWEEPS: usize = 10;
/// Inner steps of one Newton step, at most.
const INNER: usize = 500;
/// Newton steps, at most.
const STEPS: usize = 1000;
/// Columns to start with, at most: below the rank of a solution there are false minima, and products of up to 32 columns
/// cost little more than of fewer.
const RANK: usize = 32;
/// Random starts to try in a plane, which a start may miss.
const DRAWS: usize = 100;

/// Solves a problem of this structure.
pub fn solve(structure: &DiagonalProgram, options: &Options, watch: &mut dyn Watch) -> Outcome {
    resume(structure, options, None, watch).expect("invariant: there is no state that may misfit")
}

/// As [`solve`], from where a run stood.
pub(crate) fn resume(
    structure: &DiagonalProgram,
    options: &Options,
    state: Option<State>,
    watch: &mut dyn Watch,
) -> Result<Outcome, Error> {
    let clock = Clock::new(options.time_limit);
    let mut work = Workspace::new(structure, options);
    let begun = match state {
        Some(state) => work.recall(state)?,
        None => work.begin(),
    };
    Ok(drive::run(Diagonal::new(work, begun), clock, watch))
}

/// What the loop remembers from step to step.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Pace {
    iterations: usize,
    /// ‖gradient‖ where a proof was last tried in vain.
    failed_at: f64,
    /// ‖gradient‖ at the start, or after the last escape.
    first: f64,
}

/// The program, and what every step works with.
pub(super) struct Workspace<'a> {
    pub(super) structure: &'a DiagonalProgram,
    pub(super) options: &'a Options,
    pub(super) manifold: Manifold<'a>,
    pub(super) krylov: Krylov,
    pub(super) began: Instant,
    /// The diagonal of C.
    pub(super) own: Vec<f64>,
    /// ‖C‖∞, a bound of its spectrum.
    pub(super) width: f64,
    /// What is added to |objective| so that an optimum of zero can be reached: its unit.
    floor: f64,
    pub(super) proof: Option<Proof>,
    pub(super) escapes: usize,
    /// Lanczos runs so far: each draws its start from its own seed.
    pub(super) looks: u64,
}

impl<'a> Workspace<'a> {
    fn new(structure: &'a DiagonalProgram, options: &'a Options) -> Self {
        let cost = structure.cost();
        let n = cost.dim();
        let width = (0..n)
            .map(|i| cost.row(i).map(|(_, value)| value.abs()).sum::<f64>())
            .fold(0.0_f64, f64::max);
        Self {
            structure,
            options,
            manifold: Manifold::new(structure),
            krylov: Krylov::new(n, options.seed ^ 0x5eed),
            began: Instant::now(),
            own: (0..n).map(|i| cost.get(i, i)).collect(),
            width,
            floor: structure.unit,
            proof: None,
            escapes: 0,
            looks: 0,
        }
    }

    fn begin(&mut self) -> (Iterate, Newton, Pace) {
        let at = self.start();
        let newton = self.newton(&at);
        let pace = Pace { iterations: 0, failed_at: f64::INFINITY, first: at.gradient.norm() };
        (at, newton, pace)
    }

    /// The gap that the tolerance asks for.
    pub(super) fn needed(&self, at: &Iterate) -> f64 {
        self.options.tolerance * (at.objective.abs() + self.floor)
    }

    fn start(&mut self) -> Iterate {
        let n = self.structure.rows();
        let slacks = self.manifold.slacks();
        let warm = self.options.warm.as_ref().and_then(|point| self.structure.normalise(point));
        let cold = warm.is_none();
        let full = ((2.0 * n as f64).sqrt().ceil() as usize + 1).min(n);
        let least = if self.structure.normal().is_some() { 2 } else { 1 };
        let wanted = self.options.rank.unwrap_or_else(|| full.min(RANK)).min(n).max(least);
        let mut x = warm.unwrap_or_else(|| start::random(n, wanted, slacks, self.options.seed));
        if cold && slacks == 0 && self.structure.normal().is_none() {
            start::sweep(self.structure.cost(), &mut x, SWEEPS);
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
    pub(super) fn open_slacks(&self, x: &mut Mat, y: &[f64]) -> bool {
        let Some(costs) = self.structure.slack_costs() else { return false };
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

    pub(super) fn newton(&self, at: &Iterate) -> Newton {
        let total: f64 = self.own.iter().zip(&at.y).map(|(c, y)| (c - y).abs()).sum();
        Newton::new(at.x.rows(), at.x.cols(), 0.5 * total.sqrt())
    }

    fn outcome(self, at: &Iterate, lambda: f64, status: Status, iterations: usize) -> Outcome {
        let n = at.y.len() as f64;
        let mut along = 0.0;
        let mut shift = lambda;
        if let Some(normal) = self.structure.normal() {
            let most = 0.5 * self.needed(at) / n;
            let spare;
            (along, spare) = plane::multiplier(self.structure.cost(), normal, &at.x, &at.y, most);
            shift -= spare;
        }
        let y: Vec<f64> = at.y.iter().map(|y| y + shift).collect();
        let bound = y.iter().sum();
        let point = self.structure.point(&Normalised { x: &at.x, y: &y, along });
        Outcome::new(point, status, iterations, at.objective, bound)
    }
}

/// The engine: where it stands, and what its steps work with.
struct Diagonal<'a> {
    work: Workspace<'a>,
    at: Iterate,
    newton: Newton,
    pace: Pace,
    weights: Vec<f64>,
    /// How the last step went, and ‖gradient‖ before it.
    report: Report,
    before: f64,
    /// λmin, once it has been proved to be good enough.
    proved: Option<f64>,
}

impl<'a> Diagonal<'a> {
    fn new(mut work: Workspace<'a>, (at, newton, pace): (Iterate, Newton, Pace)) -> Self {
        work.prepare_proof();
        let weights = vec![0.0; at.x.rows()];
        let report = Report { decrease: f64::INFINITY, accepted: false };
        Self { work, at, newton, pace, weights, report, before: f64::INFINITY, proved: None }
    }

    /// Proves the point, or escapes from it; the status if that ends the run.
    fn prove(&mut self, needed: f64, time: &Allowance<'_>) -> Option<Status> {
        let Self { work, at, pace, report, .. } = self;
        let converged = report.decrease <= 1e-3 * needed;
        if self.before > 0.0 && (report.decrease > 0.1 * needed || !report.accepted) {
            return None;
        }
        let now = at.gradient.norm();
        if now > 0.3 * pace.failed_at && !converged {
            return None;
        }
        let stop = || time.is_over();
        self.proved = work.certify(at, needed, &stop);
        if self.proved.is_some() {
            return Some(Status::Solved);
        }
        pace.failed_at = now;
        if stop() {
            return Some(Status::Stalled);
        }
        if !converged {
            return None;
        }
        match work.escape(at, needed, &stop) {
            Escape::Down => {
                self.newton = work.newton(at);
                (pace.failed_at, pace.first) = (f64::INFINITY, at.gradient.norm());
                None
            }
            Escape::Nowhere(lambda) if Workspace::gap(at, lambda) <= needed => {
                self.proved = Some(lambda);
                Some(Status::Solved)
            }
            Escape::Nowhere(_) if report.decrease <= 1e-9 * needed => Some(Status::Stalled),
            Escape::Nowhere(_) => None,
        }
    }
}

impl drive::Engine for Diagonal<'_> {
    /// A step of Newton's method.
    fn step(&mut self, time: &Allowance<'_>) -> Turn {
        let Self { work, at, newton, pace, weights, .. } = self;
        work.manifold.stand_at(&at.x);
        self.before = at.gradient.norm();
        let forcing = (self.before / pace.first).sqrt().clamp(1e-3, 0.1);
        newton::row_weights(&work.own, &at.y, weights);
        let limits = Limits { forcing, inner: INNER, stop: &|| time.is_over() };
        self.report = newton.step(&mut work.manifold, weights, at, limits);
        pace.iterations += 1;
        Turn::Made
    }

    fn follow(&mut self, time: &Allowance<'_>) -> Option<Status> {
        let needed = self.work.needed(&self.at);
        let ended = self.prove(needed, time);
        ended.or_else(|| (self.pace.iterations >= STEPS).then_some(Status::Stalled))
    }

    fn progress(&self) -> Progress {
        let Self { work, at, pace, .. } = self;
        let dual_objective: f64 = at.y.iter().sum();
        let size = work.floor + at.objective.abs() + dual_objective.abs();
        Progress {
            iteration: pace.iterations,
            primal_objective: at.objective,
            dual_objective,
            relative_gap: (at.objective - dual_objective).abs() / size,
            rank: Some(at.x.cols() - work.manifold.slacks()),
            ..Progress::default()
        }
    }

    fn state(&self) -> state::EngineState {
        state::EngineState::Diagonal(self.work.state(&self.at, &self.newton, self.pace))
    }

    fn finish(self, status: Status, time: &Allowance<'_>) -> Outcome {
        let Self { mut work, mut at, pace, proved, .. } = self;
        let lambda = match (proved, status) {
            (Some(lambda), _) => lambda,
            (None, Status::TimeLimit | Status::Interrupted) => work.glance(&at),
            (None, _) => work.estimate(&mut at, &|| time.is_over()),
        };
        work.outcome(&at, lambda.min(0.0), status, pace.iterations)
    }
}
