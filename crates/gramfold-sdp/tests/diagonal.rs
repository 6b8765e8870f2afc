//! The diagonal engine against closed forms, brute force and a dense eigenvalue solver.

use gramfold_linalg::{Mat, symmetric_eigen};
use gramfold_sdp::{
    Cone, Options, Outcome, Point, Primal, RankOne, Scale, Sdp, Status, Term,
    diagonal::{DiagonalProgram, solve},
};

type Edge = (usize, usize, f64);

/// min −¼⟨L, Z⟩, Z_ii = 1.
fn max_cut(n: usize, edges: &[Edge]) -> Sdp {
    Sdp::new(vec![Cone::Semidefinite(n)], vec![1.0; n], cut_terms(n, edges, 1.0), Vec::new())
        .unwrap()
}

/// The terms of −(sign/4)·L and of the diagonal.
fn cut_terms(n: usize, edges: &[Edge], sign: f64) -> Vec<Term> {
    let term = |matrix, row, col, value| Term { matrix, block: 0, row, col, value };
    let mut terms: Vec<Term> = (0..n).map(|i| term(i + 1, i, i, 1.0)).collect();
    for &(i, j, w) in edges {
        terms.push(term(0, i, j, 0.25 * sign * w));
        terms.push(term(0, i, i, -0.25 * sign * w));
        terms.push(term(0, j, j, -0.25 * sign * w));
    }
    terms
}

fn cycle(n: usize) -> Vec<Edge> {
    (0..n).map(|i| (i, (i + 1) % n, 1.0)).collect()
}

fn random_graph(n: usize, seed: u64, keep: u64, signed: bool) -> Vec<Edge> {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    let mut next = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let mut edges = Vec::new();
    for i in 0..n {
        for j in 0..i {
            if next() % 100 < keep {
                let w = 1.0 + (next() % 5) as f64;
                edges.push((i, j, if signed && next() % 2 == 0 { -w } else { w }));
            }
        }
    }
    edges
}

fn run(sdp: &Sdp, options: &Options) -> Outcome {
    let structure = DiagonalProgram::detect(sdp).expect("the structure is there");
    let outcome = solve(&structure, options, &mut ());
    check(sdp, &outcome);
    outcome
}

/// Recomputes everything that the outcome says from the point alone, with dense matrices.
fn check(sdp: &Sdp, outcome: &Outcome) {
    let Point { primal, dual } = &outcome.point;
    let dense = |block: usize| match &primal[block] {
        Primal::Factor(x) => {
            Mat::from_fn(x.rows(), x.rows(), |i, j| gramfold_linalg::dot(x.row(i), x.row(j)))
        }
        Primal::Diagonal(d) => {
            Mat::from_fn(d.len(), d.len(), |i, j| if i == j { d[i] } else { 0.0 })
        }
        Primal::Dense(z) => z.clone(),
    };
    let matrix = |m: usize, block: usize| {
        let n = sdp.cones()[block].size();
        let mut a = Mat::zeros(n, n);
        for e in sdp.entries(m, block) {
            a[(e.row as usize, e.col as usize)] = e.value;
            a[(e.col as usize, e.row as usize)] = e.value;
        }
        for one in sdp.rank_ones().iter().filter(|one| (one.matrix, one.block) == (m, block)) {
            for i in 0..n {
                (0..n).for_each(|j| a[(i, j)] += one.weight * one.vector[i] * one.vector[j]);
            }
        }
        a
    };
    let blocks = 0..sdp.cones().len();
    let inner = |m| blocks.clone().map(|b| matrix(m, b).dot(&dense(b))).sum::<f64>();
    let scale = 1.0 + outcome.objective.abs();
    assert!((inner(0) - outcome.objective).abs() < 1e-10 * scale);
    for (i, b) in sdp.rhs().iter().enumerate() {
        assert!(
            (inner(i + 1) - b).abs() < 1e-9 * (1.0 + b.abs()),
            "constraint {i}: {}",
            inner(i + 1)
        );
    }
    let value: f64 = sdp.rhs().iter().zip(dual).map(|(b, y)| b * y).sum();
    assert!((value - outcome.bound).abs() < 1e-9 * scale);
    for block in blocks {
        let mut slack = matrix(0, block);
        for (i, y) in dual.iter().enumerate() {
            slack.axpy(-y, &matrix(i + 1, block));
        }
        let least = symmetric_eigen(&slack).unwrap().values[0];
        let size = slack.max_abs();
        assert!(least > -1e-9 * scale - 1e-13 * size, "block {block}: λmin(S) = {least}");
    }
    assert!(outcome.bound <= outcome.objective + 1e-9 * scale);
    if outcome.status == Status::Solved {
        let unit = Scale::of(sdp).objective + outcome.objective.abs();
        assert!(outcome.objective - outcome.bound <= 1.2e-6 * unit);
    }
}

