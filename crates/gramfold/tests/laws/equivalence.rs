//! The same problem told differently: dense or sparse, one thread or three, any unit of measurement.

use gramfold::{
    Certificate, Problem, Record, Spec, Stop,
    certificate::Proof,
    linalg::{Csr, Mat},
    loss::Quadratic,
    registry::LOSSES,
    solve, start,
};

use crate::common::{
    Random, assert_close, assert_near, component, dense, method, outer, regularisers, sparse, sum,
};

#[test]
fn dense_and_sparse_solve_alike() {
    let mut random = Random(19);
    let m = random.symmetric(15);
    let a = Mat::from_fn(15, 15, |i, j| if (i + j) % 3 == 0 { m[(i, j)] } else { 0.0 });
    let separable = || regularisers().into_iter().filter(|h| h.shape().is_separable());
    for (entry, h) in LOSSES.iter().flat_map(|e| separable().map(move |h| (e, h))) {
        let losses = [(entry.build)(dense(&a)), (entry.build)(sparse(&a))];
        let start = random.feasible(&*h, 15, 3);
        for rule in ["fixed:gamma=3", "spectral"] {
            let runs = losses.each_ref().map(|loss| {
                let problem = Problem::new(&**loss, &*h, 3).unwrap();
                let run = method("ham", rule, Stop::default().max_iterations(20));
                solve(&problem, run, &start, &mut ()).unwrap()
            });
            assert_near(&runs[0].x, &runs[1].x, 1e-10, entry.name);
            assert_near(&runs[0].y, &runs[1].y, 1e-10, entry.name);
            let (one, two) = (runs[0].last.split_objective, runs[1].last.split_objective);
            assert_close(one, two, 1e-10, entry.name);
            assert_close(runs[0].gamma, runs[1].gamma, 1e-10, rule);
        }
    }
}

#[test]
fn a_certificate_has_the_same_bits_on_any_number_of_threads_and_in_any_storage() {
    let (n, mut random) = (400, Random(22));
    let edges = Mat::from_fn(n, n, |i, j| f64::from((i * i + j * j) % 7 == 0 && i != j));
    let spec = Spec { rank: 3, regulariser: component("nonnegative"), ..Spec::default() };
    let noise = random.symmetric(40);
    for (a, moved) in [(&edges, 0.0), (&edges, 1e-9), (&noise, 0.0), (&noise, 1e-9)] {
        let certificates =
            [(1, dense(a)), (2, dense(a)), (3, dense(a)), (2, sparse(a))].map(|(threads, a)| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let loss = Quadratic::new(a);
                    let h = spec.regulariser().unwrap();
                    let problem = Problem::new(&loss, &*h, spec.rank).unwrap();
                    let factor = |shift: f64| {
                        Mat::from_fn(problem.dim(), 3, |i, j| {
                            ((i + 3 * j) as f64).sin().max(0.0) + shift
                        })
                    };
                    Certificate::of(&problem, &factor(0.0), &factor(moved), 1.0, 1e-6).unwrap()
                })
            });
        let [one, two, three, stored] = certificates;
        assert!(one.lower_bound.is_some());
        assert_eq!((&one, &one), (&two, &three));
        if one.spectrum.proof == Proof::Estimate {
            // Nothing rests on it where X = Y, and sums go in the order that a matrix is stored in.
            assert!(moved == 0.0 && a.rows() == n);
            assert_close(one.spectrum.low, stored.spectrum.low, 1e-12, "low");
            assert_close(one.spectrum.high, stored.spectrum.high, 1e-12, "high");
        } else {
            assert_eq!(one.spectrum, stored.spectrum);
        }
    }
}

/// X, Y and the trace of a run, in a pool of its own.
fn run_in_pool(threads: usize, loss: &Quadratic, spec: &Spec) -> (Mat, Mat, Vec<Record>) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let h = spec.regulariser().unwrap();
        let problem = Problem::new(loss, &*h, spec.rank).unwrap();
        let mut trace: Vec<Record> = Vec::new();
        let start = start::random(&problem, spec.seed);
        let solution = solve(&problem, spec.method().unwrap(), &start, &mut trace).unwrap();
        for record in &mut trace {
            record.seconds = 0.0;
        }
        (solution.x, solution.y, trace)
    })
}

#[test]
fn the_same_seed_gives_the_same_bits_on_any_number_of_threads() {
    // 4000 rows of 5 columns are several chunks of every kernel.
    let (n, mut random) = (4000, Random(20));
    let entries: Vec<_> = (0..6 * n)
        .map(|_| {
            let (i, j) = (random.whole(0, n - 1), random.whole(0, n - 1));
            (i.max(j) as u32, i.min(j) as u32, random.uniform())
        })
        .collect();
    let loss = Quadratic::new(Csr::from_triangle(n, &entries).unwrap());
    for (h, algorithm) in
        [("nonnegative", "ham"), ("zero", "am"), ("ridge", "direct"), ("nonnegative", "admm")]
    {
        let spec = Spec {
            rank: 5,
            regulariser: component(h),
            algorithm: component(algorithm),
            stop: Stop::default().max_iterations(8),
            seed: 7,
            ..Spec::default()
        };
        let (one, three) = (run_in_pool(1, &loss, &spec), run_in_pool(3, &loss, &spec));
        assert!(one.2.len() > 5 && one.0.is_finite());
        assert_eq!(one.0, three.0, "X of {algorithm}");
        assert_eq!(one.1, three.1, "Y of {algorithm}");
        assert_eq!(one.2, three.2, "trace of {algorithm}");
        // Teeth: another seed does not.
        let other = run_in_pool(1, &loss, &Spec { seed: 8, ..spec });
        assert_ne!(one.0, other.0);
    }
}

#[test]
fn the_unit_of_measurement_does_not_matter() {
    let mut random = Random(21);
    for h in ["zero", "nonnegative"] {
        for _ in 0..10 {
            let b = random.positive(12, 3);
            let a = sum(1.0, &outer(&b, &b), 0.1, &random.symmetric(12));
            let runs = [1.0, 1000.0].map(|unit| {
                let loss = Quadratic::new(dense(&sum(unit, &a, 0.0, &a)));
                let spec = Spec { rank: 3, regulariser: component(h), ..Spec::default() };
                let h = spec.regulariser().unwrap();
                let problem = Problem::new(&loss, &*h, 3).unwrap();
                let start = start::random(&problem, 5);
                solve(&problem, spec.method().unwrap(), &start, &mut ()).unwrap()
            });
            let [one, thousand] = runs;
            assert_eq!(one.status, thousand.status, "{h}");
            assert!(one.last.iteration.abs_diff(thousand.last.iteration) <= 1, "{h}");
            assert_close(1e-6 * thousand.last.loss, one.last.loss, 1e-6, h);
            assert_close(1e-3 * thousand.gamma, one.gamma, 1e-3, "γ scales with the data");
        }
    }
}
