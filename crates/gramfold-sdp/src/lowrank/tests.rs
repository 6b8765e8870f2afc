//! Data for the tests of the engine's parts.

use gramfold_linalg::Mat;

use super::{factor::Factor, program::Program};
use crate::{Cone, RankOne, Sdp, Term};

/// A small program with two semidefinite blocks, a nonnegative one and a rank-one part.
pub(super) fn random_sdp(m: usize) -> Sdp {
    let cones = vec![Cone::Semidefinite(4), Cone::Nonnegative(3), Cone::Semidefinite(2)];
    let mut terms = Vec::new();
    for matrix in 0..=m {
        for (block, cone) in cones.iter().enumerate() {
            for row in 0..cone.size() {
                for col in row..cone.size() {
                    if (row != col && block == 1) || (matrix + 3 * row + col) % 3 == 0 {
                        continue;
                    }
                    let value = ((7 * matrix + 5 * block + 3 * row + col) as f64).sin();
                    terms.push(Term { matrix, block, row, col, value });
                }
            }
        }
    }
    let vector = vec![1.0, -0.5, 0.3, 2.0];
    let one = |matrix, weight| RankOne { matrix, block: 0, weight, vector: vector.clone() };
    let rhs = (0..m).map(|k| 1.0 + k as f64).collect();
    Sdp::new(cones, rhs, terms, vec![one(0, -0.7), one(2, 0.4)]).unwrap()
}

/// A factor of a rank, filled with a wave.
pub(super) fn wave(program: &Program, rank: usize, phase: f64) -> Factor {
    let blocks: Vec<Mat> = program
        .blocks
        .iter()
        .map(|block| {
            let r = if block.nonnegative { 1 } else { rank };
            Mat::from_fn(block.range.len(), r, |i, j| {
                (phase + 1.3 * i as f64 + 2.9 * j as f64).sin()
            })
        })
        .collect();
    Factor::stacked(&blocks)
}
