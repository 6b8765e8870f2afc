//! The same bits on any number of threads, from every engine.

mod common;

use common::random;
use gramfold_linalg::Csr;
use gramfold_sdp::{
    Method, Options, Primal, Sdp, Solution,
    diagonal::{bisection, max_cut},
    solve,
    theta::lovasz,
};

fn edges(n: u32, one_in: u32) -> Vec<(u32, u32)> {
    let joined = |i: u32, j: u32| {
        (i * 7919 + j * 104_729).wrapping_mul(2_654_435_761) >> 7 & 0xffff < 0x1_0000 / one_in
    };
    (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).filter(|&(i, j)| joined(i, j)).collect()
}

fn graph(n: u32, one_in: u32) -> Csr {
    let weighted: Vec<_> = edges(n, one_in)
        .into_iter()
        .map(|(i, j)| (i, j, f64::from((i * 31 + j * 17) % 5) - 1.5))
        .collect();
    Csr::from_triangle(n as usize, &weighted).unwrap()
}

fn on(threads: usize, sdp: &Sdp, method: Method) -> Solution {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let options = Options { method, ..Options::default() };
    pool.install(|| solve(sdp, &options, &mut ()).unwrap())
}

/// Every number of a solution.
fn bits(solution: &Solution) -> Vec<u64> {
    let blocks = solution.point.primal.iter().flat_map(|block| match block {
        Primal::Factor(z) | Primal::Dense(z) => z.as_slice(),
        Primal::Diagonal(z) => z.as_slice(),
    });
    let mut bits: Vec<u64> = blocks.chain(&solution.point.dual).map(|v| v.to_bits()).collect();
    let certificate = &solution.certificate;
    bits.push(certificate.primal_objective.to_bits());
    bits.push(certificate.dual_bound.map_or(0, |bound| bound.value.to_bits()));
    bits.extend(certificate.dimacs.iter().map(|v| v.to_bits()));
    bits.extend(certificate.blocks.iter().map(|block| block.slack.bound.to_bits()));
    bits.extend(solution.ranks.iter().map(|rank| *rank as u64));
    bits.push(solution.iterations as u64);
    bits
}

#[track_caller]
fn same(name: &str, sdp: &Sdp, method: Method) {
    let one = on(1, sdp, method);
    let more = on(3, sdp, method);
    assert_eq!(one.status, more.status, "{name} by {method}");
    assert!(bits(&one) == bits(&more), "{name} by {method} has other bits on three threads");
}

#[test]
fn cuts_of_every_kind_have_the_same_bits() {
    let graph = graph(200, 20);
    same("max-cut", &max_cut(&graph).unwrap(), Method::Diagonal);
    same("max-cut", &max_cut(&graph).unwrap(), Method::Interior);
    same("max-cut", &max_cut(&graph).unwrap(), Method::LowRank);
    same("bisection", &bisection(&graph).unwrap(), Method::Diagonal);
}

#[test]
fn lovasz_numbers_have_the_same_bits() {
    // More rows and constraints than one strip of the dense kernels has.
    let wide = lovasz(200, &edges(200, 150), false).unwrap();
    same("a sparse graph", &wide, Method::Interior);
    same("a dense graph", &lovasz(30, &edges(30, 2), false).unwrap(), Method::Interior);
    for method in [Method::LowRank, Method::Split] {
        same("a small graph", &lovasz(24, &edges(24, 3), false).unwrap(), method);
    }
}

#[test]
fn small_programs_have_the_same_bits() {
    for seed in 0..6 {
        for method in [Method::Auto, Method::Interior, Method::LowRank, Method::Split] {
            same("a random program", &random(seed, seed % 2 == 0).sdp, method);
        }
    }
    same("a program on a face", &common::face::degenerate(5, 4).0, Method::Auto);
}
