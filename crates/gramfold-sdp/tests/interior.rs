//! The interior-point engine against programs whose optimum, or whose lack of one, is known by construction.

use std::{ops::ControlFlow, time::Duration};

use gramfold_linalg::{Mat, is_positive_definite, symmetric_eigen};
use gramfold_sdp::{
    Cone, Point, Primal, Progress, RankOne, Sdp, Term,
    interior::{Options, Outcome, Status, solve},
};

/// Random numbers, the same everywhere.
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Uniform in [−1, 1].
    fn number(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.bits() >> 20) as usize % n
    }
}

/// A symmetric matrix with given eigenvalues; diagonal cones have no choice of eigenvectors.
fn with_eigenvalues(basis: &Mat, values: &[f64]) -> Mat {
    let n = basis.rows();
    Mat::from_fn(n, n, |i, j| (0..n).map(|k| values[k] * basis[(k, i)] * basis[(k, j)]).sum())
}

fn random_basis(cone: Cone, dice: &mut Dice) -> Mat {
    let n = cone.size();
    match cone {
        Cone::Semidefinite(_) => {
            let a = Mat::from_fn(n, n, |_, _| dice.number());
            let symmetric = Mat::from_fn(n, n, |i, j| a[(i, j)] + a[(j, i)]);
            symmetric_eigen(&symmetric).unwrap().vectors
        }
        Cone::Nonnegative(_) => Mat::identity(n),
    }
}

/// Random sparse coefficients of one matrix, written out block by block.
fn random_matrix(cones: &[Cone], density: f64, dice: &mut Dice) -> Vec<Mat> {
    let mut blocks: Vec<Mat> = cones.iter().map(|c| Mat::zeros(c.size(), c.size())).collect();
    for (block, cone) in blocks.iter_mut().zip(cones) {
        let n = cone.size();
        for i in 0..n {
            for j in i..n {
                let allowed = i == j || matches!(cone, Cone::Semidefinite(_));
                if allowed && dice.number().abs() < density {
                    let value = dice.number();
                    block[(i, j)] = value;
                    block[(j, i)] = value;
                }
            }
        }
    }
    // Never empty.
    let block = dice.below(cones.len());
    let i = dice.below(cones[block].size());
    blocks[block][(i, i)] += 1.0 + dice.number().abs();
    blocks
}

fn inner(a: &[Mat], b: &[Mat]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(b)).sum()
}

fn combine(target: &mut [Mat], weight: f64, of: &[Mat]) {
    target.iter_mut().zip(of).for_each(|(t, o)| t.axpy(weight, o));
}

fn stretch(target: &mut [Mat], factor: f64) {
    for block in target {
        block.scale(factor);
    }
}

fn program(cones: &[Cone], cost: &[Mat], matrices: &[Vec<Mat>], rhs: Vec<f64>) -> Sdp {
    let mut terms = Vec::new();
    let all = std::iter::once(cost).chain(matrices.iter().map(Vec::as_slice));
    for (matrix, blocks) in all.enumerate() {
        for (block, values) in blocks.iter().enumerate() {
            for row in 0..values.rows() {
                for col in row..values.rows() {
                    let value = values[(row, col)];
                    if value != 0.0 {
                        terms.push(Term { matrix, block, row, col, value });
                    }
                }
            }
        }
    }
    Sdp::new(cones.to_vec(), rhs, terms, Vec::new()).unwrap()
}

/// A_i (or C, matrix 0) written out, from the program alone.
fn written_out(sdp: &Sdp, matrix: usize) -> Vec<Mat> {
    let mut blocks: Vec<Mat> =
        sdp.cones().iter().map(|cone| Mat::zeros(cone.size(), cone.size())).collect();
    for (block, values) in blocks.iter_mut().enumerate() {
        for entry in sdp.entries(matrix, block) {
            let (i, j) = (entry.row as usize, entry.col as usize);
            values[(i, j)] += entry.value;
            if i != j {
                values[(j, i)] += entry.value;
            }
        }
    }
    for part in sdp.rank_ones().iter().filter(|part| part.matrix == matrix) {
        let n = part.vector.len();
        let outer = Mat::from_fn(n, n, |i, j| part.weight * part.vector[i] * part.vector[j]);
        blocks[part.block].axpy(1.0, &outer);
    }
    blocks
}

