//! Preconditioned conjugate gradients: what Newton's steps and quadratic blocks are solved by.

use gramfold_linalg::Mat;

/// A symmetric system H·X = B on tall matrices, known by its products.
pub(crate) trait System {
    /// out ← H·V.
    fn product(&mut self, v: &Mat, out: &mut Mat);

    /// out ← about H⁻¹·V.
    fn precondition(&mut self, v: &Mat, out: &mut Mat);

    /// Whether this residual, of this square in the preconditioner's metric, is small enough.
    fn is_solved(&mut self, residual: &Mat, square: f64) -> bool;

    /// Whether ⟨search, H·search⟩ is too little to divide by.
    fn is_flat(&self, curvature: f64, _search: &Mat, _square: f64) -> bool {
        curvature <= 0.0
    }
}

/// Room for systems of one shape.
pub(crate) struct ConjugateGradients {
    residual: Mat,
    scaled: Mat,
    search: Mat,
    image: Mat,
}

/// How a solve ended.
pub(crate) struct Solved {
    /// Products with H.
    pub(crate) products: usize,
    /// ⟨search, H·search⟩ where it was flat, along the direction that [`ConjugateGradients::search`] still holds.
    pub(crate) flat: Option<f64>,
}

impl ConjugateGradients {
    pub(crate) fn new(dim: usize, rank: usize) -> Self {
        let zeros = || Mat::zeros(dim, rank);
        Self { residual: zeros(), scaled: zeros(), search: zeros(), image: zeros() }
    }

    /// The last direction.
    pub(crate) fn search(&self) -> &Mat {
        &self.search
    }

    /// Moves X from where its residual is what `residual` writes, with at most so many products.
    pub(crate) fn solve(
        &mut self,
        x: &mut Mat,
        most: usize,
        system: &mut dyn System,
        residual: impl FnOnce(&mut dyn System, &mut Mat),
    ) -> Solved {
        residual(system, &mut self.residual);
        system.precondition(&self.residual, &mut self.scaled);
        self.search.copy_from(&self.scaled);
        let mut square = self.residual.dot(&self.scaled);
        for products in 0..most {
            if system.is_solved(&self.residual, square) {
                return Solved { products, flat: None };
            }
            system.product(&self.search, &mut self.image);
            let curvature = self.search.dot(&self.image);
            if system.is_flat(curvature, &self.search, square) || !curvature.is_finite() {
                return Solved { products: products + 1, flat: Some(curvature) };
            }
            let step = square / curvature;
            x.axpy(step, &self.search);
            self.residual.axpy(-step, &self.image);
            system.precondition(&self.residual, &mut self.scaled);
            let next = self.residual.dot(&self.scaled);
            let ratio = next / square;
            square = next;
            self.search.zip(&self.scaled, |search, scaled| scaled + ratio * search);
        }
        Solved { products: most, flat: None }
    }
}
