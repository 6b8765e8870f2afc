//! The loop around the iteration: when it has come far enough, and when it leads nowhere.

use std::time::{Duration, Instant};

use gramfold_linalg::dot;
use serde::{Deserialize, Serialize};

use super::{
    Factor, Iteration, Program, Quality, Variable, copy,
    extended::{self, Finish},
    identity, ray,
};
use crate::{
    Allowance, Options, Outcome, Primal, Progress, Sdp, Status, Stop, Watch,
    drive::{self, Clock, Turn},
    state,
};

/// Iterations without a better point after which rounding has won.
const PATIENCE: usize = 6;
/// The same where the primal residual already weighs more in the gap than ⟨X, S⟩ does.
const PATIENCE_SPOILT: usize = 4;
/// Gap below which the optimum is near enough for rounding to be what is left.
const NEAR: f64 = 1e-4;
/// Infeasibility above which a ray is looked for, and below which a point counts as near.
const SUSPICIOUS: f64 = 1e-6;

/// What the loop remembers from iteration to iteration.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Pace {
    /// ‖A(x)‖/−⟨C, x⟩ when a primal ray was last looked for.
    ray_ratio: f64,
    iteration: usize,
    /// The least remainder, and the last iteration that made the point better.
    remainder: f64,
    moved: usize,
    /// Iterations that the primal residual has spoilt.
    spoilt: usize,
}

/// The iteration in `f64`, and what is known of the program.
pub(super) struct Interior {
    pub(super) program: Program,
    pub(super) at: Iteration,
    pub(super) best: (f64, Variable, Vec<f64>),
    pub(super) pace: Pace,
    max_iterations: usize,
    /// What the last step came to, when it began, and how long the one before took.
    quality: Quality,
    turn: Instant,
    last: Duration,
    /// Room to try whether a ray is one.
    factor: Factor,
    /// What the engine believes to prove that there is no solution.
    ray_y: Option<Vec<f64>>,
    ray_z: Option<Vec<Primal>>,
}

impl Interior {
    pub(super) fn new(sdp: &Sdp) -> Self {
        Self::of(Program::new(sdp))
    }

    pub(super) fn of(program: Program) -> Self {
        let at = Iteration::new(&program, program.start(), 0.0);
        let remainder = f64::INFINITY;
        Self {
            best: (f64::INFINITY, at.x.clone(), at.y.clone()),
            pace: Pace { ray_ratio: 1e-2, iteration: 0, remainder, moved: 0, spoilt: 0 },
            max_iterations: 0,
            quality: Quality::default(),
            turn: Instant::now(),
            last: Duration::ZERO,
            factor: Factor::new(&program.cones),
            ray_y: None,
            ray_z: None,
            program,
            at,
        }
    }

    pub(super) fn run(mut self, options: &Options, watch: &mut dyn Watch) -> Outcome {
        let clock = Clock::new(options.time_limit);
        (self.at.tolerance, self.max_iterations) = (options.tolerance, options.max_iterations);
        self.ray_y = self.program.contradiction();
        if self.ray_y.is_some() {
            return self.end(Status::PrimalInfeasible);
        }
        self.at.begin();
        drive::run(self, clock, watch)
    }

    /// Without progress and without feasibility, the constraints may contradict one another. Elsewhere more digits may help.
    fn stalled(&mut self, time: &Allowance<'_>) -> Status {
        if time.is_over() {
            return Status::Stalled;
        }
        if self.quality.primal_infeasibility > SUSPICIOUS {
            let Iteration { normal, trial, .. } = &mut self.at;
            let stop = || time.is_over();
            self.ray_y = ray::inconsistent(&self.program, normal, &mut self.factor, trial, &stop);
            if self.ray_y.is_some() {
                return Status::PrimalInfeasible;
            }
        }
        let found = extended::finish(&self.program, &self.at, self.max_iterations, time);
        let Some(Finish { status, quality, best, iterations }) = found else {
            return Status::Stalled;
        };
        if best.0 < self.best.0 {
            self.best = best;
        }
        self.quality = quality;
        self.pace.iteration += iterations;
        status
    }

    fn end(self, status: Status) -> Outcome {
        let iterations = self.pace.iteration;
        let Self { program, best: (_, x, y), ray_y, ray_z, .. } = self;
        let unit = program.cost_scale * program.primal_scale;
        let (objective, bound) = (unit * program.cost(&x), unit * dot(&program.rhs, &y));
        let found = Outcome::new(program.point(&x, &y), status, iterations, objective, bound);
        Outcome { ray_y, ray_z, ..found }
    }

