//! Rank-one parts, free variables, and an optimum that is not attained.

use gramfold_linalg::symmetric_eigen;
use gramfold_sdp::{Cone, RankOne, Sdp, Term, interior::solve};

use crate::{
    precise,
    random::{Dice, random_matrix},
    written::{assert_optimal, assert_proved, objectives, term},
};

/// max ⟨J, Z⟩ s.t. tr Z = 1, z_ij = 0 on the edges of a 5-cycle: √5 (Lovász 1979).
pub(crate) fn pentagon(ones: bool) -> Sdp {
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
        let outcome = solve(&sdp, &precise(), &mut ());
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
        let by_entries = solve(&long, &precise(), &mut ());
        let (optimum, _) = objectives(&long, &by_entries.point);
        let by_parts = solve(&short, &precise(), &mut ());
        assert_optimal(&long, &by_entries, optimum, "entries");
        assert_optimal(&short, &by_parts, optimum, "rank-one parts");
        assert_proved(&short, &by_parts, "rank-one parts");
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
    let outcome = solve(&sdp, &precise(), &mut ());
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
    let outcome = solve(&sdp, &precise(), &mut ());
    let (primal, dual) = objectives(&sdp, &outcome.point);
    assert!(primal > -1e-8 && primal < 1e-2 && dual.abs() < 1e-2, "{primal} {dual}");
}
