//! Corollary 1 (corrected), T2, T3, T4 and T6: above the bound every limit is symmetric; below a
//! sharp one the constructed point is critical and asymmetric.

use gramfold::{
    Problem, Status, Stop,
    bounds::{self, Role, StartLevel},
    linalg::{Mat, symmetric_eigen},
    loss::{Linear, Quadratic},
    solve_from,
};

use crate::common::{
    Random, assert_close, dense, eigenvalues, inner, limit, method, outer, regulariser,
    regularisers, scaled, stationarity, sum, top,
};

/// ‖X − Y‖ ≤ 1e-8 of the natural size of a factor; 1e-5 where blocks have first-order steps only, and runs end on their way.
#[track_caller]
fn assert_symmetric(a: &Mat, x: &Mat, y: &Mat, what: &str) {
    let size = x.norm().max(a.norm().sqrt());
    let slow = ["row-ball", "simplex-rows", "row-group", "column-group"].contains(&what);
    let tolerance = if slow { 1e-5 } else { 1e-8 };
    assert!(x.distance(y) <= tolerance * size, "{what}: {:e} apart", x.distance(y) / size);
}

#[test]
fn above_corollary_1_descent_from_a_symmetric_start_is_exact() {
    let mut random = Random(41);
    for trial in 0..100 {
        let n = random.whole(1, 8);
        let r = random.whole(1, n);
        let a = random.symmetric(n);
        let h = regularisers().swap_remove(trial % regularisers().len());
        let loss = Quadratic::new(dense(&a));
        let problem = Problem::new(&loss, &*h, r).unwrap();
        let mut start = scaled(0.5, &random.feasible(&*h, n, r));
        h.prox(start.as_mut_slice(), r, f64::MIN_POSITIVE);
        let at = StartLevel::new(&problem, &start).unwrap();
        let sharp = bounds::level_rank_one(&problem, &at).unwrap();
        let level = at.loss + at.regularisation - h.infimum();
        assert_close(sharp, (0.5 * level).sqrt() - 0.25 * h.sigma(), 1e-12, "Corollary 1c");
        // The looser variants contain the sharp one.
        assert!(sharp <= bounds::level(&problem, &at).unwrap() + 1e-12);
        assert!(sharp <= bounds::diameter(&problem, &at).unwrap() + 1e-12);
        let gamma = 1.01 * sharp.max(0.05);
        let solution = limit(&problem, gamma, &start, &start);
        assert_symmetric(&a, &solution.x, &solution.y, h.name());
    }
}

#[test]
fn above_t2_every_start_is_exact() {
    let mut random = Random(42);
    for trial in 0..150 {
        let n = random.whole(1, 10);
        let r = random.whole(1, n.min(4));
        let a = random.symmetric(n);
        let h = regularisers().swap_remove(trial % regularisers().len());
        let loss = Quadratic::new(dense(&a));
        let problem = Problem::new(&loss, &*h, r).unwrap();
        let Ok(bound) = bounds::from_zero(&problem) else {
            assert!(!h.is_least_at_zero() || h.sigma() < 0.0, "{}", h.name());
            continue;
        };
        assert_close(bound, 0.5 * a.norm() - 0.25 * h.sigma(), 1e-12, "T2");
        let (x, y) = (random.feasible(&*h, n, r), random.feasible(&*h, n, r));
        let solution = limit(&problem, 1.01 * bound.max(0.05), &x, &y);
        assert_symmetric(&a, &solution.x, &solution.y, h.name());
    }
}

#[test]
fn above_t3_every_start_is_exact_even_an_opposite_one() {
    let mut random = Random(43);
    let mut sharper = 0;
    for trial in 0..200 {
        let n = random.whole(1, 12);
        let r = random.whole(1, n.min(4));
        let a = random.symmetric(n);
        let lambda = [0.0, 0.3][trial % 2];
        let h = regulariser(&format!("ridge:lambda={lambda}"));
        let loss = Quadratic::new(dense(&a));
        let problem = Problem::new(&loss, &*h, r).unwrap();
        let bound = bounds::frobenius(&problem).unwrap();
        let formula = (-0.5 * eigenvalues(&a)[0] - 0.25 * lambda).max(0.0);
        assert_close(bound, formula, 1e-8, "T3");
        sharper += usize::from(bound < bounds::from_zero(&problem).unwrap());
        let x = random.mat(n, r);
        let y = if trial % 3 == 0 { scaled(-1.0, &x) } else { random.mat(n, r) };
        let gamma = (1.02 * bound).max(0.05 * a.norm());
        let solution = limit(&problem, gamma, &x, &y);
        assert_symmetric(&a, &solution.x, &solution.y, "T3");
    }
    assert!(sharper > 150);
}

