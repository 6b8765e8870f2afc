//! Entries of Z at the places of a sparse pattern, each with its mirror image: completion, weights, graphs.

use std::ops::Range;

use gramfold_linalg::{CsrError, Mat, Pattern, norm};

use super::{Judge, Map, Rows, Scratch, Summand};

/// Z_ij at every place given, and Z_ji: a block's rows decouple.
#[derive(Clone, Debug)]
pub struct Entries {
    pattern: Pattern,
    /// Which observation each measurement came from.
    from: Vec<u32>,
    observations: usize,
    /// The most measurements at one place.
    multiplicity: usize,
    /// Factors in single precision.
    rough: Scratch<[f32; 8]>,
}

impl Entries {
    /// Its name in specs and files.
    pub const NAME: &'static str = "entries";

    /// The entries at `places` of an n×n matrix; (i, j) stands for (j, i), too.
    pub fn new(dim: usize, places: &[(u32, u32)]) -> Result<Self, CsrError> {
        let (pattern, from) = Pattern::mirrored(dim, places)?;
        let columns = |i: usize| &pattern.columns()[pattern.row(i)];
        let most = |i: usize| columns(i).chunk_by(|a, b| a == b).map(<[u32]>::len).max();
        let multiplicity = (0..dim).filter_map(most).max().unwrap_or(1);
        let (observations, rough) = (places.len(), Scratch::default());
        Ok(Self { pattern, from, observations, multiplicity, rough })
    }

    /// The largest sum of values over one place.
    fn largest_sum(&self, values: &[f64]) -> f64 {
        if self.multiplicity == 1 {
            return values.iter().copied().fold(0.0, f64::max);
        }
        self.sums(values).fold(0.0, f64::max)
    }

    /// The sum of values over each place.
    fn sums<'a>(&'a self, values: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        (0..self.dim()).flat_map(move |i| {
            let row = self.pattern.row(i);
            let columns = &self.pattern.columns()[row.clone()];
            let mut values = values[row].iter();
            columns.chunk_by(|a, b| a == b).map(move |same| values.by_ref().take(same.len()).sum())
        })
    }
}

impl Map for Entries {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn dim(&self) -> usize {
        self.pattern.dim()
    }

    fn len(&self) -> usize {
        self.pattern.len()
    }

    fn observations(&self) -> usize {
        self.observations
    }

    fn expand(&self, values: &[f64]) -> Vec<f64> {
        self.from.iter().map(|&k| values[k as usize]).collect()
    }

    fn image(&self, x: &Mat, y: &Mat, out: &mut [f64]) {
        self.pattern.sample(x, y, out);
    }

    fn tangent(&self, x: &Mat, v: &Mat, out: &mut [f64]) {
        // x_i·v_j + v_i·x_j is one product of rows twice as long.
        let beside = |a: &Mat, b: &Mat| {
            let r = a.cols();
            Mat::from_fn(a.rows(), 2 * r, |i, j| if j < r { a[(i, j)] } else { b[(i, j - r)] })
        };
        self.pattern.sample(&beside(x, v), &beside(v, x), out);
    }

    fn line(&self, x: &Mat, p: &Mat, first: &mut [f64], second: &mut [f64]) {
        self.pattern.line(x, p, first, second);
    }

    fn apply(&self, s: &[f64], _: &[f64], v: &Mat, out: &mut Mat) {
        self.pattern.apply(s, v, out);
    }

    fn curvature_product(&self, c: &[f64], x: &Mat, v: &Mat, out: &mut Mat) -> bool {
        self.pattern.curvature_product(c, x, v, out);
        true
    }

    fn rough_curvature_product(&self, c: &[f64], x: &Mat, v: &Mat, out: &mut Mat) -> bool {
        self.rough.whole(|room| self.pattern.rough_curvature_product(c, x, v, room, out))
    }

    fn judged(
        &self,
        x: &Mat,
        judge: &Judge<'_>,
        image: &mut [f64],
        slopes: &mut [f64],
        out: Option<&mut Mat>,
    ) -> Option<f64> {
        Some(self.pattern.judged(x, judge, image, slopes, out))
    }

