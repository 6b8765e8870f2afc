//! Symmetric NMF with A and the factors in single precision, where memory rules.
//!
//! min ½‖A − XXᵀ‖² over X ≥ 0 by extrapolated HAM with the spectral γ, as `ham-extrapolated` and `spectral` do
//! it in `f64`. A·Y is never stored: memory is A and four factors, in `f32`. Whatever is added up over rows
//! (values, Gram matrices, stationarity) is `f64`, so that what a record says is true of the rounded factors;
//! but they cannot be closer to stationary than their rounding allows. A run that is as close as it gets
//! before the tolerance is met ends [`Status::Stalled`].

mod start;

use std::time::Instant;

use gramfold_linalg::{Csr, HalfStep, Mat, Single, Sums, Symmetric};

use crate::{
    Error, Observer, Problem, Record, Solution, Status, Stop,
    loss::Structure,
    penalty::{PenaltyRule, Spectral},
    regulariser::Shape,
    split::{relative, size},
    stop::Divergence,
    tall::{Tiles, quadratic_form, step_size},
};

pub use start::factor as start;

/// Iterations between measures of stationarity.
const MEASURE_EVERY: usize = 10;

/// What an increase of F does to the weight of the overshoot, and what a decrease does.
const SHRINK: f64 = 0.6;
const GROW: f64 = 1.05;

/// A relative change at the level of rounding: 2⁻²³.
const ROUNDING: f64 = 1.2e-7;

/// Measures without a better residual, with steps below [`SMALL`], after which a run has stalled.
const PATIENCE: usize = 20;
const SMALL: f64 = 100.0 * ROUNDING;

/// The largest |a_ij| may be from this to one over it, for fourth powers of entries of X in `f32`.
const SCALE: f64 = 1e-15;

/// The sparse matrix in single precision of a problem that [`solve`] can solve.
fn matrix_of<'p>(problem: &Problem<'p>) -> Result<&'p Csr<f32>, Error> {
    let nonnegative = problem.regulariser.shape() == Shape::Nonnegative;
    let Structure::Frobenius(Symmetric::Single(a)) = problem.loss.structure() else {
        return Err(Error::Incompatible {
            component: "single precision",
            needs: "a quadratic loss of a sparse matrix in single precision",
            problem: problem.loss.name().into(),
        });
    };
    if !nonnegative {
        return Err(Error::Incompatible {
            component: "single precision",
            needs: "X ≥ 0",
            problem: problem.regulariser.name().into(),
        });
    }
    let size = f64::from(a.values().iter().fold(0.0_f32, |m, v| m.max(v.abs())));
    if size != 0.0 && !(SCALE..=1.0 / SCALE).contains(&size) {
        return Err(Error::Scale { size });
    }
    Ok(a)
}

/// Solves from X₀ = Y₀ = `start`, with the γ of `rule`.
pub fn solve(
    problem: &Problem<'_>,
    rule: Spectral,
    stop: &Stop,
    start: Single,
    observer: &mut dyn Observer,
) -> Result<Solution, Error> {
    let a = matrix_of(problem)?;
    let (n, r) = (start.rows(), start.cols());
    if (n, r) != (problem.dim(), problem.rank) {
        let (dim, rank) = (problem.dim(), problem.rank);
        return Err(Error::Shape { what: "start", rows: n, cols: r, dim, rank });
    }
    let clock = Instant::now();
    let mut run = Run::new(problem, a, rule, start);
    let reference = run.size();
    loop {
        let record = run.record(stop, clock.elapsed().as_secs_f64());
        let interrupted = observer.observe(&record).is_break();
        let length = norm(&run.of_x).max(norm(&run.of_y));
        let status = stop
            .check(&record, length, reference)
            .or(run.stalled(&record, stop).then_some(Status::Stalled))
            .or(interrupted.then_some(Status::Interrupted));
        match status {
            // There is no earlier iterate to fall back on: four factors are all that is kept.
            Some(Status::Diverged(Divergence::NotFinite)) => {
                return Err(Error::NotFinite { what: "factor in single precision" });
            }
            Some(status) => return Ok(run.finish(status, record)),
            None => run.advance(),
        }
    }
}

/// The state of a run.
struct Run<'p> {
    problem: Problem<'p>,
    a: &'p Csr<f32>,
    rule: Spectral,
    x: Single,
    y: Single,
    /// The minimisers before X and Y overshot.
    last: [Single; 2],
    /// The sums of the last half steps.
    of_x: Sums,
    of_y: Sums,
    gamma: f64,
    weight: f64,
    before: f64,
    iteration: usize,
    change: Option<f64>,
    columns: u64,
    best: f64,
    worse: usize,
    still: usize,
}

impl<'p> Run<'p> {
    fn new(problem: &Problem<'p>, a: &'p Csr<f32>, rule: Spectral, start: Single) -> Self {
        let (mut of_x, mut of_y) = (Sums::new(start.cols()), Sums::new(start.cols()));
        of_x.gram = start.gram(&start);
        of_y.gram = of_x.gram.clone();
        if let Structure::Frobenius(matrix) = problem.loss.structure() {
            of_y.product = quadratic_form(matrix, &start);
        }
        let columns = start.cols() as u64;
        let last = [start.clone(), start.clone()];
        let mut run = Self {
            problem: *problem,
            a,
            rule,
            x: start.clone(),
            y: start,
            last,
            of_x,
            of_y,
            gamma: 0.0,
            weight: 0.5,
            before: f64::INFINITY,
            iteration: 0,
            change: None,
            columns,
            best: f64::INFINITY,
            worse: 0,
            still: 0,
        };
        run.set_gamma();
        run
    }

