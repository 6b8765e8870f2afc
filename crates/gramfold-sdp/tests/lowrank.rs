//! The low-rank engine on programs whose optimum is known: Lovász numbers, and programs built around a
//! complementary pair.

use gramfold_linalg::{Mat, symmetric_eigen};
use gramfold_sdp::{
    Cone, Method, Options, Outcome, Point, Primal, RankOne, Sdp, Status, Term, lowrank::solve,
};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// min −⟨J, Z⟩, tr Z = 1, Z_ij = 0 on the edges; J as a vector or entry by entry.
fn theta(n: usize, edges: &[(usize, usize)], spelled_out: bool) -> Sdp {
    let mut terms: Vec<Term> =
        (0..n).map(|i| Term { matrix: 1, block: 0, row: i, col: i, value: 1.0 }).collect();
    for (k, &(row, col)) in edges.iter().enumerate() {
        terms.push(Term { matrix: k + 2, block: 0, row, col, value: 1.0 });
    }
    let mut ones = vec![RankOne { matrix: 0, block: 0, weight: -1.0, vector: vec![1.0; n] }];
    if spelled_out {
        ones.clear();
        for row in 0..n {
            terms.extend((row..n).map(|col| Term { matrix: 0, block: 0, row, col, value: -1.0 }));
        }
    }
    let mut rhs = vec![0.0; edges.len() + 1];
    rhs[0] = 1.0;
    Sdp::new(vec![Cone::Semidefinite(n)], rhs, terms, ones).unwrap()
}

fn run(sdp: &Sdp, options: &Options) -> Outcome {
    solve(sdp, options, &mut ()).unwrap()
}

/// Z in one block, all its entries.
fn dense(primal: &Primal) -> Mat {
    match primal {
        Primal::Factor(r) => Mat::from_fn(r.rows(), r.rows(), |i, j| {
            r.row(i).iter().zip(r.row(j)).map(|(a, b)| a * b).sum()
        }),
        Primal::Dense(z) => z.clone(),
        Primal::Diagonal(d) => {
            Mat::from_fn(d.len(), d.len(), |i, j| if i == j { d[i] } else { 0.0 })
        }
    }
}

/// A matrix of the program in one block, all its entries.
fn whole(sdp: &Sdp, matrix: usize, block: usize) -> Mat {
    let n = sdp.cones()[block].size();
    let mut m = Mat::zeros(n, n);
    for e in sdp.entries(matrix, block) {
        m[(e.row as usize, e.col as usize)] = e.value;
        m[(e.col as usize, e.row as usize)] = e.value;
    }
    for one in sdp.rank_ones().iter().filter(|one| (one.matrix, one.block) == (matrix, block)) {
        for i in 0..n {
            for j in 0..n {
                m[(i, j)] += one.weight * one.vector[i] * one.vector[j];
            }
        }
    }
    m
}

/// ⟨C, Z⟩, the worst |⟨A_i, Z⟩ − b_i| and the least eigenvalue of S over the blocks, written as they read.
fn judge(sdp: &Sdp, point: &Point) -> (f64, f64, f64) {
    let z: Vec<Mat> = point.primal.iter().map(dense).collect();
    let inner = |matrix| -> f64 { (0..z.len()).map(|b| whole(sdp, matrix, b).dot(&z[b])).sum() };
    let worst =
        (1..=sdp.constraints()).map(|k| (inner(k) - sdp.rhs()[k - 1]).abs()).fold(0.0, f64::max);
    let mut least = f64::INFINITY;
    for (block, cone) in sdp.cones().iter().enumerate() {
        let mut slack = whole(sdp, 0, block);
        for (k, y) in point.dual.iter().enumerate() {
            slack.axpy(-y, &whole(sdp, k + 1, block));
        }
        let value = match cone {
            Cone::Semidefinite(_) => symmetric_eigen(&slack).unwrap().values[0],
            Cone::Nonnegative(n) => (0..*n).map(|i| slack[(i, i)]).fold(f64::INFINITY, f64::min),
        };
        least = least.min(value);
    }
    (inner(0), worst, least)
}

