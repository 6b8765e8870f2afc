//! Whether the observations can determine a factor of some rank.

use crate::{Observations, adjacency::Neighbours};

/// What counting says: necessary, not sufficient.
#[derive(Clone, Debug, PartialEq)]
pub struct Determined {
    /// Observations over the unknowns nr − r(r − 1)/2 of a factor up to rotation.
    pub oversampling: f64,
    /// Nodes with fewer than r observations.
    pub underdetermined: Vec<usize>,
    /// Groups of nodes that no observation connects: entries between them are not determined.
    pub components: usize,
}

impl Determined {
    /// Counts for a rank.
    pub fn of(observed: &Observations, rank: usize) -> Self {
        let counts = observed.counts();
        let underdetermined = (0..observed.dim).filter(|&i| counts[i] < rank).collect();
        Self {
            oversampling: oversampling(observed, rank),
            underdetermined,
            components: Neighbours::new(observed).groups().1,
        }
    }

    /// A sentence where the answer is not determined, or may not be.
    pub fn warning(&self, rank: usize) -> Option<String> {
        let mut reasons = Vec::new();
        if self.oversampling < 2.0 {
            let certain = if self.oversampling < 1.0 { "fewer than" } else { "hardly more than" };
            reasons.push(format!(
                "{certain} the unknowns of a factor of rank {rank} are observed ({:.2} times as many)",
                self.oversampling
            ));
        }
        if !self.underdetermined.is_empty() {
            let count = self.underdetermined.len();
            let nodes = if count == 1 { "node has" } else { "nodes have" };
            reasons.push(format!("{count} {nodes} fewer than {rank} observations"));
        }
        if self.components > 1 {
            reasons.push(format!("the observations fall into {} separate groups", self.components));
        }
        let reasons = reasons.join(", ");
        (!reasons.is_empty()).then(|| format!("the data do not determine every entry: {reasons}"))
    }
}

/// Observations over the unknowns of a factor of some rank up to rotation.
pub(crate) fn oversampling(observed: &Observations, rank: usize) -> f64 {
    let (n, r) = (observed.dim as f64, rank as f64);
    observed.len() as f64 / (n * r - r * (r - 1.0) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_hand() {
        let places = vec![(0, 1), (1, 2), (0, 2), (3, 4)];
        let observed = Observations { dim: 6, places, values: vec![1.0; 4] };
        let found = Determined::of(&observed, 2);
        assert!((found.oversampling - 4.0 / 11.0).abs() < 1e-15);
        assert_eq!((found.underdetermined.clone(), found.components), (vec![3, 4, 5], 3));
        let sentence = found.warning(2).unwrap();
        assert!(sentence.contains("fewer than the unknowns") && sentence.contains("3 nodes have"));
        let all: Vec<_> = (0..6).flat_map(|i| (i..6).map(move |j| (i, j))).collect();
        let full = Observations { dim: 6, values: vec![1.0; all.len()], places: all };
        assert_eq!(Determined::of(&full, 1).warning(1), None);
    }
}
