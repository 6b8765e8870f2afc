//! Some of the measurements, judged by one function.

use std::{ops::Range, sync::Arc};

use rayon::prelude::*;

use super::super::scalar::{Bounds, Images, Scalar};

/// Numbers that one task judges; sums are taken over these parts in a fixed order.
const PART: usize = 8192;

/// Some measurements of the map, judged by one function.
pub(super) struct Term {
    pub(super) range: Range<usize>,
    pub(super) scalar: Arc<dyn Scalar>,
    pub(super) targets: Vec<f64>,
    /// Empty for ones.
    pub(super) weights: Vec<f64>,
}

impl Term {
    /// The weights of some of its measurements; empty for ones.
    pub(super) fn weights(&self, range: Range<usize>) -> &[f64] {
        if self.weights.is_empty() { &[] } else { &self.weights[range] }
    }

    /// φ″ of a quadratic.
    pub(super) fn curvature(&self) -> f64 {
        self.scalar.at(0.0, self.targets.first().copied().unwrap_or(0.0))[2]
    }

    /// Whether it is ½Σ(z − b)², whose curvatures are ones, up to a constant of 0.
    pub(super) fn is_plain(&self) -> bool {
        let bounds = self.scalar.bounds(0.0);
        self.weights.is_empty()
            && self.scalar.is_quadratic()
            && (bounds.curvature, bounds.infimum) == (1.0, 0.0)
    }

    /// w times a bound on the scalar function, for each measurement; 0 where the weight is.
    pub(super) fn bounds(&self, of: fn(&Bounds) -> f64) -> impl Iterator<Item = f64> + '_ {
        let ones =
            std::iter::repeat_n(1.0, if self.weights.is_empty() { self.targets.len() } else { 0 });
        let weights = self.weights.iter().copied().chain(ones);
        // Those of a quadratic are the same for all.
        let same = self.scalar.is_quadratic().then(|| of(&self.scalar.bounds(0.0)));
        let of = move |b: f64| same.unwrap_or_else(|| of(&self.scalar.bounds(b)));
        let each = self.targets.iter().zip(weights);
        each.map(move |(&b, w)| if w == 0.0 { 0.0 } else { w * of(b) })
    }

    /// [`Scalar::evaluate`] on all threads; at z = 0 where none is given.
    pub(super) fn evaluate(&self, z: Option<&[f64]>, slopes: &mut [f64]) -> f64 {
        let zeros = vec![0.0; if z.is_none() { PART.min(slopes.len()) } else { 0 }];
        let parts = slopes.par_chunks_mut(PART).enumerate().map(|(index, slopes)| {
            let range = index * PART..index * PART + slopes.len();
            let z = z.map_or_else(|| &zeros[..slopes.len()], |z| &z[range.clone()]);
            self.scalar.evaluate(z, &self.targets[range.clone()], self.weights(range), slopes)
        });
        parts.collect::<Vec<f64>>().iter().sum()
    }

    /// [`Scalar::curvatures`], or [`Scalar::model_curvatures`], on all threads.
    pub(super) fn curvatures(&self, model: bool, z: &[f64], out: &mut [f64]) {
        out.par_chunks_mut(PART).enumerate().for_each(|(index, out)| {
            let range = index * PART..index * PART + out.len();
            let (z, b) = (&z[range.clone()], &self.targets[range.clone()]);
            if model {
                self.scalar.model_curvatures(z, b, self.weights(range), out);
            } else {
                self.scalar.curvatures(z, b, self.weights(range), out);
            }
        });
    }

    /// [`Scalar::along`] on all threads.
    pub(super) fn along(&self, line: &Images<'_>, t: f64) -> [f64; 3] {
        let parts = self.targets.par_chunks(PART).enumerate().map(|(index, b)| {
            let range = index * PART..index * PART + b.len();
            self.scalar.along(&line.part(range.clone()), t, b, self.weights(range))
        });
        let parts: Vec<[f64; 3]> = parts.collect();
        parts.iter().fold([0.0; 3], |sum, part| [0, 1, 2].map(|i| sum[i] + part[i]))
    }
}
