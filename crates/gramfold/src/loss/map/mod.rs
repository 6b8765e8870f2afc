//! 𝒜, what is measured of Z: numbers ⟨A_k, Z⟩, k < m, one kind a file. Z and the A_k are never formed.

mod distances;
mod entries;
mod lifted;
mod matrices;
mod rank_one;
mod stacked;

pub use distances::Distances;
pub use entries::Entries;
pub use lifted::Lifted;
pub use matrices::Matrices;
pub use rank_one::RankOne;
pub use stacked::Stacked;

use std::{
    ops::Range,
    sync::{Mutex, TryLockError},
};

use gramfold_linalg::Mat;

/// A linear map Z ↦ (⟨A_k, Z⟩) and its adjoint s ↦ Σ s_k·A_k.
///
/// With every A_k its transpose is measured, too, in the same way: then f(Z) = f(Zᵀ). Most maps have symmetric A_k.
pub trait Map: Send + Sync {
    /// Its name in specs and messages.
    fn name(&self) -> &'static str;

    /// n.
    fn dim(&self) -> usize;

    /// m.
    fn len(&self) -> usize;

    /// Whether nothing is measured.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many targets and weights a user gives: m, unless an observation stands for its mirror image, too.
    fn observations(&self) -> usize {
        self.len()
    }

    /// One value a measurement from one an observation.
    fn expand(&self, values: &[f64]) -> Vec<f64> {
        values.to_vec()
    }

    /// out\[k\] ← ⟨A_k, XYᵀ⟩.
    fn image(&self, x: &Mat, y: &Mat, out: &mut [f64]);

    /// out\[k\] ← ⟨A_k, XVᵀ + VXᵀ⟩.
    fn tangent(&self, x: &Mat, v: &Mat, out: &mut [f64]) {
        // Symmetric A_k see the same in both.
        self.image(x, v, out);
        for value in out.iter_mut() {
            *value *= 2.0;
        }
    }

    /// The images of a line: first\[k\] ← ⟨A_k, XPᵀ + PXᵀ⟩ and second\[k\] ← ⟨A_k, PPᵀ⟩.
    fn line(&self, x: &Mat, p: &Mat, first: &mut [f64], second: &mut [f64]) {
        self.tangent(x, p, first);
        self.image(p, p, second);
    }

    /// The numbers that hold Σ s_k·A_k for products; 0 if those are the s_k themselves.
    fn stored(&self) -> usize {
        0
    }

    /// Computes these numbers.
    fn load(&self, _s: &[f64], _values: &mut [f64]) {}

    /// out ← (Σ s_k·A_k)·V, given s and what [`Map::load`] made of it.
    fn apply(&self, s: &[f64], values: &[f64], v: &Mat, out: &mut Mat);

    /// out ← (Σ c_k·⟨A_k, XVᵀ + VXᵀ⟩·A_k)·X in one pass; false where the map has no such pass, and nothing was done.
    fn curvature_product(&self, _c: &[f64], _x: &Mat, _v: &Mat, _out: &mut Mat) -> bool {
        false
    }

    /// The same to about six digits, in less time; an empty `c` stands for ones.
    fn rough_curvature_product(&self, _c: &[f64], _x: &Mat, _v: &Mat, _out: &mut Mat) -> bool {
        false
    }

    /// image ← 𝒜(XXᵀ), the slopes that `judge` makes of it, given which measurements they are, and out ← (Σ slopes_k·A_k)·X
    /// where it is asked for, in one pass; returns the sum of what `judge` returned. None where the map has no such pass, and
    /// nothing was done.
    fn judged(
        &self,
        _x: &Mat,
        _judge: &Judge<'_>,
        _image: &mut [f64],
        _slopes: &mut [f64],
        _out: Option<&mut Mat>,
    ) -> Option<f64> {
        None
    }

    /// The sum of what `sum` makes of some measurements of XXᵀ, given which they are; None where the map has no way to it that does not
    /// keep them all.
    fn summed(&self, _x: &Mat, _sum: &Summand<'_>) -> Option<[f64; 2]> {
        None
    }

    /// grams ← Σ_k c_k·(A_kX)_i(A_kX)_iᵀ for each row i, r×r: the curvature that a row of X sees; false where the map has no
    /// cheap way, and nothing was done. A_k must be symmetric.
    fn row_grams(&self, _c: &[f64], _x: &Mat, _grams: &mut [f64]) -> bool {
        false
    }

    /// The traces of these matrices.
    fn row_squares(&self, _c: &[f64], _x: &Mat, _out: &mut [f64]) -> bool {
        false
    }

    /// out ← the diagonal of Σ s_k·A_k; false where the map has no cheap way.
    fn diagonal(&self, _s: &[f64], _values: &[f64], _out: &mut [f64]) -> bool {
        false
    }

