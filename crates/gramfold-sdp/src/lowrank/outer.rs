//! The outer loop: multipliers, β, ranks, and the end.

mod ranks;

use gramfold::{
    Split,
    algorithm::{End, Folded, Products},
};
use gramfold_linalg::norm;
use serde::{Deserialize, Serialize};

use super::{Factor, Lagrangian, Program, SlackSpectrum, State, split, start};
use crate::{
    Allowance, Error, Method, Options, Outcome, Point, Primal, Progress, Sdp, Status, Stop, Watch,
    certificate,
    drive::{self, Clock, Turn},
    state,
};

/// L-BFGS steps before truncated Newton takes over, and products with the Hessian before a round ends.
const STEPS: usize = 300;
const PRODUCTS: usize = 3000;
/// Products between two places where a run can be gone on with.
const PAUSE: usize = 500;
/// Rounds without any progress before a run is given up.
const PATIENCE: usize = 25;
/// β at the start, its growth where the residual falls too slowly, and where it hardly falls.
const BETA: f64 = 3.0;
const GROWTH: f64 = 3.0;
const FAST_GROWTH: f64 = 10.0;
/// The inner tolerance falls at least by this factor from round to round, and to this share of the residual.
const TIGHTER: f64 = 0.7;
const SHARE: f64 = 0.03;

/// Solves a program from a random or a given start; with the method `split` from the paper's split.
///
/// # Errors
/// If a block has more rows than 32-bit indices can count.
pub fn solve(sdp: &Sdp, options: &Options, watch: &mut dyn Watch) -> Result<Outcome, Error> {
    resume(sdp, options, None, watch)
}

/// As [`solve`], from where a run stood.
pub(crate) fn resume(
    sdp: &Sdp,
    options: &Options,
    state: Option<State>,
    watch: &mut dyn Watch,
) -> Result<Outcome, Error> {
    let clock = Clock::new(options.time_limit);
    let program = Program::new(sdp)?;
    let mut spectrum = SlackSpectrum::new(sdp.cones().len(), options.seed);
    let (l, pace, best) = if let Some(state) = state {
        spectrum.looks = state.looks;
        (state.lagrangian(program)?, state.pace, state.best)
    } else {
        let (l, pace) = begin(program, options)?;
        (l, pace, None)
    };
    let run = LowRank {
        spectrum,
        l,
        traces: certificate::trace_bounds(sdp),
        tolerance: options.tolerance,
        work_limit: options.work_limit.unwrap_or(f64::INFINITY),
        best,
        slack: None,
        end: None,
        pace,
    };
    Ok(drive::run(run, clock, watch))
}

/// L and the pace at the start.
fn begin(program: Program, options: &Options) -> Result<(Lagrangian, Pace), Error> {
    let (factor, given) = start::point(&program, options);
    let opens = options.method == Method::Split && given.is_none();
    let multipliers = given.unwrap_or_else(|| vec![0.0; program.constraints()]);
    // β is a positive constant, so that this is never refused.
    let l = Lagrangian::new(program, factor, multipliers, BETA)
        .map_err(|error| Error::NotApplicable(error.to_string()))?;
    Ok((l, Pace { opens, ..Pace::default() }))
}

/// A run, between its start and its outcome.
pub(super) struct LowRank {
    pub(super) l: Lagrangian,
    pub(super) spectrum: SlackSpectrum,
    /// tr Z_b ≤ traces\[b\], in the program's units.
    traces: Vec<f64>,
    tolerance: f64,
    /// How many operations there may be.
    work_limit: f64,
    /// The point with the smallest gap that a certificate has seen, and that gap and bound.
    pub(super) best: Option<Best>,
    /// The worst −λmin(S_b), relative to the unit of C, at the last certificate.
    slack: Option<f64>,
    /// How the last minimisation ended, with the relative residual and gap there.
    end: Option<(End, f64, f64)>,
    pub(super) pace: Pace,
}

/// A feasible point whose gap was not small enough.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Best {
    gap: f64,
    bound: f64,
    pub(super) factor: Factor,
    pub(super) estimate: Vec<f64>,
}

