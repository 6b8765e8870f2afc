//! Where a run starts: a given point, or random factors of a fitting size.

use gramfold_linalg::{Mat, symmetric_eigen};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Factor, Program, rank};
use crate::{Options, Point, Primal};

/// A factor, and the normalised multipliers of a warm start that fits the problem.
pub(super) fn point(program: &Program, options: &Options) -> (Factor, Option<Vec<f64>>) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(options.seed);
    if let Some((factor, y)) = options.warm.as_ref().and_then(|warm| given(program, warm)) {
        return (factor, Some(y));
    }
    let blocks: Vec<Mat> = program
        .blocks
        .iter()
        .map(|block| {
            let r = rank::initial(block, options.rank);
            Mat::from_fn(block.range.len(), r, |_, _| StandardNormal.sample(&mut random))
        })
        .collect();
    let mut factor = Factor::stacked(&blocks);
    // A(RRᵀ) as near to b as a multiple can be.
    let image = program.image(&factor.rows);
    let along: f64 = image[1..].iter().zip(&program.rhs).map(|(a, b)| a * b).sum();
    let square: f64 = image[1..].iter().map(|a| a * a).sum();
    let size = if square > 0.0 { (along / square).max(1e-4 / square.sqrt()) } else { 1.0 };
    factor.rows.scale(size.sqrt());
    (factor, None)
}

/// A point in normalised units; none if its shape is not the problem's or it is not finite.
fn given(program: &Program, warm: &Point) -> Option<(Factor, Vec<f64>)> {
    if warm.primal.len() != program.blocks.len() || warm.dual.len() != program.constraints() {
        return None;
    }
    let root = 1.0 / program.factor_scale();
    let mut factors = Vec::with_capacity(warm.primal.len());
    for (block, primal) in warm.primal.iter().enumerate() {
        let mut factor = match primal {
            Primal::Factor(factor) => factor.clone(),
            Primal::Dense(z) => factorised(z)?,
            Primal::Diagonal(d) => {
                Mat::from_row_major(d.len(), 1, d.iter().map(|z| z.max(0.0).sqrt()).collect())
            }
        };
        let rows = &program.blocks[block];
        let vector = factor.cols() == 1;
        let fits = factor.rows() == rows.range.len() && factor.cols() > 0;
        if !fits || !factor.is_finite() || (rows.nonnegative && !vector) {
            return None;
        }
        factor.scale(root);
        factors.push(factor);
    }
    let y = program.normalised_multipliers(&warm.dual);
    y.iter().all(|y| y.is_finite()).then_some((Factor::stacked(&factors), y))
}

/// R with RRᵀ the positive part of Z, its negligible columns left out.
fn factorised(z: &Mat) -> Option<Mat> {
    let eigen = symmetric_eigen(z)?;
    let n = z.rows();
    let floor = 1e-10 * eigen.values.last()?.abs();
    let rank = eigen.values.iter().filter(|value| **value > floor).count().max(1);
    let column = |j: usize| n - 1 - j;
    Some(Mat::from_fn(n, rank, |i, j| {
        eigen.values[column(j)].max(0.0).sqrt() * eigen.vectors[(column(j), i)]
    }))
}