fn dense(primal: &[Primal]) -> Vec<Mat> {
    primal
        .iter()
        .map(|block| match block {
            Primal::Dense(mat) => mat.clone(),
            Primal::Diagonal(d) => {
                Mat::from_fn(d.len(), d.len(), |i, j| if i == j { d[i] } else { 0.0 })
            }
            Primal::Factor(_) => panic!("the engine has no factors"),
        })
        .collect()
}

fn least_eigenvalue(blocks: &[Mat]) -> f64 {
    blocks.iter().map(|b| symmetric_eigen(b).unwrap().values[0]).fold(f64::INFINITY, f64::min)
}

/// C − A*(y), written out.
fn slack(sdp: &Sdp, y: &[f64]) -> Vec<Mat> {
    let mut slack = written_out(sdp, 0);
    for (i, y) in y.iter().enumerate() {
        combine(&mut slack, -y, &written_out(sdp, i + 1));
    }
    slack
}

fn infeasibility(sdp: &Sdp, z: &[Mat]) -> f64 {
    let size = 1.0 + sdp.rhs().iter().fold(0.0, |m: f64, b| m.max(b.abs()));
    let square: f64 = (0..sdp.constraints())
        .map(|i| (inner(&written_out(sdp, i + 1), z) - sdp.rhs()[i]).powi(2))
        .sum();
    square.sqrt() / size
}

fn objectives(sdp: &Sdp, point: &Point) -> (f64, f64) {
    let primal = inner(&written_out(sdp, 0), &dense(&point.primal));
    (primal, sdp.rhs().iter().zip(&point.dual).map(|(b, y)| b * y).sum())
}

/// Converged, to the known optimum, with a slack that a Cholesky factorisation proves positive definite.
fn assert_optimal(sdp: &Sdp, outcome: &Outcome, optimum: f64, name: &str) {
    assert!(matches!(outcome.status, Status::Converged), "{name}: {:?}", outcome.status);
    let (primal, dual) = objectives(sdp, &outcome.point);
    let size = 1.0 + optimum.abs();
    assert!((primal - optimum).abs() < 1e-7 * size, "{name}: {primal} for {optimum}");
    assert!((dual - optimum).abs() < 1e-7 * size, "{name}: dual {dual} for {optimum}");
    let z = dense(&outcome.point.primal);
    assert!(infeasibility(sdp, &z) < 2e-8, "{name}: {}", infeasibility(sdp, &z));
    assert!(least_eigenvalue(&z) > -1e-14 * size, "{name}: Z has {}", least_eigenvalue(&z));
}

fn assert_proved(sdp: &Sdp, outcome: &Outcome, name: &str) {
    for slack in slack(sdp, &outcome.point.dual) {
        assert!(is_positive_definite(&slack, 1.0, 0.0, 0.0), "{name}: S cannot be proved");
    }
}

fn random_cones(dice: &mut Dice) -> Vec<Cone> {
    (0..=dice.below(3))
        .map(|_| match dice.below(3) {
            0 => Cone::Nonnegative(1 + dice.below(6)),
            _ => Cone::Semidefinite(1 + dice.below(9)),
        })
        .collect()
}

