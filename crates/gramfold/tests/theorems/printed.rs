//! Statements of the paper that are wrong as printed, each with the instance that shows it.

use gramfold::{
    Problem, Split, Stop,
    bounds::{self, StartLevel},
    certificate::gradient_spectrum,
    linalg::Mat,
    loss::{Linear, Quadratic},
    solve,
};

use crate::common::{
    Random, assert_close, custom::Decline, dense, limit, method, outer, product, regulariser,
    stationarity, sum,
};

fn scalar(value: f64) -> Mat {
    Mat::from_row_major(1, 1, vec![value])
}

#[test]
fn corollary_1_as_printed_forgets_the_regulariser() {
    // f = z²/2, h(x) = μ(B − x) on [0, B], from Y₀ = 0: the printed bound is 0, and is not exact.
    let loss = Quadratic::new(dense(&scalar(0.0)));
    let h = Decline { mu: 1.0, end: 3.0 };
    let problem = Problem::new(&loss, &h, 1).unwrap();
    let zero = scalar(0.0);
    let start = StartLevel::new(&problem, &zero).unwrap();
    assert_eq!(bounds::diameter_as_printed(&problem, &start).unwrap(), 0.0);
    let corrected = bounds::level_rank_one(&problem, &start).unwrap();
    assert_close(corrected, 1.5_f64.sqrt(), 1e-14, "corrected bound");
    assert!(bounds::level(&problem, &start).unwrap() >= corrected - 1e-14);
    assert!(bounds::diameter(&problem, &start).unwrap() >= corrected);

    let low = limit(&problem, 0.01, &zero, &zero);
    assert_close(low.x[(0, 0)], 3.0, 1e-10, "x below");
    assert_close(low.y[(0, 0)], 0.53 / 9.01, 1e-10, "y below");
    assert!(stationarity(&problem, &low.x, &low.y, 0.01) < 1e-12);

    let high = limit(&problem, 1.23, &zero, &zero);
    assert_close(high.x[(0, 0)], 0.5_f64.cbrt(), 1e-9, "x above");
    assert_close(high.y[(0, 0)], 0.5_f64.cbrt(), 1e-9, "y above");
    // T2 needs h least at 0, and says so.
    assert!(bounds::from_zero(&problem).is_err());
}

#[test]
fn corollary_2i_as_printed_allows_a_negative_gamma() {
    let a = Mat::identity(2);
    let loss = Quadratic::new(dense(&a));
    let h = regulariser("nonnegative");
    let problem = Problem::new(&loss, &*h, 1).unwrap();
    let gamma = bounds::balanced_columns_as_printed(&problem).unwrap();
    assert_close(gamma, -1.0, 1e-9, "printed");
    assert_eq!(bounds::balanced_columns(&problem).unwrap(), 0.0);

    // At γ = −1, x = e₁ and y = e₂ satisfy both conditions with multipliers 0.
    let (x, y) =
        (Mat::from_row_major(2, 1, vec![1.0, 0.0]), Mat::from_row_major(2, 1, vec![0.0, 1.0]));
    let g = sum(1.0, &outer(&x, &y), -1.0, &a);
    let d = sum(1.0, &x, -1.0, &y);
    let first = sum(1.0, &product(&g, &y), -1.0, &d);
    let second = sum(1.0, &product(&g.transposed(), &x), 1.0, &d);
    assert_eq!((first.max_abs(), second.max_abs()), (0.0, 0.0));
}

#[test]
fn corollary_2i_corrected_and_2ii_hold_for_one_column() {
    let mut random = Random(51);
    let h = regulariser("nonnegative");
    for trial in 0..80 {
        let n = random.whole(1, 10);
        let signed = random.symmetric(n);
        let a =
            if trial % 2 == 0 { Mat::from_fn(n, n, |i, j| signed[(i, j)].abs()) } else { signed };
        let loss = Quadratic::new(dense(&a));
        let problem = Problem::new(&loss, &*h, 1).unwrap();
        // (ii): any γ > 0 when A ≥ 0; (i): [−λmin/2]₊ otherwise.
        let bound = bounds::single_column(&problem);
        assert_eq!(bound.is_ok(), a.as_slice().iter().all(|v| *v >= 0.0));
        let gamma = match bound {
            Ok(_) => 0.1 * a.norm(),
            Err(_) => 1.02 * bounds::balanced_columns(&problem).unwrap() + 0.05,
        };
        let (x, y) = (random.positive(n, 1), random.positive(n, 1));
        let solution = limit(&problem, gamma, &x, &y);
        let size = solution.x.norm().max(a.norm().sqrt());
        assert!(solution.x.distance(&solution.y) <= 1e-8 * size, "{trial}");
    }
}

#[test]
fn remark_2_is_false_any_gamma_does_not_suffice() {
    let gamma = 0.3;
    let root = (1.0_f64 - 2.0 * gamma).sqrt();
    let (a, b) = (0.5 * (1.0 + root), 0.5 * (1.0 - root));
    let x = Mat::from_row_major(2, 2, vec![a, b, b, a]);
    let y = Mat::from_row_major(2, 2, vec![b, a, a, b]);
    let loss = Quadratic::new(dense(&Mat::from_row_major(2, 2, vec![0.0, 1.0, 1.0, 0.0])));
    let h = regulariser("nonnegative");
    let problem = Problem::new(&loss, &*h, 2).unwrap();
    let mut split = Split::new(&problem, x.clone(), y, gamma).unwrap();
    assert!(split.stationarity() <= 1e-12);
    assert!(split.asymmetry() > 0.5);
    // Lower than any symmetric point: the optimum of sNMF here is ½.
    assert_close(split.objective(), 0.42, 1e-12, "F");
    let threshold = bounds::exactness(&gradient_spectrum(&split), 0.0).unwrap();
    assert_close(threshold, gamma, 1e-9, "Theorem 1 is tight here");
    // The same construction is not critical at another γ.
    split.set_gamma(0.4);
    assert!(split.stationarity() > 1e-3);
    // One column is what Corollary 2(ii) needs.
    assert!(bounds::single_column(&problem).is_err());
}

#[test]
fn nadmm_on_the_first_example_converges_above_two_over_one_plus_root_five() {
    // f = z in one dimension: the threshold is 0.618, not ½ and not 1.
    let loss = Linear::new(dense(&scalar(1.0)));
    let h = regulariser("zero");
    let problem = Problem::new(&loss, &*h, 1).unwrap();
    let size = |beta: f64| {
        let stop = Stop { stationarity: 0.0, ..Stop::default().max_iterations(400) };
        let run = method("admm", &format!("fixed:gamma={beta}"), stop);
        solve(&problem, run, &scalar(1.0), &mut ()).unwrap().x.norm()
    };
    let threshold = 2.0 / (1.0 + 5.0_f64.sqrt());
    assert!(size(0.7) < 1e-8 && size(1.02 * threshold) < 0.1);
    assert!(size(0.6) > 10.0 && size(0.98 * threshold) > 10.0);
}
