//! A residual is measured by the curvature that a loss has at the point, so that a small one means that little is left to
//! gain: every scalar function of every kind of measurements.

use gramfold::{
    Certificate, Loss, Problem, Stop,
    linalg::Mat,
    loss::{Composite, Side},
    registry::{self, MAPS, SCALARS},
    solve, start,
};

use crate::common::{Random, complete, eigenvalues, method, regulariser, sum, symmetric_part, top};

const TOLERANCE: f64 = 1e-6;

/// Measurements of a matrix of rank 2, nearly: targets are what the scalar function takes of them.
fn measured(map: &str, scalar: &str, n: usize, noise: f64, random: &mut Random) -> Composite {
    let entry = MAPS.iter().find(|entry| entry.name == map).expect("a map");
    let scalar = registry::scalar(&scalar.parse().expect("a component")).expect("a function");
    let map = (entry.example)(n, &mut || 2.0 * random.uniform() - 1.0);
    let truth = random.positive(n, 2);
    let mut image = vec![0.0; map.len()];
    map.image(&truth, &truth, &mut image);
    // Observations that stand for two measurements have the first of them here; the others are as they come.
    let targets: Vec<f64> = (0..map.observations())
        .map(|k| scalar.nearest_target(image[k] + noise * random.normal()))
        .collect();
    Composite::new(map, scalar, &targets, None).expect("a loss")
}

/// λmax of V ↦ d/dt ∇f((X + tV)Xᵀ)X, column by column from differences of gradients.
fn dense_curvature(loss: &dyn Loss, x: &Mat) -> f64 {
    let (n, r) = (x.rows(), x.cols());
    let step = 1e-5;
    let gradient = |at: &Mat| {
        let mut evaluation = loss.evaluation(r);
        evaluation.moved(Side::X, at);
        evaluation.moved(Side::Y, x);
        let mut out = Mat::zeros(n, r);
        evaluation.apply(at, x, x, &mut out);
        out
    };
    let mut hessian = Mat::zeros(n * r, n * r);
    for k in 0..n * r {
        let unit = Mat::from_fn(n, r, |i, j| if i * r + j == k { step } else { 0.0 });
        let (up, down) = (gradient(&sum(1.0, x, 1.0, &unit)), gradient(&sum(1.0, x, -1.0, &unit)));
        for (l, (up, down)) in up.as_slice().iter().zip(down.as_slice()).enumerate() {
            hessian[(l, k)] = (up - down) / (2.0 * step);
        }
    }
    let transposed = hessian.transposed();
    top(&sum(0.5, &hessian, 0.5, &transposed))
}

#[test]
fn the_curvature_is_that_of_the_block() {
    let mut random = Random(501);
    for (map, scalar) in MAPS.iter().flat_map(|m| SCALARS.iter().map(move |s| (m, s))) {
        let loss = measured(map.name, &complete(scalar).to_string(), 7, 0.1, &mut random);
        let x = random.positive(7, 2);
        let mut evaluation = loss.evaluation(2);
        evaluation.folded(&x);
        let (found, truth) = (evaluation.curvature(Side::X), dense_curvature(&loss, &x));
        let bound = evaluation.lipschitz(Side::X);
        let what =
            format!("{} {}: {found} against {truth}, at most {bound}", map.name, scalar.name);
        // A measurement that is its own mirror image counts once in a block and twice in XXᵀ; the others may count half.
        assert!(found >= 0.45 * truth && found <= bound * (1.0 + 1e-9), "{what}");
        // Parabolas above a loss with bounded slopes may be steeper than the loss.
        let bounded = ["huber", "smoothed-hinge"].contains(&scalar.name);
        assert!(bounded || found <= 1.001 * truth + 1e-9, "{what}");
    }
}

