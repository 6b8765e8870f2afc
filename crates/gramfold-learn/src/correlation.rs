//! The nearest correlation matrix of low rank: min ½‖XXᵀ − A‖² over rows of length one.
//!
//! With multipliers y for the lengths, every Z = XXᵀ of unit diagonal has ½‖Z − A‖² = ½‖Z − (A + Diag y)‖² + a constant, so what
//! is proved of the right-hand side over all Z ⪰ 0 of the rank holds for the left.

use std::{collections::VecDeque, ops::ControlFlow, time::Instant};

use gramfold::{
    Certificate, Error, Memory, Problem, Record, Solution, Status, Stop,
    linalg::{Dense, Gram, Mat, dot, multiply},
    loss::Quadratic,
    regulariser::Zero,
    start, stored,
};
use serde::{Deserialize, Serialize};

/// Pairs remembered by L-BFGS.
const MEMORY: usize = 12;

/// Sufficient decrease, and how often a step is halved.
const ARMIJO: f64 = 1e-4;
const HALVINGS: usize = 40;

/// Shares of the objective that rounding hides.
const ROUNDING: f64 = 1e-14;

/// Is shown each record, and may ask for the state.
pub type SphereObserver<'a> = dyn FnMut(&Record, &dyn Fn() -> SphereState) -> ControlFlow<()> + 'a;

/// Where a run stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SphereState {
    #[serde(with = "stored")]
    x: Mat,
    memory: Memory,
    pairs: usize,
    iteration: usize,
    products: usize,
    change: Option<f64>,
    seconds: f64,
}

impl SphereState {
    /// A run that begins at unit rows.
    pub fn at(x: Mat) -> Self {
        let memory = Memory::default();
        Self { x, memory, pairs: 0, iteration: 0, products: 0, change: None, seconds: 0.0 }
    }
}

/// The question: A with ones on its diagonal, and a rank.
pub struct Correlation {
    /// A with ones on its diagonal.
    pub matrix: Dense,
    /// ½Σ(a_ii − 1)², what no correlation matrix can mend.
    pub constant: f64,
    /// The columns of X.
    pub rank: usize,
}

impl Correlation {
    /// For any symmetric A.
    pub fn new(a: &Mat, rank: usize) -> Result<Self, Error> {
        let p = a.rows();
        if rank == 0 || rank > p {
            return Err(Error::Rank { rank, dim: p });
        }
        let largest = a.max_abs();
        if largest > 1e100 {
            let message = format!("the largest entry is {largest:e}: these are no correlations");
            return Err(Error::data(message));
        }
        let constant = (0..p).map(|i| 0.5 * (a[(i, i)] - 1.0).powi(2)).sum();
        let matrix =
            Dense::symmetrised(Mat::from_fn(p, p, |i, j| if i == j { 1.0 } else { a[(i, j)] }));
        Ok(Self { matrix, constant, rank })
    }

    /// Where a run starts: the leading eigenvectors, with rows of length one.
    pub fn start(&self, seed: u64) -> Result<Mat, Error> {
        let loss = Quadratic::new(self.matrix.clone());
        let problem = Problem::new(&loss, &Zero, self.rank)?;
        let mut x = start::spectral(&problem, seed)?;
        let spare = start::random(&problem, seed);
        for i in 0..x.rows() {
            if dot(x.row(i), x.row(i)) == 0.0 {
                x.row_mut(i).copy_from_slice(spare.row(i));
            }
        }
        normalise(&mut x);
        Ok(x)
    }

    /// Minimises over unit rows, by L-BFGS on the product of spheres, from where a run stands. The observer is shown each
    /// record, and the state if it asks for it. The solution's γ is 0.
    pub fn solve(
        &self,
        from: SphereState,
        stop: &Stop,
        observer: &mut SphereObserver<'_>,
    ) -> Solution {
        let clock = Instant::now();
        let before = from.seconds;
        let mut run = SphereLbfgs::new(self, from);
        loop {
            let record = run.record(before + clock.elapsed().as_secs_f64());
            let interrupted = observer(&record, &|| run.state(record.seconds)).is_break();
            let over = stop.time_limit.is_some_and(|limit| record.seconds >= limit.as_secs_f64());
            let status = if run.residual() <= stop.stationarity {
                Some(Status::Converged)
            } else if record.iteration >= stop.max_iterations {
                Some(Status::MaxIterations)
            } else if over {
                Some(Status::TimeLimit)
            } else if interrupted {
                Some(Status::Interrupted)
            } else {
                run.advance().is_break().then_some(Status::Stalled)
            };
            if let Some(status) = status {
                let x = run.at.x;
                let (factor, y) = (x.clone(), x.clone());
                return Solution { factor, x, y, gamma: 0.0, status, last: record };
            }
        }
    }

