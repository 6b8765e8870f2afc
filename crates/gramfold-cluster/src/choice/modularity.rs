//! Modularity (Newman and Girvan, Physical Review E 2004): the share of the weight within clusters, less what chance would put there.

use gramfold_linalg::Symmetric;

use crate::rows;

/// Σ_c (W_c/W − (D_c/W)²) with W the sum of all |a_ij|, W_c that within cluster c and D_c the sum of its degrees; 0 without any
/// weight.
///
/// # Panics
/// If there is not one label a node.
pub fn modularity(graph: &Symmetric, labels: &[usize]) -> f64 {
    assert_eq!(labels.len(), graph.dim(), "one label a node");
    let count = labels.iter().max().map_or(0, |last| last + 1);
    let mut degrees = vec![0.0; count];
    let mut within = 0.0;
    for (i, &label) in labels.iter().enumerate() {
        rows::for_each(graph, i, |j, value| {
            degrees[label] += value.abs();
            if labels[j] == label {
                within += value.abs();
            }
        });
    }
    let whole: f64 = degrees.iter().sum();
    if whole > 0.0 && whole.is_finite() {
        within / whole - degrees.iter().map(|degree| (degree / whole).powi(2)).sum::<f64>()
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::Csr;

    use super::*;

    #[test]
    fn two_triangles_and_a_link() {
        let edges = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)];
        let entries: Vec<_> = edges.iter().map(|&(i, j)| (i, j, 2.0)).collect();
        let graph = Csr::from_triangle(6, &entries).unwrap().into();
        // Six of seven links are within; each half has half of the degrees.
        let expected = 6.0 / 7.0 - 0.5;
        assert!((modularity(&graph, &[0, 0, 0, 1, 1, 1]) - expected).abs() < 1e-15);
        assert!(modularity(&graph, &[0; 6]).abs() < 1e-15);
        assert_eq!(modularity(&Csr::from_triangle(2, &[]).unwrap().into(), &[0, 1]), 0.0);
    }
}
