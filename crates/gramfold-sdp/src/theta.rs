//! The Lovász number of a graph as a semidefinite program.

use std::time::Instant;

use gramfold_linalg::Symmetric;

use crate::{
    Cone, Error, Options, RankOne, Sdp, Solution, Term,
    solve::{choose, is_better},
};

/// Pairs of different nodes with a weight between them, and the number of loops, which say nothing about
/// independent sets of different nodes.
pub fn edges(matrix: &Symmetric) -> (Vec<(u32, u32)>, usize) {
    let (mut edges, mut loops) = (Vec::new(), 0);
    matrix.for_each_upper(|i, j, weight| match weight {
        0.0 => {}
        _ if i == j => loops += 1,
        _ => edges.push((i as u32, j as u32)),
    });
    (edges, loops)
}

/// Solves [`lovasz`]'s program of a graph of `n` nodes, by one engine after the other until one comes to a proof. `solve` is
/// given the options of each run.
pub fn answer<E>(
    sdp: &Sdp,
    n: usize,
    nonnegative: bool,
    mut options: Options,
    solve: &mut dyn FnMut(Options) -> Result<Solution, E>,
    is_interrupted: &dyn Fn() -> bool,
) -> Result<Solution, E> {
    let clock = Instant::now();
    let limit = options.time_limit;
    let mut best: Option<Solution> = None;
    for choice in choose::lovasz(sdp, n, nonnegative) {
        options.method = choice.method;
        options.time_limit = limit.map(|limit| limit.saturating_sub(clock.elapsed()));
        let mut found = solve(options.clone())?;
        found.why = match &best {
            Some(earlier) => format!("{} came to no proof", earlier.method),
            None => choice.why,
        };
        if best.as_ref().is_none_or(|best| is_better(&found, best)) {
            best = Some(found);
        }
        let done = best.as_ref().is_some_and(|best| best.status.is_answer());
        let spent = limit.is_some_and(|limit| clock.elapsed() >= limit);
        if done || spent || is_interrupted() {
            break;
        }
    }
    Ok(best.expect("invariant: one engine has run"))
}

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

/// How many cliques a greedy search needs to cover every node. θ, θ′ and the size of every independent set are at most that:
/// an independent set has at most one node in each. A matching gives n less its edges, and n alone is what no edge at all
/// leaves. Edges as for [`lovasz`], all below n.
pub fn clique_cover(n: usize, edges: &[(u32, u32)]) -> usize {
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); n];
    for &(i, j) in edges {
        if i != j {
            neighbours[i as usize].push(j);
            neighbours[j as usize].push(i);
        }
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    // Nodes with few neighbours first: they fit into the fewest cliques.
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&i| neighbours[i].len());
    let mut clique_of: Vec<Option<usize>> = vec![None; n];
    let mut sizes: Vec<usize> = Vec::new();
    let mut joined: Vec<usize> = Vec::new();
    let mut seen: Vec<usize> = Vec::new();
    for i in order {
        seen.clear();
        for &j in &neighbours[i] {
            if let Some(clique) = clique_of[j as usize] {
                joined[clique] += 1;
                seen.push(clique);
            }
        }
        // The largest clique whose every node is a neighbour; of those the first.
        let fitting = seen.iter().copied().filter(|&clique| joined[clique] == sizes[clique]);
        let best = fitting.min_by_key(|&clique| (std::cmp::Reverse(sizes[clique]), clique));
        let clique = best.unwrap_or_else(|| {
            sizes.push(0);
            joined.push(0);
            sizes.len() - 1
        });
        sizes[clique] += 1;
        clique_of[i] = Some(clique);
        for &clique in &seen {
            joined[clique] = 0;
        }
    }
    sizes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_are_those_of_known_graphs_and_never_below_the_independence_number() {
        assert_eq!(clique_cover(4, &[]), 4);
        let complete: Vec<_> = (0..6).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
        assert_eq!(clique_cover(6, &complete), 1);
        let path: Vec<_> = (0..5).map(|i| (i, i + 1)).collect();
        assert_eq!(clique_cover(6, &path), 3);
        let pentagon: Vec<_> = (0..5).map(|i| (i, (i + 1) % 5)).collect();
        assert_eq!(clique_cover(5, &pentagon), 3);
        for seed in 0..50_u32 {
            let n = 10_u32;
            let joined = |i: u32, j: u32| {
                (i * 7919 + j * 31 + seed * 6151).wrapping_mul(2_654_435_761) >> 29 < 3
            };
            let edges: Vec<_> = (0..n)
                .flat_map(|i| (0..i).map(move |j| (i, j)))
                .filter(|&(i, j)| joined(i, j))
                .collect();
            let independent = |set: &u32| !edges.iter().any(|(i, j)| set >> i & set >> j & 1 == 1);
            let most = (0..1 << n).filter(independent).map(u32::count_ones).max().unwrap();
            let cover = clique_cover(n as usize, &edges);
            assert!(
                cover >= most as usize && cover <= n as usize,
                "seed {seed}: {cover} for {most}"
            );
        }
    }

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