#[test]
fn odd_cycles_have_their_closed_form() {
    for n in [3, 5, 7, 31] {
        let expected = 0.5 * n as f64 * (1.0 + (std::f64::consts::PI / n as f64).cos());
        let outcome = run(&max_cut(n, &cycle(n)), &Options::default());
        assert_eq!(outcome.status, Status::Solved);
        assert!((outcome.objective + expected).abs() < 2e-6 * expected, "{n}");
    }
}

#[test]
fn complete_graphs_are_worth_a_quarter_of_n_squared() {
    for n in [2, 3, 6, 20] {
        let edges: Vec<Edge> = (0..n).flat_map(|i| (0..i).map(move |j| (i, j, 1.0))).collect();
        let outcome = run(&max_cut(n, &edges), &Options::default());
        assert!((outcome.objective + 0.25 * (n * n) as f64).abs() < 1e-6 * (n * n) as f64);
    }
}

#[test]
fn no_cut_is_above_the_bound() {
    for seed in 0..20 {
        let n = 9;
        let edges = random_graph(n, seed, 60, seed % 2 == 0);
        let outcome = run(&max_cut(n, &edges), &Options { seed, ..Options::default() });
        assert_eq!(outcome.status, Status::Solved);
        let cut = |side: usize| -> f64 {
            let apart = |i: usize, j: usize| (side >> i ^ side >> j) & 1 == 1;
            edges.iter().filter(|(i, j, _)| apart(*i, *j)).map(|(_, _, w)| w).sum()
        };
        let best = (0..1 << n).map(cut).fold(0.0_f64, f64::max);
        assert!(best <= -outcome.bound + 1e-9, "{best} {}", outcome.bound);
        assert!(-outcome.bound <= 1.14 * best.max(1.0) + edges.len() as f64);
    }
}

#[test]
fn random_graphs_are_solved_from_every_rank() {
    let sdp = max_cut(120, &random_graph(120, 5, 10, true));
    let ranks = [Some(1), Some(2), Some(5), Some(17), Some(120), None];
    let values = ranks.map(|rank| {
        let outcome = run(&sdp, &Options { rank, ..Options::default() });
        assert_eq!(outcome.status, Status::Solved, "{rank:?}");
        // Columns were appended along negative curvature.
        let Primal::Factor(factor) = &outcome.point.primal[0] else { panic!("a factor") };
        assert!(rank != Some(1) || factor.cols() > 1);
        outcome.objective
    });
    for value in values {
        assert!((value - values[0]).abs() < 2e-6 * values[0].abs());
    }
}

#[test]
fn permutations_and_scales_change_nothing_but_the_scale() {
    let n = 60;
    let edges = random_graph(n, 8, 15, false);
    let value = run(&max_cut(n, &edges), &Options::default()).objective;
    let permuted: Vec<Edge> =
        edges.iter().map(|&(i, j, w)| ((i * 7 + 3) % n, (j * 7 + 3) % n, w)).collect();
    let other = run(&max_cut(n, &permuted), &Options::default()).objective;
    assert!((other - value).abs() < 2e-6 * value.abs());
    for scale in [1e-8, 1e-3, 1e5] {
        let scaled: Vec<Edge> = edges.iter().map(|&(i, j, w)| (i, j, w * scale)).collect();
        let structure = DiagonalProgram::detect(&max_cut(n, &scaled)).unwrap();
        let outcome = solve(&structure, &Options::default(), &mut ());
        assert!((outcome.objective / scale - value).abs() < 2e-6 * value.abs(), "{scale}");
    }
}