    /// One half step of each factor, and then γ.
    fn advance(&mut self) {
        let Self { a, gamma, weight, .. } = *self;
        let [last_x, last_y] = &mut self.last;
        let step = HalfStep { matrix: a, other: &self.y, gram: &self.of_y.gram, gamma, weight };
        step.run(&mut self.x, last_x, &mut self.of_x);
        let step = HalfStep { matrix: a, other: &self.x, gram: &self.of_x.gram, gamma, weight };
        step.run(&mut self.y, last_y, &mut self.of_y);
        self.columns += 2 * self.x.cols() as u64;
        let objective = self.objective();
        let factor = if objective > self.before { SHRINK } else { GROW };
        self.weight = (self.weight * factor).min(1.0);
        self.before = objective;
        let moved = self.of_x.change.max(self.of_y.change).sqrt();
        self.change = Some(relative(moved, self.size()));
        self.set_gamma();
        self.iteration += 1;
    }

    fn set_gamma(&mut self) {
        let n = self.x.rows();
        let mean = norm(&self.of_y).powi(2) / self.y.cols() as f64;
        let (x, y, matrix) = (&self.x, &self.y, self.problem.loss.structure());
        let mut columns = 0;
        // S·v = ½(X(Yᵀv) + Y(Xᵀv)) − A·v.
        let mut apply = |v: &Mat, out: &mut Mat| {
            if let Structure::Frobenius(a) = matrix {
                a.apply(v, out);
            }
            columns += 1;
            out.scale(-1.0);
            let (along_x, along_y) =
                (x.transpose_times(v.as_slice()), y.transpose_times(v.as_slice()));
            x.add_times(0.5, &along_y, out.as_mut_slice());
            y.add_times(0.5, &along_x, out.as_mut_slice());
        };
        self.gamma = self.rule.next(n, &mut apply, 0.0, mean, self.gamma);
        self.columns += columns;
    }

    fn size(&self) -> f64 {
        size(norm(&self.of_x).max(norm(&self.of_y)), self.problem.loss.constants().scale)
    }

    /// f(XYᵀ) = ½‖A‖² − ⟨A·Y, X⟩ + ½⟨XᵀX, YᵀY⟩.
    fn loss(&self) -> f64 {
        self.problem.loss.at_zero() - self.of_y.product + 0.5 * self.of_x.gram.dot(&self.of_y.gram)
    }

    fn objective(&self) -> f64 {
        self.loss() + 0.5 * self.gamma * self.of_y.distance
    }

    /// The longest proximal step over one block, relative to the factor.
    fn stationarity(&mut self) -> f64 {
        let Structure::Frobenius(a) = self.problem.loss.structure() else { return f64::INFINITY };
        let slope = self.problem.loss.constants().slope;
        let length = |factor: &Single, other: &Single, gram: &Mat| {
            let step = step_size(gram, slope);
            let (regulariser, gamma) = (self.problem.regulariser, self.gamma);
            Tiles { a, regulariser, gamma, step, factor, other, gram }.length()
        };
        let x = length(&self.x, &self.y, &self.of_y.gram);
        let y = length(&self.y, &self.x, &self.of_x.gram);
        relative(x.max(y), self.size())
    }

    fn record(&mut self, stop: &Stop, seconds: f64) -> Record {
        let distance = self.of_y.distance.sqrt();
        let asymmetry = relative(distance, self.size());
        let still = self.change.is_some_and(|change| change <= 10.0 * stop.stationarity);
        let near = asymmetry <= stop.asymmetry && still;
        let last = self.iteration == 0 && stop.max_iterations == 0;
        let due =
            near || last || self.iteration > 0 && self.iteration.is_multiple_of(MEASURE_EVERY);
        let wanted = due && stop.stationarity < f64::INFINITY;
        Record {
            iteration: self.iteration,
            loss: self.loss(),
            split_objective: self.objective(),
            gamma: self.gamma,
            threshold: self.rule.threshold(),
            norm: norm(&self.of_x),
            distance,
            asymmetry,
            stationarity: wanted.then(|| self.stationarity()),
            change: self.change,
            products: self.columns as f64 / self.x.cols() as f64,
            seconds,
        }
    }

    /// Whether the factors move no more than rounding does, or no longer closer to a critical point.
    fn stalled(&mut self, record: &Record, stop: &Stop) -> bool {
        let Some(change) = record.change else { return false };
        self.still = if change <= ROUNDING { self.still + 1 } else { 0 };
        if let Some(stationarity) = record.stationarity {
            let residual =
                (stationarity / stop.stationarity).max(record.asymmetry / stop.asymmetry);
            let better = residual < 0.9 * self.best || change > SMALL;
            self.best = self.best.min(residual);
            self.worse = if better { 0 } else { self.worse + 1 };
        }
        self.still >= MEASURE_EVERY || self.worse >= PATIENCE
    }

    fn finish(self, status: Status, last: Record) -> Solution {
        let Self { x, y, gamma, last: before, .. } = self;
        drop(before);
        let x64 = x.to_mat();
        drop(x);
        let y64 = y.to_mat();
        drop(y);
        let mut factor = x64.clone();
        factor.zip(&y64, |x, y| 0.5 * (x + y));
        Solution { factor, x: x64, y: y64, gamma, status, last }
    }
}

/// ‖X‖ or ‖Y‖.
fn norm(of: &Sums) -> f64 {
    (0..of.gram.rows()).map(|i| of.gram[(i, i)]).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests;
