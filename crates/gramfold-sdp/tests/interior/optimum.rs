//! Random programs that end at the optimum they were built around.

use gramfold_linalg::Mat;
use gramfold_sdp::{Cone, Sdp, interior::solve};

use crate::{
    precise,
    random::{Dice, random_basis, random_cones, random_matrix, with_eigenvalues},
    written::{assert_optimal, assert_proved, combine, inner, program, stretch, written_out},
};

/// A program with Z*, S*, y* strictly complementary, and its optimum. With an `interior`, both it and its dual have
/// a positive definite feasible point; without, it is as chance has it.
pub(crate) fn solvable(seed: u64, interior: bool) -> (Sdp, f64) {
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
        let outcome = solve(&sdp, &precise(), &mut ());
        assert_optimal(&sdp, &outcome, optimum, &format!("seed {seed}"));
        assert_proved(&sdp, &outcome, &format!("seed {seed}"));
    }
}

#[test]
fn programs_that_may_lack_an_interior_end_at_their_known_optimum_too() {
    for seed in 0..300 {
        let (sdp, optimum) = solvable(seed, false);
        let outcome = solve(&sdp, &precise(), &mut ());
        assert_optimal(&sdp, &outcome, optimum, &format!("seed {seed}"));
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
        let outcome = solve(&sdp, &precise(), &mut ());
        assert_optimal(&sdp, &outcome, optimum, &format!("seed {seed}"));
        assert_proved(&sdp, &outcome, &format!("seed {seed}"));
    }
}
