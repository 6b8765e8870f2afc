//! The iteration.

mod advance;

use std::time::{Duration, Instant};

use gramfold_linalg::dot;
use serde::{Deserialize, Serialize};

use super::{
    direction::{Direction, Room},
    extended::{self, Finish, Iterate},
    normal::Normal,
    program::Program,
    ray,
    schur::Schur,
    step::Stepper,
    variable::{Factor, Variable, add_scaled, copy, inner, norm, zeros},
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

/// How good a point is, in the units of the problem.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Quality {
    pub(super) primal_objective: f64,
    pub(super) dual_objective: f64,
    pub(super) primal_infeasibility: f64,
    pub(super) dual_infeasibility: f64,
    pub(super) gap: f64,
}

impl Quality {
    pub(super) fn worst(&self) -> f64 {
        self.primal_infeasibility.max(self.dual_infeasibility).max(self.gap)
    }
}

/// What the loop remembers from iteration to iteration.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Pace {
    iteration: usize,
    /// The least remainder, and the last iteration that made the point better.
    remainder: f64,
    moved: usize,
    /// Iterations that the primal residual has spoilt.
    spoilt: usize,
}

/// The iterate and all that is kept from one iteration to the next.
pub(super) struct Interior {
    pub(super) program: Program,
    normal: Normal,
    /// The degree of K.
    degree: f64,
    pub(super) x: Variable,
    pub(super) y: Vec<f64>,
    pub(super) s: Variable,
    x_factor: Factor,
    s_factor: Factor,
    /// S⁻¹ and A(S⁻¹).
    w: Variable,
    w_image: Vec<f64>,
    primal_residual: Vec<f64>,
    dual_residual: Variable,
    /// Whether S is C − A*(y) itself.
    pub(super) dual_feasible: bool,
    predictor: Direction,
    corrector: Direction,
    room: Room,
    trial: Variable,
    trial_y: Vec<f64>,
    spare_factor: Factor,
    stepper: Stepper,
    pub(super) best: (f64, Variable, Vec<f64>),
    /// ‖A(x)‖/−⟨C, x⟩ when a primal ray was last looked for.
    pub(super) ray_ratio: f64,
    pub(super) pace: Pace,
    tolerance: f64,
    max_iterations: usize,
    /// What the last step came to, when it began, and how long the one before took.
    quality: Quality,
    turn: Instant,
    last: Duration,
    /// What the engine believes to prove that there is no solution.
    ray_y: Option<Vec<f64>>,
    ray_z: Option<Vec<Primal>>,
}

impl Interior {
    pub(super) fn new(sdp: &Sdp) -> Self {
        Self::of(Program::new(sdp))
    }

    pub(super) fn of(program: Program) -> Self {
        let m = program.constraints();
        let cones = program.cones.clone();
        let (x, s) = program.start();
        let normal = Normal::new(Schur::new(&program));
        Self {
            degree: cones.iter().map(|cone| cone.size()).sum::<usize>() as f64,
            best: (f64::INFINITY, x.clone(), vec![0.0; m]),
            x,
            y: vec![0.0; m],
            s,
            x_factor: Factor::new(&cones),
            s_factor: Factor::new(&cones),
            spare_factor: Factor::new(&cones),
            w: zeros(&cones),
            w_image: vec![0.0; m],
            primal_residual: vec![0.0; m],
            dual_residual: zeros(&cones),
            dual_feasible: false,
            predictor: Direction::new(&cones, m),
            corrector: Direction::new(&cones, m),
            room: Room::new(&cones, m),
            trial: zeros(&cones),
            trial_y: vec![0.0; m],
            stepper: Stepper::default(),
            ray_ratio: 1e-2,
            pace: Pace { iteration: 0, remainder: f64::INFINITY, moved: 0, spoilt: 0 },
            tolerance: 0.0,
            max_iterations: 0,
            quality: Quality::default(),
            turn: Instant::now(),
            last: Duration::ZERO,
            ray_y: None,
            ray_z: None,
            program,
            normal,
        }
    }

    pub(super) fn run(mut self, options: &Options, watch: &mut dyn Watch) -> Outcome {
        let clock = Clock::new(options.time_limit);
        (self.tolerance, self.max_iterations) = (options.tolerance, options.max_iterations);
        self.ray_y = self.program.contradiction();
        if self.ray_y.is_some() {
            return self.end(Status::PrimalInfeasible);
        }
        self.x_factor.compute(&self.x);
        self.s_factor.compute(&self.s);
        drive::run(self, clock, watch)
    }

