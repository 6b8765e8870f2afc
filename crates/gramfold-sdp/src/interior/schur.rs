//! The Schur complement M_ij = ⟨A_i, X A_j W⟩, W = S⁻¹.
//!
//! Column j needs U = X A_j W = Σ g vᵀ, one term (g, v) = (Xp, Wq) for each outer product p qᵀ of A_j, and then
//! ⟨A_i, U⟩ for every lighter A_i. Either U is multiplied out, and each entry of A_i costs two loads; or only the
//! entries that are asked for are, from g and v interleaved so that one cache line holds all that belongs to a row.
//! (Fujisawa, Kojima and Nakata's three formulas are these two, with A_j as entries or as outer products.)

use gramfold_linalg::{Mat, dot, sum_of_outer_products};
use rayon::prelude::*;

use super::{
    Block, Fill, Program, Variable,
    coefficients::{Dense, Member, Part},
    program::Coefficients,
};
use crate::{Entry, Stop};

/// Where a constraint is met: the block, and its place among the constraints of the block.
type Place = (u32, u32);

/// What it takes to fill the lower triangle of M.
#[derive(Default)]
pub(super) struct Schur {
    places: Vec<Vec<Place>>,
    /// x·w of the diagonal blocks.
    ratios: Vec<Vec<f64>>,
    room: Room,
    largest: usize,
}

/// One task's temporaries.
#[derive(Default)]
struct Room {
    g: Vec<f64>,
    v: Vec<f64>,
    packed: Vec<f64>,
    u: Vec<f64>,
}

impl Fill<f64> for Schur {
    fn new(program: &Program) -> Self {
        let m = program.constraints();
        let mut places: Vec<Vec<Place>> = vec![Vec::new(); m];
        for (block, coefficients) in (0u32..).zip(&program.blocks) {
            let mut meet = |(at, i): (u32, usize)| places[i].push((block, at));
            match coefficients {
                Coefficients::Dense(a) => {
                    (0u32..).zip(a.members.iter().map(|m| m.constraint)).for_each(&mut meet);
                }
                Coefficients::Diagonal(a) => (0u32..).zip(a.constraints()).for_each(&mut meet),
            }
        }
        let ratios = program.blocks.iter().map(|coefficients| match coefficients {
            Coefficients::Dense(_) => Vec::new(),
            Coefficients::Diagonal(a) => vec![0.0; a.size()],
        });
        Self {
            places,
            ratios: ratios.collect(),
            room: Room::default(),
            largest: program.cones.iter().map(|cone| cone.size()).max().unwrap_or(0),
        }
    }

    fn assemble(
        &mut self,
        program: &Program,
        (x, w): (&Variable, &Variable),
        matrix: &mut [f64],
        stop: Stop<'_>,
    ) -> bool {
        // ⟨VᵀA_iV, X VᵀA_jV W⟩ = ⟨A_i, (VXVᵀ) A_j (VWVᵀ)⟩: on a face, the A_i stay as sparse as they are.
        let (x, w) = (program.lifted(x), program.lifted(w));
        let (x, w) = (&*x, &*w);
        let m = program.constraints();
        let Self { places, ratios, room, largest } = self;
        for ((ratio, x), w) in ratios.iter_mut().zip(x).zip(w) {
            if let (Block::Diagonal(x), Block::Diagonal(w)) = (x, w) {
                ratio.iter_mut().zip(x.iter().zip(w)).for_each(|(r, (x, w))| *r = x * w);
            }
        }
        let ratios = &*ratios;
        let column = |room: &mut Room, (j, column): (usize, &mut [f64])| {
            let column = &mut column[j..];
            column.fill(0.0);
            for &(block, at) in &places[j] {
                let (block, at) = (block as usize, at as usize);
                match (&program.blocks[block], &x[block], &w[block]) {
                    (Coefficients::Dense(a), Block::Dense(x), Block::Dense(w)) => {
                        add_column(a, at, x, w, room, j, column);
                    }
                    (Coefficients::Diagonal(a), ..) => a.add_column(at, &ratios[block], column),
                    _ => unreachable!("coefficients and variables have the same blocks"),
                }
            }
        };
        if rayon::current_num_threads() == 1 || m * *largest < 4096 {
            for task in matrix.chunks_mut(m.max(1)).enumerate() {
                if stop() {
                    return false;
                }
                column(room, task);
            }
        } else {
            let tasks = matrix.par_chunks_mut(m.max(1)).enumerate();
            tasks.for_each_init(Room::default, |room, task| {
                if !stop() {
                    column(room, task);
                }
            });
        }
        !stop()
    }
}