/// A program with Z*, S*, y* strictly complementary, and its optimum. With an `interior`, both it and its dual have
/// a positive definite feasible point; without, it is as chance has it.
fn solvable(seed: u64, interior: bool) -> (Sdp, f64) {
    let dice = &mut Dice::new(seed);
    let mut cones = random_cones(dice);
    cones.push(Cone::Semidefinite(4 + dice.below(8)));
    let (mut z, mut s, mut inside, mut definite) = (vec![], vec![], vec![], vec![]);
    let mut freedom = 0;
    for (at, &cone) in cones.iter().enumerate() {
        let n = cone.size();
        let rank = dice.below(n + 1).max(usize::from(at + 1 == cones.len()));
        freedom += rank * (rank + 1) / 2;
        let basis = random_basis(cone, dice);
        let positive = |dice: &mut Dice| 0.2 + dice.number().abs();
        let (mut of_z, mut of_s) = (vec![0.0; n], vec![0.0; n]);
        of_z[..rank].iter_mut().for_each(|v| *v = positive(dice));
        of_s[rank..].iter_mut().for_each(|v| *v = positive(dice));
        z.push(with_eigenvalues(&basis, &of_z));
        s.push(with_eigenvalues(&basis, &of_s));
        let values: Vec<f64> = (0..n).map(|_| positive(dice)).collect();
        inside.push(with_eigenvalues(&random_basis(cone, dice), &values));
        definite.push(with_eigenvalues(&random_basis(cone, dice), &values));
    }
    let share = inner(&definite, &z) / inner(&definite, &inside);
    stretch(&mut inside, share);
    combine(&mut inside, -1.0, &z);
    let (mut block, mut i, mut j) = (0, 0, 0);
    for (b, values) in inside.iter().enumerate() {
        for row in 0..values.rows() {
            for col in row..values.rows() {
                if values[(row, col)].abs() > inside[block][(i, j)].abs() {
                    (block, i, j) = (b, row, col);
                }
            }
        }
    }
    let m = 1 + dice.below(10 + freedom);
    let density = [0.1, 0.5, 1.0][dice.below(3)];
    let scale = [1.0, 1e3, 1e-3][dice.below(3)];
    let mut cost = s;
    let (mut matrices, mut rhs, mut optimum) = (Vec::new(), Vec::new(), 0.0);
    for number in 0..m {
        let mut a = random_matrix(&cones, density, dice);
        if interior && number == 0 {
            a.clone_from(&definite);
        } else if interior {
            // Orthogonal to the way from Z* to the point inside, by one entry.
            let excess = inner(&a, &inside) / inside[block][(i, j)];
            if i == j {
                a[block][(i, i)] -= excess;
            } else {
                a[block][(i, j)] -= excess / 2.0;
                a[block][(j, i)] -= excess / 2.0;
            }
        }
        stretch(&mut a, scale * 10f64.powf(dice.number()));
        let (y, b) = (dice.number(), inner(&a, &z));
        combine(&mut cost, y, &a);
        optimum += b * y;
        rhs.push(b);
        matrices.push(a);
    }
    (program(&cones, &cost, &matrices, rhs), optimum)
}

#[test]
fn random_programs_end_at_their_known_optimum() {
    for seed in 0..300 {
        let (sdp, optimum) = solvable(seed, true);
        let outcome = solve(&sdp, &Options::default(), &mut ());
        assert_optimal(&sdp, &outcome, optimum, &format!("seed {seed}"));
        assert_proved(&sdp, &outcome, &format!("seed {seed}"));
    }
}

#[test]
fn programs_that_may_lack_an_interior_end_at_their_known_optimum_too() {
    for seed in 0..300 {
        let (sdp, optimum) = solvable(seed, false);
        let outcome = solve(&sdp, &Options::default(), &mut ());
        assert_optimal(&sdp, &outcome, optimum, &format!("seed {seed}"));
    }
}

#[test]
fn infeasible_programs_are_proved_so() {
    for seed in 0..100 {
        let dice = &mut Dice::new(1000 + seed);
        let cones = random_cones(dice);
        let m = 2 + dice.below(8);
        let y: Vec<f64> = (0..m).map(|_| dice.number() + 1.5).collect();
        let mut matrices: Vec<Vec<Mat>> =
            (0..m).map(|_| random_matrix(&cones, 0.6, dice)).collect();
        // The last matrix makes Σ y_i A_i = −P with P positive definite.
        let mut last: Vec<Mat> = cones
            .iter()
            .map(|&cone| {
                let values: Vec<f64> =
                    (0..cone.size()).map(|_| -0.1 - dice.number().abs()).collect();
                with_eigenvalues(&random_basis(cone, dice), &values)
            })
            .collect();
        for i in 0..m - 1 {
            combine(&mut last, -y[i], &matrices[i]);
        }
        stretch(&mut last, 1.0 / y[m - 1]);
        matrices[m - 1] = last;
        let rhs: Vec<f64> = (0..m).map(|_| 0.2 + dice.number().abs()).collect();
        let cost = random_matrix(&cones, 1.0, dice);
        let sdp = program(&cones, &cost, &matrices, rhs);
        let outcome = solve(&sdp, &Options::default(), &mut ());
        let Status::PrimalInfeasible(ray) = &outcome.status else {
            panic!("seed {seed}: {:?}", outcome.status)
        };
        let gain: f64 = sdp.rhs().iter().zip(ray).map(|(b, y)| b * y).sum();
        assert!((gain - 1.0).abs() < 1e-9, "seed {seed}: {gain}");
        let mut image = slack(&sdp, ray);
        combine(&mut image, -1.0, &written_out(&sdp, 0));
        assert!(least_eigenvalue(&image) > -1e-8, "seed {seed}: {}", least_eigenvalue(&image));
    }
}

