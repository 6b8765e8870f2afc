//! Weights as counts of links.

use gramfold_linalg::Symmetric;

use crate::rows;

/// A graph whose weights are counted in links: a link is Σw²/Σw. Then a sum of weights varies by about as much as a count
/// of that size does, and weights that are all equal count one each. Self-loops are left out.
pub(super) struct Links<'a> {
    graph: &'a Symmetric,
    largest: f64,
    /// What a weight counts, over the largest.
    count: f64,
    pub(super) degrees: Vec<f64>,
    /// The sum of all degrees.
    pub(super) whole: f64,
}

impl<'a> Links<'a> {
    /// None where a weight is negative or not finite, or there is none.
    pub(super) fn new(graph: &'a Symmetric) -> Option<Self> {
        let nodes = 0..graph.dim();
        let (mut largest, mut fine) = (0.0_f64, true);
        for i in nodes.clone() {
            rows::for_each(graph, i, |j, weight| {
                fine &= weight >= 0.0 && weight.is_finite();
                largest = if i == j { largest } else { largest.max(weight) };
            });
        }
        if !fine || largest == 0.0 {
            return None;
        }
        let mut links = Self { graph, largest, count: 1.0, degrees: Vec::new(), whole: 0.0 };
        let (mut sum, mut squares) = (0.0, 0.0);
        for i in nodes.clone() {
            links.of(i, |_, weight| (sum, squares) = (sum + weight, squares + weight * weight));
        }
        links.count = sum / squares;
        let degree = |i| {
            let mut degree = 0.0;
            links.of(i, |_, weight| degree += weight);
            degree
        };
        links.degrees = nodes.map(degree).collect();
        links.whole = links.degrees.iter().sum();
        Some(links)
    }

    /// Calls `visit(j, w_ij)` for the links of node i.
    pub(super) fn of(&self, i: usize, mut visit: impl FnMut(usize, f64)) {
        rows::for_each(self.graph, i, |j, weight| {
            if i != j {
                visit(j, weight / self.largest * self.count);
            }
        });
    }

    pub(super) fn nodes(&self) -> usize {
        self.degrees.len()
    }
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::Csr;

    use super::*;

    #[test]
    fn weights_are_counted() {
        let graph = |edges: &[(u32, u32, f64)]| Csr::from_triangle(3, edges).unwrap().into();
        let even: Symmetric = graph(&[(0, 0, 9.0), (1, 0, 7.0), (2, 1, 7.0)]);
        assert_eq!(Links::new(&even).unwrap().degrees, [1.0, 2.0, 1.0]);
        // 4 of 3 + 1, where the squares are 9 + 1.
        for unit in [1.0, f64::MAX / 4.0, 1e-300] {
            let uneven: Symmetric = graph(&[(1, 0, 3.0 * unit), (2, 1, unit)]);
            let links = Links::new(&uneven).unwrap();
            for (found, expected) in links.degrees.iter().zip([1.2, 1.6, 0.4]) {
                assert!((found - expected).abs() < 1e-12, "{found}, {expected}");
            }
            assert!((links.whole - 3.2).abs() < 1e-12);
        }
        for without in [&[(1, 0, -1.0), (2, 0, 1.0)][..], &[(1, 1, 1.0)], &[]] {
            assert!(Links::new(&graph(without)).is_none());
        }
    }
}