#[test]
fn other_diagonals_are_scaled_in_and_out() {
    // 2·Z_ii = b_i is Z_ii = b_i/2: the value of DCD with unit rows.
    let n = 25;
    let edges = random_graph(n, 3, 30, true);
    let halves: Vec<f64> = (0..n).map(|i| 0.5 + i as f64).collect();
    let mut terms = cut_terms(n, &edges, 1.0);
    terms.iter_mut().filter(|term| term.matrix > 0).for_each(|term| term.value = 2.0);
    let rhs = halves.iter().map(|h| 2.0 * h).collect();
    let sdp = Sdp::new(vec![Cone::Semidefinite(n)], rhs, terms, Vec::new()).unwrap();
    let outcome = run(&sdp, &Options::default());
    let mut terms = cut_terms(n, &edges, 1.0);
    for term in terms.iter_mut().filter(|term| term.matrix == 0) {
        term.value *= (halves[term.row] * halves[term.col]).sqrt();
    }
    let unit = Sdp::new(vec![Cone::Semidefinite(n)], vec![1.0; n], terms, Vec::new()).unwrap();
    let unit = run(&unit, &Options::default());
    assert!((outcome.objective - unit.objective).abs() < 2e-6 * unit.objective.abs());
}

/// Z_ii + slack_i = 1 with slacks in the block itself, or beside it.
fn ball(n: usize, diagonal: impl Fn(usize) -> f64, edges: &[Edge], inside: bool) -> Sdp {
    let (cones, block, at) = if inside {
        (vec![Cone::Semidefinite(2 * n)], 0, n)
    } else {
        (vec![Cone::Semidefinite(n), Cone::Nonnegative(n)], 1, 0)
    };
    let mut terms = Vec::new();
    for i in 0..n {
        let (row, col) = (i, i);
        terms.push(Term { matrix: i + 1, block: 0, row, col, value: 1.0 });
        terms.push(Term { matrix: i + 1, block, row: at + i, col: at + i, value: 1.0 });
        terms.push(Term { matrix: 0, block: 0, row, col, value: diagonal(i) });
    }
    let edges = edges.iter();
    terms.extend(edges.map(|&(row, col, value)| Term { matrix: 0, block: 0, row, col, value }));
    Sdp::new(cones, vec![1.0; n], terms, Vec::new()).unwrap()
}

#[test]
fn balls_are_spheres_for_concave_rows_and_empty_for_a_definite_cost() {
    let n = 30;
    let edges = random_graph(n, 4, 20, true);
    for inside in [true, false] {
        let open = run(&ball(n, |_| 0.0, &edges, inside), &Options::default());
        let terms = ball(n, |_| 0.0, &edges, false);
        let mut sphere = cut_terms(n, &[], 1.0);
        for e in terms.entries(0, 0) {
            let (row, col) = (e.row as usize, e.col as usize);
            sphere.push(Term { matrix: 0, block: 0, row, col, value: e.value });
        }
        let sphere =
            Sdp::new(vec![Cone::Semidefinite(n)], vec![1.0; n], sphere, Vec::new()).unwrap();
        let sphere = run(&sphere, &Options::default());
        assert!((open.objective - sphere.objective).abs() < 2e-6 * sphere.objective.abs());
        // Diagonally dominant: the best Z is 0, where no row is on its sphere.
        let dominant = ball(n, |_| 200.0, &edges, inside);
        let closed = run(&dominant, &Options::default());
        let unit = Scale::of(&dominant).objective;
        assert!(closed.objective.abs() < 1e-6 * unit, "{}", closed.objective);
        // In between, some rows are inside: checked by the certificate in `run`.
        let mixed = run(&ball(n, |i| (i % 7) as f64, &edges, inside), &Options::default());
        assert_eq!(mixed.status, Status::Solved);
        assert!(mixed.objective > sphere.objective && mixed.objective < 0.0);
    }
}

/// min ¼⟨L, Z⟩ with ⟨11ᵀ, Z⟩ = level, as a rank-one part or as entries.
fn bisection(n: usize, edges: &[Edge], level: f64, entries: bool) -> Sdp {
    let mut terms = cut_terms(n, edges, -1.0);
    let mut ones = Vec::new();
    if entries {
        let pairs = (0..n).flat_map(|row| (row..n).map(move |col| (row, col)));
        terms.extend(pairs.map(|(row, col)| Term {
            matrix: n + 1,
            block: 0,
            row,
            col,
            value: 1.0,
        }));
    } else {
        ones.push(RankOne { matrix: n + 1, block: 0, weight: 1.0, vector: vec![1.0; n] });
    }
    let mut rhs = vec![1.0; n];
    rhs.push(level);
    Sdp::new(vec![Cone::Semidefinite(n)], rhs, terms, ones).unwrap()
}

