//! The default: Theorem 1's own threshold, tracked along the iteration.
//!
//! γ_k = max{ (1 + δ)·[½λmax(S) − σ_h/4]₊,  c·mean_i‖y_i‖² }, y_i the columns of Y_k.
//!
//! λmax comes from a few Lanczos steps warm-started at the last eigenvector, first after one iteration, and is
//! looked at less often while it stands still. The floor keeps the coupling γ/(‖y_i‖² + γ) of a column update from
//! vanishing where the loss itself does. γ rises and falls: far above the threshold it freezes the
//! objective, far below the factors never meet.

use gramfold_linalg::{Krylov, KrylovOptions, Mat, Which};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::PenaltyRule;
use crate::{Memory, Split};

/// Iterations between looks at λmax, at the most.
const LONGEST_WAIT: usize = 64;

/// Iterations before the first look. γ starts at the floor: X = Y there, so there is nothing to pull together
/// yet, and what λmax is at the start says little of the next point.
const FIRST_LOOK: usize = 1;

/// Iterations to the next look, at least, where the floor is so many times what is needed.
const WAIT_AT_FLOOR: usize = 4;
const FAR: f64 = 1.25;

/// A relative change of λmax below this counts as standing still.
const STILL: f64 = 0.05;

/// What is mixed into the last eigenvector, of length 1, before the next look.
const NOISE: f64 = 0.2;

/// The look before the end, from a random vector: along the way a few steps from the last eigenvector can miss the
/// largest eigenvalue by more than the margin.
const CLOSE: KrylovOptions =
    KrylovOptions { which: Which::Largest, wanted: 1, basis: 40, steps: 40, tolerance: 1e-3 };

/// δ and c, unless asked for others.
pub(crate) const DELTA: f64 = 0.1;
pub(crate) const FLOOR: f64 = 0.3;

/// Theorem 1's threshold with a margin.
pub struct Spectral {
    /// δ, the relative margin above the threshold.
    pub delta: f64,
    /// c, the floor relative to the mean squared column.
    pub floor: f64,
    krylov: Option<Krylov>,
    vector: Option<Mat>,
    lambda_max: f64,
    threshold: f64,
    interval: usize,
    looks: usize,
    wait: usize,
}

impl Spectral {
    /// With margin δ and floor c.
    pub fn new(delta: f64, floor: f64) -> Self {
        Self {
            delta,
            floor,
            krylov: None,
            vector: None,
            lambda_max: 0.0,
            threshold: 0.0,
            interval: 1,
            looks: 0,
            wait: FIRST_LOOK,
        }
    }

    fn look(&mut self, n: usize, apply: &mut dyn FnMut(&Mat, &mut Mat)) {
        let krylov = self.krylov.get_or_insert_with(|| Krylov::new(n, 0));
        krylov.reseed(self.looks as u64); // A resumed run must draw what this one draws.
        let steps = if self.vector.is_some() { 3 } else { 4 };
        if let Some(vector) = &mut self.vector {
            // From an eigenvector alone Lanczos would never see a larger eigenvalue elsewhere.
            let mut random = Xoshiro256PlusPlus::seed_from_u64(self.looks as u64);
            let size = NOISE / (vector.rows() as f64).sqrt();
            // An eigenvector has no sign of its own: rounding, which may turn it, must not choose the noise.
            let sum: f64 = vector.as_slice().iter().sum();
            vector.scale(sum.signum());
            for value in vector.as_mut_slice() {
                *value += size * random.random_range(-1.0..1.0);
            }
        }
        let options = KrylovOptions {
            which: Which::Largest,
            wanted: 1,
            basis: steps,
            steps,
            tolerance: 0.01,
        };
        let start = self.vector.as_ref().map(Mat::as_slice);
        // Without a Ritz value the iterate is not finite, and the run ends for that reason.
        let Some(ritz) = krylov.run(apply, start, options) else { return };
        let still = (ritz.values[0] - self.lambda_max).abs() <= STILL * ritz.values[0].abs();
        // Even a moving λmax is looked at ever less often: √k looks in k iterations follow a path
        // that itself slows down.
        self.looks += 1;
        let waited = if still { 2 * self.interval } else { self.interval / 2 };
        self.interval = waited.max(1 + self.looks / 2).min(LONGEST_WAIT);
        self.lambda_max = ritz.values[0];
        self.vector = Some(ritz.vectors);
    }

    fn gamma(&mut self, split: &Split<'_>) -> f64 {
        let (x, y, evaluation) = (split.x(), split.y(), split.evaluation());
        let mut apply = |v: &Mat, out: &mut Mat| evaluation.apply_symmetric(x, y, v, out);
        let sigma_h = split.problem().regulariser.sigma();
        let columns = y.norm_squared() / y.cols() as f64;
        self.next(x.rows(), &mut apply, sigma_h, columns, split.gamma())
    }