/// Solves to 1e-7 and checks the point, the objective and the bound against a known θ.
#[track_caller]
fn assert_theta(n: usize, edges: &[(usize, usize)], expected: f64) {
    for spelled_out in [false, true] {
        let sdp = theta(n, edges, spelled_out);
        let outcome = run(&sdp, &Options { tolerance: 1e-7, ..Options::default() });
        assert_eq!(outcome.status, Status::Solved, "n = {n}: {outcome:?}");
        let (value, worst, least) = judge(&sdp, &outcome.point);
        let size = 1.0 + expected;
        assert!((value + expected).abs() < 3e-7 * size, "θ = {} for {expected}", -value);
        assert!(worst < 1e-6 && least > -2e-7 * size, "{worst:e} {least:e}");
        assert!(outcome.bound <= -expected + 1e-9 * size, "{}", outcome.bound);
        assert!((outcome.bound + expected).abs() < 3e-7 * size);
        assert!((outcome.objective - value).abs() < 1e-9 * size);
    }
}

fn cycle(n: usize) -> Vec<(usize, usize)> {
    (0..n).map(|i| (i, (i + 1) % n)).collect()
}

/// Vertices: k-subsets of m things; edges: disjoint ones. θ = C(m−1, k−1) (Lovász 1979).
fn kneser(m: u32, k: u32) -> (usize, Vec<(usize, usize)>) {
    let sets: Vec<u32> = (0_u32..1 << m).filter(|s| s.count_ones() == k).collect();
    let mut edges = Vec::new();
    for i in 0..sets.len() {
        edges.extend((i + 1..sets.len()).filter(|&j| sets[i] & sets[j] == 0).map(|j| (i, j)));
    }
    (sets.len(), edges)
}

#[test]
fn theta_of_odd_cycles() {
    for n in [3, 5, 7, 13, 21] {
        let cos = (std::f64::consts::PI / n as f64).cos();
        assert_theta(n, &cycle(n), n as f64 * cos / (1.0 + cos));
    }
}

#[test]
fn theta_of_complete_empty_and_perfect_graphs() {
    let complete: Vec<_> = (0..9).flat_map(|i| (i + 1..9).map(move |j| (i, j))).collect();
    assert_theta(9, &complete, 1.0);
    assert_theta(6, &[], 6.0);
    // Even cycles, a path and a complete bipartite graph are perfect: θ is the independence number.
    assert_theta(10, &cycle(10), 5.0);
    let path: Vec<_> = (0..10).map(|i| (i, i + 1)).collect();
    assert_theta(11, &path, 6.0);
    let bipartite: Vec<_> = (0..3).flat_map(|i| (3..10).map(move |j| (i, j))).collect();
    assert_theta(10, &bipartite, 7.0);
}

#[test]
fn theta_of_kneser_graphs() {
    let (n, edges) = kneser(5, 2);
    assert_eq!((n, edges.len()), (10, 15), "the Petersen graph");
    assert_theta(n, &edges, 4.0);
    let (n, edges) = kneser(7, 2);
    assert_theta(n, &edges, 6.0);
    let (n, edges) = kneser(7, 3);
    assert_theta(n, &edges, 15.0);
}

