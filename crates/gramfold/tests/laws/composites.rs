//! Composite losses: the evaluation that joins maps and scalar functions.

use gramfold::{
    Loss, Problem, Split,
    algorithm::{End, Folded, Products},
    linalg::Mat,
    loss::{BlockForm, Composite, Evaluation, Line, Side},
    registry,
    regulariser::Zero,
};

use crate::common::{Random, assert_close, assert_near, composite, composites, inner, outer, sum};

#[test]
fn the_augmented_lagrangian_is_a_loss_and_follows_its_multipliers() {
    let mut random = Random(76);
    let n = 6;
    let matrices: Vec<Mat> = (0..5).map(|_| random.symmetric(n)).collect();
    let whole = |a: &Mat| {
        let at = |i: usize, j: usize| (i as u32, j as u32, a[(i, j)]);
        (0..n * n).map(|k| at(k / n, k % n)).collect::<Vec<_>>()
    };
    let entries: Vec<_> = matrices.iter().map(whole).collect();
    let map = std::sync::Arc::new(gramfold::loss::map::Matrices::new(n, &entries).unwrap());
    let (b, x) = ([0.4, -1.0, 2.0, 0.1], random.mat(n, 2));
    let z = outer(&x, &x);
    let mut loss = Composite::lagrangian(map.clone(), &b, &[0.0; 4], 7.0).unwrap();
    for (y, beta) in [([1.0, -2.0, 0.3, 0.7], 0.6), ([3.0, 0.0, -1.0, 9.0], 40.0)] {
        loss.set_multipliers(&b, &y, beta).unwrap();
        let fresh = Composite::lagrangian(map.clone(), &b, &y, beta).unwrap();
        assert_close(loss.at_zero(), fresh.at_zero(), 1e-14, "at zero");
        let (ours, its) = (loss.constants(), fresh.constants());
        assert_close(ours.smoothness, its.smoothness, 1e-12, "smoothness");
        assert_close(ours.slope, its.slope, 1e-12, "slope");
        let mut expected = inner(&matrices[0], &z);
        for k in 0..4 {
            let residual = inner(&matrices[k + 1], &z) - b[k];
            expected += residual * (0.5 * beta * residual - y[k]) + y[k] * y[k] / (2.0 * beta);
        }
        assert_close(folded(&loss, &x).value(&x, &x), expected, 1e-12, "the value");
    }
    assert!(loss.set_multipliers(&b, &[0.0; 4], 0.0).is_err());
}

#[test]
fn a_row_sees_its_block_of_the_hessian() {
    let mut random = Random(77);
    let (n, r) = (6, 2);
    let loss = crate::common::custom::lagrangian(&random.symmetric(n));
    let x = random.mat(n, r);
    let evaluation = folded(&loss, &x);
    let BlockForm::Quadratic(operator) = evaluation.block(Side::X) else {
        panic!("a quadratic operator")
    };
    let (mut grams, mut means) = (vec![f64::NAN; n * r * r], vec![f64::NAN; n]);
    let mut diagonal = vec![f64::NAN; n];
    assert!(operator.row_grams(&mut grams) && evaluation.gradient_diagonal(&mut diagonal));
    operator.row_curvatures(&mut means);
    // The Hessian of X ↦ f(XXᵀ) has the blocks 4H_i + 2(∇f)_ii·I.
    for i in 0..n {
        for a in 0..r {
            let unit = Mat::from_fn(n, r, |k, l| f64::from((k, l) == (i, a)));
            let mut image = Mat::zeros(n, r);
            assert!(evaluation.curvature_product(&x, &unit, true, &mut image));
            for b in 0..r {
                let gram = grams[(i * r + a) * r + b];
                let expected = 4.0 * gram + if a == b { 2.0 * diagonal[i] } else { 0.0 };
                assert_close(image[(i, b)], expected, 1e-11, "a block");
            }
        }
        let trace: f64 = (0..r).map(|a| grams[(i * r + a) * r + a]).sum();
        assert_close(means[i], trace / r as f64, 1e-12, "a mean");
    }
}

