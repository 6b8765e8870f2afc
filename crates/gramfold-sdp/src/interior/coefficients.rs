//! The coefficient matrices A_i of one block: as entries, to be read, and as sums of outer products, to be
//! multiplied.

use std::ops::Range;

use gramfold_linalg::Matrix;

use super::{
    Number,
    terms::{self, Terms},
};
use crate::{Entry, Sdp};

/// One A_i in one semidefinite block.
pub(super) struct Member {
    /// i, in the order of the engine.
    pub(super) constraint: usize,
    /// Its entries.
    pub(super) entries: Range<usize>,
    /// Its outer products.
    pub(super) terms: Range<usize>,
    /// Its rank-one parts.
    pub(super) parts: Range<usize>,
}

/// weight·vvᵀ.
pub(super) struct Part {
    pub(super) weight: f64,
    pub(super) vector: Vec<f64>,
}

/// All A_i of one semidefinite block.
///
/// Diagonal entries are held at half their value: then ⟨A, U + Uᵀ⟩/2 is Σ value·(u_rc + u_cr) over the entries,
/// whether they lie on the diagonal or not.
#[derive(Default)]
pub(super) struct Dense {
    pub(super) n: usize,
    pub(super) members: Vec<Member>,
    pub(super) entries: Vec<Entry>,
    pub(super) parts: Vec<Part>,
    pub(super) terms: Terms,
    /// The constraint of each member.
    pub(super) owners: Vec<u32>,
    /// The first member from which on all are one single entry.
    pub(super) singles: usize,
}

impl Dense {
    /// The matrices `numbers` of a block, divided by `scales`.
    pub(super) fn new(sdp: &Sdp, block: usize, numbers: &[usize], scales: &[f64]) -> Self {
        let n = sdp.cones()[block].size();
        let mut of_matrix: Vec<Vec<usize>> = vec![Vec::new(); sdp.constraints() + 1];
        for (at, part) in sdp.rank_ones().iter().enumerate() {
            if part.block == block {
                of_matrix[part.matrix].push(at);
            }
        }
        let mut dense = Self { n, ..Self::default() };
        for (constraint, (&matrix, scale)) in numbers.iter().zip(scales).enumerate() {
            let source = sdp.entries(matrix, block);
            if source.is_empty() && of_matrix[matrix].is_empty() {
                continue;
            }
            let (entries, parts) = (dense.entries.len(), dense.parts.len());
            dense.entries.extend(source.iter().map(|&Entry { row, col, value }| {
                let half = if row == col { 0.5 } else { 1.0 };
                Entry { row, col, value: half * value / scale }
            }));
            dense.parts.extend(of_matrix[matrix].iter().map(|&at| {
                let part = &sdp.rank_ones()[at];
                Part { weight: part.weight / scale, vector: part.vector.clone() }
            }));
            let terms = terms::decompose(
                n,
                &dense.entries[entries..],
                &dense.parts[parts..],
                &mut dense.terms,
            );
            let (entries, parts) = (entries..dense.entries.len(), parts..dense.parts.len());
            dense.members.push(Member { constraint, entries, terms, parts });
        }
        dense.owners = dense.members.iter().map(|member| member.constraint as u32).collect();
        let single = |member: &Member| member.entries.len() == 1 && member.parts.is_empty();
        dense.singles =
            dense.members.iter().rposition(|member| !single(member)).map_or(0, |last| last + 1);
        dense
    }

    /// out_i ← out_i + ⟨A_i, x⟩.
    pub(super) fn apply<T: Number>(&self, x: &Matrix<T>, out: &mut [T]) {
        for member in &self.members {
            let mut sum = T::default();
            for &Entry { row, col, value } in &self.entries[member.entries.clone()] {
                sum += T::from(value) * x[(row as usize, col as usize)];
            }
            sum += sum;
            for Part { weight, vector } in &self.parts[member.parts.clone()] {
                sum += T::from(*weight) * quadratic(x, &T::widened(vector));
            }
            out[member.constraint] += sum;
        }
    }