#[test]
fn unbounded_programs_are_proved_so() {
    for seed in 0..100 {
        let dice = &mut Dice::new(2000 + seed);
        let mut cones = random_cones(dice);
        cones.push(Cone::Semidefinite(3 + dice.below(6)));
        // A ray of any rank, and a feasible point beside it.
        let (mut ray, mut feasible) = (Vec::new(), Vec::new());
        for &cone in &cones {
            let n = cone.size();
            let basis = random_basis(cone, dice);
            let rank = 1 + dice.below(n);
            let values: Vec<f64> =
                (0..n).map(|k| if k < rank { 0.1 + dice.number().abs() } else { 0.0 }).collect();
            ray.push(with_eigenvalues(&basis, &values));
            let values: Vec<f64> = (0..n).map(|_| 0.1 + dice.number().abs()).collect();
            feasible.push(with_eigenvalues(&basis, &values));
        }
        let normal = inner(&ray, &ray);
        let m = 1 + dice.below(6);
        let mut matrices = Vec::new();
        for _ in 0..m {
            let mut a = random_matrix(&cones, 0.7, dice);
            let along = inner(&a, &ray) / normal;
            combine(&mut a, -along, &ray);
            matrices.push(a);
        }
        let mut cost = random_matrix(&cones, 1.0, dice);
        let along = (inner(&cost, &ray) + 1.0) / normal;
        combine(&mut cost, -along, &ray);
        let rhs = matrices.iter().map(|a| inner(a, &feasible)).collect();
        let sdp = program(&cones, &cost, &matrices, rhs);
        let outcome = solve(&sdp, &Options::default(), &mut ());
        let Status::DualInfeasible(found) = &outcome.status else {
            panic!("seed {seed}: {:?}", outcome.status)
        };
        let z = dense(found);
        let loss = inner(&written_out(&sdp, 0), &z);
        assert!((loss + 1.0).abs() < 1e-9, "seed {seed}: {loss}");
        let size = z.iter().map(Mat::norm).fold(0.0, f64::max);
        for i in 0..m {
            let image = inner(&written_out(&sdp, i + 1), &z);
            assert!(image.abs() < 1e-8 * (1.0 + size), "seed {seed}: {image}");
        }
        assert!(least_eigenvalue(&z) > -1e-12 * size, "seed {seed}: {}", least_eigenvalue(&z));
    }
}

fn term(matrix: usize, row: usize, col: usize, value: f64) -> Term {
    Term { matrix, block: 0, row, col, value }
}

/// max ⟨J, Z⟩ s.t. tr Z = 1, z_ij = 0 on the edges of a 5-cycle: √5 (Lovász 1979).
fn pentagon(ones: bool) -> Sdp {
    let mut terms: Vec<Term> = (0..5).map(|i| term(1, i, i, 1.0)).collect();
    terms.extend((0..5).map(|i| term(2 + i, i, (i + 1) % 5, 1.0)));
    let mut parts = Vec::new();
    if ones {
        parts.push(RankOne { matrix: 0, block: 0, weight: -1.0, vector: vec![1.0; 5] });
    } else {
        terms.extend((0..5).flat_map(|i| (i..5).map(move |j| term(0, i, j, -1.0))));
    }
    let mut rhs = vec![0.0; 6];
    rhs[0] = 1.0;
    Sdp::new(vec![Cone::Semidefinite(5)], rhs, terms, parts).unwrap()
}

