//! A start for one signal from its intensities b_k = (a_k·x)²: once the signs of the a_k·x are known it is a least-squares problem.
//!
//! Σ w_k·(|a_k·x| − √b_k)² with weights w = |a·x|/(|a·x| + √b), which trust a sign the less the smaller |a·x| is, is minimised by
//! conjugate gradients with the signs and the weights of the present point. This is far better conditioned than the square
//! of intensities, whose weights are the intensities themselves.

use gramfold::{
    linalg::{ConjugateGradients, Krylov, KrylovOptions, Mat, Reach, System},
    loss::map::Map,
};

/// Lanczos steps for the first guess: more do not bring it nearer to the signal.
const STEPS: usize = 16;

/// The most rounds, and the conjugate gradient steps of each; fewer where the residual has fallen by `FORCING`.
const ROUNDS: usize = 20;
const INNER: usize = 6;
const FORCING: f64 = 0.1;

/// Relative residuals: of a signal that was found, of one that may be (below it the signs are right but for noise), and the
/// share that a round must take off.
const FOUND: f64 = 1e-8;
const NEAR: f64 = 0.1;
const FALL: f64 = 0.95;

/// The signal whose intensities a map of rank-ones measured, or nearly; none where these rounds did not find it.
pub(crate) fn signal(
    map: &dyn Map,
    intensities: &[f64],
    seed: u64,
    stop: &dyn Fn() -> bool,
) -> Option<Mat> {
    let roots: Vec<f64> = intensities.iter().map(|b| b.sqrt()).collect();
    let size: f64 = intensities.iter().sum();
    if !(size > 0.0 && size.is_finite()) || roots.iter().any(|root| root.is_nan()) {
        return None;
    }
    let mut x = guess(map, intensities, seed, stop)?;
    let mut image = vec![0.0; map.len()];
    map.image(&x, &x, &mut image);
    let along: f64 = image.iter().zip(&roots).map(|(z, root)| z.max(0.0).sqrt() * root).sum();
    x.scale(along / image.iter().sum::<f64>());

    let (mut start, mut solver) = (x.clone(), ConjugateGradients::new(map.dim(), 1));
    let mut before = f64::INFINITY;
    for _ in 0..ROUNDS {
        map.image(&x, &x, &mut image);
        for z in &mut image {
            *z = z.max(0.0).sqrt();
        }
        let gap: f64 = image.iter().zip(&roots).map(|(z, root)| (z - root).powi(2)).sum();
        let gap = (gap / size).sqrt();
        if gap <= FOUND || gap > FALL * before || stop() || !gap.is_finite() {
            return (gap <= NEAR).then_some(x);
        }
        before = gap;
        // w·(z − sign(z)·√b) = s·z.
        let weigh = |of: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
            let whole = |(z, root): (&f64, &f64)| if z + root > 0.0 { z + root } else { 1.0 };
            let pairs = image.iter().zip(&roots);
            pairs.map(|pair| of(*pair.0, *pair.1) / whole(pair)).collect()
        };
        let (slopes, weights) = (weigh(&|z, root| root - z), weigh(&|z, _| z));
        start.copy_from(&x);
        let mut system = Weighted { map, weights: &weights };
        let reach = Reach::products(INNER);
        solver.solve(&mut x, reach, &mut system, |_, out| map.apply(&slopes, &[], &start, out));
    }
    None
}

/// Σ w_k·a_ka_kᵀ.
struct Weighted<'a> {
    map: &'a dyn Map,
    weights: &'a [f64],
}

impl System for Weighted<'_> {
    fn product(&mut self, v: &Mat, out: &mut Mat) -> f64 {
        self.map.apply(self.weights, &[], v, out);
        v.dot(out)
    }

    fn is_solved(&mut self, _: &Mat, square: f64, first: f64) -> bool {
        square <= FORCING * FORCING * first
    }
}

/// The leading eigenvector of the tempered intensities.
fn guess(map: &dyn Map, intensities: &[f64], seed: u64, stop: &dyn Fn() -> bool) -> Option<Mat> {
    let n = map.dim();
    let slopes: Vec<f64> = intensities.iter().map(|b| -b).collect();
    let pull: Vec<f64> = map.temper(&slopes)?.iter().map(|s| -s).collect();
    let steps = STEPS.min(n);
    let options = KrylovOptions::largest(steps, 1e-3);
    let mut apply = |v: &Mat, out: &mut Mat| map.apply(&pull, &[], v, out);
    let ritz = Krylov::new(n, seed).run_until(stop, &mut apply, None, options)?;
    (ritz.vectors.rows() > 0).then(|| Mat::from_fn(n, 1, |i, _| ritz.vectors[(0, i)]))
}