    fn look_for_rays(&mut self, stop: Stop<'_>) -> Option<Status> {
        let quality = self.quality;
        if quality.primal_infeasibility > SUSPICIOUS {
            let Iteration { y, trial, .. } = &mut self.at;
            self.ray_y = ray::dual(&self.program, y, &mut self.factor, trial);
            if self.ray_y.is_some() {
                return Some(Status::PrimalInfeasible);
            }
        }
        if quality.dual_infeasibility > SUSPICIOUS && quality.primal_objective < 0.0 {
            let Iteration { normal, x, w, trial, trial_y, .. } = &mut self.at;
            let loss = -self.program.cost(x);
            self.program.apply(x, trial_y);
            let ratio = gramfold_linalg::norm(trial_y) / loss;
            if ratio < self.pace.ray_ratio {
                self.pace.ray_ratio = 0.1 * ratio;
                self.ray_z =
                    ray::primal(&self.program, x, normal, &mut self.factor, [trial, w], stop);
                if self.ray_z.is_some() {
                    return Some(Status::DualInfeasible);
                }
            }
        }
        None
    }
}

impl drive::Engine for Interior {
    /// Measures the iterate.
    fn step(&mut self, _: &Allowance<'_>) -> Turn {
        self.turn = Instant::now();
        let (quality, remainder) = self.at.assess(&self.program);
        self.quality = quality;
        let pace = &mut self.pace;
        if remainder < 0.99 * pace.remainder {
            (pace.remainder, pace.moved) = (remainder, pace.iteration);
        }
        pace.spoilt += 1;
        if quality.worst() < self.best.0 {
            if quality.worst() < 0.9 * self.best.0 {
                pace.spoilt = 0;
            }
            pace.moved = pace.iteration;
            self.best.0 = quality.worst();
            copy(&self.at.x, &mut self.best.1);
            self.best.2.copy_from_slice(&self.at.y);
        }
        if quality.worst() <= self.at.tolerance { Turn::Solved } else { Turn::Made }
    }

    /// One predictor–corrector step, if it is worth making.
    fn follow(&mut self, time: &Allowance<'_>) -> Option<Status> {
        let stop = || time.is_over();
        if let Some(status) = self.look_for_rays(&stop) {
            return Some(status);
        }
        if self.pace.iteration >= self.max_iterations {
            return Some(Status::MaxIterations);
        }
        // An iteration that would end too late is not begun.
        if !time.allows(self.last) {
            return Some(if stop() { Status::Stalled } else { Status::TimeLimit });
        }
        let quality = self.quality;
        let near = quality.primal_infeasibility < SUSPICIOUS && quality.gap < NEAR;
        if !near || !self.at.dual_feasible || self.at.weight() < 1.0 {
            self.pace.spoilt = 0;
        }
        let lost = !quality.worst().is_finite()
            || self.pace.iteration > self.pace.moved + PATIENCE
            || self.pace.spoilt > PATIENCE_SPOILT;
        if lost || !self.at.advance(&self.program, &stop) {
            return Some(self.stalled(time));
        }
        self.pace.iteration += 1;
        self.last = self.turn.elapsed();
        None
    }

    fn progress(&self) -> Progress {
        Progress {
            iteration: self.pace.iteration,
            primal_objective: self.quality.primal_objective,
            dual_objective: self.quality.dual_objective,
            primal_infeasibility: self.quality.primal_infeasibility,
            dual_infeasibility: Some(self.quality.dual_infeasibility),
            relative_gap: self.quality.gap,
            ..Progress::default()
        }
    }

    fn state(&self) -> state::EngineState {
        state::EngineState::Interior(self.stored())
    }

    fn finish(self, status: Status, _: &Allowance<'_>) -> Outcome {
        self.end(status)
    }
}

impl Program {
    /// Multiples of the identity, large enough for any solution of moderate size.
    pub(super) fn start(&self) -> (Variable, Vec<f64>, Variable) {
        let n = self.cones.iter().map(|cone| cone.size()).sum::<usize>() as f64;
        let (primal, dual) = self.sizes();
        let (alpha, beta) = (10.0 * n * primal, 10.0 * dual / n.sqrt().max(1.0));
        let y = vec![0.0; self.constraints()];
        (identity(&self.cones, alpha), y, identity(&self.cones, beta))
    }

    /// y of a constraint 0 = b_i ≠ 0, if there is one.
    fn contradiction(&self) -> Option<Vec<f64>> {
        self.contradicts().map(|i| {
            let mut y = vec![0.0; self.constraints()];
            y[i] = 1.0 / self.rhs[i];
            self.multipliers(&y, 1.0 / self.primal_scale)
        })
    }
}
