//! A run that can be stopped and gone on with, to the same bits.

use std::collections::BTreeMap;

use gramfold_linalg::Mat;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::solve::Progress;

/// Named matrices: what an algorithm or a rule must remember to go on as if it had not stopped.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Memory(BTreeMap<String, Stored>);

impl Memory {
    /// Remembers a matrix.
    pub fn set(&mut self, key: &str, matrix: &Mat) {
        self.0.insert(key.into(), Stored(matrix.clone()));
    }

    /// Remembers a number.
    pub fn set_number(&mut self, key: &str, value: f64) {
        self.set(key, &Mat::from_row_major(1, 1, vec![value]));
    }

    /// A matrix that was remembered.
    pub fn get(&self, key: &str) -> Option<&Mat> {
        self.0.get(key).map(|stored| &stored.0)
    }

    /// A number that was remembered.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.get(key).and_then(|matrix| matrix.as_slice().first().copied())
    }

    /// A count that was remembered.
    pub fn count(&self, key: &str) -> Option<usize> {
        self.number(key).map(|value| value as usize)
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

    /// n and r of the factors.
    pub fn shape(&self) -> (usize, usize) {
        (self.x.rows(), self.x.cols())
    }
}

/// A matrix as its shape and entries.
#[derive(Clone, Debug, PartialEq)]
struct Stored(Mat);

impl Serialize for Stored {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        stored::serialize(&self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for Stored {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        stored::deserialize(deserializer).map(Self)
    }
}

/// Matrices in serde's formats.
pub mod stored {
    use gramfold_linalg::Mat;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    /// Writes rows, columns and entries.
    pub fn serialize<S: Serializer>(matrix: &Mat, serializer: S) -> Result<S::Ok, S::Error> {
        (matrix.rows(), matrix.cols(), matrix.as_slice()).serialize(serializer)
    }

    /// Reads them back, refusing a shape that the entries do not fill.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Mat, D::Error> {
        let (rows, cols, entries): (usize, usize, Vec<f64>) =
            Deserialize::deserialize(deserializer)?;
        if rows.checked_mul(cols) != Some(entries.len()) {
            return Err(D::Error::custom("a matrix with the wrong number of entries"));
        }
        Ok(Mat::from_row_major(rows, cols, entries))
    }
}
