//! A run that can be stopped and gone on with, to the same bits.

use std::collections::BTreeMap;

use gramfold_linalg::Mat;
use serde::{Deserialize, Serialize};

use crate::solve::Progress;

/// What an algorithm or a rule must remember to go on as if it had not stopped, by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Memory(BTreeMap<String, Stored>);

/// What can be remembered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Stored {
    Matrix(#[serde(with = "stored")] Mat),
    Number(f64),
    Count(usize),
}

impl Memory {
    /// Remembers a matrix.
    pub fn set(&mut self, key: &str, matrix: &Mat) {
        self.0.insert(key.into(), Stored::Matrix(matrix.clone()));
    }

    /// Remembers a number.
    pub fn set_number(&mut self, key: &str, value: f64) {
        self.0.insert(key.into(), Stored::Number(value));
    }

    /// Remembers a count.
    pub fn set_count(&mut self, key: &str, value: usize) {
        self.0.insert(key.into(), Stored::Count(value));
    }

    /// A matrix that was remembered.
    pub fn get(&self, key: &str) -> Option<&Mat> {
        if let Some(Stored::Matrix(matrix)) = self.0.get(key) { Some(matrix) } else { None }
    }

    /// Overwrites a matrix with one of its shape that was remembered; says whether there was one.
    pub(crate) fn restore(&self, key: &str, matrix: &mut Mat) -> bool {
        let shape = (matrix.rows(), matrix.cols());
        let stored = self.get(key).filter(|stored| (stored.rows(), stored.cols()) == shape);
        stored.map(|stored| matrix.copy_from(stored)).is_some()
    }

    /// A number that was remembered.
    pub fn number(&self, key: &str) -> Option<f64> {
        if let Some(Stored::Number(value)) = self.0.get(key) { Some(*value) } else { None }
    }

    /// A count that was remembered.
    pub fn count(&self, key: &str) -> Option<usize> {
        if let Some(Stored::Count(value)) = self.0.get(key) { Some(*value) } else { None }
    }
}

/// The whole state of a run after an iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    #[serde(with = "stored")]
    pub(crate) x: Mat,
    #[serde(with = "stored")]
    pub(crate) y: Mat,
    pub(crate) gamma: f64,
    pub(crate) progress: Progress,
    pub(crate) evaluation: Memory,
    pub(crate) algorithm: Memory,
    pub(crate) rule: Memory,
    pub(crate) exchange: Memory,
}

impl Checkpoint {
    /// Completed iterations.
    pub fn iteration(&self) -> usize {
        self.progress.iteration
    }
}

/// Matrices in serde's formats.
pub mod stored {
    use gramfold_linalg::Matrix;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    /// Writes rows, columns and entries.
    pub fn serialize<T: Copy + Default + Serialize, S: Serializer>(
        matrix: &Matrix<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        (matrix.rows(), matrix.cols(), matrix.as_slice()).serialize(serializer)
    }

    /// Reads them back, refusing a shape that the entries do not fill.
    pub fn deserialize<'de, T: Copy + Default + Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Matrix<T>, D::Error> {
        let (rows, cols, entries): (usize, usize, Vec<T>) = Deserialize::deserialize(deserializer)?;
        if rows.checked_mul(cols) != Some(entries.len()) {
            return Err(D::Error::custom("a matrix with the wrong number of entries"));
        }
        Ok(Matrix::from_row_major(rows, cols, entries))
    }
}
