//! The paper's way into a program: the augmented Lagrangian is a loss, Z = XYᵀ is split, and γ follows Theorem 1's
//! threshold. It never diverges, whatever β is; it is the careful start, not the fast finish.

use std::{ops::ControlFlow, sync::Mutex};

use gramfold::{
    Method, Observer, Problem, Record, Status, Stop as Limits,
    algorithm::Alternating,
    loss::{AugmentedLagrangian, LinearMap},
    penalty::Spectral,
    regulariser::Zero,
    solve,
};
use gramfold_linalg::Mat;

use super::{
    Factors,
    operator::{Operator, Scratch},
};
use crate::Stop;

/// Updates of the multipliers, alternations between two of them, and the relative tolerance of a block.
const ROUNDS: usize = 4;
const ALTERNATIONS: usize = 25;
const BLOCK: f64 = 1e-3;
/// δ of the spectral rule, and its floor.
const MARGIN: f64 = 0.1;
const FLOOR: f64 = 0.0;

/// What the split leaves.
pub(super) struct SplitStart {
    pub(super) factors: Factors,
    pub(super) multipliers: Vec<f64>,
    pub(super) iterations: usize,
    pub(super) gamma: f64,
    pub(super) threshold: Option<f64>,
}

/// Runs the split from random factors; none where it ends in numbers that are not finite.
/// Once `stop` says so, it ends with what it has.
pub(super) fn run(
    operator: Operator,
    factors: &Factors,
    beta: f64,
    stop: Stop<'_>,
) -> (Operator, Option<SplitStart>) {
    let stacked = Stacked::new(operator, factors.rank(), stop);
    let rhs = stacked.rhs.clone();
    let mut point = stacked.join(factors);
    let mut multipliers = vec![0.0; rhs.len()];
    let (mut iterations, mut last) = (0, None);
    for _ in 0..ROUNDS {
        let loss = AugmentedLagrangian::new(&stacked, &rhs, multipliers.clone(), beta);
        let Some((loss, solution)) = loss.ok().and_then(|loss| {
            let problem = Problem::new(&loss, &Zero, point.cols()).ok()?;
            let method = Method {
                algorithm: Box::new(Alternating::am(BLOCK)),
                rule: Box::new(Spectral::new(MARGIN, FLOOR)),
                stop: Limits::default().tolerance(1e-3).max_iterations(ALTERNATIONS),
            };
            let solution = solve(&problem, method, &point, &mut Asks(stop)).ok()?;
            Some((loss, solution))
        }) else {
            break;
        };
        // A point that was stopped on the way has seen a map that vanished.
        if stop() || matches!(solution.status, Status::Diverged(_)) || !solution.factor.is_finite()
        {
            break;
        }
        iterations += solution.last.iteration;
        multipliers = loss.estimate(&solution.factor, &solution.factor);
        point = solution.factor;
        last = Some((solution.gamma, solution.last.threshold));
    }
    let start = last.map(|(gamma, threshold)| SplitStart {
        factors: stacked.part(&point),
        multipliers,
        iterations,
        gamma,
        threshold,
    });
    (stacked.into_operator(), start)
}

/// Ends a run when asked to.
struct Asks<'a>(Stop<'a>);

impl Observer for Asks<'_> {
    fn observe(&mut self, _: &Record) -> ControlFlow<()> {
        if (self.0)() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// All blocks as one block-diagonal matrix: X stacks the factors, and what XYᵀ has off the blocks is ignored.
struct Stacked<'a> {
    inner: Mutex<Inner>,
    rhs: Vec<f64>,
    /// Where each block's rows begin, and where the last end.
    starts: Vec<usize>,
    nonnegative: Vec<bool>,
    norm_squared: f64,
    /// Where it says so, the map vanishes: what is at work on it, in the midst of a step, is done at once.
    stop: Stop<'a>,
}

struct Inner {
    operator: Operator,
    scratch: Scratch,
    left: Factors,
    right: Factors,
    negated: Vec<f64>,
}

impl<'a> Stacked<'a> {
    fn new(operator: Operator, rank: usize, stop: Stop<'a>) -> Self {
        let sizes: Vec<usize> = (0..operator.blocks()).map(|block| operator.size(block)).collect();
        let mut starts = vec![0];
        let mut end = 0;
        for n in &sizes {
            end += n;
            starts.push(end);
        }
        let nonnegative = (0..sizes.len()).map(|block| operator.is_nonnegative(block)).collect();
        let zeros = || Factors(sizes.iter().map(|&n| Mat::zeros(n, rank)).collect());
        let (rhs, norm_squared) = (operator.rhs.clone(), operator.norm_squared());
        let scratch = operator.scratch();
        let negated = vec![0.0; rhs.len()];
        let inner = Inner { operator, scratch, left: zeros(), right: zeros(), negated };
        Self { inner: Mutex::new(inner), rhs, starts, nonnegative, norm_squared, stop }
    }

    fn into_operator(self) -> Operator {
        self.inner.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).operator
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        // A panic elsewhere leaves scratch memory only, which every call overwrites.
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The factors of all blocks, one below the other, padded with zero columns.
    fn join(&self, factors: &Factors) -> Mat {
        let rank = factors.rank();
        let mut joined = Mat::zeros(self.dim(), rank);
        for (block, factor) in factors.0.iter().enumerate() {
            for i in 0..factor.rows() {
                let row = joined.row_mut(self.starts[block] + i);
                row[..factor.cols()].copy_from_slice(factor.row(i));
            }
        }
        joined
    }