#[test]
fn the_folded_methods_end_where_the_gradient_is_small() {
    let mut random = Random(78);
    let lagrangian = crate::common::custom::lagrangian(&random.symmetric(7));
    let composites = composites(7, 78).into_iter().map(|loss| (loss, false));
    // The penalty on the diagonal bounds what lies below a value of the Lagrangian; others may have no minimiser.
    for (loss, attained) in composites.chain([(lagrangian, true)]) {
        let x = random.mat(7, 3);
        let problem = Problem::new(&loss, &Zero, 3).unwrap();
        let start = Split::new(&problem, x.clone(), x.clone(), 0.0).unwrap();
        let (mut gradient, before) = (Mat::zeros(7, 3), start.loss());
        start.folded_gradient(&mut gradient);
        assert_near(&gradient, &slope(&loss, &x), 1e-10, loss.name());
        let goal = 1e-6 * gradient.norm();
        for newton in [false, true] {
            let mut split = Split::new(&problem, x.clone(), x.clone(), 0.0).unwrap();
            let mut folded = Folded::new(&problem);
            let (end, _) = if newton {
                let products = Products { most: 300, pause: 300 };
                folded.newton(&mut split, goal, products, &|| false)
            } else {
                folded.lbfgs(&mut split, goal, 300, &|| false)
            };
            let falls = split.loss() < before || end == End::Unbounded || goal == 0.0;
            assert!(falls && split.loss() <= before, "{}: {end:?}", loss.name());
            if attained {
                assert_eq!(end, End::Stationary, "{} newton {newton}", loss.name());
                split.update_folded(|_| {});
                split.folded_gradient(&mut gradient);
                assert!(gradient.norm() <= 1.01 * goal, "{}", loss.name());
            }
        }
    }
    // Whoever asks to stop is heard.
    let loss = crate::common::custom::lagrangian(&random.symmetric(4));
    let problem = Problem::new(&loss, &Zero, 2).unwrap();
    let x = random.mat(4, 2);
    let mut split = Split::new(&problem, x.clone(), x.clone(), 0.0).unwrap();
    let mut folded = Folded::new(&problem);
    assert_eq!(folded.lbfgs(&mut split, 0.0, 10, &|| true), (End::Stopped, 0));
    let products = Products { most: 10, pause: 1 };
    assert_eq!(folded.newton(&mut split, 0.0, products, &|| true), (End::Stopped, 0));
    assert_eq!(folded.newton(&mut split, 0.0, products, &|| false).0, End::Paused);
}

fn folded<'a>(loss: &'a dyn Loss, x: &Mat) -> Box<dyn Evaluation + 'a> {
    let mut evaluation = loss.evaluation(x.cols());
    evaluation.folded(x);
    evaluation
}

/// ∇ of X ↦ f(XXᵀ).
fn slope(loss: &dyn Loss, x: &Mat) -> Mat {
    let mut out = Mat::zeros(x.rows(), x.cols());
    folded(loss, x).apply_symmetric(x, x, x, &mut out);
    out.scale(2.0);
    out
}

#[test]
fn hessian_products_are_differences_of_gradients() {
    let mut random = Random(73);
    for loss in composites(7, 73) {
        let (x, v) = (random.mat(7, 2), random.mat(7, 2));
        let evaluation = folded(&loss, &x);
        let (mut full, mut part) = (Mat::zeros(7, 2), Mat::zeros(7, 2));
        assert!(evaluation.curvature_product(&x, &v, true, &mut full));
        assert!(evaluation.curvature_product(&x, &v, false, &mut part));
        let h = 1e-6;
        let (up, down) = (sum(1.0, &x, h, &v), sum(1.0, &x, -h, &v));
        let difference = sum(0.5 / h, &slope(&loss, &up), -0.5 / h, &slope(&loss, &down));
        assert_near(&full, &difference, 2e-4, loss.name());
        // The Gauss–Newton part leaves out 2∇f·V, and is positive semidefinite.
        let mut rest = Mat::zeros(7, 2);
        evaluation.apply_symmetric(&x, &x, &v, &mut rest);
        if !["huber", "smoothed-hinge", "sum"].contains(&loss.name()) {
            assert_near(&full, &sum(1.0, &part, 2.0, &rest), 1e-10, loss.name());
        }
        assert!(inner(&part, &v) >= -1e-10 * (1.0 + part.norm()), "{}", loss.name());
    }
}

