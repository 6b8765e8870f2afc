//! Random semidefinite programs whose optimum is known by construction.

#![allow(dead_code)] // Each test binary uses a part.

pub(crate) mod face;

use gramfold_linalg::{Mat, dot, symmetric_eigen};
use gramfold_sdp::{Cone, Point, Primal, RankOne, Sdp, Term};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A program, an optimal pair, and the optimum.
pub(crate) struct Known {
    pub(crate) sdp: Sdp,
    pub(crate) point: Point,
    pub(crate) optimum: f64,
    /// About the size of the terms that make up the optimum, by which it may be rounded.
    pub(crate) size: f64,
}

/// Z* and S* share eigenvectors and complement each other, C = S* + A*(y*), b = A(Z*): then ⟨C, Z*⟩ = bᵀy*.
///
/// With `bounded` the constraints imply a bound on every trace: a diagonal, a trace or positive rank-one and
/// diagonal parts, in turn.
pub(crate) fn random(seed: u64, bounded: bool) -> Known {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let n = random.random_range(2..9_usize);
    let diagonal = random.random_range(0..4_usize);
    let r = random.random_range(1..=n / 2 + 1).min(n);
    let mut cones = vec![Cone::Semidefinite(n)];
    if diagonal > 0 {
        cones.push(Cone::Nonnegative(diagonal));
    }
    let mut normal = || -> f64 {
        let (a, b): (f64, f64) = (random.random(), random.random());
        (-2.0 * (1.0 - a).ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    };
    let g = Mat::from_fn(n, n, |_, _| normal());
    let symmetric = Mat::from_fn(n, n, |i, j| g[(i, j)] + g[(j, i)]);
    let q = symmetric_eigen(&symmetric).unwrap().vectors;
    let eigenvalues: Vec<f64> = (0..n).map(|_| 0.1 + normal().abs()).collect();
    let part = |range: std::ops::Range<usize>| {
        Mat::from_fn(n, n, |i, j| {
            range.clone().map(|k| eigenvalues[k] * q[(k, i)] * q[(k, j)]).sum()
        })
    };
    let (z, s) = (part(0..r), part(r..n));
    let z_diagonal: Vec<f64> =
        (0..diagonal).map(|j| if j % 2 == 0 { normal().abs() } else { 0.0 }).collect();
    let s_diagonal: Vec<f64> =
        (0..diagonal).map(|j| if j % 2 == 1 { normal().abs() } else { 0.0 }).collect();

    let mut terms = Vec::new();
    let mut rank_ones = Vec::new();
    let mut matrices = 0;
    let term = |matrix, block, row, col, value| Term { matrix, block, row, col, value };
    if bounded {
        match seed % 3 {
            0 => {
                for i in 0..n {
                    matrices += 1;
                    terms.push(term(matrices, 0, i, i, 0.5 + normal().abs()));
                }
            }
            1 => {
                matrices += 1;
                (0..n).for_each(|i| terms.push(term(1, 0, i, i, 1.0)));
            }
            _ => {
                matrices += 1;
                (0..n).for_each(|i| terms.push(term(1, 0, i, i, -0.5 - normal().abs())));
                let vector = (0..n).map(|_| normal()).collect();
                rank_ones.push(RankOne { matrix: 1, block: 0, weight: -0.7, vector });
            }
        }
        if diagonal > 0 {
            matrices += 1;
            (0..diagonal).for_each(|j| terms.push(term(matrices, 1, j, j, 1.0 + j as f64)));
        }
    }
    let general = 1 + (seed as usize % n);
    for _ in 0..general {
        matrices += 1;
        for i in 0..n {
            (i..n).for_each(|j| {
                let value = normal();
                if value > 0.0 {
                    terms.push(term(matrices, 0, i, j, value));
                }
            });
        }
        (0..diagonal).for_each(|j| terms.push(term(matrices, 1, j, j, normal())));
    }
    let y: Vec<f64> = (0..matrices).map(|_| 3.0 * normal()).collect();

    // b and the part A*(y) of C, entry by entry.
    let mut rhs = vec![0.0; matrices];
    let mut cost = s.clone();
    let mut cost_diagonal = s_diagonal;
    for t in &terms {
        let i = t.matrix - 1;
        if t.block == 1 {
            rhs[i] += t.value * z_diagonal[t.row];
            cost_diagonal[t.row] += y[i] * t.value;
        } else {
            let twice = if t.row == t.col { 1.0 } else { 2.0 };
            rhs[i] += twice * t.value * z[(t.row, t.col)];
            cost[(t.row, t.col)] += y[i] * t.value;
            if t.row != t.col {
                cost[(t.col, t.row)] += y[i] * t.value;
            }
        }
    }
    for part in &rank_ones {
        let (i, v) = (part.matrix - 1, &part.vector);
        for a in 0..n {
            for b in 0..n {
                rhs[i] += part.weight * v[a] * v[b] * z[(a, b)];
                cost[(a, b)] += y[i] * part.weight * v[a] * v[b];
            }
        }
    }
    for i in 0..n {
        (i..n).for_each(|j| terms.push(term(0, 0, i, j, 0.5 * (cost[(i, j)] + cost[(j, i)]))));
    }
    (0..diagonal).for_each(|j| terms.push(term(0, 1, j, j, cost_diagonal[j])));

    let optimum = dot(&rhs, &y);
    let size =
        1.0 + rhs.iter().zip(&y).map(|(b, y)| (b * y).abs()).sum::<f64>() + cost.norm() * z.norm();
    let mut primal = vec![Primal::Dense(z)];
    if diagonal > 0 {
        primal.push(Primal::Diagonal(z_diagonal));
    }
    let sdp = Sdp::new(cones, rhs, terms, rank_ones).unwrap();
    Known { sdp, point: Point { primal, dual: y }, optimum, size }
}
