use gramfold_linalg::{Csr, Mat, Single};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::{
    Certificate, Method, Spec,
    algorithm::Extrapolated,
    loss::Quadratic,
    regulariser::{Nonnegative, Zero},
    start::Start,
};

/// A graph with `k` planted clusters, about `inside` edges a node within and `across` between them.
fn planted(n: usize, k: usize, inside: usize, across: usize, seed: u64) -> Csr {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut entries = std::collections::BTreeMap::new();
    for i in 0..n {
        for _ in 0..inside {
            let j = random.random_range(0..n / k) * k + i % k;
            entries.insert((i.max(j) as u32, i.min(j) as u32), 1.0);
        }
        for _ in 0..across {
            let j = random.random_range(0..n);
            entries.insert((i.max(j) as u32, i.min(j) as u32), 1.0);
        }
    }
    let entries: Vec<_> = entries.into_iter().map(|((i, j), v)| (i, j, v / 20.0)).collect();
    Csr::from_triangle(n, &entries).unwrap()
}

fn labels(factor: &Mat) -> Vec<usize> {
    (0..factor.rows())
        .map(|i| {
            let row = factor.row(i);
            (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap()
        })
        .collect()
}

fn single(a: &Csr, rank: usize, stop: &Stop, seed: u64) -> (Solution, Vec<Record>) {
    let loss = Quadratic::new(a.clone().into_single());
    let problem = Problem::new(&loss, &Nonnegative, rank).unwrap();
    let x = start(&problem, Start::Spectral, seed).unwrap();
    let mut trace = Vec::new();
    let solution = solve(&problem, Spectral::default(), stop, x, &mut trace).unwrap();
    (solution, trace)
}

#[test]
fn it_finds_what_double_precision_finds() {
    for (seed, n, k) in [(1, 300, 3), (2, 800, 4), (3, 1500, 6)] {
        let a = planted(n, k, 12, 1, seed);
        let stop = Stop::default();
        let (narrow, trace) = single(&a, k, &stop, seed);
        assert!(matches!(narrow.status, Status::Converged | Status::Stalled), "{narrow:?}");

        let loss = Quadratic::new(a);
        let problem = Problem::new(&loss, &Nonnegative, k).unwrap();
        let x = crate::start::spectral(&problem, seed).unwrap();
        let method = Method {
            algorithm: Box::new(Extrapolated::new(1)),
            rule: Box::new(Spectral::default()),
            stop,
        };
        let wide = crate::solve(&problem, method, &x, &mut ()).unwrap();
        let (f, g) = (narrow.last.loss, wide.last.loss);
        assert!((f - g).abs() < 1e-4 * g, "{f} {g}");
        // The same partition: a label of one goes with one label of the other.
        let mut pairs: Vec<_> =
            labels(&narrow.factor).into_iter().zip(labels(&wide.factor)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(pairs.len(), k, "{pairs:?}");

        // The record speaks of the factors returned.
        let narrow_loss = Quadratic::new(planted(n, k, 12, 1, seed).into_single());
        let problem = Problem::new(&narrow_loss, &Nonnegative, k).unwrap();
        let mut split =
            crate::Split::new(&problem, narrow.x.clone(), narrow.y.clone(), narrow.gamma).unwrap();
        let last = trace.last().unwrap();
        assert_eq!(last, &narrow.last);
        assert!((last.loss - split.loss()).abs() < 1e-6 * split.loss());
        assert!((last.asymmetry - split.asymmetry()).abs() <= 1e-6 * last.asymmetry);
        if let Some(stationarity) = last.stationarity {
            let expected = split.stationarity();
            assert!((stationarity - expected).abs() < 1e-6 * expected, "{stationarity} {expected}");
        }
        let certificate = narrow.certify(&problem, 1e-6).unwrap();
        assert_eq!(certificate.exact, narrow.status == Status::Converged, "{certificate}");
    }
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let a = planted(3000, 5, 8, 1, 7);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (solution, mut trace) = single(&a, 5, &Stop::default().max_iterations(25), 1);
            for record in &mut trace {
                record.seconds = 0.0;
            }
            (solution.x, solution.y, trace)
        })
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn a_tolerance_below_rounding_ends_stalled() {
    let a = planted(300, 3, 12, 1, 1);
    let (solution, _) = single(&a, 3, &Stop::default().tolerance(1e-10), 1);
    assert_eq!(solution.status, Status::Stalled);
    assert!(solution.last.iteration < 10_000);
    assert!(solution.last.asymmetry < 1e-5, "{:?}", solution.last);
}

#[test]
fn what_it_cannot_solve_is_refused() {
    let a = planted(30, 3, 4, 1, 1);
    let double = Quadratic::new(a.clone());
    let problem = Problem::new(&double, &Nonnegative, 2).unwrap();
    assert!(matches!(start(&problem, Start::Random, 0), Err(Error::Incompatible { .. })));
    let narrow = Quadratic::new(a.clone().into_single());
    let problem = Problem::new(&narrow, &Zero, 2).unwrap();
    assert!(matches!(start(&problem, Start::Random, 0), Err(Error::Incompatible { .. })));
    let problem = Problem::new(&narrow, &Nonnegative, 2).unwrap();
    let wrong = Single::zeros(30, 3);
    let stop = Stop::default();
    let refused = solve(&problem, Spectral::default(), &stop, wrong, &mut ());
    assert!(matches!(refused, Err(Error::Shape { .. })));
    let large = a.rebuilt(&[0.0; 30], |_, _, v| v * 1e20).into_single();
    let large = Quadratic::new(large);
    let problem = Problem::new(&large, &Nonnegative, 2).unwrap();
    assert!(matches!(start(&problem, Start::Random, 0), Err(Error::Scale { .. })));
}

/// The certificate that goes by tiles says what the one by whole factors says.
#[test]
fn certificates_agree_between_the_ways_to_hold_the_matrix() {
    let a = planted(400, 4, 10, 1, 5);
    let (solution, _) = single(&a, 4, &Stop::default(), 2);
    let narrow = Quadratic::new(a.clone().into_single());
    let rounded = a
        .rebuilt(&(0..400).map(|i| a.get(i, i)).collect::<Vec<_>>(), |_, _, v| f64::from(v as f32));
    let wide = Quadratic::new(rounded);
    let of = |loss: &Quadratic| {
        let problem = Problem::new(loss, &Nonnegative, 4).unwrap();
        Certificate::of(&problem, &solution.x, &solution.y, solution.gamma, 1e-6).unwrap()
    };
    let (a, b) = (of(&narrow), of(&wide));
    assert!((a.loss - b.loss).abs() < 1e-12 * b.loss && a.exact == b.exact, "{a} {b}");
    assert!((a.threshold - b.threshold).abs() < 1e-9 * b.threshold.abs());
    let spec = Spec::default();
    assert_eq!(spec.rule.name, Spectral::default().name());
}
