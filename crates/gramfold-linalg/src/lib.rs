//! The kernels of Gramfold: tall row-major factors, symmetric matrices, extreme eigenvalues.
//!
//! Everything is `f64`. A factor X (n×r, n ≫ r) is row-major, so that one nonzero of a sparse matrix gathers one contiguous row and every row-local solve touches one cache line at a time.
//!
//! Every kernel splits its rows into chunks of a *fixed* size and adds partial sums in a *fixed*
//! order: the same input gives the same bits whatever the number of threads. Work that fits one
//! chunk runs on the calling thread.

// Run-time choice of instruction set and prefetching need it; each use states why it is sound.
#![deny(unsafe_code)]

mod along;
mod beside;
mod cg;
mod chunk;
mod column;
mod conjugate;
mod csr;
mod dense;
mod eigen;
mod gather;
mod krylov;
mod lanes;
mod ldl;
mod mat;
mod memory;
mod narrow;
mod order;
mod pattern;
mod product;
mod rowwise;
mod sampled;
mod simd;
mod sparse_cholesky;
mod spheres;
mod square;
mod sweep;
mod symmetric;
mod systems;
mod wide;

pub use along::Along;
pub use beside::{BESIDE, Beside};
pub use cg::{ConjugateGradients, Reach, SolveEnd, Solved, System};
pub use chunk::strip_width;
pub use conjugate::{Bent, Combination, FreeProducts};
pub use csr::{Above, Csr, CsrError};
pub use dense::Dense;
pub use eigen::{
    Eigen, is_positive_definite, proves_positive_definite, symmetric_eigen, symmetric_eigenvalues,
};
pub use krylov::{Krylov, Options as KrylovOptions, Ritz, Which, failure_gap};
pub use ldl::Ldl;
pub use mat::{Mat, Matrix, dot, norm, normalise};
pub use memory::Guarded;
pub use order::{Total, counting_sort};
pub use pattern::Pattern;
pub use product::{Gram, accumulate, multiply, multiply_less, row_products};
pub use rowwise::multiply_rows;
pub use sampled::sample;
pub use sparse_cholesky::SparseCholesky;
pub use spheres::{cg_direction, cg_step, project_shifted, retract, row_dots};
pub use square::{
    NoFactor, Operand, cholesky, cholesky_inverse, cholesky_solve, product, sum_of_outer_products,
};
pub use sweep::{Order, Overshoot, Prox, Rows, Sweep};
pub use symmetric::Symmetric;
pub use systems::{invert_each, solve_each};

use simd::{add_scaled, add_scaled4, by_width, fma, multiversion, prefetch};