#[test]
fn the_pentagon_has_the_theta_number_root_five() {
    for ones in [true, false] {
        let sdp = pentagon(ones);
        let outcome = solve(&sdp, &Options::default(), &mut ());
        assert_optimal(&sdp, &outcome, -5f64.sqrt(), "pentagon");
        assert_proved(&sdp, &outcome, "pentagon");
    }
}

#[test]
fn rank_one_constraints_do_what_their_entries_do() {
    for seed in 0..40 {
        let dice = &mut Dice::new(3000 + seed);
        let n = 3 + dice.below(8);
        let m = 1 + dice.below(n);
        let mut vectors: Vec<Vec<f64>> =
            (0..m).map(|_| (0..n).map(|_| dice.number()).collect()).collect();
        vectors[0][0] = 0.0;
        let rhs: Vec<f64> = (0..m).map(|_| 0.5 + dice.number().abs()).collect();
        // Definite, so that the program is bounded.
        let mut terms: Vec<Term> = (0..n).map(|i| term(0, i, i, n as f64)).collect();
        terms.extend(
            (0..n)
                .flat_map(|i| (i..n).map(move |j| (i, j)))
                .map(|(i, j)| term(0, i, j, dice.number())),
        );
        let weight = |i: usize| if i.is_multiple_of(2) { 1.0 } else { 0.5 };
        let parts: Vec<RankOne> = (0..m)
            .map(|i| RankOne {
                matrix: i + 1,
                block: 0,
                weight: weight(i),
                vector: vectors[i].clone(),
            })
            .collect();
        let short =
            Sdp::new(vec![Cone::Semidefinite(n)], rhs.clone(), terms.clone(), parts).unwrap();
        for (i, v) in vectors.iter().enumerate() {
            for row in 0..n {
                for col in row..n {
                    terms.push(term(i + 1, row, col, weight(i) * v[row] * v[col]));
                }
            }
        }
        let long = Sdp::new(vec![Cone::Semidefinite(n)], rhs, terms, Vec::new()).unwrap();
        let by_entries = solve(&long, &Options::default(), &mut ());
        let (optimum, _) = objectives(&long, &by_entries.point);
        let by_parts = solve(&short, &Options::default(), &mut ());
        assert_optimal(&long, &by_entries, optimum, "entries");
        assert_optimal(&short, &by_parts, optimum, "rank-one parts");
        assert_proved(&short, &by_parts, "rank-one parts");
    }
}

#[test]
fn dependent_constraints_are_no_obstacle() {
    for seed in 0..60 {
        let (sdp, optimum) = solvable(4000 + seed, true);
        let m = sdp.constraints();
        let dice = &mut Dice::new(seed);
        let cost = written_out(&sdp, 0);
        let mut matrices: Vec<Vec<Mat>> = (1..=m).map(|i| written_out(&sdp, i)).collect();
        let mut rhs = sdp.rhs().to_vec();
        // A copy, a multiple, a combination, and nothing at all.
        for _ in 0..3 {
            let (i, j) = (dice.below(m), dice.below(m));
            let (a, b) = (dice.number(), dice.number());
            let mut sum = matrices[i].clone();
            stretch(&mut sum, a);
            combine(&mut sum, b, &matrices[j]);
            rhs.push(a * rhs[i] + b * rhs[j]);
            matrices.push(sum);
        }
        matrices.push(sdp.cones().iter().map(|c| Mat::zeros(c.size(), c.size())).collect());
        rhs.push(0.0);
        let sdp = program(sdp.cones(), &cost, &matrices, rhs);
        let outcome = solve(&sdp, &Options::default(), &mut ());
        assert_optimal(&sdp, &outcome, optimum, &format!("seed {seed}"));
        assert_proved(&sdp, &outcome, &format!("seed {seed}"));
    }
}

