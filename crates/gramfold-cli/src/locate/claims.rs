//! What is said of a layout, as JSON, as tables and in words.

use gramfold::{Spec, certificate::significant, linalg::Mat};
use gramfold_learn::{Observations, locate::Reason};
use serde::{Deserialize, Serialize};

use crate::{
    learn::{Fit, Nodes, field},
    store::Claims,
};

/// The claims of `locate`.
pub(crate) type LocateClaims = Claims<Spec, Located>;

/// Nodes that are not determined and named in the claims; the table has all.
const NAMED: usize = 20;

/// Relative residuals that are so many times that of most distances are no noise, unless they are as small as this.
const FAR: f64 = 30.0;
pub(super) const NEGLIGIBLE: f64 = 1e-6;

/// What only `locate` claims.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Located {
    #[serde(flatten)]
    pub(crate) fit: Fit,
    /// Distances that are known.
    pub(crate) distances: usize,
    /// Nodes whose positions are known.
    pub(crate) anchors: usize,
    /// Whether the positions are in the frame of the anchors.
    pub(crate) framed: bool,
    /// The root of the mean squared residual of a distance, relative to that of the distances.
    pub(crate) relative_error: f64,
    /// The largest residual of a distance.
    pub(crate) largest_residual: f64,
    /// Distances that are off by far more than most.
    pub(crate) outliers: usize,
    /// Nodes that the distances do not determine …
    pub(crate) undetermined: usize,
    /// … of which the first are these, with the reasons.
    pub(crate) named: Vec<String>,
}

/// i, j, the distance, and how far that of the positions is off.
pub(crate) struct Residuals {
    pub(crate) list: Vec<(usize, usize, f64, f64)>,
}

impl Residuals {
    pub(crate) fn of(distances: &Observations, x: &Mat) -> Self {
        let one = |(&(i, j), &distance): (&(u32, u32), &f64)| {
            let (i, j) = (i as usize, j as usize);
            let squares = x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b) * (a - b));
            (i, j, distance, squares.sum::<f64>().sqrt() - distance)
        };
        Self { list: distances.places.iter().zip(&distances.values).map(one).collect() }
    }

    pub(crate) fn relative_error(&self) -> f64 {
        let off: f64 = self.list.iter().map(|(_, _, _, off)| off * off).sum();
        let all: f64 = self.list.iter().map(|(_, _, distance, _)| distance * distance).sum();
        (off / all).sqrt()
    }

    /// The one that is the most off.
    pub(crate) fn largest(&self) -> Option<(usize, usize, f64, f64)> {
        self.list.iter().copied().max_by(|a, b| a.3.abs().total_cmp(&b.3.abs()))
    }

    /// How many are off by far more than most: they are wrong, or a part of the layout is folded over.
    pub(crate) fn outliers(&self) -> usize {
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

/// The nodes that are not determined, as a table.
pub(crate) fn free_csv(free: &[(usize, Reason)], nodes: &Nodes) -> String {
    let mut text = String::from("node,reason\n");
    for (node, reason) in free {
        text += &format!("{},{reason}\n", field(&nodes.name(*node)));
    }
    text
}

/// The first of them, in words.
pub(crate) fn named(free: &[(usize, Reason)], nodes: &Nodes) -> Vec<String> {
    let word = |(node, reason): &(usize, Reason)| format!("{} ({reason})", nodes.name(*node));
    free.iter().take(NAMED).map(word).collect()
}

/// The summary for a person.
pub(super) fn summary(claims: &LocateClaims) -> String {
    let details = &claims.details;
    format!(
        "{} nodes in {} dimensions, {} distances, {} anchors; {}\n\
         the distances are met to {} of their size, the worst is {} off{}\n\
         {}\n\
         {}; objective {}\n\
         {}\n",
        claims.nodes,
        claims.rank,
        details.distances,
        details.anchors,
        if details.framed { "in the frame of the anchors" } else { "centred" },
        significant(details.relative_error),
        significant(details.largest_residual),
        outliers(details),
        determined(details),
        details.fit.run_in_words(claims),
        significant(claims.objective),
        details.fit.certificate,
    )
}

/// What outliers mean, in words.
pub(super) fn outliers(details: &Located) -> String {
    let (count, are) = match details.outliers {
        0 => return String::new(),
        1 => ("one is".into(), "this distance is"),
        more => (format!("{more} are"), "these distances are"),
    };
    format!(
        "\n{count} off by more than {FAR} times what most are: {are} wrong, or a part of the layout is folded over (try another --seed)"
    )
}

/// Which nodes are not determined, in words.
pub(super) fn determined(details: &Located) -> String {
    if details.undetermined == 0 {
        return "no node is seen to be undetermined".into();
    }
    let more = details.undetermined - details.named.len();
    let tail =
        if more > 0 { format!(" and {more} more in undetermined.csv") } else { String::new() };
    let nodes = if details.undetermined == 1 { "node is" } else { "nodes are" };
    format!(
        "{} {nodes} not determined by the distances: {}{tail}",
        details.undetermined,
        details.named.join(", ")
    )
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
