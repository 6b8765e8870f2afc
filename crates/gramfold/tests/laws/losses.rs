//! An evaluation's value, gradient and the operations derived from it tell one story.

use gramfold::{
    Loss, Problem, Split,
    linalg::Mat,
    loss::{Evaluation, Side},
    registry::LOSSES,
    regulariser::Zero,
};

use crate::common::{
    Random, assert_close, assert_near, composites,
    custom::{PseudoHuber, lagrangian},
    dense, inner, outer, product, sparse, sum, symmetric_part,
};

/// Every registered loss on A, dense and sparse, the augmented Lagrangian with cost A, and the user's own.
pub(crate) fn every_loss(a: &Mat) -> Vec<Box<dyn Loss>> {
    let mut all: Vec<Box<dyn Loss>> =
        vec![Box::new(PseudoHuber::new(a.clone(), 0.7)), Box::new(lagrangian(a))];
    for entry in LOSSES {
        all.push((entry.build)(dense(a)));
        all.push((entry.build)(sparse(a)));
    }
    let seed = a.rows() as u64;
    all.extend(composites(a.rows(), seed).into_iter().map(|loss| Box::new(loss) as Box<dyn Loss>));
    all
}

/// The evaluation at (X, Y).
pub(crate) fn at<'a>(loss: &'a dyn Loss, x: &Mat, y: &Mat) -> Box<dyn Evaluation + 'a> {
    let mut evaluation = loss.evaluation(x.cols());
    evaluation.moved(Side::X, x);
    evaluation.moved(Side::Y, y);
    evaluation
}

/// ∇f(XYᵀ), all of it.
pub(crate) fn gradient(loss: &dyn Loss, x: &Mat, y: &Mat) -> Mat {
    let n = x.rows();
    let mut out = Mat::zeros(n, n);
    at(loss, x, y).apply(x, y, &Mat::identity(n), &mut out);
    out
}

fn each(mut law: impl FnMut(&dyn Loss, &Mat, &Mat, &Mat, &mut Random)) {
    let mut random = Random(1);
    for (n, r) in [(1, 1), (5, 2), (9, 9), (12, 3)] {
        let a = random.symmetric(n);
        for loss in every_loss(&a) {
            let (x, y) = (random.mat(n, r), random.mat(n, r));
            law(&*loss, &a, &x, &y, &mut random);
        }
    }
}

#[test]
fn the_gradient_is_the_derivative_of_the_value() {
    each(|loss, _, x, y, random| {
        let (dx, dy) = (random.mat(x.rows(), x.cols()), random.mat(x.rows(), x.cols()));
        let g = gradient(loss, x, y);
        let value = |t: f64, s: f64| {
            let (x, y) = (sum(1.0, x, t, &dx), sum(1.0, y, s, &dy));
            at(loss, &x, &y).value(&x, &y)
        };
        let h = 1e-5;
        // d/dt f((X + tE)Yᵀ) = ⟨G, EYᵀ⟩, and the same in Y.
        let along_x = (value(h, 0.0) - value(-h, 0.0)) / (2.0 * h);
        let along_y = (value(0.0, h) - value(0.0, -h)) / (2.0 * h);
        assert_close(along_x, inner(&g, &outer(&dx, y)), 1e-6, loss.name());
        assert_close(along_y, inner(&g, &outer(x, &dy)), 1e-6, loss.name());
    });
}

#[test]
fn the_value_is_the_integral_of_the_gradient_from_zero() {
    each(|loss, _, x, y, _| {
        // f(Z) = f(0) + ∫₀¹ ⟨∇f(tZ), Z⟩ dt by Simpson; exact for quadratics.
        let z = outer(x, y);
        let slope = |t: f64| inner(&gradient(loss, &sum(t, x, 0.0, x), y), &z);
        let pieces = 200;
        let width = 1.0 / f64::from(pieces);
        let integral: f64 = (0..pieces)
            .map(|i| {
                let t = f64::from(i) * width;
                width / 6.0 * (slope(t) + 4.0 * slope(t + 0.5 * width) + slope(t + width))
            })
            .sum();
        let value = at(loss, x, y).value(x, y);
        // Kinks of a slope cost Simpson's rule its order.
        let kinked =
            ["huber", "poisson", "squared-hinge", "smoothed-hinge", "at-least", "at-most", "sum"];
        let tolerance = if kinked.contains(&loss.name()) { 2e-4 } else { 1e-8 };
        assert_close(value, loss.at_zero() + integral, tolerance, loss.name());
        let zero = Mat::zeros(x.rows(), x.cols());
        assert_close(at(loss, &zero, &zero).value(&zero, &zero), loss.at_zero(), 1e-13, "f(0)");
        assert_close(loss.evaluation(x.cols()).value(&zero, &zero), loss.at_zero(), 1e-13, "new");
    });
}

