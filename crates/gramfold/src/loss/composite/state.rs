//! What an evaluation knows at its factors.

use gramfold_linalg::Mat;

use super::Composite;

/// What is known at the present factors. Nothing is computed, nor room taken, before it is asked for: many evaluations only tell the
/// form of a block.
#[derive(Default)]
pub(super) struct State {
    pub(super) imaged: bool,
    pub(super) judged: bool,
    pub(super) value: f64,
    /// 𝒜(XYᵀ) and the slopes w·φ′ there.
    pub(super) image: Vec<f64>,
    pub(super) slopes: Adjoint,
    /// The slopes of the transpose, and the mean of both.
    pub(super) turned: Adjoint,
    pub(super) symmetric: Adjoint,
    /// ∇f·X of X = Y, where the pass that judged made it.
    pub(super) gradient: Mat,
    pub(super) has_gradient: bool,
    /// C·V, and ∇f·V.
    pub(super) linear: Mat,
    pub(super) slope: Mat,
    /// c∘𝒜(XVᵀ + VXᵀ), and what the map made of it.
    pub(super) tangent: Vec<f64>,
    pub(super) loaded: Vec<f64>,
    pub(super) curvatures: Vec<f64>,
    /// Which curvatures these are: of the Hessian, or of the model.
    pub(super) curved: Option<bool>,
}

/// s, and the numbers that hold Σ s_k·A_k.
#[derive(Default)]
pub(super) struct Adjoint {
    pub(super) known: bool,
    pub(super) s: Vec<f64>,
    pub(super) loaded: Vec<f64>,
}

/// Which adjoint a product uses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Own,
    Turned,
    Symmetric,
}

/// The images of the last line; empty before there was one.
#[derive(Default)]
pub(super) struct Along {
    pub(super) first: Vec<f64>,
    pub(super) second: Vec<f64>,
}

impl State {
    /// Makes room for the image and the slopes.
    pub(super) fn make_room(&mut self, loss: &Composite) {
        self.image.resize(loss.map.len(), 0.0);
        self.slopes.s.resize(loss.map.len(), 0.0);
        self.slopes.loaded.resize(loss.map.stored(), 0.0);
    }

    /// The image and the slopes are those of the present factors.
    pub(super) fn is_judged(&mut self) {
        (self.imaged, self.judged, self.has_gradient) = (true, true, false);
        (self.turned.known, self.symmetric.known, self.curved) = (false, false, None);
    }

    /// And this is ∇f·X of X = Y.
    pub(super) fn is_judged_with(&mut self, gradient: &Mat) {
        self.is_judged();
        let shape = (gradient.rows(), gradient.cols());
        if (self.gradient.rows(), self.gradient.cols()) != shape {
            self.gradient = Mat::zeros(shape.0, shape.1);
        }
        self.gradient.copy_from(gradient);
        self.has_gradient = true;
    }

    /// Makes the curvatures ready: of the Hessian if `full`, or of the model.
    pub(super) fn curve(&mut self, loss: &Composite, full: bool) {
        if self.curved != Some(full) {
            self.curvatures.resize(self.image.len(), 0.0);
            loss.curvatures(!full, &self.image, &mut self.curvatures);
            self.curved = Some(full);
        }
    }
}
