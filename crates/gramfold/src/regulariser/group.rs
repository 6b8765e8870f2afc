//! h(X) = μ·Σ‖row‖ and μ·Σ‖column‖: whole rows, or whole columns, become zero. Columns that do are rank that is not needed.

use gramfold_linalg::{Mat, dot};

use super::{Regulariser, Shape, weight};
use crate::Error;

/// Group lasso over rows, or over columns, where the rank chooses itself.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    mu: f64,
    of_columns: bool,
}

impl Group {
    /// Over rows; μ must be nonnegative and finite.
    pub fn rows(mu: f64) -> Result<Self, Error> {
        Ok(Self { mu: weight("mu", mu)?, of_columns: false })
    }

    /// Over columns; μ must be nonnegative and finite.
    pub fn columns(mu: f64) -> Result<Self, Error> {
        Ok(Self { mu: weight("mu", mu)?, of_columns: true })
    }

    /// The norm of each group.
    fn norms(&self, rows: &[f64], cols: usize) -> Vec<f64> {
        let rows = rows.chunks_exact(cols);
        if !self.of_columns {
            return rows.map(|row| dot(row, row).sqrt()).collect();
        }
        let mut squares = vec![0.0; cols];
        for row in rows {
            squares.iter_mut().zip(row).for_each(|(sum, v)| *sum += v * v);
        }
        squares.into_iter().map(f64::sqrt).collect()
    }
}

impl Regulariser for Group {
    fn name(&self) -> &'static str {
        if self.of_columns { "column-group" } else { "row-group" }
    }

    fn value(&self, x: &Mat) -> f64 {
        self.mu * self.norms(x.as_slice(), x.cols()).iter().sum::<f64>()
    }

    fn prox(&self, rows: &mut [f64], cols: usize, step: f64) {
        let by = step * self.mu;
        let shrink = |norm: f64| if norm <= by { 0.0 } else { 1.0 - by / norm };
        let factors: Vec<f64> = self.norms(rows, cols).into_iter().map(shrink).collect();
        for (i, row) in rows.chunks_exact_mut(cols).enumerate() {
            for (j, v) in row.iter_mut().enumerate() {
                *v *= factors[if self.of_columns { j } else { i }];
            }
        }
    }

    fn shape(&self) -> Shape {
        if self.of_columns { Shape::Columns } else { Shape::Rows }
    }
}
