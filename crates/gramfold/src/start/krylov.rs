//! Leading eigenvectors of a large matrix, roughly, from the Krylov space of a block.
//!
//! The space is spanned by V_i = T_i(M/s)·V₀ for Chebyshev polynomials T_i. Since 2T_iT_j = T_{i+j} + T_{|i−j|}, every
//! inner product in it is made of the moments V₀ᵀT_l(M/s)V₀, and those of 2V_iᵀV_i and 2V_iᵀV_{i+1}: nothing is
//! orthogonalised. A filter of as many products would keep only the last V_i.

use gramfold_linalg::{Gram, Mat, accumulate};

use super::{
    filter::{Ritz, ritz},
    spectral::{GoOn, Opening, apply},
};
use crate::{Error, Problem};

/// The largest rank for which all blocks are kept: beyond it their memory would be felt.
const LARGEST: usize = 20;

/// Products, and blocks. Measured on graphs of 2 to 20 clusters: where they are few, a product costs a third of an iteration, and a few
/// more save up to six of them, as the mean of eight seeds, where there are so many rows that the space is small beside them; where
/// they are many, blocks are wide, and iterations do the rest for less.
fn depth(problem: &Problem<'_>) -> usize {
    let rank = problem.rank;
    match (rank, 2 * (rank + 2)) {
        (5.., _) => 7,
        (_, more) if is_small(problem, more) => more,
        _ => 3 * (rank + 2) / 2,
    }
}

/// Whether this is less work than a filter.
pub(crate) fn is_cheaper(problem: &Problem<'_>) -> bool {
    problem.rank <= LARGEST && is_small(problem, depth(problem))
}

/// Whether inner products in the space of so many blocks, and its dense eigenproblem, cost little beside products with n rows.
fn is_small(problem: &Problem<'_>, blocks: usize) -> bool {
    4 * (problem.rank * blocks).pow(2) <= problem.dim()
}

/// V·diag(√λ) for the leading eigenpairs, up to a factor; none if it was not let go on.
pub(crate) fn leading(
    problem: &Problem<'_>,
    opening: Opening,
    go_on: &mut GoOn<'_>,
) -> Result<Option<Mat>, Error> {
    let r = problem.rank;
    let depth = depth(problem);
    let Opening { first, v, image, scale } = opening;
    let mut space = Space::new(first, v, scale);
    space.push(image);
    for i in 2..depth {
        let mut image = Mat::zeros(problem.dim(), r);
        apply(problem, space.last(), &mut image);
        if go_on(i as f64 / depth as f64, r as u64).is_break() {
            return Ok(None);
        }
        space.push(image);
    }
    let pairs = space.ritz().ok_or(Error::Overflow)?;
    Ok(Some(space.combined(&pairs.scaled(r))))
}

/// The space that some blocks V_i span; one more is known than spans it.
pub(crate) struct Space {
    blocks: Vec<Mat>,
    /// V₀ᵀT_l(M/s)V₀.
    moments: Vec<Mat>,
    scale: f64,
    gram: Gram,
}

impl Space {
    /// From V₀ and V₁ = M·V₀/s.
    pub(crate) fn new(first: Mat, second: Mat, scale: f64) -> Self {
        let mut gram = Gram::new(first.cols());
        let moments = vec![gram.of(&first, &first).clone(), gram.of(&first, &second).clone()];
        Self { blocks: vec![first, second], moments, scale, gram }
    }

    /// The block to be multiplied by M next.
    pub(crate) fn last(&self) -> &Mat {
        &self.blocks[self.blocks.len() - 1]
    }

    /// Adds the next block, given the product of M and the last.
    pub(crate) fn push(&mut self, image: Mat) {
        let Self { blocks, moments, scale, gram } = self;
        let [.., before, last] = blocks.as_slice() else {
            unreachable!("invariant: it began with two")
        };
        let mut next = image;
        next.zip(before, |image, before| 2.0 / *scale * image - before);
        for other in [last, &next] {
            let mut moment = gram.of(last, other).clone();
            let before = &moments[moments.len() % 2];
            moment.zip(before, |product, before| 2.0 * product - before);
            moments.push(moment);
        }
        blocks.push(next);
    }

    /// Blocks that span the space.
    fn depth(&self) -> usize {
        self.blocks.len() - 1
    }

    /// The Ritz pairs of M in it, largest first, its values over s; none if they are not numbers.
    pub(crate) fn ritz(&self) -> Option<Ritz> {
        let (r, moments) = (self.blocks[0].cols(), &self.moments);
        let inner = |i: usize, j: usize, a: usize, b: usize| {
            0.5 * (moments[i + j][(a, b)] + moments[i.abs_diff(j)][(a, b)])
        };
        let size = self.depth() * r;
        let square = Mat::from_fn(size, size, |i, j| inner(i / r, j / r, i % r, j % r));
        // xT_j = ½(T_{j+1} + T_{|j−1|}).
        let projected = Mat::from_fn(size, size, |i, j| {
            let (before, after) = ((j / r).abs_diff(1), j / r + 1);
            0.5 * (inner(i / r, before, i % r, j % r) + inner(i / r, after, i % r, j % r))
        });
        ritz(&square, &projected)
    }

    /// [V₀ V₁ …]·C.
    pub(crate) fn combined(&self, coefficients: &Mat) -> Mat {
        let (n, r) = (self.blocks[0].rows(), self.blocks[0].cols());
        let mut sum = Mat::zeros(n, coefficients.cols());
        for (i, block) in self.blocks[..self.depth()].iter().enumerate() {
            let part = Mat::from_fn(r, coefficients.cols(), |a, b| coefficients[(i * r + a, b)]);
            accumulate(1.0, block, &part, &mut sum);
        }
        sum
    }
}
