use gramfold::linalg::symmetric_eigen;

use super::*;

fn random(p: usize, seed: u64) -> Mat {
    let mut state = seed | 1;
    let mut number = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let mut a = Mat::zeros(p, p);
    for i in 0..p {
        a[(i, i)] = 1.0;
        for j in 0..i {
            a[(i, j)] = number();
            a[(j, i)] = a[(i, j)];
        }
    }
    a
}

fn go_on(_: &Record, _: &dyn Fn() -> SphereState) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A run that is stopped and goes on from any of its states ends with the same bits.
#[test]
fn a_run_goes_on_to_the_same_bits() {
    let question = Correlation::new(&random(20, 3), 2).unwrap();
    let start = question.start(1).unwrap();
    let (mut states, stop) = (Vec::new(), Stop::default());
    let whole = question.solve(SphereState::at(start), &stop, &mut |_, state| {
        states.push(state());
        ControlFlow::Continue(())
    });
    assert!(states.len() > 5);
    for state in states {
        let again = question.solve(state, &stop, &mut go_on);
        assert_eq!(again.factor, whole.factor);
        assert_eq!(again.last.products, whole.last.products);
    }
}

fn solve(a: &Mat, rank: usize) -> (Correlation, Solution) {
    let question = Correlation::new(a, rank).unwrap();
    let start = question.start(0).unwrap();
    let stop = Stop::default().tolerance(1e-9);
    let solution = question.solve(SphereState::at(start), &stop, &mut go_on);
    (question, solution)
}

/// Alternating projections with Dykstra's correction (Higham 2002), all by the textbook.
fn higham(a: &Mat) -> Mat {
    let p = a.rows();
    let (mut y, mut correction) = (a.clone(), Mat::zeros(p, p));
    for _ in 0..3000 {
        let mut r = y.clone();
        r.axpy(-1.0, &correction);
        let eigen = symmetric_eigen(&r).unwrap();
        let x = Mat::from_fn(p, p, |i, j| {
            (0..p)
                .map(|m| eigen.values[m].max(0.0) * eigen.vectors[(m, i)] * eigen.vectors[(m, j)])
                .sum()
        });
        correction = x.clone();
        correction.axpy(-1.0, &r);
        y = x;
        (0..p).for_each(|i| y[(i, i)] = 1.0);
    }
    y
}

#[test]
fn at_full_rank_it_is_the_nearest_correlation_matrix() {
    let a = random(12, 5);
    let (question, solution) = solve(&a, 12);
    let known = higham(&a);
    let x = &solution.factor;
    for i in 0..12 {
        for j in 0..12 {
            let z = dot(x.row(i), x.row(j));
            assert!((z - known[(i, j)]).abs() < 1e-5, "({i}, {j}): {z} {}", known[(i, j)]);
        }
    }
    let certificate = question.certify(x, 1e-6, &|| false).unwrap();
    assert!(certificate.optimal, "{certificate}");
}

#[test]
fn at_low_rank_the_gap_is_proved_and_no_sample_is_better() {
    // Unit rows and noise: what correlations look like.
    let planted = Correlation::new(&random(30, 9), 3).unwrap().start(4).unwrap();
    let noise = random(30, 2);
    let a = Mat::from_fn(30, 30, |i, j| {
        0.8 * dot(planted.row(i), planted.row(j)) + 0.2 * noise[(i, j)]
    });
    let (question, solution) = solve(&a, 3);
    assert_eq!(solution.status, Status::Converged);
    let objective = question.objective(&solution.factor);
    let certificate = question.certify(&solution.factor, 1e-6, &|| false).unwrap();
    let gap = certificate.gap.unwrap();
    assert!(certificate.optimal && gap.abs() < 1e-6 * objective, "{gap} {objective}");
    for seed in 1..8 {
        let start = question.start(seed).unwrap();
        let other = question.solve(SphereState::at(start), &Stop::default(), &mut go_on);
        assert!(question.objective(&other.factor) >= objective - gap - 1e-9);
    }
    for i in 0..30 {
        assert!((dot(solution.factor.row(i), solution.factor.row(i)) - 1.0).abs() < 1e-14);
    }
}

/// The closed form of three variables that contradict each other: all correlations −1 is nearest −½ at rank 2.
#[test]
fn three_variables_that_all_disagree() {
    let a = Mat::from_fn(3, 3, |i, j| if i == j { 1.0 } else { -1.0 });
    let (_, solution) = solve(&a, 2);
    let x = &solution.factor;
    assert!((dot(x.row(0), x.row(1)) + 0.5).abs() < 1e-6);
    assert!((dot(x.row(1), x.row(2)) + 0.5).abs() < 1e-6);
}

#[test]
fn the_gradient_is_the_derivative() {
    let question = Correlation::new(&random(6, 3), 2).unwrap();
    let x = question.start(1).unwrap();
    let run = SphereLbfgs::new(&question, SphereState::at(x.clone()));
    let mut v = random(6, 8);
    v = Mat::from_fn(6, 2, |i, j| v[(i, j)]);
    project(&x, &mut v);
    let at = |t: f64| {
        let mut moved = x.clone();
        moved.axpy(t, &v);
        normalise(&mut moved);
        question.objective(&moved)
    };
    let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
    assert!((slope - run.gradient.dot(&v)).abs() < 1e-7 * (1.0 + slope.abs()));
    assert!((run.value - question.objective(&x)).abs() < 1e-12);
}
