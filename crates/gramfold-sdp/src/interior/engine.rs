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
use crate::{Options, Outcome, Primal, Progress, Sdp, State, Status, Stop, Watch, state};

/// Iterations without a better point after which rounding has won.
const PATIENCE: usize = 6;
/// The same where the primal residual already weighs more in the gap than ⟨X, S⟩ does.
const PATIENCE_SPOILT: usize = 4;
/// Gap below which the optimum is near enough for rounding to be what is left.
const NEAR: f64 = 1e-4;
/// Infeasibility above which a ray is looked for, and below which a point counts as near.
const SUSPICIOUS: f64 = 1e-6;

/// How good a point is, in the units of the problem.
#[derive(Clone, Copy)]
struct Quality {
    primal_objective: f64,
    dual_objective: f64,
    primal_infeasibility: f64,
    dual_infeasibility: f64,
    gap: f64,
    /// The largest of both infeasibilities and ⟨X, S⟩, which shrinks even where the objective tends to zero and
    /// takes the scale of the relative gap along.
    remainder: f64,
}

impl Quality {
    fn worst(&self) -> f64 {
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
pub(super) struct Engine {
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
    /// What the engine believes to prove that there is no solution.
    ray_y: Option<Vec<f64>>,
    ray_z: Option<Vec<Primal>>,
}

impl Engine {
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
            ray_y: None,
            ray_z: None,
            program,
            normal,
        }
    }

    pub(super) fn run(mut self, options: &Options, watch: &mut dyn Watch) -> Outcome {
        let begun = Instant::now();
        let late = || options.time_limit.is_some_and(|limit| begun.elapsed() >= limit);
        let cut_short = || if late() { Status::TimeLimit } else { Status::Interrupted };
        self.tolerance = options.tolerance;
        self.ray_y = self.program.contradiction();
        if self.ray_y.is_some() {
            return self.end(Status::PrimalInfeasible, 0);
        }
        self.x_factor.compute(&self.x);
        self.s_factor.compute(&self.s);
        let mut last = Duration::ZERO;
        let status = loop {
            watch.save(&|| State::of(state::Engine::Interior(self.state())));
            let turn = Instant::now();
            let Pace { iteration, mut remainder, mut moved, mut spoilt } = self.pace;
            let quality = self.assess();
            if quality.remainder < 0.99 * remainder {
                (remainder, moved) = (quality.remainder, iteration);
            }
            spoilt += 1;
            if quality.worst() < self.best.0 {
                if quality.worst() < 0.9 * self.best.0 {
                    spoilt = 0;
                }
                moved = iteration;
                self.best.0 = quality.worst();
                copy(&self.x, &mut self.best.1);
                self.best.2.copy_from_slice(&self.y);
            }
            let progress = Progress {
                iteration,
                primal_objective: quality.primal_objective,
                dual_objective: quality.dual_objective,
                primal_infeasibility: quality.primal_infeasibility,
                dual_infeasibility: Some(quality.dual_infeasibility),
                relative_gap: quality.gap,
                rank: None,
                gamma: None,
                threshold: None,
                seconds: begun.elapsed().as_secs_f64(),
            };
            let interrupted = watch.step(&progress).is_break() || watch.stops();
            if quality.worst() <= options.tolerance {
                break Status::Solved;
            }
            if interrupted {
                break Status::Interrupted;
            }
            let stop = || late() || watch.stops();
            if let Some(status) = self.look_for_rays(&quality, &stop) {
                break status;
            }
            if iteration >= options.max_iterations {
                break Status::MaxIterations;
            }
            // An iteration that would end too late is not begun.
            if options.time_limit.is_some_and(|limit| begun.elapsed() + last >= limit) {
                break Status::TimeLimit;
            }
            let near = quality.primal_infeasibility < SUSPICIOUS && quality.gap < NEAR;
            if !near || !self.dual_feasible || self.weight() < 1.0 {
                spoilt = 0;
            }
            let lost = !quality.worst().is_finite()
                || iteration > moved + PATIENCE
                || spoilt > PATIENCE_SPOILT;
            if lost || !self.advance(&stop) {
                let stalled = if stop() { None } else { Some(self.stalled(&quality, &stop)) };
                break stalled.filter(|_| !stop()).unwrap_or_else(cut_short);
            }
            self.pace = Pace { iteration: iteration + 1, remainder, moved, spoilt };
            last = turn.elapsed();
        };
        let iteration = self.pace.iteration;
        if status == Status::Stalled {
            let from = Iterate { x: &self.x, y: &self.y, s: &self.s };
            let so_far = (options, iteration, begun);
            if let Some(found) = extended::finish(&self.program, &from, so_far, watch) {
                let Finish { status, worst, x, y, iterations } = found;
                if worst < self.best.0 {
                    self.best = (worst, x, y);
                }
                return self.end(status, iterations);
            }
        }
        self.end(status, iteration)
    }

    /// Without progress and without feasibility, the constraints may contradict one another.
    fn stalled(&mut self, quality: &Quality, stop: Stop<'_>) -> Status {
        if quality.primal_infeasibility > SUSPICIOUS {
            let factor = &mut self.spare_factor;
            self.ray_y =
                ray::inconsistent(&self.program, &mut self.normal, factor, &mut self.trial, stop);
            if self.ray_y.is_some() {
                return Status::PrimalInfeasible;
            }
        }
        Status::Stalled
    }

    fn end(self, status: Status, iterations: usize) -> Outcome {
        let Self { program, best: (_, x, y), ray_y, ray_z, .. } = self;
        let unit = program.cost_scale * program.primal_scale;
        let (objective, bound) = (unit * program.cost(&x), unit * dot(&program.rhs, &y));
        let found = Outcome::new(program.point(&x, &y), status, iterations, objective, bound);
        Outcome { ray_y, ray_z, ..found }
    }

    /// Recomputes the residuals and measures the iterate.
    fn assess(&mut self) -> Quality {
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
        let remainder = complementarity / scale.objective;
        let size = scale.objective + primal_objective.abs() + dual_objective.abs();
        Quality {
            primal_objective,
            dual_objective,
            primal_infeasibility,
            dual_infeasibility,
            remainder: primal_infeasibility.max(dual_infeasibility).max(remainder),
            gap: (primal_objective - dual_objective).abs().max(complementarity) / size,
        }
    }

    fn look_for_rays(&mut self, quality: &Quality, stop: Stop<'_>) -> Option<Status> {
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