#[test]
fn below_t3_the_constructed_point_is_critical_and_stays_apart() {
    let mut random = Random(44);
    let mut stable = 0;
    for trial in 0..100 {
        let n = random.whole(2, 8);
        let lambda = [0.0, 0.2][trial % 2];
        // Mostly negative spectra: with a large positive eigenvalue the point is a saddle of F.
        let shift = random.uniform() * 5.0;
        let a = sum(1.0, &random.symmetric(n), -shift, &Mat::identity(n));
        let eigen = symmetric_eigen(&a).unwrap();
        let h = regulariser(&format!("ridge:lambda={lambda}"));
        let loss = Quadratic::new(dense(&a));
        let problem = Problem::new(&loss, &*h, 1).unwrap();
        let (low, high) = (eigen.values[0], eigen.values[n - 1]);
        let gamma = 0.9 * bounds::frobenius(&problem).unwrap();
        if gamma <= 0.01 {
            continue;
        }
        let t = (-low - 2.0 * gamma - 0.5 * lambda).sqrt();
        let x = Mat::from_fn(n, 1, |i, _| t * eigen.vectors[(0, i)]);
        let y = scaled(-1.0, &x);
        assert!(stationarity(&problem, &x, &y, gamma) <= 1e-10);
        assert!(bounds::necessary(&problem).unwrap() > gamma, "T4 must forbid this γ");
        // AM multiplies an error along the top eigenvector by this at each half step.
        if (high + gamma).abs() < 0.95 * (-low - gamma) {
            let stop = Stop::default().max_iterations(200);
            let run = method("am", &format!("fixed:gamma={gamma}"), stop);
            let solution = solve_from(&problem, run, x.clone(), y, &mut ()).unwrap();
            assert!(solution.x.distance(&solution.y) > 1.99 * t);
            stable += 1;
        }
    }
    assert!(stable > 20, "{stable} stable cases only");
}

#[test]
fn t4_is_half_the_top_of_the_gradient_at_zero() {
    let mut random = Random(45);
    for lambda in [0.0, 0.5] {
        let a = random.symmetric(7);
        let h = regulariser(&format!("ridge:lambda={lambda}"));
        let loss = Quadratic::new(dense(&a));
        let problem = Problem::new(&loss, &*h, 2).unwrap();
        let formula = 0.5 * top(&scaled(-1.0, &a)) - 0.25 * lambda;
        assert_close(bounds::necessary(&problem).unwrap(), formula.max(0.0), 1e-8, "T4");
    }
}

#[test]
fn t6_exact_above_and_divergent_far_below_for_linear_and_ridge() {
    let mut random = Random(46);
    for trial in 0..30 {
        let n = random.whole(2, 8);
        // No tiny eigenvalue: AM is gradient descent here, and would take for ever.
        let b = random.mat(n, n);
        let c = sum(1.0, &outer(&b, &b), 0.5, &Mat::identity(n));
        let lambda = [0.0, 0.5][trial % 2];
        let h = regulariser(&format!("ridge:lambda={lambda}"));
        let loss = Linear::new(dense(&c));
        let problem = Problem::new(&loss, &*h, 1).unwrap();
        let zero = Mat::zeros(n, 1);
        let at = bounds::StartLevel::new(&problem, &zero).unwrap();
        let bound = bounds::linear_part(&problem, &at).unwrap();
        assert_close(bound, 0.5 * top(&c) - 0.25 * lambda, 1e-8, "T6");
        let x = random.mat(n, 1);
        let run = |gamma: f64| {
            let stop = Stop { stationarity: 0.0, ..Stop::default().max_iterations(2000) };
            let method = method("am", &format!("fixed:gamma={gamma}"), stop);
            solve_from(&problem, method, x.clone(), x.clone(), &mut ()).unwrap()
        };
        let above = run(1.2 * bound);
        assert!(above.x.distance(&above.y) <= 1e-8 * x.norm(), "{trial}");
        let below = run(0.25 * bound);
        assert!(matches!(below.status, Status::Diverged(_)), "{:?}", below.status);
    }
}

#[test]
fn t6_exact_above_for_a_linear_part_and_a_quadratic() {
    // ⟨C, Z⟩ + ½‖Z − A‖² is ½‖Z − (A − C)‖² and a constant.
    let mut random = Random(47);
    for _ in 0..60 {
        let n = random.whole(1, 8);
        let (a, b) = (random.symmetric(n), random.mat(n, 1));
        let c = outer(&b, &b);
        let shifted = sum(1.0, &a, -1.0, &c);
        let loss = Quadratic::new(dense(&shifted));
        let h = regulariser("nonnegative");
        let problem = Problem::new(&loss, &*h, 1).unwrap();
        let start = scaled(0.3, &random.positive(n, 1));
        let z = outer(&start, &start);
        let value = inner(&c, &z) + 0.5 * sum(1.0, &z, -1.0, &a).norm_squared();
        let gamma = 1.01 * bounds::with_linear_part(top(&c), 1.0, value, 0.0);
        assert_close(gamma / 1.01, 0.5 * top(&c) + (0.5 * value).sqrt(), 1e-12, "T6");
        let solution = limit(&problem, gamma, &start, &start);
        assert_symmetric(&shifted, &solution.x, &solution.y, "T6");
    }
}

#[test]
fn every_bound_is_a_number_or_names_the_assumption_that_fails() {
    let a = Random(48).symmetric(6);
    for h in regularisers() {
        let (quadratic, linear) = (Quadratic::new(dense(&a)), Linear::new(dense(&a)));
        for loss in [&quadratic as &dyn gramfold::Loss, &linear] {
            let problem = Problem::new(loss, &*h, 1).unwrap();
            let all = bounds::all(&problem, &Random(49).feasible(&*h, 6, 1)).unwrap();
            assert!(all.iter().all(|bound| bound.value.is_some() != bound.fails.is_some()));
            let value = |role| all.iter().filter(move |b| b.role == role).filter_map(|b| b.value);
            // A necessary bound is below every sufficient one.
            let necessary = value(Role::Necessary).fold(0.0, f64::max);
            assert!(value(Role::AllCriticalPoints).all(|bound| bound >= necessary - 1e-9));
        }
    }
}