/// out ← Σ weight·(row of the symmetric matrix).
fn combine(of: &Mat, vector: &[(u32, f64)], out: &mut [f64]) {
    let Some(((first, weight), rest)) = vector.split_first() else { return out.fill(0.0) };
    let row = of.row(*first as usize);
    if *weight == 1.0 {
        out.copy_from_slice(row);
    } else {
        out.iter_mut().zip(row).for_each(|(o, v)| *o = weight * v);
    }
    for (at, weight) in rest {
        out.iter_mut().zip(of.row(*at as usize)).for_each(|(o, v)| *o += weight * v);
    }
}

/// Adds ⟨A_i, X A_j W⟩ of one block, j its member `at`, to column j, which begins at row `first` = j.
fn add_column(
    a: &Dense,
    at: usize,
    x: &Mat,
    w: &Mat,
    room: &mut Room,
    first: usize,
    column: &mut [f64],
) {
    let n = a.n;
    let Member { entries, terms, .. } = &a.members[at];
    let k = terms.len();
    let Room { g, v, packed, u } = room;
    g.resize(k * n, 0.0);
    v.resize(k * n, 0.0);
    let own = a.terms[terms.clone()].iter();
    for (((left, right), g), v) in own.zip(g.chunks_mut(n)).zip(v.chunks_mut(n)) {
        combine(x, left, g);
        combine(w, right, v);
    }
    // In quarters of a nanosecond, roughly: a multiplied-out U costs a product of rank k, then two loads an entry
    // from far away; an entry from g and v costs 2k multiplications and additions.
    let asked = a.entries.len() - entries.start;
    let whole = n * n * (k + 8) / 2 + 8 * asked;
    let piecewise = 4 * n * k + asked * (4 + 2 * k);
    if piecewise <= whole {
        packed.resize(2 * k * n, 0.0);
        for r in 0..k {
            let (g, v) = (&g[r * n..(r + 1) * n], &v[r * n..(r + 1) * n]);
            for ((row, g), v) in packed.chunks_mut(2 * k).zip(g).zip(v) {
                row[r] = *g;
                row[k + r] = *v;
            }
        }
        match k {
            1 => fixed::<2>(a, at, packed, first, column),
            2 => fixed::<4>(a, at, packed, first, column),
            3 => fixed::<6>(a, at, packed, first, column),
            4 => fixed::<8>(a, at, packed, first, column),
            _ => read(a, at, first, column, |row, col| {
                let (p, q) = (&packed[row * 2 * k..][..2 * k], &packed[col * 2 * k..][..2 * k]);
                let (pg, pv) = p.split_at(k);
                let (qg, qv) = q.split_at(k);
                let terms = pg.iter().zip(qv).zip(qg.iter().zip(pv));
                terms.map(|((pg, qv), (qg, pv))| pg * qv + qg * pv).sum()
            }),
        }
    } else {
        u.resize(n * n, 0.0);
        sum_of_outer_products(&g[..k * n], &v[..k * n], n, &mut u[..n * n]);
        read(a, at, first, column, |row, col| u[row * n + col] + u[col * n + row]);
    }
    add_parts(a, at, n, k, g, v, first, column);
}

/// [`read`] for k = W/2 terms.
fn fixed<const W: usize>(a: &Dense, at: usize, packed: &[f64], first: usize, column: &mut [f64]) {
    let (rows, _) = packed.as_chunks::<W>();
    read(a, at, first, column, |row, col| {
        let (p, q) = (&rows[row], &rows[col]);
        let mut sum = 0.0;
        for r in 0..W / 2 {
            sum += p[r] * q[W / 2 + r] + q[r] * p[W / 2 + r];
        }
        sum
    });
}

/// Adds Σ value·(u_rc + u_cr) over the entries of each A_i, i = j, j + 1, …
#[inline]
fn read(
    a: &Dense,
    at: usize,
    first: usize,
    column: &mut [f64],
    both: impl Fn(usize, usize) -> f64,
) {
    let singles = a.singles.max(at);
    for member in &a.members[at..singles] {
        let mut sum = 0.0;
        for &Entry { row, col, value } in &a.entries[member.entries.clone()] {
            sum += value * both(row as usize, col as usize);
        }
        column[member.constraint - first] += sum;
    }
    let Some(start) = a.members.get(singles) else { return };
    let entries = &a.entries[start.entries.start..];
    for (&Entry { row, col, value }, owner) in entries.iter().zip(&a.owners[singles..]) {
        column[*owner as usize - first] += value * both(row as usize, col as usize);
    }
}

