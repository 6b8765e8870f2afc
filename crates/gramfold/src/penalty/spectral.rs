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

/// A relative change of λmax below this counts as standing still.
const STILL: f64 = 0.05;

/// What is mixed into the last eigenvector, of length 1, before the next look.
const NOISE: f64 = 0.2;

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
            self.wait = self.interval;
        }
        self.wait -= 1;
        self.threshold = 0.5 * self.lambda_max - 0.25 * sigma_h;
        let gamma = ((1.0 + self.delta) * self.threshold).max(self.floor * columns);
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
        self.gamma(split)
    }

    fn threshold(&self) -> Option<f64> {
        (self.looks > 0).then_some(self.threshold)
    }

    fn remember(&self, memory: &mut Memory) {
        memory.set_number("lambda_max", self.lambda_max);
        memory.set_number("threshold", self.threshold);
        memory.set_number("interval", self.interval as f64);
        memory.set_number("looks", self.looks as f64);
        memory.set_number("wait", self.wait as f64);
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
