//! What one factor contributes to the other's block.

use std::{
    fmt,
    ops::Range,
    sync::{Mutex, OnceLock, PoisonError},
};

use gramfold_linalg::{Gram, Mat};

use super::{
    super::{BlockForm, QuadraticBlock, RowModels, map::Rows, scalar::Scalar},
    Composite,
};

/// Measurements of rows that are modelled together.
const NEAR: usize = 1 << 11;

/// A factor that is held fixed, with the products that blocks ask for.
pub(super) struct Seen<'a> {
    loss: &'a Composite,
    factor: Mat,
    /// C·factor.
    linear: OnceLock<Mat>,
    /// −∇f(0)·factor.
    pull: OnceLock<Mat>,
    /// ‖factorᵀ·factor‖.
    square: OnceLock<f64>,
    scratch: Mutex<(Vec<f64>, Vec<f64>)>,
}

impl fmt::Debug for Seen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seen").field("factor", &self.factor).finish_non_exhaustive()
    }
}

impl<'a> Seen<'a> {
    pub(super) fn new(loss: &'a Composite, rank: usize) -> Self {
        Self {
            loss,
            factor: Mat::zeros(loss.map.dim(), rank),
            linear: OnceLock::new(),
            pull: OnceLock::new(),
            square: OnceLock::new(),
            scratch: Mutex::default(),
        }
    }

    pub(super) fn factor(&self) -> &Mat {
        &self.factor
    }

    pub(super) fn moved(&mut self, factor: &Mat) {
        self.factor.copy_from(factor);
        (self.linear, self.pull, self.square) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
    }

    /// C·factor, if there is a C.
    pub(super) fn linear(&self) -> Option<&Mat> {
        let c = self.loss.linear.as_ref()?;
        Some(self.linear.get_or_init(|| {
            let mut image = Mat::zeros(self.factor.rows(), self.factor.cols());
            c.apply(&self.factor, &mut image);
            image
        }))
    }

    pub(super) fn block(&self) -> BlockForm<'_> {
        if self.loss.map.rows().is_some() && self.loss.terms.len() == 1 {
            BlockForm::Rows(self)
        } else if self.loss.is_quadratic() {
            BlockForm::Quadratic(self)
        } else {
            BlockForm::Smooth
        }
    }

    /// An upper bound on the curvature of the block.
    pub(super) fn lipschitz(&self) -> f64 {
        let factor = &self.factor;
        let square = || Gram::new(factor.cols()).of(factor, factor).norm();
        self.loss.constants.smoothness * self.square.get_or_init(square)
    }

    /// What measures the rows, and what judges them.
    fn judged(&self) -> (&dyn Rows, &dyn Scalar) {
        let map = self.loss.map.rows().expect("invariant: rows decouple");
        (map, &*self.loss.terms[0].scalar)
    }

    /// The entries of some rows, with the part of the targets and weights that is theirs.
    fn entries(&self, rows: Range<usize>) -> (Range<usize>, &[f64], &[f64]) {
        let term = &self.loss.terms[0];
        let range = self.judged().0.entries(rows);
        (range.clone(), &term.targets[range.clone()], term.weights(range))
    }
}

/// Parts of some rows whose measurements stay in a near cache, or single rows.
fn near(map: &dyn Rows, rows: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut from = rows.start;
    std::iter::from_fn(move || {
        let mut to = from + 1;
        while to < rows.end && map.entries(from..to + 1).len() <= NEAR {
            to += 1;
        }
        let part = from..to;
        from = to;
        (part.start < rows.end).then_some(part)
    })
}

