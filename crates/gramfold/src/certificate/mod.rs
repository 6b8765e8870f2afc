//! The certificate: everything that is claimed of a solution, recomputed from (X, Y, γ) alone.

mod bordered;
mod chebyshev;
mod global;
mod leading;
mod margins;
mod nonnegative;
mod ritz;
mod small;
mod spectrum;
mod tiled;
mod words;

pub use global::{LowerBound, Method};
pub use leading::{Leading, UpperBounds};
pub use margins::{OPTIMAL_RELATIVE, OPTIMAL_ROUNDING};
pub use spectrum::{DENSE, FAILURE, Means, Operator, Proof, Spectrum, never};
pub use words::significant;

use std::cell::Cell;

use gramfold_linalg::{Mat, Symmetric, accumulate};
use serde::{Deserialize, Serialize};

use crate::{
    Error, Problem, Shape, Split, Structure,
    loss::PRECISE,
    split::{self, mean},
};
use bordered::Bordered;
use margins::{negligible, norm_at_least, proved_margin, threshold};
use tiled::Tiled;

/// Fixed, so that a claim can be recomputed. A matrix built against this very seed could deceive a
/// probabilistic bound; data that were not are as good as independent of it.
const SEED: u64 = 0x6772616d;

/// n up to which the threshold is proved even where X = Y, and nothing rests on it.
const ALWAYS_PROVED: usize = 256;

/// `exact` is judged by the tolerance asked for, but never by a looser one than this.
pub const LOOSEST: f64 = 1e-3;

/// What can be proved of (X, Y, γ) and of the answer ½(X + Y).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// γ.
    pub gamma: f64,
    /// The tolerance that `exact` was judged by.
    pub tolerance: f64,
    /// How far (X, Y) is from critical for the split problem aBMF.
    #[serde(with = "crate::extended")]
    pub split_stationarity: f64,
    /// How far ½(X + Y) is from critical for the problem sBMF itself.
    #[serde(with = "crate::extended")]
    pub stationarity: f64,
    /// ‖X − Y‖/‖X‖.
    pub asymmetry: f64,
    /// The spectrum of sym ∇f(XYᵀ).
    pub spectrum: Spectrum,
    /// Theorem 1's threshold ½λmax(sym ∇f) − σ_h/4, from the upper bound on λmax; an estimate where `spectrum` is one.
    #[serde(with = "crate::extended")]
    pub threshold: f64,
    /// γ − threshold.
    #[serde(with = "crate::extended")]
    pub margin: f64,
    /// Theorem 1 with residuals: ‖X − Y‖ is at most this. None where no positive margin is proved.
    pub proximity: Option<f64>,
    /// X and Y are the same critical point: the margin is proved positive (or X = Y bit for bit)
    /// and both residuals and the asymmetry are within the tolerance.
    pub exact: bool,
    /// f at the answer.
    pub loss: f64,
    /// h at the answer; infinite if it is infeasible.
    #[serde(with = "crate::extended")]
    pub regularisation: f64,
    /// The best proved lower bound on min f(XXᵀ) + h(X) over the rank, if any.
    pub lower_bound: Option<LowerBound>,
    /// loss + regularisation − lower bound.
    pub gap: Option<f64>,
    /// The gap is proved negligible: the answer is a global minimum.
    pub optimal: bool,
    /// Only measured, with next to nothing proved: see [`Certificate::brief`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub brief: bool,
}

/// How much a certificate may cost.
#[derive(Clone, Copy)]
enum Effort<'a> {
    /// What proofs take, unless this says to stop.
    Whole(&'a dyn Fn() -> bool),
    /// A few products.
    Little,
}

impl<'a> Effort<'a> {
    fn is_little(self) -> bool {
        matches!(self, Self::Little)
    }

    fn stop(self) -> &'a dyn Fn() -> bool {
        if let Self::Whole(stop) = self { stop } else { &never }
    }
}

/// What claims are made of.
#[derive(Clone, Copy)]
struct Point<'a> {
    problem: &'a Problem<'a>,
    x: &'a Mat,
    y: &'a Mat,
    gamma: f64,
}

impl Certificate {
    /// Recomputes every claim. The factors must have the problem's shape and be finite.
    pub fn of(
        problem: &Problem<'_>,
        x: &Mat,
        y: &Mat,
        gamma: f64,
        tolerance: f64,
    ) -> Result<Self, Error> {
        Self::with(Effort::Whole(&never), Point { problem, x, y, gamma }, tolerance)
    }

