//! Projected Gauss–Newton on the folded factor, for any loss that knows its curvature.
//!
//! For ½‖Z − A‖² the Gauss–Newton product 2(V·XᵀX + X·VᵀX) needs no product with A, so the inner conjugate gradients are
//! free of the data; for measurements it is an image and an adjoint.
//!
//! Where rows decouple, as for entries of a matrix, steps are damped (Levenberg and Marquardt) and taken whole: an exact line search
//! would cost more passes over the data than the step after it.

use gramfold_linalg::{ConjugateGradients, Mat, Reach, SolveEnd, System};

use super::{
    Algorithm,
    preconditioner::{Preconditioner, motion},
    smooth::{Smooth, freshen, line},
};
use crate::{BlockForm, Error, Memory, Problem, Side, Split};

/// The most conjugate gradient steps an iteration.
const INNER: usize = 30;

/// Conjugate gradients stop when the residual has fallen by this factor.
const FORCING: f64 = 0.1;

/// A step below this is followed by a gradient step.
const SHORT: f64 = 0.2;

/// The preconditioner is read again where X has moved by this share since, in the mean over its axes.
const STALE: f64 = 0.1;

/// Gauss–Newton steps that leave more than this share of the gradient are slow …
const SLOW: f64 = 0.3;

/// … and so many of them are followed by Newton's: residuals that stay make the model of Gauss–Newton a poor one.
const PATIENCE: usize = 12;

/// The damping of the first step, as a share of the mean curvature of each row …
const DAMPING: f64 = 0.03;

/// … of one that failed at least, and of one that is as good as none.
const DAMPED: f64 = 1e-3;
const UNDAMPED: f64 = 1e-12;

/// A step that falls by less than this share of what the model says is not taken.
const TAKEN: f64 = 0.05;

/// Where a step falls by less than this share of what the model says the damping grows by a factor …
const POOR: f64 = 0.25;
const GROWS: f64 = 4.0;

/// … and where it falls by more than this one it shrinks.
const GOOD: f64 = 0.75;
const SHRINKS: f64 = 0.1;

/// A preconditioner that was read with more damping than this is read again where no more than this share of it is left.
const FELT: f64 = 0.01;
const LEFT: f64 = 0.3;

/// Rounding of a value, relative to it.
const ROUNDING: f64 = 1e-13;

/// Projected Gauss–Newton with truncated conjugate gradients.
pub struct GaussNewton {
    gradient: Mat,
    direction: Mat,
    solver: ConjugateGradients,
    free: Vec<bool>,
    preconditioner: Preconditioner,
    /// Where the preconditioner was read; a resumed run reads it there again.
    read_at: Option<Mat>,
    lambda: f64,
    nonnegative: bool,
    short: bool,
    steps: usize,
    /// ‖∇‖ before the last step, and how many slow steps there were in a row.
    before: f64,
    slow: usize,
    /// The damping, and that with which the preconditioner was read.
    damping: f64,
    read_with: f64,
    /// Whether the gradient is that of the present point: a whole step has read it.
    known: bool,
    /// X before the step, and the gradient there.
    last: Option<(Mat, Mat)>,
}

impl Algorithm for GaussNewton {
    fn name(&self) -> &'static str {
        "gauss-newton"
    }

    fn check(&mut self, problem: &Problem<'_>) -> Result<(), Error> {
        let Smooth { lambda, nonnegative } = Smooth::of(self.name(), true, problem)?;
        *self = Self { lambda, nonnegative, ..Self::new(problem.dim(), problem.rank) };
        Ok(())
    }

    fn advance(&mut self, split: &mut Split<'_>) {
        if freshen(split, self.steps) {
            self.known = false;
        }
        self.iterate(split);
        self.steps += 1;
    }

    fn remember(&self, memory: &mut Memory) {
        memory.set_count("steps", self.steps);
        memory.set_count("short", usize::from(self.short));
        memory.set_number("gradient", self.before);
        memory.set_count("slow", self.slow);
        if let Some(read_at) = &self.read_at {
            memory.set("preconditioned at", read_at);
        }
        memory.set_number("damping", self.damping);
        memory.set_number("preconditioned with", self.read_with);
        // Read before the last look at the run, which may have computed the evaluation afresh.
        if self.known {
            memory.set("gradient there", &self.gradient);
        }
    }

    fn recall(&mut self, memory: &Memory) {
        self.steps = memory.count("steps").unwrap_or(0);
        self.short = memory.count("short") == Some(1);
        self.before = memory.number("gradient").unwrap_or(f64::MAX);
        self.slow = memory.count("slow").unwrap_or(0);
        self.read_at = memory.get("preconditioned at").cloned();
        self.damping = memory.number("damping").unwrap_or(DAMPING);
        self.read_with = memory.number("preconditioned with").unwrap_or(0.0);
        self.known = memory.restore("gradient there", &mut self.gradient);
    }
}