/// What the outer loop remembers from round to round.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Pace {
    /// ‖∇L‖ ≤ omega·‖R‖ ends an inner minimisation.
    omega: f64,
    previous: f64,
    grown: bool,
    best: f64,
    since: usize,
    /// Where a round is in the midst of Newton's method: the gradient that ends it, and the products made.
    newton: Option<(f64, usize)>,
    /// Whether the split still has to open the run.
    #[serde(default)]
    opens: bool,
    iterations: usize,
    rounds: usize,
    /// Operations so far.
    work: f64,
    /// γ of the split at the start and its threshold, if there was one.
    gamma: Option<f64>,
    threshold: Option<f64>,
    /// The dual bound at the last certificate.
    bound: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            omega: 1e-2,
            previous: f64::INFINITY,
            grown: false,
            best: f64::INFINITY,
            since: 0,
            newton: None,
            opens: false,
            iterations: 0,
            rounds: 0,
            work: 0.0,
            gamma: None,
            threshold: None,
            bound: f64::NEG_INFINITY,
        }
    }
}

impl LowRank {
    /// One minimisation by L-BFGS, or a part of one by truncated Newton where that was not enough; none where there is more
    /// of it to come.
    fn minimise(&mut self, time: &Allowance<'_>) -> Option<End> {
        let stop = || time.is_over();
        let Some((goal, made)) = self.pace.newton else {
            let goal = self.pace.omega * self.l.factor.rows.norm().max(1e-3);
            let end = self.folded(|folded, split| folded.lbfgs(split, goal, STEPS, &stop));
            if end != End::Steps || self.pace.work >= self.work_limit {
                return Some(end);
            }
            self.pace.newton = Some((goal, 0));
            return None;
        };
        let products = Products { most: PRODUCTS - made, pause: PAUSE };
        let before = self.pace.iterations;
        let end = self.folded(|folded, split| folded.newton(split, goal, products, &stop));
        let made = made + self.pace.iterations - before;
        let paused = end == End::Paused;
        let goes_on = paused && self.pace.work < self.work_limit;
        self.pace.newton = goes_on.then_some((goal, made));
        if goes_on { None } else { Some(if paused { End::Steps } else { end }) }
    }

    /// Lets a method of the library move R, and counts its steps and their operations.
    fn folded(&mut self, work: impl FnOnce(&mut Folded, &mut Split<'_>) -> (End, usize)) -> End {
        let Some(mut split) = self.l.split() else { return End::Unbounded };
        let mut folded = Folded::new(split.problem());
        let (end, steps) = work(&mut folded, &mut split);
        let moved = split.x().clone();
        drop(split);
        self.pace.iterations += steps;
        self.pace.work += steps as f64 * self.l.program.work(moved.cols());
        let ranks = self.l.factor.ranks.clone();
        self.l.set_factor(Factor { rows: moved, ranks });
        end
    }

    /// Between two rounds: ranks, multipliers, β and the inner tolerance.
    fn advance(&mut self, end: End, violation: f64, stop: Stop<'_>) {
        let residual = norm(&self.l.residual);
        let may_grow = residual < 0.5 && end != End::Steps && !self.pace.grown;
        self.pace.grown = may_grow && self.grow(residual, stop);
        if self.pace.grown {
            return;
        }
        self.shrink();
        let ratio = residual / self.pace.previous;
        if end == End::Steps && ratio > 0.5 {
            return; // The same problem again, from where it stopped.
        }
        self.l.update_multipliers();
        self.pace.previous = residual;
        if end == End::Steps {
            return;
        }
        if ratio > 0.25 && violation > 0.1 * self.tolerance {
            let growth = if ratio > 0.7 { FAST_GROWTH } else { GROWTH };
            self.l.set_multipliers(self.l.multipliers.clone(), growth * self.l.beta);
        }
        self.pace.omega = (TIGHTER * self.pace.omega).min(SHARE * residual).max(1e-12);
    }

    /// Whether λmin of every block leaves a gap below the tolerance; sets the dual bound.
    fn certified(&mut self, stop: Stop<'_>) -> bool {
        self.l.respect_signs();
        let program = &self.l.program;
        let slack_matrix = self.l.slack();
        let cost_unit = program.scale.cost;
        let scale = program.factor_scale().powi(2);
        let primal = program.objective(self.l.cost());
        let unit = program.objective(1.0) / scale;
        // A block without a known bound on its trace is judged by twice the trace it has; its bound stays −∞
        // unless its slack is positive semidefinite.
        let assumed: Vec<f64> = (0..program.blocks.len())
            .map(|block| {
                let now = 2.0 * scale * self.l.factor.trace(program, block);
                if self.traces[block].is_finite() { self.traces[block] } else { now.max(scale) }
            })
            .collect();
        let total: f64 = assumed.iter().sum();
        let size = program.scale.objective + primal.abs();
        let allowed = 0.5 * self.tolerance * size / (total.max(f64::MIN_POSITIVE) * unit);
        let start = program.objective(self.l.dual_value());
        let (mut bound, mut steered, mut slack) = (start, start, 0.0_f64);
        for (block, assumed) in assumed.into_iter().enumerate() {
            let value = self.spectrum.least(slack_matrix.block(block), allowed, stop).value;
            if value < 0.0 {
                bound += self.traces[block] * value * unit;
                steered += assumed * value * unit;
                slack = slack.max(-value * unit / cost_unit);
            }
        }
        self.pace.bound = bound;
        self.slack = Some(slack);
        let gap = self.relative_gap(steered);
        if gap > self.tolerance && self.best.as_ref().is_none_or(|best| gap < best.gap) {
            let (factor, estimate) = (self.l.factor.clone(), self.l.estimate.clone());
            self.best = Some(Best { gap, bound, factor, estimate });
        }
        gap <= self.tolerance
    }

    /// |⟨C, Z⟩ − dual|/(unit + |⟨C, Z⟩|).
    fn relative_gap(&self, dual: f64) -> f64 {
        let primal = self.l.program.objective(self.l.cost());
        (primal - dual).abs() / (self.l.program.scale.objective + primal.abs())
    }
}

impl drive::Engine for LowRank {
    fn step(&mut self, time: &Allowance<'_>) -> Turn {
        if self.pace.opens {
            if let Some(opening) = split::run(&mut self.l, &|| time.is_over()) {
                self.pace.iterations += opening.iterations;
                self.pace.gamma = Some(opening.gamma);
                self.pace.threshold = opening.threshold;
            }
            self.pace.opens = false;
            return Turn::Paused;
        }
        let Some(end) = self.minimise(time) else { return Turn::Paused };
        self.pace.rounds += 1;
        let diverged = !self.l.factor.rows.is_finite() || end == End::Unbounded;
        if end == End::Stopped || diverged {
            return Turn::Ended(Status::Stalled);
        }
        let violation = self.l.program.infeasibility(&self.l.residual);
        let apart = self.relative_gap(self.l.program.objective(self.l.dual_value()));
        (self.end, self.slack) = (Some((end, violation, apart)), None);
        if violation <= self.tolerance && apart <= self.tolerance {
            if self.certified(&|| time.is_over()) {
                return Turn::Solved;
            }
            self.l.estimate();
        }
        Turn::Made
    }

