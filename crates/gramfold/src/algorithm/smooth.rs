//! What the methods ask that follow lines X + tP of a folded factor.

use gramfold_linalg::Mat;

use crate::{BlockForm, Error, Problem, Shape, Side, Split, loss::Line};

/// Steps along lines before caches are computed afresh, to keep rounding from piling up.
const REFRESH: usize = 50;

/// They are computed afresh before that if ‖X‖², which they hold too, is wrong by this share: a factor that shrinks
/// soon has nothing but the rounding of what it was.
const DRIFT: f64 = 1e-8;

/// X ↦ f(XXᵀ) + (λ/2)‖X‖², over X ≥ 0 or over all X.
pub(super) struct Smooth {
    pub(super) lambda: f64,
    pub(super) nonnegative: bool,
}

impl Smooth {
    /// Refuses a loss without lines or curvature products, and other regularisers; X ≥ 0, too, unless the component `projects`.
    pub(super) fn of(
        component: &'static str,
        projects: bool,
        problem: &Problem<'_>,
    ) -> Result<Self, Error> {
        if !problem.loss.is_curved() {
            return Err(problem.lacks_loss(component, "a loss with a curvature and lines"));
        }
        match problem.regulariser.shape() {
            Shape::Ridge { lambda } => Ok(Self { lambda, nonnegative: false }),
            Shape::Nonnegative if projects => Ok(Self { lambda: 0.0, nonnegative: true }),
            _ if projects => {
                let needs = "a zero, ridge or nonnegative regulariser";
                Err(problem.lacks_regulariser(component, needs))
            }
            _ => Err(problem.lacks_regulariser(component, "a ridge or no regulariser")),
        }
    }
}

/// f + (λ/2)‖·‖² along X + tP, of a loss that was checked to have lines.
pub(super) fn line<'a>(split: &'a mut Split<'_>, lambda: f64, p: &Mat) -> Line<'a> {
    let along = |split: &Split<'_>| (lambda * split.x().dot(p), 0.5 * lambda * p.norm_squared());
    let (c1, c2) = if lambda == 0.0 { (0.0, 0.0) } else { along(split) };
    let mut line = split.line(p).expect("invariant: a loss without lines was refused");
    line.add(c1, c2);
    line
}

/// Computes the caches afresh where that is due, and folds the factors; says whether it was.
pub(super) fn freshen(split: &mut Split<'_>, steps: usize) -> bool {
    let due = !split.is_folded() || steps.is_multiple_of(REFRESH) || has_drifted(split);
    if due {
        split.update_folded(|_| {});
    }
    due
}

/// Whether the trace of the cached XᵀX is no longer ‖X‖²; a loss that caches none has images, which are kept in step.
fn has_drifted(split: &Split<'_>) -> bool {
    let BlockForm::SharedGram { gram, .. } = split.evaluation().block(Side::X) else {
        return false;
    };
    let trace: f64 = (0..gram.rows()).map(|i| gram[(i, i)]).sum();
    let square = split.norms().0.powi(2);
    (trace - square).abs() > DRIFT * square
}