#[test]
fn a_line_is_the_loss_along_it_and_a_step_lands_on_it() {
    let mut random = Random(74);
    let mut quartics = 0;
    for loss in composites(8, 74) {
        let (x, p) = (random.mat(8, 3), random.mat(8, 3));
        let problem = Problem::new(&loss, &Zero, 3).unwrap();
        let mut split = Split::new(&problem, x.clone(), x.clone(), 1.0).unwrap();
        let at = |t: f64| {
            let moved = sum(1.0, &x, t, &p);
            folded(&loss, &moved).value(&moved, &moved)
        };
        let line = split.line(&p).unwrap();
        quartics += usize::from(matches!(line, Line::Quartic(_)));
        for t in [0.0, 0.3, 1.7] {
            assert_close(line.value(t), at(t), 1e-11, loss.name());
            let difference = (line.value(t + 1e-6) - line.value(t - 1e-6)) / 2e-6;
            assert_close(line.at(t)[1], difference, 1e-5, loss.name());
        }
        drop(line);
        split.step_along(0.7, &p);
        assert_close(split.loss(), at(0.7), 1e-11, loss.name());
        let moved = sum(1.0, &x, 0.7, &p);
        let mut here = Mat::zeros(8, 3);
        split.loss_gradient(Side::X, &mut here);
        assert_near(&here, &sum(0.5, &slope(&loss, &moved), 0.0, &moved), 1e-10, loss.name());
    }
    assert!(quartics > 3, "{quartics}");
}

#[test]
fn targets_and_weights_are_checked() {
    use gramfold::loss::{
        map::Entries,
        scalar::{Logistic, Square},
    };
    let map = || Box::new(Entries::new(3, &[(0, 1), (2, 2)]).unwrap());
    let text = |result: Result<Composite, gramfold::Error>| result.err().unwrap().to_string();
    let short = text(Composite::new(map(), Box::new(Square), &[1.0], None));
    assert!(short.contains("1 targets for 2 observations"), "{short}");
    let label = text(Composite::new(map(), Box::new(Logistic), &[1.0, 0.0], None));
    assert!(
        label.contains('0') && label.contains("1 or -1") && label.contains("logistic"),
        "{label}"
    );
    let nan = text(Composite::new(map(), Box::new(Square), &[1.0, f64::NAN], None));
    assert!(nan.contains("NaN"), "{nan}");
    let weight = text(Composite::new(map(), Box::new(Square), &[1.0, 2.0], Some(&[1.0, -1.0])));
    assert!(weight.contains("-1"), "{weight}");
    for (name, instead) in [("hinge", "smoothed-hinge"), ("absolute", "huber")] {
        let refused = registry::scalar(&crate::common::component(name)).unwrap_err().to_string();
        assert!(refused.contains(name) && refused.contains(instead), "{refused}");
    }
}

#[test]
fn a_masked_square_is_the_sum_over_the_mask() {
    let mut random = Random(75);
    let loss = composite("entries", "square", 6, &mut random);
    // ½(f(Z) at Z − at 0) needs no target: differences of f along Z are weighted squares.
    let (x, y) = (random.mat(6, 2), random.mat(6, 2));
    let value = |s: f64| {
        let scaled = sum(s, &x, 0.0, &x);
        let mut evaluation = loss.evaluation(2);
        evaluation.moved(Side::X, &scaled);
        evaluation.moved(Side::Y, &y);
        evaluation.value(&scaled, &y)
    };
    let second = value(1.0) - 2.0 * value(0.0) + value(-1.0);
    let map = loss.map();
    let (mut image, mut pull) = (vec![0.0; map.len()], vec![0.0; map.len()]);
    map.image(&x, &y, &mut image);
    map.image(&y, &x, &mut pull);
    // Entries (i, j) of XYᵀ and of its transpose are measured alike.
    let (mut a, mut b) = (image.clone(), pull.clone());
    a.sort_by(f64::total_cmp);
    b.sort_by(f64::total_cmp);
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12));
    assert!(second > 0.0 && second <= loss.constants().smoothness * outer(&x, &y).norm_squared());
}

/// Where every residual is on the straight part of a Huber function, φ″ tells nothing of how far to go.
#[test]
fn a_start_without_curvature_is_left() {
    let targets = [4.0, 2.0, 2.0, 1.0, 1.0, 9.0];
    let places = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
    let mut objectives = Vec::new();
    for algorithm in ["ham", "gauss-newton", "lbfgs", "auto"] {
        let map = gramfold::loss::map::Entries::new(3, &places).unwrap();
        let scalar = registry::scalar(&"huber:delta=0.1".parse().unwrap()).unwrap();
        let loss = gramfold::loss::Composite::new(Box::new(map), scalar, &targets, None).unwrap();
        let problem = Problem::new(&loss, &Zero, 1).unwrap();
        let spec = gramfold::Spec { algorithm: algorithm.parse().unwrap(), ..Default::default() };
        let solution = gramfold::factorise(&problem, &spec, &mut ()).unwrap();
        assert_eq!(solution.status, gramfold::Status::Converged, "{algorithm}");
        objectives.push(solution.last.loss);
    }
    for objective in &objectives {
        assert!((objective - objectives[0]).abs() <= 1e-6 * objectives[0], "{objectives:?}");
    }
}
