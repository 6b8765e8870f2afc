//! Points whose positions are known: rows that do not move.

use gramfold::{Error, Regulariser, linalg::Mat, regulariser::Shape};

/// Some rows and what they are; as a regulariser, the indicator of that.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchors {
    rows: Vec<u32>,
    positions: Mat,
}

impl Anchors {
    /// None, in D dimensions.
    pub fn none(dim: usize) -> Self {
        Self { rows: Vec::new(), positions: Mat::zeros(0, dim) }
    }

    /// Rows and their positions, a row each.
    pub fn new(rows: Vec<u32>, positions: Mat) -> Result<Self, Error> {
        let mut sorted = rows.clone();
        sorted.sort_unstable();
        let twice = sorted.windows(2).any(|pair| pair[0] == pair[1]);
        if twice || rows.len() != positions.rows() || !positions.is_finite() {
            let message = "anchors need one finite position for each of different nodes";
            return Err(Error::data(message));
        }
        Ok(Self { rows, positions })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Which rows they are.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Where they are, in the order of [`Anchors::rows`].
    pub fn positions(&self) -> &Mat {
        &self.positions
    }

    /// Between two of them.
    pub(super) fn distance(&self, a: usize, b: usize) -> f64 {
        let pairs = self.positions.row(a).iter().zip(self.positions.row(b));
        pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    }

    /// Puts them in their places.
    pub(super) fn put(&self, x: &mut Mat) {
        for (&row, position) in self.rows.iter().zip(0..) {
            x.row_mut(row as usize).copy_from_slice(self.positions.row(position));
        }
    }
}

impl Regulariser for Anchors {
    fn name(&self) -> &'static str {
        "anchors"
    }

    fn value(&self, x: &Mat) -> f64 {
        let mut rows = self.rows.iter().zip(0..);
        let fits = rows.all(|(&row, k)| x.row(row as usize) == self.positions.row(k));
        if fits { 0.0 } else { f64::INFINITY }
    }

    fn prox(&self, rows: &mut [f64], cols: usize, _: f64) {
        for (&row, k) in self.rows.iter().zip(0..) {
            rows[row as usize * cols..][..cols].copy_from_slice(self.positions.row(k));
        }
    }

    fn is_least_at_zero(&self) -> bool {
        self.is_empty()
    }

    /// All rows are seen at once.
    fn shape(&self) -> Shape {
        if self.is_empty() { Shape::Ridge { lambda: 0.0 } } else { Shape::Columns }
    }
}
