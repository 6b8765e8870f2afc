//! Weights as counts of links.

use gramfold_linalg::Symmetric;

use crate::rows;

/// A graph whose weights are counted in links: a link is Σw²/Σw. Then a sum of weights varies by about as much as a count
/// of that size does, and weights that are all equal count one each. Self-loops are left out.
pub(super) struct Links<'a> {
    graph: &'a Symmetric,
    /// How many links a weight of one counts; none where all weights are equal, and count one each.
    per_weight: Option<f64>,
    pub(super) degrees: Vec<f64>,
    /// The sum of all degrees.
    pub(super) whole: f64,
}

impl<'a> Links<'a> {
    /// None where a weight is negative or not finite, or there is none. `neighbours` says how many every node has.
    pub(super) fn new(graph: &'a Symmetric, neighbours: &[usize]) -> Option<Self> {
        let first = graph.values().next()?;
        if first > 0.0 && first.is_finite() && graph.values().all(|weight| weight == first) {
            let degrees: Vec<f64> = neighbours.iter().map(|&count| count as f64).collect();
            let whole = degrees.iter().sum();
            return (whole > 0.0).then_some(Self { graph, per_weight: None, degrees, whole });
        }
        // Over the largest, as squares of weights may leave the range. A product with zero is zero, or the weight is not finite.
        let (least, largest, zero) =
            graph.values().fold((f64::INFINITY, 0.0, 0.0), |(least, largest, zero), weight| {
                (weight.min(least), weight.max(largest), zero + 0.0 * weight)
            });
        if least < 0.0 || zero != 0.0 {
            return None;
        }
        let (mut sum, mut squares) = (0.0, 0.0);
        let degree = |i| {
            let mut degree = 0.0;
            rows::for_each(graph, i, |j, weight| {
                let weight = if i == j { 0.0 } else { weight / largest };
                degree += weight;
                squares += weight * weight;
            });
            sum += degree;
            degree
        };
        let mut degrees: Vec<f64> = (0..graph.dim()).map(degree).collect();
        let count = sum / squares;
        let per_weight = count / largest;
        if per_weight == 0.0 || !per_weight.is_finite() {
            return None;
        }
        for degree in &mut degrees {
            *degree *= count;
        }
        let whole = degrees.iter().sum();
        Some(Self { graph, per_weight: Some(per_weight), degrees, whole })
    }

    /// Calls `visit(j, w_ij)` for the links of node i.
    pub(super) fn of(&self, i: usize, mut visit: impl FnMut(usize, f64)) {
        match (self.graph, self.per_weight) {
            (Symmetric::Sparse(graph), None) => {
                let (starts, columns, _) = graph.parts();
                let others = columns[starts[i]..starts[i + 1]].iter().map(|&j| j as usize);
                others.filter(|&j| j != i).for_each(|j| visit(j, 1.0));
            }
            (graph, per_weight) => rows::for_each(graph, i, |j, weight| {
                if i != j {
                    visit(j, per_weight.map_or(1.0, |per_weight| weight * per_weight));
                }
            }),
        }
    }

    /// The weight of every node's links to nodes of its own label.
    pub(super) fn to_own(&self, labels: &[usize]) -> Vec<f64> {
        // Half as many bytes to look up.
        let labels: Vec<u32> = labels.iter().map(|&label| label as u32).collect();
        let own = |(i, label): (usize, &u32)| {
            let mut own = 0.0;
            self.of(i, |j, weight| own += if labels[j] == *label { weight } else { 0.0 });
            own
        };
        labels.iter().enumerate().map(own).collect()
    }

    /// Entries of the graph; there is at least one.
    pub(super) fn stored(&self) -> usize {
        self.graph.stored()
    }

    pub(super) fn nodes(&self) -> usize {
        self.degrees.len()
    }
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::Csr;

    use super::*;
    use crate::components;

    #[test]
    fn weights_are_counted() {
        let graph = |edges: &[(u32, u32, f64)]| -> Symmetric {
            Csr::from_triangle(3, edges).unwrap().into()
        };
        let near = |graph: &Symmetric, expected: [f64; 3]| {
            let links = Links::new(graph, &components(graph).neighbours).unwrap();
            for (found, expected) in links.degrees.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-12, "{found}, {expected}");
            }
            assert!((links.whole - expected.iter().sum::<f64>()).abs() < 1e-12);
            links.of(0, |_, weight| assert!((weight - expected[0]).abs() < 1e-12));
        };
        near(&graph(&[(0, 0, 9.0), (1, 0, 7.0), (2, 1, 7.0)]), [1.0, 2.0, 1.0]);
        // A link is (9 + 1)/(3 + 1).
        for unit in [1.0, f64::MAX / 4.0, 1e-300] {
            near(&graph(&[(1, 0, 3.0 * unit), (2, 1, unit)]), [1.2, 1.6, 0.4]);
        }
        for without in [&[(1, 0, -1.0), (2, 0, 1.0)][..], &[(1, 1, 1.0)], &[]] {
            let graph = graph(without);
            assert!(Links::new(&graph, &components(&graph).neighbours).is_none());
        }
    }
}