    /// out ← the s of the transpose, Σ s_k·A_kᵀ = Σ out_k·A_k; false if every A_k is symmetric, and nothing was done.
    fn transpose(&self, _s: &[f64], _out: &mut [f64]) -> bool {
        false
    }

    /// out ← (Σ s_k·|A_k|)·v for a column v, with |A_k| entrywise or any other bound on it, and s ≥ 0.
    fn absolute(&self, s: &[f64], v: &Mat, out: &mut Mat);

    /// At least Σ c_k⟨A_k, Z⟩²/‖Z‖² for every Z, given c ≥ 0.
    fn norm_squared(&self, c: &[f64]) -> f64;

    /// The same for ones.
    fn plain_norm_squared(&self) -> f64 {
        self.norm_squared(&vec![1.0; self.len()])
    }

    /// At most Σ c_k⟨A_k, Z⟩²/‖Z‖² for every Z.
    fn least_squared(&self, _c: &[f64]) -> f64 {
        0.0
    }

    /// ‖PᵀA_kP‖²_F for each k, where that is cheap to tell.
    fn squares_through(&self, _points: &Mat) -> Option<Vec<f64>> {
        None
    }

    /// At least ‖Σ s_k·A_k‖_F.
    fn size(&self, s: &[f64]) -> f64;

    /// ‖computed − exact image of XYᵀ‖ is at most this times ‖X‖·‖Y‖, for factors with `rank` columns.
    fn rounding(&self, rank: usize) -> f64;

    /// Slopes at Z = 0 whose adjoint points better to the answer than the slopes themselves; none if they do.
    fn temper(&self, _slopes: &[f64]) -> Option<Vec<f64>> {
        None
    }

    /// Where the rows of a block decouple, how.
    fn rows(&self) -> Option<&dyn Rows> {
        None
    }
}

/// Makes slopes of the images of some measurements, and returns their share of the value.
pub type Judge<'a> = dyn Fn(Range<usize>, &[f64], &mut [f64]) -> f64 + Sync + 'a;

/// Makes two numbers of the images of some measurements, which are added up.
pub type Summand<'a> = dyn Fn(Range<usize>, &[f64]) -> [f64; 2] + Sync + 'a;

/// A map that measures rows of X one by one: ⟨A_k, XYᵀ⟩ = x_i·y_j.
pub trait Rows: Sync {
    /// Which measurements the rows have.
    fn entries(&self, rows: Range<usize>) -> Range<usize>;

    /// out ← the measurements of the given rows, from `first` on, of a factor.
    fn sample(&self, first: usize, rows: &[f64], other: &Mat, out: &mut [f64]);

    /// For each row: gradients ← Σ slopes_k·y_j and grams ← Σ curvatures_k·y_jy_jᵀ over its measurements. Without slopes there are no
    /// gradients.
    fn models(
        &self,
        rows: Range<usize>,
        slopes: &[f64],
        curvatures: &[f64],
        other: &Mat,
        gradients: &mut [f64],
        grams: &mut [f64],
    );
}

/// An upper bound on the spectral radius of a nonnegative matrix: max (Mv)_i/v_i for a positive v, which a few products
/// make a good one (Collatz and Wielandt).
pub(crate) fn perron(n: usize, mut apply: impl FnMut(&Mat, &mut Mat)) -> f64 {
    let mut v = Mat::from_fn(n, 1, |_, _| 1.0);
    let mut image = Mat::zeros(n, 1);
    let mut best = f64::INFINITY;
    for _ in 0..12 {
        apply(&v, &mut image);
        let ratios = image.as_slice().iter().zip(v.as_slice()).map(|(m, v)| m / v);
        best = best.min(ratios.fold(0.0, f64::max));
        let size = image.max_abs();
        if size == 0.0 || !size.is_finite() {
            break;
        }
        // A mean with v keeps it positive, and from swinging where the matrix has period two.
        v.zip(&image, |v, m| 0.5 * (v + m / size) + 1e-6);
        let size = v.max_abs();
        v.scale(1.0 / size);
    }
    best * (1.0 + 1e-12)
}

/// Memory that is kept between calls.
#[derive(Debug, Default)]
struct Scratch<N = f64>(Mutex<Vec<N>>);

impl<N: Default> Clone for Scratch<N> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<N: Clone + Default> Scratch<N> {
    /// Lends what is kept; other memory where that is lent already.
    fn whole<T>(&self, work: impl FnOnce(&mut Vec<N>) -> T) -> T {
        match self.0.try_lock() {
            Ok(mut kept) => work(&mut kept),
            Err(TryLockError::Poisoned(kept)) => work(&mut kept.into_inner()),
            Err(TryLockError::WouldBlock) => work(&mut Vec::new()),
        }
    }

    /// Lends so many numbers, whatever they are.
    fn lend<T>(&self, count: usize, work: impl FnOnce(&mut [N]) -> T) -> T {
        self.whole(|kept| {
            kept.resize(count, N::default());
            work(kept)
        })
    }
}