/// The residual by a step that is safe.
fn by_bound(problem: &Problem<'_>, x: &Mat) -> f64 {
    let mut evaluation = problem.loss.evaluation(x.cols());
    evaluation.folded(x);
    let bound = evaluation.lipschitz(Side::X) + problem.loss.constants().slope;
    let mut trial = Mat::zeros(x.rows(), x.cols());
    evaluation.apply(x, x, x, &mut trial);
    trial = sum(1.0, x, -1.0 / bound, &trial);
    problem.regulariser.prox(trial.as_mut_slice(), x.cols(), 0.5 / bound);
    trial.distance(x) / x.norm()
}

/// Whether f(XXᵀ) bends down in a direction that moves entries off the bound at zero only: no residual tells a saddle from
/// a minimum.
fn is_saddle(problem: &Problem<'_>, x: &Mat) -> bool {
    let mut evaluation = problem.loss.evaluation(x.cols());
    evaluation.folded(x);
    let free: Vec<usize> = (0..x.as_slice().len()).filter(|k| x.as_slice()[*k] != 0.0).collect();
    let mut hessian = Mat::zeros(free.len(), free.len());
    let (mut unit, mut image) = (Mat::zeros(x.rows(), x.cols()), Mat::zeros(x.rows(), x.cols()));
    for (column, &k) in free.iter().enumerate() {
        unit.as_mut_slice()[k] = 1.0;
        assert!(evaluation.curvature_product(x, &unit, true, &mut image));
        unit.as_mut_slice()[k] = 0.0;
        for (row, &l) in free.iter().enumerate() {
            hessian[(row, column)] = image.as_slice()[l];
        }
    }
    let values = eigenvalues(&symmetric_part(&hessian));
    let (least, most) = (values[0], values[values.len() - 1]);
    least + problem.regulariser.sigma() < -1e-4 * most
}

/// From a point that is called exact, steps of Gauss and Newton gain next to nothing.
#[test]
fn a_point_far_from_the_end_is_not_exact() {
    let mut random = Random(502);
    let (mut exact, mut far, mut lenient) = (0, 0, 0);
    for (map, scalar) in MAPS.iter().flat_map(|m| SCALARS.iter().map(move |s| (m, s))) {
        // Labels, and few entries, leave a factor unbounded by themselves.
        let alone = scalar.name == "square" && map.name != "entries";
        for h in ["ridge:lambda=0.1", if alone { "zero" } else { "ridge:lambda=0.01" }] {
            let loss = measured(map.name, &complete(scalar).to_string(), 20, 1e-3, &mut random);
            let h = regulariser(h);
            let problem = Problem::new(&loss, &*h, 2).unwrap();
            let what = format!("{} {} {}", map.name, scalar.name, h.name());
            let steps = |from: &Mat, count: usize| {
                let stop = Stop::default().tolerance(0.0).max_iterations(count);
                let method = method("gauss-newton", "fixed:gamma=1", stop);
                solve(&problem, method, from, &mut ()).unwrap().factor
            };
            let judged = |x: &Mat| Certificate::brief(&problem, x, x, 0.0, TOLERANCE).unwrap();
            let total = |c: &Certificate| c.loss + c.regularisation;
            let mut x = start::random(&problem, 5);
            for iteration in 0..25 {
                let certificate = judged(&x);
                let after = total(&judged(&steps(&x, 5)));
                let gain = total(&certificate) - after;
                let is_far = gain > 1e-3 * after.abs() + 1e-9 * loss.at_zero().abs().max(1e-3);
                exact += usize::from(certificate.exact);
                far += usize::from(is_far);
                lenient += usize::from(is_far && by_bound(&problem, &x) <= TOLERANCE);
                let claims = format!("{what}, {iteration} iterations: {gain} above {after}");
                let false_claim = certificate.exact && is_far && !is_saddle(&problem, &x);
                assert!(!false_claim, "{claims}: {certificate:?}");
                x = steps(&x, 1);
            }
        }
    }
    // Teeth: points of both kinds were seen, and a step by the bound would have called some exact that are far.
    assert!(exact > 100 && far > 100 && lenient > 10, "{exact} {far} {lenient}");
}
