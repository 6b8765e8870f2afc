//! The Lovász number of a graph as a semidefinite program.

use crate::{Cone, Error, RankOne, Sdp, Term};

/// min −⟨J, Z⟩ s.t. tr Z = 1, Z_ij = 0 on the edges, Z ⪰ 0: the optimum is −θ(G), where θ(C₅) = √5 and
/// α(G) ≤ θ(G) ≤ χ(Ḡ).
///
/// With `nonnegative` Z ≥ 0 is asked of every entry too, which gives Schrijver's θ′(G), α(G) ≤ θ′(G) ≤ θ(G).
/// Edges are pairs of different nodes below n, each given once in either order.
pub fn lovasz(n: usize, edges: &[(u32, u32)], nonnegative: bool) -> Result<Sdp, Error> {
    let mut edges: Vec<(u32, u32)> = edges.iter().map(|&(i, j)| (i.min(j), i.max(j))).collect();
    edges.sort_unstable();
    edges.dedup();
    let entry = |matrix, row, col, value| Term { matrix, block: 0, row, col, value };
    let mut terms: Vec<Term> = (0..n).map(|i| entry(1, i, i, 1.0)).collect();
    for (k, &(i, j)) in edges.iter().enumerate() {
        terms.push(entry(k + 2, i as usize, j as usize, 1.0));
    }
    let mut rhs = vec![1.0];
    rhs.resize(edges.len() + 1, 0.0);
    let mut cones = vec![Cone::Semidefinite(n)];
    if nonnegative {
        let mut slack = 0;
        for i in 0..n {
            for j in i + 1..n {
                if edges.binary_search(&(i as u32, j as u32)).is_err() {
                    rhs.push(0.0);
                    terms.push(entry(rhs.len(), i, j, 0.5));
                    let row = slack;
                    terms.push(Term { matrix: rhs.len(), block: 1, row, col: row, value: -1.0 });
                    slack += 1;
                }
            }
        }
        if slack > 0 {
            cones.push(Cone::Nonnegative(slack));
        }
    }
    let ones = RankOne { matrix: 0, block: 0, weight: -1.0, vector: vec![1.0; n] };
    Sdp::new(cones, rhs, terms, vec![ones])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_and_non_edges_become_constraints() {
        let sdp = lovasz(3, &[(1, 0), (0, 1)], false).unwrap();
        assert_eq!((sdp.constraints(), sdp.cones().len()), (2, 1));
        assert_eq!(sdp.rhs(), [1.0, 0.0]);
        let sdp = lovasz(3, &[(1, 0)], true).unwrap();
        assert_eq!(sdp.cones(), [Cone::Semidefinite(3), Cone::Nonnegative(2)]);
        assert_eq!(sdp.constraints(), 4);
        assert_eq!(sdp.entries(4, 0)[0].value, 0.5);
        assert_eq!(sdp.entries(4, 1)[0].value, -1.0);
    }

    #[test]
    fn an_edge_outside_the_graph_is_refused() {
        assert!(lovasz(2, &[(0, 2)], false).is_err());
    }
}
