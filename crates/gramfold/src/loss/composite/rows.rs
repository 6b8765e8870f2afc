//! What one factor contributes to the other's block.

use std::{
    fmt,
    ops::Range,
    sync::{Mutex, OnceLock, PoisonError},
};

use gramfold_linalg::{Gram, Mat};

use super::{
    super::{BlockForm, QuadraticBlock, RowModels},
    Composite,
};

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

    /// The entries of some rows, with the part of the targets and weights that is theirs.
    fn entries(&self, rows: Range<usize>) -> (Range<usize>, &[f64], &[f64]) {
        let map = self.loss.map.rows().expect("invariant: rows decouple");
        let term = &self.loss.terms[0];
        let range = map.entries(rows);
        let weights = if term.weights.is_empty() { &[][..] } else { &term.weights[range.clone()] };
        let targets = &term.targets[range.clone()];
        (range, targets, weights)
    }
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
        let map = self.loss.map.rows().expect("invariant: rows decouple");
        let scalar = &*self.loss.terms[0].scalar;
        let all = first..first + rows.len() / r;
        let base = map.entries(all.clone());
        let mut image = vec![0.0; base.len()];
        let (mut slopes, mut curvatures) = (image.clone(), image.clone());
        map.sample(first, rows, &self.factor, &mut image);
        for (i, value) in all.clone().zip(&mut *values) {
            let (range, b, w) = self.entries(i..i + 1);
            let range = range.start - base.start..range.end - base.start;
            let z = &image[range.clone()];
            *value = scalar.evaluate(z, b, w, &mut slopes[range.clone()]);
            scalar.curvatures(z, b, w, &mut curvatures[range]);
        }
        map.models(all.clone(), &slopes, &curvatures, &self.factor, gradients, grams);
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

    fn values(&self, first: usize, rows: &[f64], values: &mut [f64]) {
        let r = self.factor.cols();
        let map = self.loss.map.rows().expect("invariant: rows decouple");
        let scalar = &*self.loss.terms[0].scalar;
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
            let curvature = term.scalar.at(0.0, term.targets.first().copied().unwrap_or(0.0))[2];
            let image = &mut image[term.range.clone()];
            if term.weights.is_empty() {
                for z in image {
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
            for value in out {
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