#[test]
fn contradictions_are_found() {
    // x₁ = 1 and x₁ = 2; 0 = 1; x₁ + x₂ = −1.
    let cones = vec![Cone::Semidefinite(2)];
    let twice = vec![term(1, 0, 0, 1.0), term(2, 0, 0, 1.0), term(0, 1, 1, 1.0)];
    let empty = vec![term(1, 0, 0, 1.0)];
    let negative = vec![term(1, 0, 0, 1.0), term(1, 1, 1, 1.0)];
    for (terms, rhs) in [(twice, vec![1.0, 2.0]), (empty, vec![1.0, 1.0]), (negative, vec![-1.0])] {
        let sdp = Sdp::new(cones.clone(), rhs, terms, Vec::new()).unwrap();
        let outcome = solve(&sdp, &Options::default(), &mut ());
        let Status::PrimalInfeasible(ray) = &outcome.status else { panic!("{:?}", outcome.status) };
        let gain: f64 = sdp.rhs().iter().zip(ray).map(|(b, y)| b * y).sum();
        assert!((gain - 1.0).abs() < 1e-9);
        let mut image = slack(&sdp, ray);
        combine(&mut image, -1.0, &written_out(&sdp, 0));
        assert!(least_eigenvalue(&image) > -1e-8);
    }
}

#[test]
fn free_variables_split_in_two_are_solved() {
    // max t s.t. A − tI ⪰ 0 with t = t⁺ − t⁻ in the primal: min ⟨A, Z⟩ + …, here as min t⁻ − t⁺ over
    // z_ij + (t⁺ − t⁻)δ_ij = a_ij, whose optimum is −λ_min(A).
    let dice = &mut Dice::new(5);
    let n = 6;
    let a = random_matrix(&[Cone::Semidefinite(n)], 1.0, dice).remove(0);
    let mut terms = vec![
        Term { matrix: 0, block: 1, row: 0, col: 0, value: -1.0 },
        Term { matrix: 0, block: 1, row: 1, col: 1, value: 1.0 },
    ];
    let mut rhs = Vec::new();
    for i in 0..n {
        for j in i..n {
            let matrix = rhs.len() + 1;
            rhs.push(a[(i, j)]);
            terms.push(term(matrix, i, j, if i == j { 1.0 } else { 0.5 }));
            if i == j {
                terms.push(Term { matrix, block: 1, row: 0, col: 0, value: 1.0 });
                terms.push(Term { matrix, block: 1, row: 1, col: 1, value: -1.0 });
            }
        }
    }
    let cones = vec![Cone::Semidefinite(n), Cone::Nonnegative(2)];
    let sdp = Sdp::new(cones, rhs, terms, Vec::new()).unwrap();
    let outcome = solve(&sdp, &Options::default(), &mut ());
    let (primal, dual) = objectives(&sdp, &outcome.point);
    let optimum = -symmetric_eigen(&a).unwrap().values[0];
    assert!((primal - optimum).abs() < 1e-6 && (dual - optimum).abs() < 1e-6, "{primal} {dual}");
}

#[test]
fn an_optimum_that_is_not_attained_is_not_overshot() {
    // min x₁₁ s.t. x₁₂ = 1: the infimum 0 has no minimiser.
    let sdp = Sdp::new(
        vec![Cone::Semidefinite(2)],
        vec![2.0],
        vec![term(0, 0, 0, 1.0), term(1, 0, 1, 1.0)],
        Vec::new(),
    )
    .unwrap();
    let outcome = solve(&sdp, &Options::default(), &mut ());
    let (primal, dual) = objectives(&sdp, &outcome.point);
    assert!(primal > -1e-8 && primal < 1e-2 && dual.abs() < 1e-2, "{primal} {dual}");
}

#[test]
fn limits_are_obeyed() {
    let sdp = pentagon(true);
    let mut options = Options::default();
    options.max_iterations = 3;
    let outcome = solve(&sdp, &options, &mut ());
    assert!(matches!(outcome.status, Status::MaxIterations) && outcome.iterations == 3);
    options.time_limit = Some(Duration::ZERO);
    let outcome = solve(&sdp, &options, &mut ());
    assert!(matches!(outcome.status, Status::TimeLimit) && outcome.iterations == 0);
    let mut seen = 0;
    let mut watch = |progress: &Progress| {
        seen += 1;
        if progress.iteration == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let outcome = solve(&sdp, &Options::default(), &mut watch);
    assert!(matches!(outcome.status, Status::Interrupted) && outcome.iterations == 2);
    assert_eq!(seen, 3);
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_threads() {
    let (sdp, _) = solvable(77, true);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| solve(&sdp, &Options::default(), &mut ()).point.dual)
    };
    assert_eq!(run(1), run(3));
}