#[test]
fn no_bisection_is_below_the_bound() {
    for seed in 0..10 {
        for (n, level) in [(8, 0.0), (9, 1.0)] {
            let edges = random_graph(n, seed, 55, false);
            let sdp = bisection(n, &edges, level, seed % 2 == 0);
            let structure = DiagonalProgram::detect(&sdp).unwrap();
            let outcome = solve(&structure, &Options::default(), &mut ());
            assert_eq!(outcome.status, Status::Solved);
            check_bisection(&sdp, &outcome, level);
            let cut = |side: usize| -> f64 {
                let apart = |i: usize, j: usize| (side >> i ^ side >> j) & 1 == 1;
                edges.iter().filter(|(i, j, _)| apart(*i, *j)).map(|(_, _, w)| w).sum()
            };
            let halves = (0_usize..1 << n).filter(|side| side.count_ones() as usize == n / 2);
            let best = halves.map(cut).fold(f64::INFINITY, f64::min);
            assert!(outcome.bound <= best + 1e-9 && outcome.objective <= best + 1e-5);
        }
    }
}

/// As `check`, but S only needs to be nonnegative up to what its large multiple of 11ᵀ rounds to.
fn check_bisection(sdp: &Sdp, outcome: &Outcome, level: f64) {
    let Primal::Factor(x) = &outcome.point.primal[0] else { panic!("a factor") };
    let total: f64 = (0..x.cols()).map(|j| x.column(j).sum::<f64>().powi(2)).sum();
    assert!((total - level).abs() < 1e-10, "{total}");
    let n = x.rows();
    let y = &outcome.point.dual;
    let mut slack = Mat::from_fn(n, n, |_, _| -y[n]);
    for e in sdp.entries(0, 0) {
        slack[(e.row as usize, e.col as usize)] += e.value;
        if e.row != e.col {
            slack[(e.col as usize, e.row as usize)] += e.value;
        }
    }
    (0..n).for_each(|i| slack[(i, i)] -= y[i]);
    let least = symmetric_eigen(&slack).unwrap().values[0];
    assert!(least > -1e-12 * slack.max_abs() - 1e-9, "{least} at {}", slack.max_abs());
}

#[test]
fn what_lacks_the_structure_is_not_taken() {
    let n = 6;
    let edges = cycle(n);
    let build = |terms: Vec<Term>, rhs: Vec<f64>| {
        DiagonalProgram::detect(
            &Sdp::new(vec![Cone::Semidefinite(n)], rhs, terms, Vec::new()).unwrap(),
        )
    };
    let terms = cut_terms(n, &edges, 1.0);
    assert!(build(terms.clone(), vec![1.0; n]).is_some());
    assert!(build(terms.clone(), vec![-1.0; n]).is_none());
    let free = terms.iter().copied().filter(|term| term.matrix != n).collect();
    assert!(build(free, vec![1.0; n - 1]).is_none());
    let mut off = terms.clone();
    off.push(Term { matrix: n + 1, block: 0, row: 0, col: 1, value: 1.0 });
    assert!(build(off, vec![1.0; n + 1]).is_none());
    let mut twice = terms;
    twice.push(Term { matrix: n + 1, block: 0, row: 0, col: 0, value: 1.0 });
    assert!(build(twice, vec![1.0; n + 1]).is_none());
}

#[test]
fn a_warm_start_ends_at_once_and_threads_change_no_bits() {
    let sdp = max_cut(150, &random_graph(150, 2, 8, false));
    let structure = DiagonalProgram::detect(&sdp).unwrap();
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| solve(&structure, &Options::default(), &mut ()))
    };
    let (one, four) = (on(1), on(4));
    assert_eq!((one.objective, one.point.dual.clone()), (four.objective, four.point.dual));
    let warm = Options { warm: Some(one.point), ..Options::default() };
    let again = solve(&structure, &warm, &mut ());
    assert!(again.iterations <= 2 && again.status == Status::Solved);
}