impl RowModels for Seen<'_> {
    fn is_quadratic(&self) -> bool {
        self.loss.is_quadratic()
    }

    fn models(
        &self,
        first: usize,
        rows: &[f64],
        values: &mut [f64],
        gradients: &mut [f64],
        grams: &mut [f64],
    ) {
        let r = self.factor.cols();
        let (map, scalar) = self.judged();
        let (mut image, mut slopes, mut curvatures) = (Vec::new(), Vec::new(), Vec::new());
        let all = first..first + rows.len() / r;
        for some in near(map, all.clone()) {
            let base = map.entries(some.clone());
            for room in [&mut image, &mut slopes, &mut curvatures] {
                room.resize(base.len(), 0.0);
            }
            let own = some.start - first..some.end - first;
            let factors = r * own.start..r * own.end;
            map.sample(some.start, &rows[factors.clone()], &self.factor, &mut image);
            for (i, value) in some.clone().zip(&mut values[own.clone()]) {
                let (range, b, w) = self.entries(i..i + 1);
                let range = range.start - base.start..range.end - base.start;
                let z = &image[range.clone()];
                *value = scalar.evaluate(z, b, w, &mut slopes[range.clone()]);
                scalar.curvatures(z, b, w, &mut curvatures[range]);
            }
            let (gradients, grams) =
                (&mut gradients[factors], &mut grams[r * r * own.start..r * r * own.end]);
            map.models(some, &slopes, &curvatures, &self.factor, gradients, grams);
        }
        if let Some(linear) = self.linear() {
            let parts = gradients.chunks_exact_mut(r).zip(rows.chunks_exact(r)).zip(values);
            for (i, ((gradient, row), value)) in all.zip(parts) {
                for ((out, c), x) in gradient.iter_mut().zip(linear.row(i)).zip(row) {
                    *out += c;
                    *value += c * x;
                }
            }
        }
    }

    fn grams(&self, first: usize, rows: &[f64], grams: &mut [f64]) {
        let r = self.factor.cols();
        let (map, scalar) = self.judged();
        let (mut image, mut curvatures) = (Vec::new(), Vec::new());
        for some in near(map, first..first + rows.len() / r) {
            let (range, b, w) = self.entries(some.clone());
            for room in [&mut image, &mut curvatures] {
                room.resize(range.len(), 0.0);
            }
            let own = some.start - first..some.end - first;
            if !scalar.is_quadratic() {
                let rows = &rows[r * own.start..r * own.end];
                map.sample(some.start, rows, &self.factor, &mut image);
            }
            scalar.model_curvatures(&image, b, w, &mut curvatures);
            let grams = &mut grams[r * r * own.start..r * r * own.end];
            map.models(some, &[], &curvatures, &self.factor, &mut [], grams);
        }
    }

    fn values(&self, first: usize, rows: &[f64], values: &mut [f64]) {
        let r = self.factor.cols();
        let (map, scalar) = self.judged();
        let (mut image, mut slopes) = (Vec::new(), Vec::new());
        for ((i, row), value) in (first..).zip(rows.chunks_exact(r)).zip(values) {
            let (range, b, w) = self.entries(i..i + 1);
            image.resize(range.len(), 0.0);
            slopes.resize(range.len(), 0.0);
            map.sample(i, row, &self.factor, &mut image);
            *value = scalar.evaluate(&image, b, w, &mut slopes);
            if let Some(linear) = self.linear() {
                *value += linear.row(i).iter().zip(row).map(|(c, x)| c * x).sum::<f64>();
            }
        }
    }
}

