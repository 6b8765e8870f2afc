//! h = the indicator of rows that are nonnegative and add up to 1: soft assignments.

use gramfold_linalg::Mat;

use super::{Regulariser, Shape};

/// Every row on the unit simplex; prox: the nearest point of it, by sorting.
#[derive(Clone, Copy, Debug, Default)]
pub struct SimplexRows;

/// Rounding may leave the sum of a projected row this much beside 1.
const SLACK: f64 = 1e-12;

impl Regulariser for SimplexRows {
    fn name(&self) -> &'static str {
        "simplex-rows"
    }

    fn value(&self, x: &Mat) -> f64 {
        let on = |row: &[f64]| {
            (row.iter().sum::<f64>() - 1.0).abs() <= SLACK * row.len() as f64
                && row.iter().all(|v| *v >= 0.0)
        };
        if (0..x.rows()).all(|i| on(x.row(i))) { 0.0 } else { f64::INFINITY }
    }

    fn prox(&self, rows: &mut [f64], cols: usize, _: f64) {
        let mut sorted = Vec::with_capacity(cols);
        for row in rows.chunks_exact_mut(cols) {
            sorted.clear();
            sorted.extend_from_slice(row);
            sorted.sort_by(|a, b| b.total_cmp(a));
            // The shift for which the largest entries, lowered by it, add up to 1.
            let (mut sum, mut shift) = (0.0, 0.0);
            for (k, v) in sorted.iter().enumerate() {
                sum += v;
                let candidate = (sum - 1.0) / (k + 1) as f64;
                if *v > candidate {
                    shift = candidate;
                }
            }
            for v in &mut *row {
                let lowered = *v - shift;
                *v = if lowered < 0.0 { 0.0 } else { lowered };
            }
        }
    }

    fn is_least_at_zero(&self) -> bool {
        false
    }

    fn shape(&self) -> Shape {
        Shape::Rows
    }
}
