use super::*;

fn matrix(n: usize) -> Mat {
    Mat::from_fn(n, n, |i, j| ((i * j + 3 * (i + j)) as f64).sin())
}

fn low_rank(n: usize) -> Mat {
    Mat::from_fn(n, n, |i, j| ((i + j) as f64).sin())
}

fn apply(m: &Mat) -> impl FnMut(&Mat, &mut Mat) + '_ {
    |v, out| {
        for i in 0..m.rows() {
            out[(i, 0)] = dot(m.row(i), v.as_slice());
        }
    }
}

#[test]
fn the_largest_eigenpairs_agree_with_a_dense_solver() {
    let full = [(1, 1, 5), (6, 6, 6), (60, 4, 12), (150, 7, 20)];
    let cases = full.map(|(n, wanted, basis)| (matrix(n), wanted, basis));
    for (m, wanted, basis) in cases.into_iter().chain([(low_rank(60), 4, 12)]) {
        let n = m.rows();
        let dense = symmetric_eigen(&m).unwrap();
        let options =
            Options { which: Which::Largest, wanted, basis, steps: 5000, tolerance: 1e-11 };
        let ritz = Krylov::new(n, 1).run(&mut apply(&m), None, options).unwrap();
        for i in 0..wanted {
            let exact = dense.values[n - 1 - i];
            assert!((ritz.values[i] - exact).abs() < 1e-8, "{n} {i}: {} {exact}", ritz.values[i]);
        }
    }
}

#[test]
fn repeated_eigenvalues_and_the_identity_end() {
    let m = Mat::identity(40);
    let options =
        Options { which: Which::Largest, wanted: 3, basis: 10, steps: 500, tolerance: 1e-10 };
    let ritz = Krylov::new(40, 1).run(&mut apply(&m), None, options).unwrap();
    assert!(ritz.converged && ritz.values.iter().all(|v| (v - 1.0).abs() < 1e-12));
}

#[test]
fn ritz_values_stay_inside_and_the_probabilistic_bound_outside() {
    let n = 200;
    let m = matrix(n);
    let dense = symmetric_eigen(&m).unwrap();
    let (low, high) = (dense.values[0], dense.values[n - 1]);
    for seed in 0..20 {
        let steps = 40;
        let options =
            Options { which: Which::Ends, wanted: 1, basis: steps, steps, tolerance: 0.0 };
        let ritz = Krylov::new(n, seed).run(&mut apply(&m), None, options).unwrap();
        assert!(ritz.values[0] <= high + 1e-9 && ritz.values[1] >= low - 1e-9);
        let gap = failure_gap(n, ritz.steps, 1e-6);
        let width = (ritz.values[0] - ritz.values[1]) / (1.0 - 2.0 * gap);
        assert!(ritz.values[0] + gap * width >= high && ritz.values[1] - gap * width <= low);
    }
}

#[test]
fn a_run_that_is_stopped_is_one_of_fewer_steps() {
    let m = matrix(80);
    let options =
        Options { which: Which::Largest, wanted: 2, basis: 60, steps: 500, tolerance: 0.0 };
    let asked = std::cell::Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() == 27
    };
    let stopped = Krylov::new(80, 4).run_until(&stop, &mut apply(&m), None, options).unwrap();
    let short = Options { steps: 27, ..options };
    let short = Krylov::new(80, 4).run(&mut apply(&m), None, short).unwrap();
    assert_eq!((stopped.steps, &stopped.values), (27, &short.values));
    assert_eq!(stopped.vectors, short.vectors);
}

#[test]
fn a_matrix_with_nan_is_reported() {
    let m = Mat::from_fn(5, 5, |_, _| f64::NAN);
    let options =
        Options { which: Which::Largest, wanted: 1, basis: 5, steps: 10, tolerance: 1e-3 };
    assert!(Krylov::new(5, 0).run(&mut apply(&m), None, options).is_none());
}
