//! How far distances are off that of the positions.

use gramfold::linalg::Mat;
use gramfold_learn::Observations;

use crate::learn::{Nodes, field};

/// Relative residuals that are so many times that of most distances are no noise, unless they are as small as this.
pub(super) const FAR: f64 = 30.0;
pub(super) const NEGLIGIBLE: f64 = 1e-6;

/// i, j, the distance, and how far that of the positions is off.
pub(super) struct Residuals {
    pub(super) list: Vec<(usize, usize, f64, f64)>,
}

impl Residuals {
    pub(super) fn of(distances: &Observations, x: &Mat) -> Self {
        let one = |(&(i, j), &distance): (&(u32, u32), &f64)| {
            let (i, j) = (i as usize, j as usize);
            let squares = x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b) * (a - b));
            (i, j, distance, squares.sum::<f64>().sqrt() - distance)
        };
        Self { list: distances.places.iter().zip(&distances.values).map(one).collect() }
    }

    pub(super) fn relative_error(&self) -> f64 {
        let off: f64 = self.list.iter().map(|(_, _, _, off)| off * off).sum();
        let all: f64 = self.list.iter().map(|(_, _, distance, _)| distance * distance).sum();
        (off / all).sqrt()
    }

    /// Of the one that is the most off.
    pub(super) fn largest(&self) -> f64 {
        self.list.iter().map(|(_, _, _, off)| off.abs()).max_by(f64::total_cmp).unwrap_or(0.0)
    }

    /// How many are off by far more than most: they are wrong, or a part of the layout is folded over.
    pub(super) fn outliers(&self) -> usize {
        let mut relative: Vec<f64> =
            self.list.iter().map(|(_, _, distance, off)| (off / distance).abs()).collect();
        relative.sort_by(f64::total_cmp);
        let median = relative.get(relative.len() / 2).copied().unwrap_or(0.0);
        let least = (FAR * median).max(NEGLIGIBLE);
        relative.iter().filter(|off| **off > least).count()
    }

    pub(super) fn csv(&self, nodes: &Nodes) -> String {
        let mut text = String::from("i,j,distance,residual\n");
        for &(i, j, distance, off) in &self.list {
            let (i, j) = (field(&nodes.name(i)), field(&nodes.name(j)));
            text += &format!("{i},{j},{distance:?},{off:e}\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_are_off_by_far_more_than_most() {
        let with = |offs: &[f64]| {
            let list = offs.iter().enumerate().map(|(i, off)| (i, i + 1, 2.0, *off)).collect();
            Residuals { list }.outliers()
        };
        // Noise, rounding, and one of each with what does not belong there.
        assert_eq!(with(&[0.01, -0.02, 0.03, -0.1, 0.002]), 0);
        assert_eq!(with(&[1e-16, -1e-15, 1e-14, 1e-12, 0.0]), 0);
        assert_eq!(with(&[0.01, -0.02, 0.03, -0.8, 0.02]), 1);
        assert_eq!(with(&[1e-16, -1e-15, 1e-14, 1e-3, -1e-3]), 2);
        assert_eq!(with(&[]), 0);
    }
}
