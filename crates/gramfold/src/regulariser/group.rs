//! h(X) = μ·Σ‖row‖ and μ·Σ‖column‖: whole rows, or whole columns, become zero. Columns that do are rank that is not needed.

use gramfold_linalg::{Mat, dot};

use super::{Regulariser, Shape, weight};
use crate::Error;

/// Group lasso over rows.
#[derive(Clone, Copy, Debug)]
pub struct RowGroup {
    mu: f64,
}

/// Group lasso over columns: the rank chooses itself.
#[derive(Clone, Copy, Debug)]
pub struct ColumnGroup {
    mu: f64,
}

impl RowGroup {
    /// μ must be nonnegative and finite.
    pub fn new(mu: f64) -> Result<Self, Error> {
        Ok(Self { mu: weight("mu", mu)? })
    }
}

impl ColumnGroup {
    /// μ must be nonnegative and finite.
    pub fn new(mu: f64) -> Result<Self, Error> {
        Ok(Self { mu: weight("mu", mu)? })
    }
}

/// What a group of this norm is multiplied by.
fn shrink(norm: f64, by: f64) -> f64 {
    if norm <= by { 0.0 } else { 1.0 - by / norm }
}

impl Regulariser for RowGroup {
    fn name(&self) -> &'static str {
        "row-group"
    }

    fn value(&self, x: &Mat) -> f64 {
        self.mu * (0..x.rows()).map(|i| dot(x.row(i), x.row(i)).sqrt()).sum::<f64>()
    }

    fn prox(&self, rows: &mut [f64], cols: usize, step: f64) {
        for row in rows.chunks_exact_mut(cols) {
            let factor = shrink(dot(row, row).sqrt(), step * self.mu);
            for v in row {
                *v *= factor;
            }
        }
    }

    fn shape(&self) -> Shape {
        Shape::Rows
    }
}

impl Regulariser for ColumnGroup {
    fn name(&self) -> &'static str {
        "column-group"
    }

    fn value(&self, x: &Mat) -> f64 {
        self.mu * squares(x.as_slice(), x.cols()).iter().map(|square| square.sqrt()).sum::<f64>()
    }

    fn prox(&self, rows: &mut [f64], cols: usize, step: f64) {
        let squares = squares(rows, cols).into_iter();
        let factors: Vec<f64> = squares.map(|s| shrink(s.sqrt(), step * self.mu)).collect();
        for row in rows.chunks_exact_mut(cols) {
            row.iter_mut().zip(&factors).for_each(|(v, factor)| *v *= factor);
        }
    }

    fn shape(&self) -> Shape {
        Shape::Columns
    }
}

/// ‖column‖² of each column.
fn squares(rows: &[f64], cols: usize) -> Vec<f64> {
    let mut sums = vec![0.0; cols];
    for row in rows.chunks_exact(cols) {
        sums.iter_mut().zip(row).for_each(|(sum, v)| *sum += v * v);
    }
    sums
}