/// A program with optimum ⟨C, Z*⟩ = bᵀy*: Z* and S* share eigenvectors and have complementary ranks.
fn complementary(seed: u64, cones: &[Cone], m: usize, trace: bool) -> (Sdp, f64) {
    let mut random = Random(seed);
    let mut terms = Vec::new();
    let mut rhs = vec![0.0; m];
    let y: Vec<f64> = (0..m).map(|_| random.normal()).collect();
    let mut optimum = 0.0;
    for (block, cone) in cones.iter().enumerate() {
        let n = cone.size();
        let diagonal = matches!(cone, Cone::Nonnegative(_));
        let basis = if diagonal {
            Mat::identity(n)
        } else {
            let m = Mat::from_fn(n, n, |_, _| random.normal());
            let sum = Mat::from_fn(n, n, |i, j| m[(i, j)] + m[(j, i)]);
            symmetric_eigen(&sum).unwrap().vectors
        };
        let rank = 1 + (random.uniform() * (n as f64 / 2.0)) as usize;
        let spectrum: Vec<f64> = (0..n).map(|_| 0.5 + random.uniform()).collect();
        let combine = |from: usize, to: usize| {
            Mat::from_fn(n, n, |i, j| {
                (from..to).map(|k| spectrum[k] * basis[(k, i)] * basis[(k, j)]).sum()
            })
        };
        let (z, mut cost) = (combine(0, rank), combine(rank, n));
        let places: Vec<(usize, usize)> = (0..n)
            .flat_map(|row| (row..n).map(move |col| (row, col)))
            .filter(|(row, col)| !diagonal || row == col)
            .collect();
        let twice = |row: usize, col: usize| if row == col { 1.0 } else { 2.0 };
        for k in 0..m {
            for &(row, col) in &places {
                let value = match (k == 0 && trace, random.uniform() < 0.6) {
                    (true, _) => f64::from(row == col),
                    (false, true) => random.normal(),
                    (false, false) => 0.0,
                };
                terms.push(Term { matrix: k + 1, block, row, col, value });
                rhs[k] += twice(row, col) * value * z[(row, col)];
                cost[(row, col)] += y[k] * value;
            }
        }
        for &(row, col) in &places {
            terms.push(Term { matrix: 0, block, row, col, value: cost[(row, col)] });
            optimum += twice(row, col) * cost[(row, col)] * z[(row, col)];
        }
    }
    (Sdp::new(cones.to_vec(), rhs, terms, Vec::new()).unwrap(), optimum)
}

#[test]
fn random_programs_end_at_the_optimum_they_were_built_around() {
    use Cone::{Nonnegative, Semidefinite};
    let shapes: [&[Cone]; 4] = [
        &[Semidefinite(7)],
        &[Semidefinite(5), Semidefinite(4)],
        &[Semidefinite(6), Nonnegative(4)],
        &[Semidefinite(3), Nonnegative(3), Semidefinite(5), Nonnegative(2)],
    ];
    for seed in 0..24 {
        let cones = shapes[seed as usize % shapes.len()];
        let trace = seed % 3 != 2;
        let (sdp, optimum) = complementary(seed, cones, 6, trace);
        let outcome = run(&sdp, &Options { seed, ..Options::default() });
        assert_eq!(outcome.status, Status::Solved, "seed {seed}: {outcome:?}");
        let (value, worst, least) = judge(&sdp, &outcome.point);
        let size = 1.0 + optimum.abs();
        assert!((value - optimum).abs() < 1e-5 * size, "seed {seed}: {value} for {optimum}");
        assert!(worst < 1e-5 && least > -1e-5, "seed {seed}: {worst:e} {least:e}");
        assert!(outcome.bound <= optimum + 1e-8 * size, "seed {seed}");
        if trace {
            assert!(outcome.bound >= optimum - 3e-6 * size, "seed {seed}");
        }
    }
}

