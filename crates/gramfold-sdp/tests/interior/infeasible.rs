//! Programs without a solution, and the rays that prove it.

use gramfold_linalg::Mat;
use gramfold_sdp::{Cone, Sdp, Status, interior::solve};

use crate::{
    precise,
    random::{Dice, random_basis, random_cones, random_matrix, with_eigenvalues},
    written::{
        combine, dense, inner, least_eigenvalue, program, slack, stretch, term, written_out,
    },
};

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
        let outcome = solve(&sdp, &precise(), &mut ());
        let Some(ray) = &outcome.ray_y else { panic!("seed {seed}: {:?}", outcome.status) };
        assert_eq!(outcome.status, Status::PrimalInfeasible);
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
        let outcome = solve(&sdp, &precise(), &mut ());
        let Some(found) = &outcome.ray_z else { panic!("seed {seed}: {:?}", outcome.status) };
        assert_eq!(outcome.status, Status::DualInfeasible);
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

#[test]
fn contradictions_are_found() {
    // x₁ = 1 and x₁ = 2; 0 = 1; x₁ + x₂ = −1.
    let cones = vec![Cone::Semidefinite(2)];
    let twice = vec![term(1, 0, 0, 1.0), term(2, 0, 0, 1.0), term(0, 1, 1, 1.0)];
    let empty = vec![term(1, 0, 0, 1.0)];
    let negative = vec![term(1, 0, 0, 1.0), term(1, 1, 1, 1.0)];
    for (terms, rhs) in [(twice, vec![1.0, 2.0]), (empty, vec![1.0, 1.0]), (negative, vec![-1.0])] {
        let sdp = Sdp::new(cones.clone(), rhs, terms, Vec::new()).unwrap();
        let outcome = solve(&sdp, &precise(), &mut ());
        let Some(ray) = &outcome.ray_y else { panic!("{:?}", outcome.status) };
        let gain: f64 = sdp.rhs().iter().zip(ray).map(|(b, y)| b * y).sum();
        assert!((gain - 1.0).abs() < 1e-9);
        let mut image = slack(&sdp, ray);
        combine(&mut image, -1.0, &written_out(&sdp, 0));
        assert!(least_eigenvalue(&image) > -1e-8);
    }
}