    /// [`Certificate::of`], or [`Certificate::brief`] if `stop` says so before everything is proved. It is asked after every
    /// product, and between factorisations, each of which runs to its end.
    pub fn within(
        problem: &Problem<'_>,
        x: &Mat,
        y: &Mat,
        gamma: f64,
        tolerance: f64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Self, Error> {
        let stopped = Cell::new(false);
        let latched = || {
            stopped.set(stopped.get() || stop());
            stopped.get()
        };
        let point = Point { problem, x, y, gamma };
        let whole = Self::with(Effort::Whole(&latched), point, tolerance)?;
        if stopped.get() { Self::brief(problem, x, y, gamma, tolerance) } else { Ok(whole) }
    }

    /// The same for a run that was stopped: what a few products tell. The threshold is an estimate, and no lower
    /// bound is looked for.
    pub fn brief(
        problem: &Problem<'_>,
        x: &Mat,
        y: &Mat,
        gamma: f64,
        tolerance: f64,
    ) -> Result<Self, Error> {
        Self::with(Effort::Little, Point { problem, x, y, gamma }, tolerance)
    }

    fn with(effort: Effort<'_>, point: Point<'_>, tolerance: f64) -> Result<Self, Error> {
        let Point { problem, x, y, gamma } = point;
        split::check(problem, x, y)?;
        let shape = problem.regulariser.shape();
        let measures = match problem.loss.structure() {
            // Up to there the value is computed without cancellation, and memory is no concern.
            Structure::Frobenius(a) if problem.dim() > PRECISE && shape == Shape::Nonnegative => {
                by_tiles(effort, point, a)
            }
            _ => by_split(effort, point)?,
        };
        let Measures { split_stationarity, stationarity, asymmetry, spectrum, .. } = measures;
        let Measures { proximity, loss, regularisation, lower_bound, .. } = measures;
        let tolerance = tolerance.min(LOOSEST);
        let threshold = threshold(problem, &spectrum);
        let margin = gamma - threshold;
        let proved = margin > 0.0 && spectrum.proof.holds();
        // A γ that is out of all proportion may hide the loss from the split problem, but not from the unsplit one.
        let critical = split_stationarity <= tolerance && stationarity <= tolerance;
        let exact = (proved || x == y) && critical && asymmetry <= tolerance;
        let gap = lower_bound.map(|bound| loss + regularisation - bound.value);
        // An infeasible answer has no gap that means anything.
        let gap = gap.filter(|gap| gap.is_finite());
        let optimal = lower_bound.is_some_and(|bound| {
            gap.is_some_and(|gap| gap <= negligible(problem, loss + regularisation, bound.value))
        });
        Ok(Self {
            gamma,
            tolerance,
            split_stationarity,
            stationarity,
            asymmetry,
            spectrum,
            threshold,
            margin,
            proximity,
            exact,
            loss,
            regularisation,
            lower_bound,
            gap,
            optimal,
            brief: effort.is_little(),
        })
    }
}

/// What a certificate is made from.
#[derive(Debug)]
struct Measures {
    split_stationarity: f64,
    stationarity: f64,
    asymmetry: f64,
    spectrum: Spectrum,
    proximity: Option<f64>,
    loss: f64,
    regularisation: f64,
    lower_bound: Option<LowerBound>,
}

/// Whole factors at a time, for any loss.
fn by_split(effort: Effort<'_>, point: Point<'_>) -> Result<Measures, Error> {
    let Point { problem, x, y, gamma } = point;
    let mut split = Split::new(problem, x.clone(), y.clone(), gamma)?;
    let split_stationarity = split.stationarity();
    let asymmetry = split.asymmetry();
    // The lower end serves the dual bound, which a nonnegative problem does not have.
    let ridge = matches!(problem.regulariser.shape(), Shape::Ridge { .. });
    let stop = effort.stop();
    let spectrum = spectrum_of(&split, stop, |operator| {
        if ridge && !effort.is_little() {
            let large = operator.dim > DENSE && x == y;
            match large.then(|| norm_at_least(problem, &split, gamma)).flatten() {
                Some(norm) => Spectrum::estimate(operator, SEED).within(norm),
                None => Spectrum::of(operator, SEED),
            }
        } else {
            upper(effort, point, operator)
        }
    });
    let margin = proved_margin(problem, &spectrum, gamma);
    let proximity = margin.and_then(|margin| split.proximity(margin));

    let mut folded = if x == y {
        split.set_gamma(0.0); // What was measured of it has no part of γ.
        split
    } else {
        drop(split);
        let answer = mean(x, y);
        Split::new(problem, answer.clone(), answer, 0.0)?
    };
    let stationarity = folded.stationarity();
    // At X = Y the spectrum of the answer is the one just computed.
    let known = (x == y && ridge).then_some(spectrum);
    let loss = folded.evaluation().precise_value(folded.x(), folded.y());
    let regularisation = problem.regulariser.value(folded.x());
    let whole = !effort.is_little() && !stop();
    let lower_bound = whole
        .then(|| global::lower_bound(&folded, loss + regularisation, &spectrum, known, stop))
        .flatten();
    Ok(Measures {
        split_stationarity,
        stationarity,
        asymmetry,
        spectrum,
        proximity,
        loss,
        regularisation,
        lower_bound,
    })
}

/// The same for ½‖A − XYᵀ‖² over X, Y ≥ 0, in a fraction of the memory.
fn by_tiles(effort: Effort<'_>, point: Point<'_>, a: &Symmetric) -> Measures {
    let Point { problem, x, y, gamma } = point;
    let tiled = Tiled::new(problem, a, x, y, gamma);
    let split_stationarity = tiled.stationarity();
    let asymmetry = tiled.asymmetry();
    let stop = effort.stop();
    let spectrum = tiled.spectrum(stop, |operator| upper(effort, point, operator));
    let margin = proved_margin(problem, &spectrum, gamma);
    let proximity = margin.and_then(|margin| tiled.proximity(margin));
    let answer = mean(x, y);
    let folded = Tiled::new(problem, a, &answer, &answer, 0.0);
    // At X = Y there is nothing for γ to pull at.
    let stationarity = if x == y { split_stationarity } else { folded.stationarity() };
    let whole = !effort.is_little() && !stop();
    let bounds =
        || global::quadratic_bounds(a, problem.regulariser.shape(), &answer, &spectrum, stop);
    Measures {
        split_stationarity,
        stationarity,
        asymmetry,
        spectrum,
        proximity,
        loss: folded.value(),
        regularisation: problem.regulariser.value(&answer),
        lower_bound: whole.then(|| global::best(bounds())).flatten(),
    }
}

/// The spectrum of sym ∇f(XYᵀ).
pub fn gradient_spectrum(split: &Split<'_>) -> Spectrum {
    spectrum_of(split, &never, |operator| Spectrum::of(operator, SEED))
}

/// The upper end alone, by the cheapest proof that the data allow.
fn upper(effort: Effort<'_>, point: Point<'_>, operator: &mut Operator<'_>) -> Spectrum {
    let Point { problem, x, y, .. } = point;
    // Factors that are one need no threshold to be; a small matrix gets its bounds all the same.
    if effort.is_little() || (operator.dim > ALWAYS_PROVED && x == y) {
        return Spectrum::estimate(operator, SEED);
    }
    let sparse = match problem.loss.structure() {
        Structure::Frobenius(a) if operator.dim <= DENSE => {
            return Spectrum::upper_of(&gradient(a, x, y), operator.rounding, SEED);
        }
        Structure::Frobenius(Symmetric::Sparse(a)) => Some(a),
        _ => None,
    };
    let size = x.norm_squared() / x.cols() as f64;
    let proved = sparse.and_then(|a| Bordered::new(a, x, y, size)).and_then(|mut bordered| {
        Spectrum::proved(operator, SEED, &mut |bound| bordered.is_above(bound))
    });
    proved.unwrap_or_else(|| Spectrum::upper(operator, SEED))
}

/// sym(XYᵀ) − A.
fn gradient(a: &Symmetric, x: &Mat, y: &Mat) -> Mat {
    let mut matrix = a.to_dense();
    matrix.scale(-1.0);
    accumulate(0.5, x, &y.transposed(), &mut matrix);
    accumulate(0.5, y, &x.transposed(), &mut matrix);
    // The two triangles may differ in their last bits.
    matrix.symmetrise();
    matrix
}

fn spectrum_of(
    split: &Split<'_>,
    stop: &dyn Fn() -> bool,
    bound: impl FnOnce(&mut Operator<'_>) -> Spectrum,
) -> Spectrum {
    let (x, y, evaluation) = (split.x(), split.y(), split.evaluation());
    let mut apply = |v: &Mat, out: &mut Mat| evaluation.apply_symmetric(x, y, v, out);
    let mut operator =
        Operator { dim: x.rows(), apply: &mut apply, rounding: evaluation.rounding(x, y), stop };
    bound(&mut operator)
}

#[cfg(test)]
mod tests;