/// An optimum with fewer columns, down to r(r + 1)/2 ≤ m: R(I + tΔ)Rᵀ, where Δ ≠ 0 changes no ⟨A_i, Z⟩ and I + tΔ is singular (Pataki).
fn reduced(sdp: &Sdp, mut factor: Mat) -> Mat {
    let m = sdp.constraints();
    while factor.cols() * (factor.cols() + 1) / 2 > m {
        let (n, r) = (factor.rows(), factor.cols());
        let places: Vec<(usize, usize)> =
            (0..r).flat_map(|a| (a..r).map(move |b| (a, b))).collect();
        // What each entry of Δ does to each constraint.
        let mut effects = Mat::zeros(m, places.len());
        for k in 0..m {
            let matrix = whole(sdp, k + 1, 0);
            let term = |i, j, a, b| factor[(i, a)] * matrix[(i, j)] * factor[(j, b)];
            for (at, &(a, b)) in places.iter().enumerate() {
                let along: f64 = (0..n * n).map(|e| term(e / n, e % n, a, b)).sum();
                effects[(k, at)] = if a == b { along } else { 2.0 * along };
            }
        }
        let normal = Mat::from_fn(places.len(), places.len(), |a, b| {
            (0..m).map(|k| effects[(k, a)] * effects[(k, b)]).sum()
        });
        let null = symmetric_eigen(&normal).unwrap();
        let delta = Mat::from_fn(r, r, |a, b| {
            let at = places.iter().position(|&place| place == (a.min(b), a.max(b))).unwrap();
            null.vectors[(0, at)]
        });
        let eigen = symmetric_eigen(&delta).unwrap();
        let is_low = -eigen.values[0] > eigen.values[r - 1];
        let t = -1.0 / if is_low { eigen.values[0] } else { eigen.values[r - 1] };
        factor = Mat::from_fn(n, r - 1, |i, j| {
            let k = j + usize::from(is_low);
            let turned = (0..r).map(|a| factor[(i, a)] * eigen.vectors[(k, a)]);
            (1.0 + t * eigen.values[k]).max(0.0).sqrt() * turned.sum::<f64>()
        });
    }
    factor
}

#[test]
fn some_optimum_has_a_rank_that_the_constraints_bound() {
    let mut lowered = 0;
    for seed in 0..16 {
        let m = [1, 2, 3, 5, 6, 10][seed as usize % 6];
        let (sdp, optimum) = complementary(100 + seed, &[Cone::Semidefinite(12)], m, true);
        let size = 1.0 + optimum.abs();
        // By itself the engine starts with at most one column more than the bound allows, and needs no other.
        let mut most = 0;
        let mut watch = |progress: &gramfold_sdp::Progress| {
            most = most.max(progress.rank.unwrap());
            std::ops::ControlFlow::Continue(())
        };
        let outcome = solve(&sdp, &Options { seed, ..Options::default() }, &mut watch).unwrap();
        assert_eq!(outcome.status, Status::Solved, "seed {seed}");
        assert!((outcome.objective - optimum).abs() < 1e-5 * size, "seed {seed}");
        assert!(most * (most - 1) / 2 <= m, "seed {seed}: {most} columns for {m} constraints");
        // An optimum of a higher rank has one of a rank that is low enough beside it.
        let wide = run(&sdp, &Options { seed, rank: Some(12), ..Options::default() });
        let Primal::Factor(factor) = &wide.point.primal[0] else { panic!("a factor") };
        let low = reduced(&sdp, factor.clone());
        let r = low.cols();
        assert!(r * (r + 1) / 2 <= m);
        lowered += usize::from(r < factor.cols());
        let point = Point { primal: vec![Primal::Factor(low)], ..wide.point };
        let (value, worst, _) = judge(&sdp, &point);
        let error = (value - optimum).abs() / size;
        assert!(error < 1e-4 && worst < 1e-4, "seed {seed}: {error:e} {worst:e}");
    }
    assert!(lowered > 5, "{lowered}");
}

#[test]
fn rank_one_is_left_by_escape() {
    // θ(C7) needs more than one column: from rank 1 only the certificate's directions can find them.
    let sdp = theta(7, &cycle(7), false);
    let outcome = run(&sdp, &Options { rank: Some(1), ..Options::default() });
    assert_eq!(outcome.status, Status::Solved);
    let cos = (std::f64::consts::PI / 7.0).cos();
    assert!((outcome.objective + 7.0 * cos / (1.0 + cos)).abs() < 1e-5);
    let Primal::Factor(r) = &outcome.point.primal[0] else { panic!("a factor") };
    assert!(r.cols() > 1);
}

