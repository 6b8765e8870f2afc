//! The programs of graphs: Max-Cut and minimum bisection.

use gramfold_linalg::Csr;

use crate::{Cone, Error, RankOne, Sdp, Term};

/// min −¼⟨L, Z⟩ with Z_ii = 1: minus its optimum is at least the weight of every cut.
pub fn max_cut(graph: &Csr) -> Result<Sdp, Error> {
    let n = graph.dim();
    Sdp::new(vec![Cone::Semidefinite(n)], vec![1.0; n], terms(graph, -0.25), Vec::new())
}

/// min ¼⟨L, Z⟩ with Z_ii = 1 and ⟨11ᵀ, Z⟩ = 0, or 1 for an odd number of nodes: its optimum is at most the weight of
/// every cut into halves.
pub fn bisection(graph: &Csr) -> Result<Sdp, Error> {
    let n = graph.dim();
    let mut rhs = vec![1.0; n];
    rhs.push((n % 2) as f64);
    let ones = RankOne { matrix: n + 1, block: 0, weight: 1.0, vector: vec![1.0; n] };
    Sdp::new(vec![Cone::Semidefinite(n)], rhs, terms(graph, 0.25), vec![ones])
}

/// `scale`·L, the Laplacian without loops, and e_i e_iᵀ for every i.
fn terms(graph: &Csr, scale: f64) -> Vec<Term> {
    let term = |matrix, row, col, value| Term { matrix, block: 0, row, col, value };
    let mut terms = Vec::with_capacity(graph.stored() / 2 + 2 * graph.dim());
    for i in 0..graph.dim() {
        let mut degree = 0.0;
        for (j, weight) in graph.row(i).filter(|&(j, _)| j != i) {
            degree += weight;
            if i < j {
                terms.push(term(0, i, j, -scale * weight));
            }
        }
        terms.push(term(0, i, i, scale * degree));
        terms.push(term(i + 1, i, i, 1.0));
    }
    terms
}
