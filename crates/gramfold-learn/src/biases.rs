//! Row biases: b_ij ≈ a_i + a_j, what can be said of an entry from its row and its column alone.

use crate::{Observations, adjacency::Neighbours};

/// Sweeps over the nodes at the most; a few dozen are usual.
const SWEEPS: usize = 500;

/// a, with the mean of the observations spread over both ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Biases {
    values: Vec<f64>,
}

impl Biases {
    /// No biases.
    pub fn none(dim: usize) -> Self {
        Self { values: vec![0.0; dim] }
    }

    /// Read back.
    pub fn from_values(values: Vec<f64>) -> Self {
        Self { values }
    }

    /// Minimises Σ ½(b_ij − μ − β_i − β_j)² + (shrinkage/2)‖β‖², μ the mean of the observations, by sweeps over the nodes;
    /// a_i = μ/2 + β_i.
    pub fn fit(observed: &Observations, shrinkage: f64) -> Self {
        let n = observed.dim;
        let mean = observed.values.iter().sum::<f64>() / observed.len().max(1) as f64;
        let neighbours = Neighbours::new(observed);
        let mut beta = vec![0.0_f64; n];
        for _ in 0..SWEEPS {
            let (mut largest, mut change) = (0.0_f64, 0.0_f64);
            for i in 0..n {
                let (mut pull, mut weight) = (0.0, shrinkage);
                for &(j, value) in neighbours.of(i) {
                    let value = value - mean;
                    // On the diagonal β_i counts twice.
                    if j as usize == i {
                        pull += 2.0 * value;
                        weight += 4.0;
                    } else {
                        pull += value - beta[j as usize];
                        weight += 1.0;
                    }
                }
                let new = if weight > 0.0 { pull / weight } else { 0.0 };
                change = change.max((new - beta[i]).abs());
                largest = largest.max(new.abs());
                beta[i] = new;
            }
            if change <= 1e-12 * largest {
                break;
            }
        }
        Self { values: beta.into_iter().map(|beta| 0.5 * mean + beta).collect() }
    }

    /// a_i + a_j.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.values[i] + self.values[j]
    }

    /// a.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// What they leave of the observations: nothing where that is no more than the rounding of the difference, which a factor would
    /// be fitted to otherwise.
    #[must_use]
    pub fn residual(&self, observed: &Observations) -> Observations {
        let left = observed.places.iter().zip(&observed.values).map(|(&(i, j), b)| {
            let (i, j) = (i as usize, j as usize);
            let left = b - self.at(i, j);
            let rounding = 4.0 * f64::EPSILON * (self.values[i].abs() + self.values[j].abs());
            if left.abs() <= rounding { 0.0 } else { left }
        });
        observed.with_values(left.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The gradient of what is minimised, by its definition, is zero at the fit.
    #[test]
    fn the_fit_is_stationary() {
        let places = vec![(0, 1), (1, 2), (0, 2), (2, 2), (1, 3), (3, 4), (0, 4)];
        let values = vec![1.0, -2.0, 0.5, 4.0, 3.0, 0.0, 2.5];
        let observed = Observations { dim: 6, places, values };
        let mean = observed.values.iter().sum::<f64>() / 7.0;
        let shrinkage = 0.7;
        let beta: Vec<f64> =
            Biases::fit(&observed, shrinkage).values().iter().map(|a| a - 0.5 * mean).collect();
        let objective = |beta: &[f64]| {
            let errors = observed
                .places
                .iter()
                .zip(&observed.values)
                .map(|(&(i, j), b)| (b - mean - beta[i as usize] - beta[j as usize]).powi(2));
            0.5 * errors.sum::<f64>() + 0.5 * shrinkage * beta.iter().map(|b| b * b).sum::<f64>()
        };
        for node in 0..6 {
            let moved = |step: f64| {
                let mut beta = beta.clone();
                beta[node] += step;
                objective(&beta)
            };
            let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!(slope.abs() < 1e-8, "node {node}: slope {slope:e}");
        }
        assert_eq!(beta[5], 0.0, "a node without observations has no bias of its own");
    }
}
