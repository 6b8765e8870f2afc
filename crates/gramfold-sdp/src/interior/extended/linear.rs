//! A, its adjoint and the Schur complement, in double-double numbers.
//!
//! The coefficients are those of the scaled program: all scales are powers of two, so they are exact.

use super::{
    super::{
        coefficients::{Dense, Part},
        program::Coefficients,
    },
    dense::{Square, axpy},
    double::Double,
    space::Block,
};
use crate::Entry;

/// out_i ← out_i + ⟨A_i, x⟩.
pub(super) fn apply(blocks: &[Coefficients], x: &[Block], out: &mut [Double]) {
    for (block, x) in blocks.iter().zip(x) {
        match (block, x) {
            (Coefficients::Dense(a), Block::Dense(x)) => {
                for at in 0..a.members.len() {
                    out[a.members[at].constraint] += against(a, at, x);
                }
            }
            (Coefficients::Diagonal(a), Block::Diagonal(x)) => {
                for (constraint, row) in a.rows() {
                    for &(t, value) in row {
                        out[constraint] += Double::from(value) * x[t as usize];
                    }
                }
            }
            _ => unreachable!("coefficients and variables of one problem have the same blocks"),
        }
    }
}

/// ⟨A, (u + uᵀ)/2⟩ of one member.
fn against(a: &Dense, member: usize, u: &Square) -> Double {
    let member = &a.members[member];
    let mut sum = Double::ZERO;
    for &Entry { row, col, value } in &a.entries[member.entries.clone()] {
        let (row, col) = (row as usize, col as usize);
        sum += Double::from(value) * (u[(row, col)] + u[(col, row)]);
    }
    for Part { weight, vector } in &a.parts[member.parts.clone()] {
        let mut quadratic = Double::ZERO;
        for (j, w) in vector.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            let column = u.column(j).iter().zip(vector);
            let along = column.fold(Double::ZERO, |sum, (u, v)| sum + Double::from(*v) * *u);
            quadratic += Double::from(*w) * along;
        }
        sum += Double::from(*weight) * quadratic;
    }
    sum
}

/// out ← out + Σ_i y_i A_i.
pub(super) fn accumulate(blocks: &[Coefficients], y: &[Double], out: &mut [Block]) {
    for (block, out) in blocks.iter().zip(out) {
        match (block, out) {
            (Coefficients::Dense(a), Block::Dense(out)) => {
                for member in &a.members {
                    let y = y[member.constraint];
                    for &Entry { row, col, value } in &a.entries[member.entries.clone()] {
                        let (row, col) = (row as usize, col as usize);
                        // Diagonal entries are held at half their value.
                        out[(row, col)] += Double::from(value) * y;
                        out[(col, row)] += Double::from(value) * y;
                    }
                    for Part { weight, vector } in &a.parts[member.parts.clone()] {
                        for (j, w) in vector.iter().enumerate().filter(|(_, w)| **w != 0.0) {
                            let factor = y * Double::from(*weight) * Double::from(*w);
                            let column = out.column_mut(j).iter_mut().zip(vector);
                            column.for_each(|(o, v)| *o += factor * Double::from(*v));
                        }
                    }
                }
            }
            (Coefficients::Diagonal(a), Block::Diagonal(out)) => {
                for (constraint, row) in a.rows() {
                    for &(t, value) in row {
                        out[t as usize] += Double::from(value) * y[constraint];
                    }
                }
            }
            _ => unreachable!("coefficients and variables of one problem have the same blocks"),
        }
    }
}

/// The lower triangle of M ← (⟨A_i, (X A_j W + W A_j X)/2⟩); `rooms` are two variables to work in.
pub(super) fn schur(
    blocks: &[Coefficients],
    (x, w): (&[Block], &[Block]),
    out: &mut Square,
    rooms: [&mut [Block]; 2],
) {
    out.values.fill(Double::ZERO);
    let [half_way, whole] = rooms;
    for (at, block) in blocks.iter().enumerate() {
        match (block, &x[at], &w[at], &mut half_way[at], &mut whole[at]) {
            (
                Coefficients::Dense(a),
                Block::Dense(x),
                Block::Dense(w),
                Block::Dense(half_way),
                Block::Dense(whole),
            ) => {
                for j in 0..a.members.len() {
                    times_member(a, j, w, half_way);
                    whole.values.fill(Double::ZERO);
                    whole.add_product(half_way, x);
                    for i in j..a.members.len() {
                        let pair = (a.members[i].constraint, a.members[j].constraint);
                        out[(pair.0.max(pair.1), pair.0.min(pair.1))] += against(a, i, whole);
                    }
                }
            }
            (Coefficients::Diagonal(a), Block::Diagonal(x), Block::Diagonal(w), half_way, _) => {
                let Block::Diagonal(scaled) = half_way else { unreachable!("one kind of block") };
                for (j, column) in a.rows() {
                    scaled.fill(Double::ZERO);
                    for &(t, value) in column {
                        let t = t as usize;
                        scaled[t] = Double::from(value) * x[t] * w[t];
                    }
                    for (i, row) in a.rows().filter(|(i, _)| *i >= j) {
                        for &(t, value) in row {
                            out[(i, j)] += Double::from(value) * scaled[t as usize];
                        }
                    }
                }
            }
            _ => unreachable!("coefficients and variables of one problem have the same blocks"),
        }
    }
}

/// out ← W A_j.
fn times_member(a: &Dense, member: usize, w: &Square, out: &mut Square) {
    let member = &a.members[member];
    out.values.fill(Double::ZERO);
    let mut add = |to: usize, from: usize, value: Double| {
        axpy(value, w.column(from), out.column_mut(to));
    };
    for &Entry { row, col, value } in &a.entries[member.entries.clone()] {
        add(col as usize, row as usize, Double::from(value));
        add(row as usize, col as usize, Double::from(value));
    }
    for Part { weight, vector } in &a.parts[member.parts.clone()] {
        for (to, v) in vector.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            for (from, u) in vector.iter().enumerate().filter(|(_, u)| **u != 0.0) {
                add(to, from, Double::from(*weight) * Double::from(*v) * Double::from(*u));
            }
        }
    }
}