    /// The next γ, given products with S (n×n), σ_h, the mean squared column and the present γ.
    pub(crate) fn next(
        &mut self,
        n: usize,
        apply: &mut dyn FnMut(&Mat, &mut Mat),
        sigma_h: f64,
        columns: f64,
        present: f64,
    ) -> f64 {
        let unguided = self.looks == 0 && self.floor * columns <= 0.0;
        if self.wait == 0 || unguided {
            self.look(n, apply);
            // A look that finds the floor far above what is needed changes nothing.
            let needed = 0.5 * (1.0 + self.delta) * self.lambda_max;
            let far = FAR * needed < self.floor * columns;
            self.wait = if far { self.interval.max(WAIT_AT_FLOOR) } else { self.interval };
        }
        self.wait -= 1;
        self.threshold = 0.5 * self.lambda_max - 0.25 * sigma_h;
        let gamma = ((1.0 + self.delta) * self.threshold).max(self.floor * columns);
        // A block with a weakly convex h is convex from here on.
        let gamma = gamma.max(-0.5 * (1.0 + self.delta) * sigma_h);
        // A vanished factor and a vanished gradient leave nothing to couple: any γ > 0 will do.
        if gamma > 0.0 { gamma } else { present.max(1e-12) }
    }
}

impl Default for Spectral {
    fn default() -> Self {
        Self::new(DELTA, FLOOR)
    }
}

impl PenaltyRule for Spectral {
    fn name(&self) -> &'static str {
        "spectral"
    }

    fn initial(&mut self, split: &Split<'_>) -> f64 {
        self.gamma(split)
    }

    fn update(&mut self, split: &Split<'_>) -> f64 {
        // Factors that are one have nothing to be pulled together.
        if split.is_folded() { split.gamma() } else { self.gamma(split) }
    }

    fn confirm(&mut self, split: &Split<'_>) -> Option<f64> {
        let (x, y, evaluation) = (split.x(), split.y(), split.evaluation());
        if x == y {
            return None; // Nothing is left to be pulled together.
        }
        let mut apply = |v: &Mat, out: &mut Mat| evaluation.apply_symmetric(x, y, v, out);
        let krylov = self.krylov.get_or_insert_with(|| Krylov::new(x.rows(), 0));
        krylov.reseed(self.looks as u64);
        let ritz = krylov.run(&mut apply, None, CLOSE)?;
        self.looks += 1;
        self.lambda_max = ritz.values[0];
        // Later looks start here, so that they do not lose what this one found.
        self.vector = Some(ritz.vectors);
        self.threshold = 0.5 * self.lambda_max - 0.25 * split.problem().regulariser.sigma();
        let enough = (1.0 + 0.5 * self.delta) * self.threshold;
        let raised = (1.0 + self.delta) * self.threshold;
        (split.gamma() < enough && split.gamma() < raised).then_some(raised)
    }

    fn threshold(&self) -> Option<f64> {
        (self.looks > 0).then_some(self.threshold)
    }

    fn remember(&self, memory: &mut Memory) {
        memory.set_number("lambda_max", self.lambda_max);
        memory.set_number("threshold", self.threshold);
        memory.set_count("interval", self.interval);
        memory.set_count("looks", self.looks);
        memory.set_count("wait", self.wait);
        if let Some(vector) = &self.vector {
            memory.set("vector", vector);
        }
    }

    fn recall(&mut self, memory: &Memory) {
        self.lambda_max = memory.number("lambda_max").unwrap_or(0.0);
        self.threshold = memory.number("threshold").unwrap_or(0.0);
        self.interval = memory.count("interval").unwrap_or(1);
        self.looks = memory.count("looks").unwrap_or(0);
        self.wait = memory.count("wait").unwrap_or(FIRST_LOOK);
        self.vector = memory.get("vector").cloned();
    }
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::{Dense, accumulate, symmetric_eigen};

    use super::*;
    use crate::{Problem, loss::Quadratic, regulariser::Nonnegative};

    #[test]
    fn a_gamma_below_the_threshold_is_raised_before_the_end() {
        let n = 60;
        let a = Mat::from_fn(n, n, |i, j| (((i * j) % 11 + i + j) as f64).sin());
        let x = Mat::from_fn(n, 2, |i, j| ((i + 3 * j) as f64).cos().max(0.0));
        let mut y = x.clone();
        y[(0, 0)] += 1e-9;
        let mut gradient = a.clone();
        gradient.zip(&a.transposed(), |a, b| -0.5 * (a + b));
        accumulate(1.0, &x, &x.transposed(), &mut gradient);
        let threshold = 0.5 * symmetric_eigen(&gradient).unwrap().values[n - 1];

        let loss = Quadratic::new(Dense::symmetrised(a));
        let problem = Problem::new(&loss, &Nonnegative, 2).unwrap();
        let confirmed = |y: &Mat, share: f64| {
            let split = Split::new(&problem, x.clone(), y.clone(), share * threshold).unwrap();
            Spectral::default().confirm(&split)
        };
        let raised = confirmed(&y, 0.9).unwrap();
        assert!((raised / threshold - 1.1).abs() < 1e-2, "{raised} {threshold}");
        assert!(confirmed(&y, 1.02).is_some(), "a margin of 2 % is too thin");
        assert_eq!(confirmed(&y, 1.2), None);
        assert_eq!(confirmed(&x, 0.1), None, "X = Y needs no γ");
    }
}
