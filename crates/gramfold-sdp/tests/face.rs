//! Programs whose feasible Z all lie on a face of the cone.

use gramfold_linalg::{Mat, dot, symmetric_eigen};
use gramfold_sdp::{Cone, Method, Options, Sdp, Status, Term, solve};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// ab.
fn times(a: &Mat, b: &Mat) -> Mat {
    let bt = b.transposed();
    Mat::from_fn(a.rows(), b.cols(), |i, j| dot(a.row(i), bt.row(j)))
}

fn inner(a: &Mat, b: &Mat) -> f64 {
    dot(a.as_slice(), b.as_slice())
}

/// A program on the face V·Vᵀ, with optimum ⟨C, VX*Vᵀ⟩ that the dual does not attain: the slack is X*'s complement on
/// the face, and connects it with what is outside. No single constraint shows the face: I − VVᵀ is hidden in one by
/// another.
fn degenerate(seed: u64) -> (Sdp, f64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut number = || 2.0 * random.random::<f64>() - 1.0;
    let (n, k, m) = (9, 6, 7);
    let g = Mat::from_fn(n, n, |_, _| number());
    let q = symmetric_eigen(&Mat::from_fn(n, n, |i, j| g[(i, j)] + g[(j, i)])).unwrap().vectors;
    // Rows of q: k of the face, the others outside it.
    let spread = |weights: &[f64]| {
        let scaled = Mat::from_fn(n, n, |i, j| weights[i] * q[(i, j)]);
        times(&q.transposed(), &scaled)
    };
    let weights = |range: std::ops::Range<usize>| -> Vec<f64> {
        (0..n).map(|i| if range.contains(&i) { 1.0 + i as f64 / 4.0 } else { 0.0 }).collect()
    };
    let (z, s, outside) = (spread(&weights(0..3)), spread(&weights(3..k)), spread(&weights(k..n)));
    let symmetric = |number: &mut dyn FnMut() -> f64| {
        let g = Mat::from_fn(n, n, |_, _| number());
        Mat::from_fn(n, n, |i, j| g[(i, j)] + g[(j, i)])
    };
    let mut matrices: Vec<Mat> = (0..m).map(|_| symmetric(&mut number)).collect();
    // tr Z is fixed; the last is the first but for what exposes the face.
    matrices[0] = Mat::identity(n);
    let mut last = matrices[1].clone();
    last.axpy(1.0, &outside);
    matrices.push(last);
    let y: Vec<f64> = (0..=m).map(|_| number()).collect();
    let mut cost = s;
    for (y, matrix) in y.iter().zip(&matrices) {
        cost.axpy(*y, matrix);
    }
    // From the face to outside it, also where Z* is: then no y has C − A*(y) ⪰ 0 at the optimum.
    for i in 0..k {
        for j in k..n {
            let weight = 0.1 * number();
            let both = Mat::from_fn(n, n, |a, b| q[(i, a)] * q[(j, b)] + q[(j, a)] * q[(i, b)]);
            cost.axpy(weight, &both);
        }
    }
    let mut terms = Vec::new();
    for (matrix, of) in std::iter::once(&cost).chain(&matrices).enumerate() {
        for row in 0..n {
            for col in row..n {
                terms.push(Term { matrix, block: 0, row, col, value: of[(row, col)] });
            }
        }
    }
    let rhs: Vec<f64> = matrices.iter().map(|matrix| inner(matrix, &z)).collect();
    let optimum = inner(&cost, &z);
    (Sdp::new(vec![Cone::Semidefinite(n)], rhs, terms, Vec::new()).unwrap(), optimum)
}

#[test]
fn programs_on_a_face_are_solved_on_it_and_proved_off_it() {
    let mut reduced = 0;
    for seed in 0..20 {
        let (sdp, optimum) = degenerate(seed);
        let options = Options { tolerance: 1e-6, method: Method::Interior, ..Options::default() };
        let found = solve(&sdp, &options, &mut ()).unwrap();
        let certificate = &found.certificate;
        let size = 1.0 + optimum.abs();
        let bound = certificate.dual_bound.unwrap().value;
        assert_eq!(found.status, Status::Solved, "seed {seed}: {certificate:?}");
        assert!((certificate.primal_objective - optimum).abs() < 1e-5 * size, "seed {seed}");
        assert!(bound <= optimum + 1e-9 * size, "seed {seed}: {bound} above {optimum}");
        reduced += usize::from(found.why.contains("no interior"));
    }
    assert!(reduced > 0, "the engine alone did it all");
}

/// ⟨C, Z⟩ with Z_22 = 0 and 2Z_12 = 1 has no feasible Z, yet for every ε one with an error of ε: Z_11 = 1/(4ε). All the
/// while both objectives grow, the one from above and the other from below, and their ratio may tend to one.
#[test]
fn what_is_only_nearly_feasible_is_not_called_solved() {
    for scale in [1e-3, 1.0, 1e3] {
        let term = |matrix, row, col, value| Term { matrix, block: 0, row, col, value };
        let terms =
            vec![term(0, 0, 0, scale), term(1, 1, 1, 1.0), term(2, 0, 1, 1.0), term(2, 2, 2, 1.0)];
        let cost = term(0, 2, 2, 1e5 * scale);
        let terms = terms.into_iter().chain([cost]).collect();
        let cones = vec![Cone::Semidefinite(3)];
        let sdp = Sdp::new(cones, vec![0.0, 1.0], terms, Vec::new()).unwrap();
        // Z_33 = 1 is the only feasible point: the optimum is 10⁵·scale, though 2Z_12 ≈ 1 is far cheaper.
        for tolerance in [1e-5, 1e-6, 1e-7] {
            let options = Options { tolerance, ..Options::default() };
            let found = solve(&sdp, &options, &mut ()).unwrap();
            let certificate = &found.certificate;
            let optimum = 1e5 * scale;
            if let Some(bound) = certificate.dual_bound {
                assert!(bound.value <= optimum * (1.0 + 1e-9), "{bound:?} above {optimum}");
            }
            if found.status == Status::Solved {
                let error = (certificate.primal_objective - optimum).abs() / (1.0 + optimum);
                assert!(error < 10.0 * tolerance, "{} for {optimum}", certificate.primal_objective);
            }
        }
    }
}
