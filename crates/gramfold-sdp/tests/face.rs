//! Programs whose feasible Z all lie on a face of the cone.

mod common;

use common::face::degenerate;
use gramfold_sdp::{Cone, Method, Options, Sdp, Status, Term, solve};

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