    /// One factor a block; the rows of a nonnegative block become their lengths.
    fn part(&self, joined: &Mat) -> Factors {
        let blocks = self.starts.windows(2).zip(&self.nonnegative);
        let parts = blocks.map(|(range, &nonnegative)| {
            let n = range[1] - range[0];
            let row = |i: usize| joined.row(range[0] + i);
            if nonnegative {
                Mat::from_fn(n, 1, |i, _| row(i).iter().map(|v| v * v).sum::<f64>().sqrt())
            } else {
                Mat::from_fn(n, joined.cols(), |i, j| row(i)[j])
            }
        });
        Factors(parts.collect())
    }
}

/// Copies the rows of a stacked factor into those of its blocks, whatever their number of columns.
fn distribute(starts: &[usize], joined: &Mat, parts: &mut Factors) {
    let cols = joined.cols();
    for (range, part) in starts.windows(2).zip(&mut parts.0) {
        if part.cols() != cols {
            *part = Mat::zeros(range[1] - range[0], cols);
        }
        part.as_mut_slice().copy_from_slice(&joined.as_slice()[range[0] * cols..range[1] * cols]);
    }
}

impl LinearMap for Stacked<'_> {
    fn dim(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    fn constraints(&self) -> usize {
        self.rhs.len()
    }

    fn image(&self, x: &Mat, y: &Mat, out: &mut [f64]) {
        if (self.stop)() {
            return out.fill(0.0);
        }
        let Inner { operator, scratch, left, right, .. } = &mut *self.inner();
        distribute(&self.starts, x, left);
        distribute(&self.starts, y, right);
        operator.image(left, right, scratch, out);
    }

    fn combine(&self, weights: &[f64], v: &Mat, out: &mut Mat) {
        if (self.stop)() {
            return out.as_mut_slice().fill(0.0);
        }
        let Inner { operator, scratch, left, right, negated } = &mut *self.inner();
        distribute(&self.starts, v, left);
        distribute(&self.starts, v, right);
        negated.iter_mut().zip(&weights[1..]).for_each(|(y, w)| *y = -w);
        operator.set_slack(weights[0], negated, scratch);
        operator.apply(weights[0], negated, left, right, scratch);
        let cols = v.cols();
        for (range, part) in self.starts.windows(2).zip(&right.0) {
            out.as_mut_slice()[range[0] * cols..range[1] * cols].copy_from_slice(part.as_slice());
        }
    }

    fn row_squares(&self, v: &Mat, out: &mut [f64]) {
        let Inner { operator, left, .. } = &mut *self.inner();
        distribute(&self.starts, v, left);
        for (block, range) in self.starts.windows(2).enumerate() {
            operator.row_squares(block, &left.0[block], &mut out[range[0]..range[1]]);
        }
    }

    fn norm_squared(&self) -> f64 {
        self.norm_squared
    }

    fn size(&self, weights: &[f64]) -> f64 {
        // Every matrix is normalised.
        weights.iter().map(|w| w.abs()).sum::<f64>() * (1.0 + 1e-12)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lowrank::tests::{random_sdp, wave};

    #[test]
    fn the_map_is_what_the_operator_says_and_its_norm_bounds_it() {
        let operator = Operator::new(&random_sdp(4)).unwrap();
        let (x, v) = (wave(&operator, 3, 0.2), wave(&operator, 3, 1.9));
        let map = Stacked::new(operator, 3, &|| false);
        let (joined, along) = (map.join(&x), map.join(&v));
        let mut image = vec![0.0; 5];
        map.image(&joined, &along, &mut image);
        // ⟨Σ w_k A_k·V, X⟩ = Σ w_k⟨A_k, XVᵀ⟩: combine is the adjoint of image.
        let weights = [0.3, -1.0, 0.7, 2.0, -0.4];
        let mut combined = Mat::zeros(map.dim(), 3);
        map.combine(&weights, &along, &mut combined);
        let expected: f64 = image.iter().zip(weights).map(|(a, w)| a * w).sum();
        assert!((combined.dot(&joined) - expected).abs() < 1e-12 * (1.0 + expected.abs()));

        map.image(&joined, &joined, &mut image);
        let z: f64 = x.0.iter().map(|f| f.norm().powi(4)).sum();
        let squares: f64 = image[1..].iter().map(|a| a * a).sum();
        assert!(squares <= map.norm_squared() * z);

        let mut rows = vec![0.0; map.dim()];
        map.row_squares(&along, &mut rows);
        let mut naive = vec![0.0; map.dim()];
        for k in 1..5 {
            let unit: Vec<f64> = (0..5).map(|l| f64::from(l == k)).collect();
            map.combine(&unit, &along, &mut combined);
            for (i, sum) in naive.iter_mut().enumerate() {
                *sum += combined.row(i).iter().map(|v| v * v).sum::<f64>();
            }
        }
        rows.iter().zip(&naive).for_each(|(a, b)| assert!((a - b).abs() < 1e-12 * (1.0 + b)));
    }
}