#[test]
fn the_value_is_the_textbook_formula() {
    each(|loss, a, x, y, _| {
        let z = outer(x, y);
        let evaluation = at(loss, x, y);
        let g = gradient(loss, x, y).norm();
        let (value, norm) = (evaluation.value(x, y), evaluation.gradient_norm(x, y));
        assert!(norm >= g * (1.0 - 1e-12), "{}: {norm} < {g}", loss.name());
        assert_close(evaluation.precise_value(x, y), value, 1e-11, "precise");
        match loss.name() {
            "quadratic" => {
                assert_close(value, 0.5 * sum(1.0, &z, -1.0, a).norm_squared(), 1e-12, "value");
                assert_close(norm, g, 1e-11, "norm");
            }
            "linear" => {
                assert_close(value, inner(a, &z), 1e-12, "value");
                assert_close(norm, g, 1e-12, "norm");
            }
            "augmented Lagrangian" => {
                // Diagonal entries are 1 and those beside the diagonal, in pairs, 0; y_k = cos k, β = 1.3.
                let n = z.rows();
                let residuals = (0..n)
                    .map(|i| z[(i, i)] - 1.0)
                    .chain((1..n).step_by(2).map(|i| 0.5 * (z[(i - 1, i)] + z[(i, i - 1)])));
                let sum: f64 =
                    residuals.enumerate().map(|(k, r)| r * (0.65 * r - (k as f64).cos())).sum();
                assert_close(value, inner(a, &z) + sum, 1e-12, "value");
            }
            _ => {}
        }
    });
}

#[test]
fn derived_operations_follow_from_apply() {
    each(|loss, _, x, y, random| {
        let (n, r) = (x.rows(), x.cols());
        let (g, v) = (gradient(loss, x, y), random.mat(n, 4));
        let evaluation = at(loss, x, y);
        let mut out = Mat::from_fn(n, 4, |_, _| f64::NAN);
        evaluation.apply(x, y, &v, &mut out);
        assert_near(&out, &product(&g, &v), 1e-12, "apply");
        evaluation.apply_transpose(x, y, &v, &mut out);
        assert_near(&out, &product(&g.transposed(), &v), 1e-12, "apply_transpose");
        evaluation.apply_symmetric(x, y, &v, &mut out);
        assert_near(&out, &product(&symmetric_part(&g), &v), 1e-12, "apply_symmetric");

        let d = sum(1.0, x, -1.0, y);
        let curvature = evaluation.curvature_along_difference(x, y, &d);
        assert_close(curvature, inner(&d, &product(&g, &d)), 1e-11, "tr(DᵀGD)");

        let problem = Problem::new(loss, &Zero, r).unwrap();
        let split = Split::new(&problem, x.clone(), y.clone(), 1.0).unwrap();
        let mut block = Mat::zeros(n, r);
        split.loss_gradient(Side::X, &mut block);
        assert_near(&block, &product(&g, y), 1e-11, "block gradient in X");
        split.loss_gradient(Side::Y, &mut block);
        assert_near(&block, &product(&g.transposed(), x), 1e-11, "block gradient in Y");
    });
}

#[test]
fn a_loss_is_blind_to_transposition() {
    each(|loss, _, x, y, _| {
        let (here, there) = (at(loss, x, y).value(x, y), at(loss, y, x).value(y, x));
        assert_close(here, there, 1e-12, loss.name());
        let transposed = gradient(loss, x, y).transposed();
        assert_near(&gradient(loss, y, x), &transposed, 1e-12, loss.name());
    });
}

#[test]
fn folding_is_moving_both() {
    each(|loss, _, x, _, _| {
        let mut folded = loss.evaluation(x.cols());
        folded.folded(x);
        let moved = at(loss, x, x);
        assert_eq!(folded.value(x, x), moved.value(x, x), "{}", loss.name());
        let (mut a, mut b) = (x.clone(), x.clone());
        folded.apply(x, x, x, &mut a);
        moved.apply(x, x, x, &mut b);
        assert_eq!(a, b, "{}", loss.name());
    });
}