    /// y_i = x_i·((XXᵀ − A)X)_i, for which (A + Diag y − XXᵀ)X = 0 at a critical point.
    pub fn multipliers(&self, x: &Mat) -> Vec<f64> {
        let gradient = self.half_gradient(x);
        (0..x.rows()).map(|i| dot(gradient.row(i), x.row(i))).collect()
    }

    /// What is proved of X: the certificate of ½‖Z − (A + Diag y)‖² over all Z ⪰ 0 of the rank, whose gap is that of X
    /// among the correlation matrices.
    /// Where `stop` says so on the way, [`Certificate::brief`].
    pub fn certify(
        &self,
        x: &Mat,
        tolerance: f64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Certificate, Error> {
        let loss = self.shifted(x);
        let problem = Problem::new(&loss, &Zero, self.rank)?;
        Certificate::within(&problem, x, x, 0.0, tolerance, stop)
    }

    /// ½‖Z − (A + Diag y)‖² with the multipliers y of X.
    pub fn shifted(&self, x: &Mat) -> Quadratic {
        let mut shifted = self.matrix.as_mat().clone();
        self.multipliers(x).iter().enumerate().for_each(|(i, y)| shifted[(i, i)] += y);
        Quadratic::new(Dense::symmetrised(shifted))
    }

    /// What no correlation matrix of the rank has a smaller objective than, by what `certify` proved.
    pub fn lower_bound(&self, x: &Mat, certificate: &Certificate) -> Option<f64> {
        let proved = certificate.lower_bound?.value;
        let square: f64 = self.multipliers(x).iter().map(|y| y * y).sum();
        // Over unit diagonals ½‖Z − A‖² = ½‖Z − (A + Diag y)‖² − ½‖y‖² + what the diagonal of A costs.
        let size = square + self.constant + (2.0 * self.constant).sqrt();
        let size = size + self.matrix.as_mat().norm();
        let rounding = (x.rows() + 8) as f64 * f64::EPSILON * size;
        Some(proved + self.constant - 0.5 * square - rounding)
    }

    /// ½‖XXᵀ − A‖² over the whole of A, entry by entry.
    pub fn objective(&self, x: &Mat) -> f64 {
        let p = x.rows();
        let row = |i: usize| {
            let a = self.matrix.as_mat().row(i);
            (0..i).map(|j| (dot(x.row(i), x.row(j)) - a[j]).powi(2)).sum::<f64>()
        };
        (0..p).map(row).sum::<f64>() + self.constant
    }

    /// (XXᵀ − A)X.
    fn half_gradient(&self, x: &Mat) -> Mat {
        let mut gradient = Mat::zeros(x.rows(), x.cols());
        multiply(1.0, self.matrix.as_mat(), x, &mut gradient);
        gradient.scale(-1.0);
        gramfold::linalg::accumulate(1.0, x, Gram::new(x.cols()).of(x, x), &mut gradient);
        gradient
    }
}

/// Makes every row of length one.
fn normalise(x: &mut Mat) {
    for i in 0..x.rows() {
        gramfold::linalg::normalise(x.row_mut(i));
    }
}

/// Takes from each row of V what points along the row of X.
fn project(x: &Mat, v: &mut Mat) {
    for i in 0..x.rows() {
        let along = dot(x.row(i), v.row(i));
        v.row_mut(i).iter_mut().zip(x.row(i)).for_each(|(v, x)| *v -= along * x);
    }
}

/// L-BFGS on the product of spheres: pairs are carried along by projection.
struct SphereLbfgs<'a> {
    question: &'a Correlation,
    /// Where it stands, but for the pairs and the time.
    at: SphereState,
    value: f64,
    /// The Riemannian gradient of ½‖XXᵀ − A‖², 2(XXᵀ − A)X along the spheres.
    gradient: Mat,
    pairs: VecDeque<(Mat, Mat)>,
    /// ‖A‖.
    norm: f64,
}

impl<'a> SphereLbfgs<'a> {
    fn new(question: &'a Correlation, mut at: SphereState) -> Self {
        let norm = question.matrix.as_mat().norm();
        let memory = std::mem::take(&mut at.memory);
        let stored = |k: usize| {
            let step = memory.get(&format!("step {k}"))?.clone();
            Some((step, memory.get(&format!("change {k}"))?.clone()))
        };
        let pairs = (0..at.pairs).map_while(stored).collect();
        at.products = at.products.max(1); // A run that goes on has counted this one.
        let mut run = Self { question, at, value: 0.0, gradient: Mat::default(), pairs, norm };
        (run.value, run.gradient) = run.evaluate(&run.at.x);
        run
    }