    /// Prepares the next round, if there is hope.
    fn follow(&mut self, time: &Allowance<'_>) -> Option<Status> {
        let (end, violation, apart) = self.end?;
        let Self { pace, work_limit, .. } = self;
        let merit = violation.max(apart);
        pace.since += 1;
        if merit < 0.9 * pace.best {
            (pace.best, pace.since) = (merit, 0);
        }
        if pace.since > PATIENCE || pace.work >= *work_limit {
            return Some(Status::Stalled);
        }
        self.advance(end, violation, &|| time.is_over());
        time.is_over().then_some(Status::Stalled)
    }

    fn progress(&self) -> Progress {
        let program = &self.l.program;
        Progress {
            iteration: self.pace.iterations,
            primal_objective: program.objective(self.l.cost()),
            dual_objective: program.objective(self.l.dual_value()),
            primal_infeasibility: program.infeasibility(&self.l.residual),
            dual_infeasibility: self.slack,
            relative_gap: self.relative_gap(program.objective(self.l.dual_value())),
            rank: Some(self.l.factor.rank()),
            gamma: self.pace.gamma,
            threshold: self.pace.threshold,
            seconds: 0.0,
        }
    }

    fn state(&self) -> state::EngineState {
        state::EngineState::LowRank(self.stored())
    }

    fn finish(mut self, status: Status, _: &Allowance<'_>) -> Outcome {
        if let (Some(best), true) = (self.best.take(), status != Status::Solved) {
            self.l.set_factor(best.factor);
            self.l.estimate = best.estimate;
            self.pace.bound = best.bound;
        }
        let program = &self.l.program;
        let root = program.factor_scale();
        let primal = (0..program.blocks.len())
            .map(|block| {
                let mut factor = self.l.factor.block(program, block);
                factor.scale(root);
                if program.blocks[block].nonnegative {
                    return Primal::Diagonal(factor.as_slice().iter().map(|u| u * u).collect());
                }
                Primal::Factor(factor)
            })
            .collect();
        let point = Point { primal, dual: program.multipliers(&self.l.estimate) };
        let objective = program.objective(self.l.cost());
        let Pace { iterations, bound, gamma, threshold, .. } = self.pace;
        let outcome = Outcome::new(point, status, iterations, objective, bound);
        Outcome { gamma, threshold, ..outcome }
    }
}