/// Adds Σ weight·(vᵀg)(vᵀv') over the rank-one parts of each A_i, i = j, j + 1, …
#[allow(clippy::too_many_arguments)]
fn add_parts(
    a: &Dense,
    at: usize,
    n: usize,
    k: usize,
    g: &[f64],
    v: &[f64],
    first: usize,
    column: &mut [f64],
) {
    if a.parts.is_empty() {
        return;
    }
    for member in &a.members[at..] {
        for Part { weight, vector } in &a.parts[member.parts.clone()] {
            let terms = g[..k * n].chunks(n).zip(v[..k * n].chunks(n));
            let sum: f64 = terms.map(|(g, v)| dot(g, vector) * dot(v, vector)).sum();
            column[member.constraint - first] += weight * sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::number::Number, *};
    use crate::{Cone, RankOne, Sdp, Term};

    fn wave(n: usize, shift: usize) -> Mat {
        Mat::from_fn(n, n, |i, j| {
            let (i, j) = (i.min(j), i.max(j));
            ((i * 13 + j * 7 + shift) as f64).sin() + if i == j { n as f64 } else { 0.0 }
        })
    }

    /// Matrices of every kind: one entry, few, a row, the identity, all ones, dense, with rank-one parts.
    fn sdp(n: usize, parts: bool) -> Sdp {
        let mut terms = Vec::new();
        let mut push = |matrix: usize, block: usize, row: usize, col: usize, value: f64| {
            terms.push(Term { matrix, block, row, col, value });
        };
        for i in 0..n {
            push(1, 0, i, i, 1.0);
            push(2, 0, 0, i, 1.0 + i as f64);
            for j in i..n {
                push(3, 0, i, j, 1.0);
                push(4, 0, i, j, ((i * j) as f64).cos());
            }
        }
        push(5, 0, 0, n - 1, 2.0);
        push(6, 0, n - 1, n - 1, -1.0);
        push(7, 0, 0, n - 1, 1.0);
        push(7, 0, 1, 1, 3.0);
        push(8, 0, 0, 1, 1.0);
        for t in 0..3 {
            push(1, 1, t, t, 1.0);
            push(6 + t, 1, t, t, 2.0 - t as f64);
        }
        for i in 0..n {
            push(9 + i, 0, i / 2, (i + 1) % n, 1.0 + i as f64);
        }
        let vector = |shift: f64| (0..n).map(|i| (i as f64 + shift).sin()).collect::<Vec<f64>>();
        let mut rank_ones = Vec::new();
        if parts {
            for (matrix, weight) in [(5, 1.5), (7, -0.5), (9 + n, 2.0)] {
                let vector = vector(matrix as f64);
                rank_ones.push(RankOne { matrix, block: 0, weight, vector });
            }
        }
        let cones = vec![Cone::Semidefinite(n), Cone::Nonnegative(3)];
        Sdp::new(cones, vec![1.0; 9 + n], terms, rank_ones).unwrap()
    }

    #[test]
    fn every_formula_matches_the_definition() {
        for (n, parts) in [(3, false), (3, true), (8, true), (40, false), (60, true)] {
            let sdp = sdp(n, parts);
            let program = Program::new(&sdp);
            let m = program.constraints();
            let x = vec![Block::Dense(wave(n, 0)), Block::Diagonal(vec![1.0, 2.0, 3.0])];
            let w = vec![Block::Dense(wave(n, 5)), Block::Diagonal(vec![0.5, 0.25, 2.0])];
            let mut matrix = vec![0.0; m * m];
            Schur::new(&program).assemble(&program, (&x, &w), &mut matrix, &|| false);
            for j in 0..m {
                let mut unit = vec![0.0; m];
                unit[j] = 1.0;
                let mut image = super::super::variable::zeros(&program.cones);
                program.adjoint(&unit, &mut image);
                for ((x, w), image) in x.iter().zip(&w).zip(&mut image) {
                    match (x, w, image) {
                        (Block::Dense(x), Block::Dense(w), Block::Dense(image)) => {
                            let mut half = Mat::zeros(n, n);
                            f64::product(x, image, false, &mut half);
                            f64::product(&half, w, false, image);
                            super::super::variable::symmetrise(image);
                        }
                        (x, w, image) => {
                            let both = x.as_slice().iter().zip(w.as_slice());
                            let image = image.as_mut_slice().iter_mut();
                            image.zip(both).for_each(|(i, (x, w))| *i *= x * w);
                        }
                    }
                }
                let mut column = vec![0.0; m];
                program.apply(&image, &mut column);
                let size = column.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
                for (i, expected) in column.iter().enumerate().skip(j) {
                    let found = matrix[j * m + i];
                    assert!(
                        (found - expected).abs() < 1e-11 * size,
                        "n = {n}, ({i}, {j}): {found} for {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let program = Program::new(&sdp(60, true));
        let x = vec![Block::Dense(wave(60, 0)), Block::Diagonal(vec![1.0; 3])];
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut schur = Schur::new(&program);
                schur.largest = 1 << 20;
                let mut matrix = vec![0.0; program.constraints().pow(2)];
                schur.assemble(&program, (&x, &x), &mut matrix, &|| false);
                matrix
            })
        };
        assert_eq!(run(1), run(3));
    }
}
