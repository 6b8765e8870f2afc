//! Block solvers: none ascends, all agree, and many HAM passes make an AM step.

use gramfold::{
    Problem, Split,
    block::{BlockSolver, ClosedForm, ConjugateGradient, Coordinate, ProximalGradient, RowNewton},
    linalg::{Mat, Order},
    loss::Side,
    registry,
};

use crate::{
    common::{Random, assert_near, component, dense, regulariser, regularisers, sum},
    losses::every_loss,
};

fn solvers(n: usize, r: usize) -> Vec<Box<dyn BlockSolver>> {
    vec![
        Box::new(ClosedForm::new(n, r)),
        Box::new(ConjugateGradient::new(n, r, 1e-13)),
        Box::new(Coordinate::to_tolerance(r, 1e-13)),
        Box::new(ProximalGradient::new(n, r, 1e-13)),
        Box::new(RowNewton::to_tolerance(1e-13)),
    ]
}

/// The block's value before and after, and the factor that the solver leaves.
fn run(
    split: &mut Split<'_>,
    side: Side,
    centre: Option<&Mat>,
    solver: &mut dyn BlockSolver,
) -> (f64, f64, Mat) {
    let mut values = (0.0, 0.0);
    split.update(side, centre, |block, x| {
        values.0 = block.value(x);
        solver.minimise(block, x);
        values.1 = block.value(x);
    });
    let factor = if side == Side::X { split.x() } else { split.y() };
    (values.0, values.1, factor.clone())
}

#[test]
fn every_solver_descends_and_all_agree() {
    // Sizes side by side: the largest takes most of the time.
    let of = |(seed, (n, r))| std::thread::spawn(move || agreements(n, r, seed));
    let threads = [(11, (1, 1)), (12, (6, 2)), (13, (9, 4))].map(of);
    let compared: usize = threads.map(|thread| thread.join().expect("they agree")).iter().sum();
    assert!(compared > 100, "solvers were compared {compared} times only");
}

/// Solvers that were found to agree.
fn agreements(n: usize, r: usize, seed: u64) -> usize {
    let mut random = Random(seed);
    let mut compared = 0;
    let a = random.symmetric(n);
    for (loss, h) in
        every_loss(&a).iter().flat_map(|l| regularisers().into_iter().map(move |h| (l, h)))
    {
        let problem = Problem::new(&**loss, &*h, r).unwrap();
        let (x, y) = (random.feasible(&*h, n, r), random.feasible(&*h, n, r));
        let away = random.mat(n, r);
        for (side, centre) in [Side::X, Side::Y]
            .into_iter()
            .flat_map(|side| [None, Some(&away)].map(|centre| (side, centre)))
        {
            let mut answers = Vec::new();
            for mut solver in solvers(n, r) {
                if solver.check(&problem).is_err() {
                    continue;
                }
                let mut split = Split::new(&problem, x.clone(), y.clone(), 0.8).unwrap();
                let (before, after, factor) = run(&mut split, side, centre, &mut *solver);
                let what = format!("{} {} {}", solver.name(), loss.name(), h.name());
                assert!(after <= before + 1e-12 * (1.0 + before.abs()), "{what}");
                // A minimiser: no feasible neighbour is lower.
                for scale in [1e-3, 0.1, 1.0] {
                    let mut near = sum(1.0, &factor, scale, &random.mat(n, r));
                    h.prox(near.as_mut_slice(), r, f64::MIN_POSITIVE);
                    split.update(side, centre, |block, _| {
                        assert!(block.value(&near) >= after - 1e-10 * (1.0 + after.abs()));
                    });
                }
                answers.push((factor, what));
            }
            for (factor, what) in &answers[1..] {
                // First-order steps end early where the curvature is a hundred times larger.
                let tolerance = if what.contains("poisson") { 1e-5 } else { 1e-7 };
                assert_near(factor, &answers[0].0, tolerance, what);
                compared += 1;
            }
        }
    }
    compared
}

#[test]
fn one_gauss_seidel_pass_never_ascends() {
    let mut random = Random(12);
    for h in regularisers().into_iter().filter(|h| h.shape().is_separable()) {
        for _ in 0..20 {
            let (n, r) = (random.whole(2, 8), 2);
            let loss = (registry::LOSSES[0].build)(dense(&random.symmetric(n)));
            let problem = Problem::new(&*loss, &*h, r).unwrap();
            let (x, y) = (random.feasible(&*h, n, r), random.feasible(&*h, n, r));
            let mut split = Split::new(&problem, x, y, 0.3).unwrap();
            let mut solver = Coordinate::passes(r, 1, Order::GaussSeidel);
            let (before, after, _) = run(&mut split, Side::X, None, &mut solver);
            assert!(after <= before + 1e-12 * (1.0 + before.abs()), "{}", h.name());
        }
    }
}

#[test]
fn an_am_step_is_ham_with_many_passes() {
    let mut random = Random(13);
    for text in ["nonnegative", "ridge", "ridge:lambda=0.3", "zero"] {
        let h = regulariser(text);
        for _ in 0..10 {
            let (n, r) = (random.whole(3, 10), 3);
            let loss = (registry::LOSSES[0].build)(dense(&random.symmetric(n)));
            let problem = Problem::new(&*loss, &*h, r).unwrap();
            let (x, y) = (random.feasible(&*h, n, r), random.feasible(&*h, n, r));
            let step = |name: &str| {
                let mut algorithm = registry::algorithm(&component(name)).unwrap();
                algorithm.check(&problem).unwrap();
                let mut split = Split::new(&problem, x.clone(), y.clone(), 0.5).unwrap();
                algorithm.advance(&mut split);
                (split.x().clone(), split.y().clone())
            };
            let (am, ham) = (step("am:tolerance=1e-14"), step("ham:passes=5000"));
            assert_near(&ham.0, &am.0, 1e-8, text);
            assert_near(&ham.1, &am.1, 1e-8, text);
            // Teeth: one pass is not an AM step.
            assert!(step("ham").0.distance(&am.0) > 1e-6, "{text}");
        }
    }
}
