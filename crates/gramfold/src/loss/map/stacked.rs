//! Several maps one after the other: a sum of losses is a longer map.

use std::sync::Arc;

use gramfold_linalg::Mat;

use super::Map;

/// The measurements of each map in turn.
pub struct Stacked {
    maps: Vec<Arc<dyn Map>>,
    lengths: Vec<usize>,
    stored: Vec<usize>,
}

impl Stacked {
    /// Its name in specs and files.
    pub const NAME: &'static str = "stacked";

    /// Maps on matrices of one size.
    ///
    /// # Panics
    /// If there is no map, or their sizes differ.
    pub fn new(maps: Vec<Arc<dyn Map>>) -> Self {
        assert!(!maps.is_empty() && maps.iter().all(|map| map.dim() == maps[0].dim()), "one size");
        let lengths = maps.iter().map(|map| map.len()).collect();
        let stored = maps.iter().map(|map| map.stored()).collect();
        Self { maps, lengths, stored }
    }

    /// Each map with its part of s.
    fn with<'a>(&'a self, s: &'a [f64]) -> impl Iterator<Item = (&'a dyn Map, &'a [f64])> {
        self.maps.iter().map(AsRef::as_ref).zip(parts(&self.lengths, s))
    }

    /// Each map with its part of the measurements.
    fn with_mut<'a>(
        &'a self,
        out: &'a mut [f64],
    ) -> impl Iterator<Item = (&'a dyn Map, &'a mut [f64])> {
        self.maps.iter().map(AsRef::as_ref).zip(parts_mut(&self.lengths, out))
    }

    /// out ← the sum over the maps of what `apply` gives for each.
    fn sum(&self, v: &Mat, out: &mut Mat, mut apply: impl FnMut(usize, &mut Mat)) {
        let mut part = Mat::zeros(v.rows(), v.cols());
        apply(0, out);
        for index in 1..self.maps.len() {
            apply(index, &mut part);
            out.axpy(1.0, &part);
        }
    }
}

/// Consecutive parts of the given lengths.
fn parts<'a>(lengths: &'a [usize], mut all: &'a [f64]) -> impl Iterator<Item = &'a [f64]> {
    lengths.iter().map(move |&length| all.split_off(..length).expect(WHOLE))
}

fn parts_mut<'a>(
    lengths: &'a [usize],
    mut all: &'a mut [f64],
) -> impl Iterator<Item = &'a mut [f64]> {
    lengths.iter().map(move |&length| all.split_off_mut(..length).expect(WHOLE))
}

const WHOLE: &str = "invariant: as many numbers as all parts have";

impl Map for Stacked {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn dim(&self) -> usize {
        self.maps[0].dim()
    }

    fn len(&self) -> usize {
        self.lengths.iter().sum()
    }

    fn observations(&self) -> usize {
        self.maps.iter().map(|map| map.observations()).sum()
    }

    fn expand(&self, values: &[f64]) -> Vec<f64> {
        let counts: Vec<usize> = self.maps.iter().map(|map| map.observations()).collect();
        self.maps
            .iter()
            .zip(parts(&counts, values))
            .flat_map(|(map, part)| map.expand(part))
            .collect()
    }

    fn image(&self, x: &Mat, y: &Mat, out: &mut [f64]) {
        self.with_mut(out).for_each(|(map, out)| map.image(x, y, out));
    }

    fn tangent(&self, x: &Mat, v: &Mat, out: &mut [f64]) {
        self.with_mut(out).for_each(|(map, out)| map.tangent(x, v, out));
    }

    fn line(&self, x: &Mat, p: &Mat, first: &mut [f64], second: &mut [f64]) {
        let both = self.with_mut(first).zip(parts_mut(&self.lengths, second));
        both.for_each(|((map, first), second)| map.line(x, p, first, second));
    }

    fn stored(&self) -> usize {
        self.stored.iter().sum()
    }

    fn load(&self, s: &[f64], values: &mut [f64]) {
        self.with(s)
            .zip(parts_mut(&self.stored, values))
            .for_each(|((map, s), out)| map.load(s, out));
    }

    fn apply(&self, s: &[f64], values: &[f64], v: &Mat, out: &mut Mat) {
        let all: Vec<_> = self.with(s).zip(parts(&self.stored, values)).collect();
        self.sum(v, out, |index, out| {
            let ((map, s), values) = all[index];
            map.apply(s, values, v, out);
        });
    }

    fn transpose(&self, s: &[f64], out: &mut [f64]) -> bool {
        let mut any = false;
        for ((map, s), out) in self.with(s).zip(parts_mut(&self.lengths, out)) {
            if map.transpose(s, out) {
                any = true;
            } else {
                out.copy_from_slice(s);
            }
        }
        any
    }

    fn absolute(&self, s: &[f64], v: &Mat, out: &mut Mat) {
        let all: Vec<_> = self.with(s).collect();
        self.sum(v, out, |index, out| all[index].0.absolute(all[index].1, v, out));
    }

    fn norm_squared(&self, c: &[f64]) -> f64 {
        self.with(c).map(|(map, c)| map.norm_squared(c)).sum()
    }

    fn least_squared(&self, c: &[f64]) -> f64 {
        self.with(c).map(|(map, c)| map.least_squared(c)).sum()
    }

    fn size(&self, s: &[f64]) -> f64 {
        self.with(s).map(|(map, s)| map.size(s)).sum()
    }

    fn rounding(&self, rank: usize) -> f64 {
        self.maps.iter().map(|map| map.rounding(rank)).sum()
    }
}