    fn summed(&self, x: &Mat, sum: &Summand<'_>) -> Option<[f64; 2]> {
        Some(self.pattern.summed(x, sum))
    }

    fn transpose(&self, s: &[f64], out: &mut [f64]) -> bool {
        self.pattern.transpose(s, out);
        true
    }

    fn absolute(&self, s: &[f64], v: &Mat, out: &mut Mat) {
        self.pattern.apply(s, v, out);
    }

    fn norm_squared(&self, c: &[f64]) -> f64 {
        self.largest_sum(c)
    }

    fn plain_norm_squared(&self) -> f64 {
        if self.pattern.is_empty() { 0.0 } else { self.multiplicity as f64 }
    }

    fn least_squared(&self, c: &[f64]) -> f64 {
        let whole = self.dim() * self.dim();
        if self.len() < whole || self.sums(c).count() < whole {
            return 0.0; // What is not measured may be anything.
        }
        self.sums(c).fold(f64::INFINITY, f64::min)
    }

    fn size(&self, s: &[f64]) -> f64 {
        (self.multiplicity as f64).sqrt() * norm(s)
    }

    fn rounding(&self, rank: usize) -> f64 {
        // |x_i·y_j − computed| ≤ (r + 2)ε·‖x_i‖·‖y_j‖, and Σ ‖x_i‖²‖y_j‖² = ‖X‖²‖Y‖².
        (rank + 2) as f64 * f64::EPSILON * (self.multiplicity as f64).sqrt()
    }

    fn rows(&self) -> Option<&dyn Rows> {
        Some(self)
    }
}

impl Rows for Entries {
    fn entries(&self, rows: Range<usize>) -> Range<usize> {
        self.pattern.row(rows.start).start..self.pattern.row(rows.end - 1).end
    }

    fn sample(&self, first: usize, rows: &[f64], other: &Mat, out: &mut [f64]) {
        self.pattern.sample_given(first, rows, other, out);
    }

    fn models(
        &self,
        rows: Range<usize>,
        slopes: &[f64],
        curvatures: &[f64],
        other: &Mat,
        gradients: &mut [f64],
        grams: &mut [f64],
    ) {
        self.pattern.row_models(rows, slopes, curvatures, other, gradients, grams);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{Composite, Loss, Side, scalar::Square};

    #[test]
    fn ones_need_no_list() {
        for places in [vec![], vec![(0, 1), (2, 2)], vec![(0, 1), (1, 0), (2, 2), (0, 1)]] {
            let map = Entries::new(4, &places).unwrap();
            assert_eq!(map.plain_norm_squared(), map.norm_squared(&vec![1.0; map.len()]));
        }
    }

    /// A gradient that is asked for again is that of the present factor, also after a move.
    #[test]
    fn a_gradient_that_is_kept_is_that_of_its_factor() {
        let places: Vec<(u32, u32)> = (0..9).flat_map(|i| [(i, i), (i, (i * i + 2) % 9)]).collect();
        let targets: Vec<f64> = (0..places.len()).map(|k| (k as f64).sin()).collect();
        let map = Entries::new(9, &places).unwrap();
        let loss = Composite::new(Box::new(map), Box::new(Square), &targets, None).unwrap();
        let mut evaluation = loss.evaluation(2);
        for phase in [0.3, 1.7] {
            let x = Mat::from_fn(9, 2, |i, j| (phase + (2 * i + j) as f64).cos());
            evaluation.folded(&x);
            let [mut first, mut again, mut product] = [(); 3].map(|()| Mat::zeros(9, 2));
            evaluation.block_gradient(Side::X, &x, &x, &mut first);
            evaluation.block_gradient(Side::Y, &x, &x, &mut again);
            evaluation.apply(&x, &x, &x, &mut product);
            assert_eq!(first, again);
            assert!(first.distance(&product) <= 1e-14 * product.norm());
        }
    }
}