impl Default for GaussNewton {
    fn default() -> Self {
        Self::new(0, 0)
    }
}

impl GaussNewton {
    /// Room for n×r factors.
    fn new(dim: usize, rank: usize) -> Self {
        Self {
            gradient: Mat::zeros(dim, rank),
            direction: Mat::zeros(dim, rank),
            solver: ConjugateGradients::new(dim, rank),
            free: vec![true; dim * rank],
            preconditioner: Preconditioner::default(),
            read_at: None,
            lambda: 0.0,
            nonnegative: false,
            short: false,
            steps: 0,
            before: f64::MAX,
            slow: 0,
            damping: DAMPING,
            read_with: 0.0,
            known: false,
            last: None,
        }
    }

    fn iterate(&mut self, split: &mut Split<'_>) {
        if !std::mem::take(&mut self.known) {
            self.read_gradient(split);
        }
        self.read_preconditioner(split);
        let measured = !split.problem().sees_all();
        let damped = self.is_damped(split);
        let norm = self.gradient.norm();
        // Newton's steps go on as long as nothing speaks against them.
        let slow = norm > SLOW * self.before || self.slow >= PATIENCE;
        self.slow = if measured && slow { self.slow + 1 } else { 0 };
        self.before = norm;
        let mut slope = 0.0;
        if !self.short {
            self.find_free(split.x());
            self.solve(split);
            self.project(split.x());
            slope = self.gradient.dot(&self.direction);
        }
        if slope >= 0.0 || !slope.is_finite() {
            // No descent, or the last step was cut short by entries that turned negative: a
            // projected gradient always descends, and moves the active set.
            let curvature = split.evaluation().lipschitz(Side::X);
            let step = 1.0 / (2.0 * curvature + self.lambda).max(f64::MIN_POSITIVE);
            self.direction.copy_from(&self.gradient);
            self.direction.scale(-step);
            self.free.fill(true);
            self.project(split.x());
            slope = self.gradient.dot(&self.direction);
        }
        if slope >= 0.0 || !slope.is_finite() {
            return; // Stationary to rounding.
        }
        if damped && self.take_whole(split, slope) {
            return;
        }
        let t = line(split, self.lambda, &self.direction).minimiser(1.0).unwrap_or(1.0);
        self.short = !damped && !self.short && t < SHORT;
        split.step_along(t, &self.direction);
    }

    /// ∇ = 2(∇f(XXᵀ)X) + λX.
    fn read_gradient(&mut self, split: &Split<'_>) {
        split.folded_gradient(&mut self.gradient);
        self.gradient.axpy(self.lambda, split.x());
    }

    /// Whether steps are damped, rather than cut short by a line search.
    fn is_damped(&self, split: &Split<'_>) -> bool {
        !self.nonnegative && self.preconditioner.has_rows() && !split.problem().sees_all()
    }

    /// Takes the whole step, of this slope, where the value falls about as the model says, and follows with the damping; otherwise
    /// stays where it is.
    fn take_whole(&mut self, split: &mut Split<'_>, slope: f64) -> bool {
        // Conjugate gradients leave a residual that is orthogonal to the step: ⟨d, (H + damping·D)d⟩ = −slope.
        let fall = 0.5 * (self.damping * self.preconditioner.damped(&self.direction) - slope);
        let value = split.objective();
        let (x, gradient) =
            self.last.get_or_insert_with(|| (split.x().clone(), self.gradient.clone()));
        x.copy_from(split.x());
        std::mem::swap(gradient, &mut self.gradient);
        split.update_folded(|x| x.axpy(1.0, &self.direction));
        self.read_gradient(split); // Before the value: one pass makes both.
        let fell = value - split.objective();
        let rounding = ROUNDING * value.abs();
        if fell >= TAKEN * fall - rounding {
            if fell >= GOOD * fall - rounding {
                self.damping *= SHRINKS;
            } else if fell < POOR * fall {
                self.damping *= GROWS;
            }
            if self.damping < UNDAMPED {
                self.damping = 0.0;
            }
            self.known = true;
            return true;
        }
        self.damping = (self.damping * GROWS).max(DAMPED);
        if let Some((x, gradient)) = &mut self.last {
            split.update_folded(|now| now.copy_from(x));
            std::mem::swap(gradient, &mut self.gradient);
        }
        false
    }