    /// Without progress and without feasibility, the constraints may contradict one another. Elsewhere more digits may help.
    fn stalled(&mut self, time: &Allowance<'_>) -> Status {
        if time.is_over() {
            return Status::Stalled;
        }
        if self.quality.primal_infeasibility > SUSPICIOUS {
            let (factor, stop) = (&mut self.spare_factor, || time.is_over());
            self.ray_y =
                ray::inconsistent(&self.program, &mut self.normal, factor, &mut self.trial, &stop);
            if self.ray_y.is_some() {
                return Status::PrimalInfeasible;
            }
        }
        let from = Iterate { x: &self.x, y: &self.y, s: &self.s };
        let goal = (self.tolerance, self.max_iterations);
        let Some(found) = extended::finish(&self.program, &from, goal, time) else {
            return Status::Stalled;
        };
        let Finish { status, quality, best, iterations } = found;
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

    /// Recomputes the residuals and measures the iterate. Beside it stands the largest of both infeasibilities and ⟨X, S⟩, which
    /// shrinks even where the objective tends to zero and takes the scale of the relative gap along. Where ⟨X, S⟩ is within the
    /// tolerance, its shrinking is no progress.
    fn assess(&mut self) -> (Quality, f64) {
        let program = &self.program;
        program.apply(&self.x, &mut self.primal_residual);
        self.primal_residual.iter_mut().zip(&program.rhs).for_each(|(r, b)| *r = b - *r);
        if !self.dual_feasible {
            program.slack(&self.y, &mut self.dual_residual);
            add_scaled(-1.0, &self.s, &mut self.dual_residual);
        }
        let unit = program.cost_scale * program.primal_scale;
        let primal_objective = unit * program.cost(&self.x);
        let dual_objective = unit * dot(&program.rhs, &self.y);
        let complementarity = unit * inner(&self.x, &self.s);
        // With multipliers that have diverged, C − A*(y) has no correct digit left, whatever is computed for it.
        let rounding = f64::EPSILON * self.y.iter().map(|y| y.abs()).sum::<f64>();
        let residual = if self.dual_feasible { 0.0 } else { norm(&self.dual_residual) };
        let dual_infeasibility = residual.max(rounding);
        let scale = &program.scale;
        let primal_infeasibility = program.residual(&self.primal_residual);
        let dual_infeasibility = program.cost_scale * dual_infeasibility / scale.cost;
        let size = scale.objective + primal_objective.abs() + dual_objective.abs();
        let open = complementarity > self.tolerance * size;
        let remainder = if open { complementarity / scale.objective } else { 0.0 };
        let quality = Quality {
            primal_objective,
            dual_objective,
            primal_infeasibility,
            dual_infeasibility,
            gap: (primal_objective - dual_objective).abs().max(complementarity) / size,
        };
        (quality, primal_infeasibility.max(dual_infeasibility).max(remainder))
    }

    fn look_for_rays(&mut self, stop: Stop<'_>) -> Option<Status> {
        let quality = self.quality;
        if quality.primal_infeasibility > SUSPICIOUS {
            self.ray_y = ray::dual(&self.program, &self.y, &mut self.spare_factor, &mut self.trial);
            if self.ray_y.is_some() {
                return Some(Status::PrimalInfeasible);
            }
        }
        if quality.dual_infeasibility > SUSPICIOUS && quality.primal_objective < 0.0 {
            let loss = -self.program.cost(&self.x);
            self.program.apply(&self.x, &mut self.trial_y);
            let ratio = gramfold_linalg::norm(&self.trial_y) / loss;
            if ratio < self.ray_ratio {
                self.ray_ratio = 0.1 * ratio;
                self.ray_z = ray::primal(
                    &self.program,
                    &self.x,
                    &mut self.normal,
                    &mut self.spare_factor,
                    [&mut self.trial, &mut self.w],
                    stop,
                );
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
        let (quality, remainder) = self.assess();
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
            copy(&self.x, &mut self.best.1);
            self.best.2.copy_from_slice(&self.y);
        }
        if quality.worst() <= self.tolerance { Turn::Solved } else { Turn::Made }
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
        if !near || !self.dual_feasible || self.weight() < 1.0 {
            self.pace.spoilt = 0;
        }
        let lost = !quality.worst().is_finite()
            || self.pace.iteration > self.pace.moved + PATIENCE
            || self.pace.spoilt > PATIENCE_SPOILT;
        if lost || !self.advance(&stop) {
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
    pub(super) fn start(&self) -> (Variable, Variable) {
        let (mut x, mut s) = (zeros(&self.cones), zeros(&self.cones));
        let n = self.cones.iter().map(|cone| cone.size()).sum::<usize>() as f64;
        let (primal, dual) = self.sizes();
        let (alpha, beta) = (10.0 * n * primal, 10.0 * dual / n.sqrt().max(1.0));
        for (x, s) in x.iter_mut().zip(&mut s) {
            x.add_identity(alpha);
            s.add_identity(beta);
        }
        (x, s)
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
