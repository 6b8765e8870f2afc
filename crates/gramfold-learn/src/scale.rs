//! δ of a Huber loss, where none is given: from what a first fit leaves.

use gramfold::{Error, Observer, Spec, Stop, linalg::Mat, registry::Component, start::Start};

use crate::{Completion, Model, Observations};

/// The first fit is made with this share of the median distance of an entry from the median …
const FIRST: f64 = 0.1;

/// … and δ is not below this share of it: residuals may all be rounding.
const LEAST: f64 = 0.01;

/// Huber's choice: 95 % as precise as least squares where the noise is normal after all.
const EFFICIENT: f64 = 1.345;

/// A normal deviation for each median absolute residual.
const NORMAL: f64 = 1.4826;

/// The rank of the first fit where none is given, and its ridge as a share of the least one whose answer is X = 0.
const RANK: usize = 5;
const RIDGE: f64 = 0.01;

/// The tolerance of the first fit.
const ROUGH: f64 = 1e-3;

/// The loss, with a δ for huber where none is given: 1.345 deviations of the residuals that a first fit leaves, by their median.
/// Where the observer stops that fit, of what it has left by then. With it comes the factor of that fit, if there was one of the
/// rank that was given: a wider δ leads well to a narrower one.
pub fn with_scale(
    loss: &Component,
    observed: &Observations,
    rank: Option<usize>,
    shrinkage: Option<f64>,
    seed: u64,
    observer: &mut dyn Observer,
) -> Result<(Component, Option<Mat>), Error> {
    if loss.name != "huber" || loss.parameters.contains_key("delta") {
        return Ok((loss.clone(), None));
    }
    let centre = median(observed.values.iter().copied());
    let spread = median(observed.values.iter().map(|b| (b - centre).abs()));
    if spread <= 0.0 {
        return Ok((loss.clone(), None));
    }
    let first = loss.clone().with("delta", FIRST * spread);
    let most = observed.dim.min(observed.len() / observed.dim.max(1)).max(1);
    let rough = rank.unwrap_or(RANK.min(most)).min(observed.dim);
    let mut model = Model { loss: first, rank: rough, ridge: 0.0, shrinkage };
    if rank.is_none() {
        model.ridge = RIDGE * crate::largest_ridge(&*model.prepare(observed)?.1);
    }
    let stop = Stop::default().tolerance(ROUGH);
    let base = Spec { start: Start::Spectral, seed, stop, ..Spec::default() };
    let fit = Completion::fit(observed, &model, &base, observer)?;
    let places = observed.places.iter().zip(&observed.values);
    let left = median(places.map(|(&(i, j), b)| (fit.predict(i as usize, j as usize) - b).abs()));
    let delta = EFFICIENT * NORMAL * left;
    let start = rank.map(|_| fit.solution.factor);
    Ok((loss.clone().with("delta", delta.max(LEAST * spread)), start))
}

/// The middle one, the larger of two; 0 of none.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    if values.is_empty() {
        return 0.0;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use gramfold::linalg::{Mat, dot};
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    /// The median of the residuals, not the outliers, tells δ.
    #[test]
    fn delta_follows_the_noise() {
        let (n, noise) = (80, 0.02);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
        let truth = Mat::from_fn(n, 2, |_, _| 2.0 * random.random::<f64>() - 1.0);
        let mut observed = Observations { dim: n, places: Vec::new(), values: Vec::new() };
        for i in 0..n {
            for j in i..n {
                let value = dot(truth.row(i), truth.row(j));
                let off = noise * (2.0 * random.random::<f64>() - 1.0);
                let wild = if random.random::<f64>() < 0.1 { 5.0 } else { 0.0 };
                observed.places.push((i as u32, j as u32));
                observed.values.push(value + off + wild);
            }
        }
        let huber = Component::named("huber");
        let (scaled, start) = with_scale(&huber, &observed, Some(2), None, 0, &mut ()).unwrap();
        assert_eq!(start.map(|x| (x.rows(), x.cols())), Some((n, 2)));
        // Half of a uniform residual lies below half of its range.
        let expected = EFFICIENT * NORMAL * 0.5 * noise;
        let delta = scaled.parameters["delta"];
        assert!((0.7..2.0).contains(&(delta / expected)), "{delta} {expected}");
        let given = huber.with("delta", 3.0);
        let found = with_scale(&given, &observed, None, None, 0, &mut ()).unwrap();
        assert_eq!(found, (given, None));
    }
}