impl QuadraticBlock for Seen<'_> {
    fn apply(&self, v: &Mat, out: &mut Mat) {
        let map = &*self.loss.map;
        let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let (image, loaded) = &mut *scratch;
        image.resize(map.len(), 0.0);
        loaded.resize(map.stored(), 0.0);
        map.image(v, &self.factor, image);
        for term in &self.loss.terms {
            let curvature = term.curvature();
            let image = &mut image[term.range.clone()];
            if term.weights.is_empty() {
                for z in image.iter_mut() {
                    *z *= curvature;
                }
            } else {
                image.iter_mut().zip(&term.weights).for_each(|(z, w)| *z *= curvature * w);
            }
        }
        map.load(image, loaded);
        map.apply(image, loaded, &self.factor, out);
    }

    fn linear(&self) -> &Mat {
        self.pull.get_or_init(|| {
            let mut image = Mat::zeros(self.factor.rows(), self.factor.cols());
            let loss = self.loss;
            loss.map.apply(&loss.at_origin, &loss.origin_loaded, &self.factor, &mut image);
            if let Some(linear) = Seen::linear(self) {
                image.axpy(1.0, linear);
            }
            image.scale(-1.0);
            image
        })
    }

    fn row_curvatures(&self, out: &mut [f64]) {
        let curvatures = self.loss.constant_curvatures();
        if self.loss.map.row_squares(&curvatures, &self.factor, out) {
            let share = 1.0 / self.factor.cols() as f64;
            for value in out.iter_mut() {
                *value *= share;
            }
        } else {
            // The same for all rows leaves conjugate gradients as they are.
            out.fill(0.0);
        }
    }

    fn row_grams(&self, grams: &mut [f64]) -> bool {
        self.loss.map.row_grams(&self.loss.constant_curvatures(), &self.factor, grams)
    }
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::dot;

    use super::*;
    use crate::loss::{
        Loss, Side,
        map::Entries,
        scalar::{Huber, Scalar, Square},
    };

    /// The matrices of the model, and products in single precision, against what defines them.
    #[test]
    fn the_model_is_that_of_its_curvatures() {
        let (n, r) = (12_usize, 3);
        let places: Vec<(u32, u32)> =
            (0..n as u32).flat_map(|i| [(i, (i * 5 + 1) % 12), (i, (i * i + 3) % 12)]).collect();
        let number = |k: usize| ((k * 7919 + 13) % 101) as f64 / 50.0 - 1.0;
        let targets: Vec<f64> = (0..places.len()).map(|k| 2.0 * number(k + 5)).collect();
        let weights: Vec<f64> = (0..places.len()).map(|k| 1.0 + number(3 * k).abs()).collect();
        let x = Mat::from_fn(n, r, |i, j| number(3 * i + j));
        let v = Mat::from_fn(n, r, |i, j| number(5 * i + 7 * j + 1));
        let scalars: [fn() -> Box<dyn Scalar>; 2] =
            [|| Box::new(Square), || Box::new(Huber::new(0.3).unwrap())];
        for scalar in scalars {
            for weights in [None, Some(&weights[..])] {
                let map = Entries::new(n, &places).unwrap();
                let loss = Composite::new(Box::new(map), scalar(), &targets, weights).unwrap();
                let mut evaluation = loss.evaluation(r);
                evaluation.folded(&x);
                let BlockForm::Rows(models) = evaluation.block(Side::X) else {
                    panic!("rows decouple");
                };
                let (mut grams, mut expected) = (vec![0.0; n * r * r], vec![0.0; n * r * r]);
                models.grams(0, x.as_slice(), &mut grams);
                for (k, &(i, j)) in places.iter().enumerate() {
                    let (i, j) = (i as usize, j as usize);
                    let z = dot(x.row(i), x.row(j));
                    let c = weights.map_or(1.0, |w| w[k]) * scalar().model_curvature(z, targets[k]);
                    let ends = if i == j { vec![(i, j)] } else { vec![(i, j), (j, i)] };
                    for (i, j) in ends {
                        for at in 0..r * r {
                            expected[i * r * r + at] += c * x[(j, at / r)] * x[(j, at % r)];
                        }
                    }
                }
                let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
                assert!(grams.iter().zip(&expected).all(close));
                let (mut precise, mut rough) = (Mat::zeros(n, r), Mat::zeros(n, r));
                assert!(evaluation.curvature_product(&x, &v, false, &mut precise));
                assert!(evaluation.rough_curvature_product(&x, &v, &mut rough));
                assert!(rough.distance(&precise) <= 1e-6 * precise.norm());
            }
        }
    }
}