    /// Adds sign·Σ y_i A_i to the upper triangle, with half the diagonal.
    pub(super) fn accumulate<T: Number>(&self, sign: f64, y: &[T], out: &mut Matrix<T>) {
        for member in &self.members {
            let y = T::from(sign) * y[member.constraint];
            if y == T::default() {
                continue;
            }
            for &Entry { row, col, value } in &self.entries[member.entries.clone()] {
                out[(row as usize, col as usize)] += y * T::from(value);
            }
            for Part { weight, vector } in &self.parts[member.parts.clone()] {
                for (i, v) in vector.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                    let factor = y * T::from(*weight) * T::from(*v);
                    let row = out.row_mut(i);
                    row[i] += T::from(0.5) * factor * T::from(*v);
                    let rest = row[i + 1..].iter_mut().zip(&vector[i + 1..]);
                    rest.for_each(|(o, w)| *o += factor * T::from(*w));
                }
            }
        }
    }
}

/// vᵀxv.
fn quadratic<T: Number>(x: &Matrix<T>, vector: &[T]) -> T {
    let support = vector.iter().enumerate().filter(|(_, v)| **v != T::default());
    support.fold(T::default(), |sum, (i, v)| sum + *v * T::dot(x.row(i), vector))
}

/// All A_i of one diagonal block, by constraint and by coordinate.
pub(super) struct Diagonal {
    by_constraint: Vec<(usize, Vec<(u32, f64)>)>,
    by_coordinate: Vec<Vec<(u32, f64)>>,
}

impl Diagonal {
    /// How many numbers the block has.
    pub(super) fn size(&self) -> usize {
        self.by_coordinate.len()
    }

    pub(super) fn new(sdp: &Sdp, block: usize, numbers: &[usize], scales: &[f64]) -> Self {
        let mut by_constraint = Vec::new();
        let mut by_coordinate = vec![Vec::new(); sdp.cones()[block].size()];
        for (constraint, (&matrix, scale)) in numbers.iter().zip(scales).enumerate() {
            let entries = sdp.entries(matrix, block);
            if entries.is_empty() {
                continue;
            }
            for entry in entries {
                by_coordinate[entry.row as usize].push((constraint as u32, entry.value / scale));
            }
            let row = entries.iter().map(|entry| (entry.row, entry.value / scale)).collect();
            by_constraint.push((constraint, row));
        }
        Self { by_constraint, by_coordinate }
    }

    /// out_i ← out_i + ⟨A_i, x⟩.
    pub(super) fn apply<T: Number>(&self, x: &[T], out: &mut [T]) {
        for (constraint, row) in &self.by_constraint {
            out[*constraint] += against(row, x);
        }
    }

    /// Adds sign·Σ y_i A_i.
    pub(super) fn accumulate<T: Number>(&self, sign: f64, y: &[T], out: &mut [T]) {
        for (out, column) in out.iter_mut().zip(&self.by_coordinate) {
            *out += T::from(sign) * against(column, y);
        }
    }

    /// column ← column + (Σ_t a_it a_jt w_t) for i = j, j + 1, …
    pub(super) fn add_column(&self, at: usize, w: &[f64], column: &mut [f64]) {
        let (j, row) = &self.by_constraint[at];
        for (t, a) in row {
            let t = *t as usize;
            let weight = a * w[t];
            let from = self.by_coordinate[t].partition_point(|(i, _)| (*i as usize) < *j);
            for (i, a) in &self.by_coordinate[t][from..] {
                column[*i as usize - j] += weight * a;
            }
        }
    }

    /// The constraints of the block, in the order in which [`Self::add_column`] counts them.
    pub(super) fn constraints(&self) -> impl Iterator<Item = usize> + '_ {
        self.by_constraint.iter().map(|(constraint, _)| *constraint)
    }
}

/// ⟨a, x⟩ of a sparse a.
fn against<T: Number>(a: &[(u32, f64)], x: &[T]) -> T {
    a.iter().fold(T::default(), |sum, (t, a)| sum + T::from(*a) * x[*t as usize])
}
