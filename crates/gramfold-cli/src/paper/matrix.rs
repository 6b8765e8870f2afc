//! Matrices of experiment files: written out, or drawn from a family.

use anyhow::{Context, bail};
use gramfold::{
    Loss,
    linalg::{Dense, Mat},
    registry::LOSSES,
};
use serde::Deserialize;

use super::random::SplitMix;

/// Experiments are small; a larger n is a slip of the keyboard.
const LARGEST: usize = 2048;

/// A matrix written out, row by row.
pub(crate) type Rows = Vec<Vec<f64>>;

/// Where the data matrices of an experiment come from.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Family {
    /// The same matrix every time.
    Rows(Rows),
    /// Independent normal entries, symmetrised.
    Gaussian { n: usize },
    /// The adjacency matrix of a random graph G(n, p).
    Adjacency { n: usize, p: f64 },
}

impl Family {
    /// One matrix of the family, the same for the same stream.
    pub(crate) fn draw(&self, random: &mut SplitMix) -> anyhow::Result<Dense> {
        match self {
            Self::Rows(rows) => symmetric(rows),
            &Self::Gaussian { n } => {
                check(n)?;
                Ok(Dense::symmetrised(Mat::from_fn(n, n, |_, _| random.normal())))
            }
            &Self::Adjacency { n, p } => {
                check(n)?;
                if !(0.0..=1.0).contains(&p) {
                    bail!("matrix: p = {p} is not a probability");
                }
                let mut a = Mat::zeros(n, n);
                for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
                    let edge = f64::from(random.uniform() <= p);
                    (a[(i, j)], a[(j, i)]) = (edge, edge);
                }
                Ok(Dense::symmetrised(a))
            }
        }
    }
}

/// The loss of a data matrix, by its name in the registry.
pub(crate) fn loss(name: &str, matrix: Dense) -> anyhow::Result<Box<dyn Loss>> {
    let entry = LOSSES.iter().find(|entry| entry.name == name).with_context(|| {
        let known: Vec<_> = LOSSES.iter().map(|entry| format!("`{}`", entry.name)).collect();
        format!("loss `{name}` is not known; known are {}", known.join(", "))
    })?;
    Ok((entry.build)(matrix.into()))
}

/// A symmetric matrix from its rows.
pub(crate) fn symmetric(rows: &Rows) -> anyhow::Result<Dense> {
    let matrix = dense("matrix", rows)?;
    check(matrix.rows())?;
    if matrix.rows() != matrix.cols() || matrix != matrix.transposed() {
        bail!("matrix: it is not symmetric");
    }
    Ok(Dense::symmetrised(matrix))
}

/// A matrix from its rows.
pub(crate) fn dense(what: &str, rows: &Rows) -> anyhow::Result<Mat> {
    let cols = rows.first().map_or(0, Vec::len);
    if cols == 0 || rows.iter().any(|row| row.len() != cols) {
        bail!("{what}: rows must have one length, and at least one entry");
    }
    let matrix = Mat::from_row_major(rows.len(), cols, rows.concat());
    if !matrix.is_finite() {
        bail!("{what}: an entry is not finite");
    }
    Ok(matrix)
}

fn check(n: usize) -> anyhow::Result<()> {
    if !(1..=LARGEST).contains(&n) {
        bail!("matrix: n = {n} is outside 1..={LARGEST}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_symmetric_and_repeat() {
        for family in [Family::Gaussian { n: 7 }, Family::Adjacency { n: 7, p: 0.5 }] {
            let draw = || family.draw(&mut SplitMix::of(3, &[1])).unwrap();
            assert_eq!(draw(), draw());
            assert_eq!(draw().as_mat(), &draw().as_mat().transposed());
        }
    }

    #[test]
    fn wrong_matrices_are_refused() {
        let mut random = SplitMix::of(0, &[]);
        for family in [
            Family::Rows(vec![]),
            Family::Rows(vec![vec![1.0], vec![1.0, 2.0]]),
            Family::Rows(vec![vec![0.0, 1.0], vec![2.0, 0.0]]),
            Family::Rows(vec![vec![f64::NAN]]),
            Family::Gaussian { n: 0 },
            Family::Gaussian { n: usize::MAX },
            Family::Adjacency { n: 3, p: 1.5 },
        ] {
            assert!(family.draw(&mut random).is_err(), "{family:?}");
        }
        assert!(loss("cubic", symmetric(&vec![vec![1.0]]).unwrap()).is_err());
    }
}
