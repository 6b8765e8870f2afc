//! Some entries of a symmetric matrix.

use gramfold::linalg::Symmetric;

/// Observed entries: (i, j) stands for (j, i), too.
#[derive(Clone, Debug, PartialEq)]
pub struct Observations {
    /// n.
    pub dim: usize,
    /// Where, with i ≤ j.
    pub places: Vec<(u32, u32)>,
    /// What was observed there.
    pub values: Vec<f64>,
}

impl Observations {
    /// The stored entries of a matrix, zeros included.
    pub fn stored(matrix: &Symmetric) -> Self {
        let (mut places, mut values) = (Vec::new(), Vec::new());
        matrix.for_each_upper(|i, j, value| {
            places.push((i as u32, j as u32));
            values.push(value);
        });
        Self { dim: matrix.dim(), places, values }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Those with the given numbers.
    #[must_use]
    pub fn select(&self, numbers: &[u32]) -> Self {
        Self {
            dim: self.dim,
            places: numbers.iter().map(|&k| self.places[k as usize]).collect(),
            values: numbers.iter().map(|&k| self.values[k as usize]).collect(),
        }
    }

    /// The same places with other values.
    #[must_use]
    pub fn with_values(&self, values: Vec<f64>) -> Self {
        Self { dim: self.dim, places: self.places.clone(), values }
    }

    /// How many observations each node has; one with itself counts once.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.dim];
        for &(i, j) in &self.places {
            counts[i as usize] += 1;
            if i != j {
                counts[j as usize] += 1;
            }
        }
        counts
    }
}
