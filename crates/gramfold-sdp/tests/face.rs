//! Programs whose feasible Z all lie on a face of the cone.

mod common;

use common::face::degenerate;
use gramfold_linalg::Mat;
use gramfold_sdp::{Certificate, Cone, Method, Options, Point, Primal, Sdp, Status, Term, solve};

#[test]
fn programs_on_a_face_are_solved_on_it_and_proved_off_it() {
    let mut reduced = 0;
    // Small ones are solved in more digits, as they are; large ones need the face.
    for (seed, third) in (0..20).map(|seed| (seed, 3)).chain((20..30).map(|seed| (seed, 7))) {
        let (sdp, optimum) = degenerate(seed, third);
        let options = Options { tolerance: 1e-6, method: Method::Interior, ..Options::default() };
        let found = solve(&sdp, &options, &mut ()).unwrap();
        let certificate = &found.certificate;
        let size = 1.0 + optimum.abs();
        let bound = certificate.dual_bound.unwrap().value;
        let solved = found.status == Status::Solved;
        // On the face of a large one the last digit may be lost.
        let near = certificate.relative_gap.is_some_and(|gap| gap.abs() < 1e-5);
        assert!(if third == 3 { solved } else { near }, "seed {seed}: {certificate:?}");
        assert!((certificate.primal_objective - optimum).abs() < 1e-5 * size, "seed {seed}");
        assert!(bound <= optimum + 1e-9 * size, "seed {seed}: {bound} above {optimum}");
        reduced += usize::from(solved && found.why.contains("no interior"));
    }
    assert!(reduced > 0, "the engine alone did it all");
}

/// min ⟨C, Z⟩ with Z_22 = 0 and 2Z_12 + Z_33 = 1, where Z_33 is dear: 10⁵·scale at Z_33 = 1.
fn nearly_feasible(scale: f64) -> Sdp {
    let term = |matrix, row, col, value| Term { matrix, block: 0, row, col, value };
    let cost = vec![term(0, 0, 0, scale), term(0, 2, 2, 1e5 * scale)];
    let constraints = vec![term(1, 1, 1, 1.0), term(2, 0, 1, 1.0), term(2, 2, 2, 1.0)];
    let terms = cost.into_iter().chain(constraints).collect();
    Sdp::new(vec![Cone::Semidefinite(3)], vec![0.0, 1.0], terms, Vec::new()).unwrap()
}

#[test]
fn a_gap_of_zero_proves_nothing_of_an_infeasible_point() {
    // Z_22 = ε, 2Z_12 = 1, Z_11 = 1/(4ε) costs scale/(4ε), which a feasible y attains: only ε tells that Z is none.
    for (scale, violation) in [(1.0, 1e-3), (64.0, 1e-3), (1.0, 1e-5)] {
        let sdp = nearly_feasible(scale);
        let corner = 0.25 / violation;
        let z = vec![corner, 0.5, 0.0, 0.5, violation, 0.0, 0.0, 0.0, 0.0];
        let value = scale * corner;
        let dual = vec![-(1.0 + 1e-12) * value * value / scale, value];
        let point = Point { primal: vec![Primal::Dense(Mat::from_row_major(3, 3, z))], dual };
        let certificate = Certificate::of(&sdp, &point).unwrap();
        let gap = certificate.relative_gap.unwrap();
        assert!(gap.abs() < 1e-9 && certificate.dimacs[1] < 1e-9, "{certificate:?}");
        assert!(!certificate.proves(0.1 * violation), "{certificate:?}");
        assert!(certificate.proves(violation), "{certificate:?}");
    }
}

/// ⟨C, Z⟩ with Z_22 = 0 and 2Z_12 = 1 has no feasible Z, yet for every ε one with an error of ε: Z_11 = 1/(4ε). All the
/// while both objectives grow, the one from above and the other from below, and their ratio may tend to one.
#[test]
fn what_is_only_nearly_feasible_is_not_called_solved() {
    for scale in [1e-3, 1.0, 1e3] {
        let sdp = nearly_feasible(scale);
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