    /// Reads the preconditioner where X has moved since it was read, or was not read in this process.
    fn read_preconditioner(&mut self, split: &Split<'_>) {
        let x = split.x();
        let cheap = matches!(split.evaluation().block(Side::X), BlockForm::SharedGram { .. });
        let with = self.read_with;
        let damped = with > FELT && self.damping <= LEFT * with;
        let between = &mut self.direction; // Not needed before the next one is solved for.
        let mut near = |at: &Mat| !cheap && !damped && motion(at, x, between) <= STALE;
        match &self.read_at {
            Some(at) if near(at) => {
                if self.preconditioner.is_read() {
                    return;
                }
                match Split::new(split.problem(), at.clone(), at.clone(), 0.0) {
                    Ok(there) => self.preconditioner.read_damped(&there, self.lambda, with),
                    Err(_) => self.preconditioner.read_damped(split, self.lambda, with),
                }
            }
            _ => {
                self.read_with = if self.nonnegative { 0.0 } else { self.damping };
                self.preconditioner.read_damped(split, self.lambda, self.read_with);
                self.read_at = (!cheap).then(|| x.clone());
            }
        }
    }

    /// Entries that a scaled gradient step would take to zero are held there, not only those that
    /// are zero already: otherwise they cut every step short (Bertsekas' two-metric projection).
    fn find_free(&mut self, x: &Mat) {
        if self.nonnegative {
            let cols = x.cols();
            let pairs = x.as_slice().iter().zip(self.gradient.as_slice());
            for (at, (free, (x, g))) in self.free.iter_mut().zip(pairs).enumerate() {
                *free = *g <= 0.0 || *x > self.preconditioner.weight(at / cols, at % cols) * g;
            }
        }
    }

    /// P ← max(X + P, 0) − X, and −X where an entry is held at zero.
    fn project(&mut self, x: &Mat) {
        if self.nonnegative {
            self.direction.zip(x, |p, x| if x + p < 0.0 { -x } else { p });
            let held = self.free.iter().zip(x.as_slice());
            let entries = self.direction.as_mut_slice().iter_mut().zip(held);
            entries.for_each(|(p, (free, x))| *p = if *free { *p } else { -x });
        }
    }

    /// direction ← −(JᵀHJ + λ)⁻¹∇ on the free entries, by preconditioned conjugate gradients.
    fn solve(&mut self, split: &Split<'_>) {
        let damping = if self.is_damped(split) { self.damping } else { 0.0 };
        let Self { direction, gradient, nonnegative, free, .. } = self;
        let free = nonnegative.then_some(&**free);
        let mut system = Model {
            split,
            newton: self.slow >= PATIENCE,
            lambda: self.lambda,
            damping,
            preconditioner: &self.preconditioner,
            free,
        };
        direction.as_mut_slice().fill(0.0);
        let reach = Reach::products(INNER);
        let solved = self.solver.solve(direction, reach, &mut system, |_, residual| {
            residual.copy_from(gradient);
            residual.scale(-1.0);
            mask(free, residual);
        });
        if matches!(solved.end, SolveEnd::Flat(_)) {
            // Far from a minimum: what is there of the direction will do, and Gauss–Newton for the next step.
            self.slow = 0;
        }
        if direction.norm_squared() == 0.0 {
            direction.copy_from(self.solver.search());
        }
    }
}

/// The curvature of the model, or of Newton's, on the free entries.
struct Model<'a> {
    split: &'a Split<'a>,
    newton: bool,
    lambda: f64,
    damping: f64,
    preconditioner: &'a Preconditioner,
    /// Which entries are free; none if all are.
    free: Option<&'a [bool]>,
}

impl System for Model<'_> {
    fn product(&mut self, v: &Mat, out: &mut Mat) -> f64 {
        let (evaluation, x) = (self.split.evaluation(), self.split.x());
        if self.newton {
            evaluation.curvature_product(x, v, true, out);
        } else {
            evaluation.rough_curvature_product(x, v, out);
        }
        if self.lambda != 0.0 {
            out.axpy(self.lambda, v);
        }
        if self.damping != 0.0 {
            self.preconditioner.damp(self.damping, v, out);
        }
        mask(self.free, out);
        v.dot(out)
    }

    fn precondition(&mut self, v: &Mat, out: &mut Mat) {
        self.preconditioner.apply(v, out);
        mask(self.free, out);
    }

    fn is_solved(&mut self, _: &Mat, square: f64, first: f64) -> bool {
        square <= FORCING * FORCING * first || square <= 0.0
    }

    fn is_flat(&self, curvature: f64, _: &Mat, square: f64) -> bool {
        curvature <= 1e-14 * square
    }
}

/// Entries that are not free ← 0.
fn mask(free: Option<&[bool]>, entries: &mut Mat) {
    if let Some(free) = free {
        let entries = entries.as_mut_slice().iter_mut().zip(free);
        entries.for_each(|(value, free)| *value = if *free { *value } else { 0.0 });
    }
}