    fn state(&self, seconds: f64) -> SphereState {
        let mut memory = Memory::default();
        for (k, (step, change)) in self.pairs.iter().enumerate() {
            memory.set(&format!("step {k}"), step);
            memory.set(&format!("change {k}"), change);
        }
        SphereState { memory, pairs: self.pairs.len(), seconds, ..self.at.clone() }
    }

    /// The value and the Riemannian gradient at unit rows.
    fn evaluate(&self, x: &Mat) -> (f64, Mat) {
        let mut half = self.question.half_gradient(x);
        // ½‖XXᵀ − A‖² = ⟨(XXᵀ − A)X, X⟩ − ½‖XᵀX‖² + ½‖A‖².
        let along = half.dot(x);
        let square = Gram::new(x.cols()).of(x, x).norm_squared();
        let value = along - 0.5 * square + 0.5 * self.norm * self.norm;
        project(x, &mut half);
        half.scale(2.0);
        (value, half)
    }

    /// ‖gradient‖ relative to ‖A‖.
    fn residual(&self) -> f64 {
        self.gradient.norm() / self.norm.max(f64::MIN_POSITIVE)
    }

    fn direction(&self) -> Mat {
        let mut d = self.gradient.clone();
        let mut shares = Vec::with_capacity(self.pairs.len());
        for (step, change) in self.pairs.iter().rev() {
            let share = step.dot(&d) / step.dot(change);
            d.axpy(-share, change);
            shares.push(share);
        }
        let scale = match self.pairs.back() {
            Some((step, change)) => step.dot(change) / change.norm_squared(),
            None => 0.5 / self.spread(),
        };
        d.scale(scale);
        for ((step, change), share) in self.pairs.iter().zip(shares.iter().rev()) {
            let other = change.dot(&d) / step.dot(change);
            d.axpy(share - other, step);
        }
        d.scale(-1.0);
        project(&self.at.x, &mut d);
        d
    }

    /// The largest curvature of a row, roughly.
    fn spread(&self) -> f64 {
        let x = &self.at.x;
        Gram::new(x.cols()).of(x, x).norm().max(f64::MIN_POSITIVE)
    }

    /// One step; `Break` where nothing descends any more.
    fn advance(&mut self) -> ControlFlow<()> {
        let mut direction = self.direction();
        let mut slope = direction.dot(&self.gradient);
        if slope >= 0.0 || slope.is_nan() {
            self.pairs.clear();
            direction = self.direction();
            slope = direction.dot(&self.gradient);
        }
        if slope >= 0.0 || slope.is_nan() {
            return ControlFlow::Break(());
        }
        let mut t = 1.0;
        for _ in 0..HALVINGS {
            let mut x = self.at.x.clone();
            x.axpy(t, &direction);
            normalise(&mut x);
            let (value, gradient) = self.evaluate(&x);
            self.at.products += 1;
            let slack = ROUNDING * (self.value.abs() + 0.5 * self.norm * self.norm);
            if value <= self.value + ARMIJO * t * slope + slack {
                self.accept(x, value, gradient);
                return ControlFlow::Continue(());
            }
            t *= 0.5;
        }
        if self.pairs.is_empty() {
            return ControlFlow::Break(());
        }
        self.pairs.clear();
        ControlFlow::Continue(())
    }

    fn accept(&mut self, x: Mat, value: f64, gradient: Mat) {
        let mut step = x.clone();
        step.axpy(-1.0, &self.at.x);
        self.at.change = Some(step.norm() / self.at.x.norm());
        let mut before = self.gradient.clone();
        project(&x, &mut before);
        project(&x, &mut step);
        let mut change = gradient.clone();
        change.axpy(-1.0, &before);
        for (step, change) in &mut self.pairs {
            project(&x, step);
            project(&x, change);
        }
        self.pairs.retain(|(step, change)| step.dot(change) > 0.0);
        if step.dot(&change) > 1e-14 * step.norm() * change.norm() {
            if self.pairs.len() == MEMORY {
                self.pairs.pop_front();
            }
            self.pairs.push_back((step, change));
        }
        (self.at.x, self.value, self.gradient) = (x, value, gradient);
        self.at.iteration += 1;
    }

    fn record(&self, seconds: f64) -> Record {
        let SphereState { x, products, iteration, change, .. } = &self.at;
        let record = Record::folded(self.value, x.norm(), *products as f64, seconds);
        let stationarity = Some(self.residual());
        Record { iteration: *iteration, stationarity, change: *change, ..record }
    }
}

#[cfg(test)]
mod tests;