#[test]
fn a_warm_start_from_the_answer_ends_at_once() {
    let (n, edges) = kneser(7, 2);
    let sdp = theta(n, &edges, false);
    let cold = run(&sdp, &Options::default());
    let warm = run(&sdp, &Options { warm: Some(cold.point.clone()), ..Options::default() });
    assert_eq!(warm.status, Status::Solved);
    assert!(4 * warm.iterations < cold.iterations, "{} {}", warm.iterations, cold.iterations);
    // Z itself will do as well as its factor.
    let z = Point { primal: vec![Primal::Dense(dense(&cold.point.primal[0]))], ..cold.point };
    let warm = run(&sdp, &Options { warm: Some(z), ..Options::default() });
    assert_eq!(warm.status, Status::Solved);
    assert!(4 * warm.iterations < cold.iterations);
}

#[test]
fn the_same_seed_gives_the_same_bits_on_any_number_of_threads() {
    let (n, edges) = kneser(7, 3);
    let sdp = theta(n, &edges, false);
    let answer = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&sdp, &Options { seed: 3, ..Options::default() }).point.dual)
    };
    assert_eq!(answer(1), answer(3));
}

#[test]
fn the_watcher_can_stop_a_run_and_time_can() {
    use std::ops::ControlFlow;
    let sdp = theta(21, &cycle(21), false);
    let mut seen = 0;
    let mut watch = |progress: &gramfold_sdp::Progress| {
        seen += 1;
        assert!(progress.rank.is_some());
        if seen == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let outcome = solve(&sdp, &Options::default(), &mut watch).unwrap();
    assert_eq!((outcome.status, seen), (Status::Interrupted, 2));
    let options = Options {
        tolerance: 1e-14,
        time_limit: Some(std::time::Duration::ZERO),
        ..Options::default()
    };
    assert_ne!(run(&sdp, &options).status, Status::Solved);
}

/// Multipliers whose slack is short of the cone prove their bound all the same, but what is returned is feasible.
#[test]
fn the_multipliers_of_an_answer_are_feasible() {
    for (n, edges) in [kneser(6, 2), kneser(8, 2), kneser(7, 3), (21, cycle(21)), (40, cycle(40))] {
        let sdp = theta(n, &edges, false);
        let options =
            gramfold_sdp::Options { method: gramfold_sdp::Method::LowRank, ..Default::default() };
        let solution = gramfold_sdp::solve(&sdp, &options, &mut ()).unwrap();
        let certificate = &solution.certificate;
        assert_eq!(solution.status, gramfold_sdp::Status::Solved);
        assert!(certificate.dimacs[3] <= options.tolerance, "{:?}", certificate.dimacs);
        let (bound, objective) =
            (certificate.dual_bound.unwrap().value, certificate.dual_objective);
        assert!((bound - objective).abs() <= 1e-5 * (1.0 + bound.abs()), "{bound} {objective}");
    }
}

#[test]
fn the_split_starts_a_run_with_an_exact_gamma() {
    let (n, edges) = kneser(7, 2);
    let (blocks, optimum) =
        complementary(5, &[Cone::Semidefinite(6), Cone::Nonnegative(4)], 6, true);
    for (sdp, optimum) in [(theta(n, &edges, false), -6.0), (blocks, optimum)] {
        let outcome = run(&sdp, &Options { method: Method::Split, ..Options::default() });
        assert_eq!(outcome.status, Status::Solved);
        assert!((outcome.objective - optimum).abs() < 1e-5 * (1.0 + optimum.abs()));
        let (gamma, threshold) = (outcome.gamma.unwrap(), outcome.threshold.unwrap());
        assert!(gamma > threshold && gamma > 0.0, "{gamma} {threshold}");
    }
    let folded = run(&theta(n, &edges, false), &Options::default());
    assert_eq!((folded.gamma, folded.threshold), (None, None));
}
