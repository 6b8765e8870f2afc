//! The coefficient matrices A_i of one block: as entries, to be read, and as sums of outer products, to be
//! multiplied.

use std::ops::Range;

use gramfold_linalg::{Mat, dot};

use super::terms::{self, Terms};
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
        let mut dense = Self {
            n,
            members: Vec::new(),
            entries: Vec::new(),
            parts: Vec::new(),
            terms: Terms::default(),
            owners: Vec::new(),
            singles: 0,
        };
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
            dense.members.push(Member {
                constraint,
                entries: entries..dense.entries.len(),
                parts: parts..dense.parts.len(),
                terms,
            });
        }
        dense.owners = dense.members.iter().map(|member| member.constraint as u32).collect();
        let single = |member: &Member| member.entries.len() == 1 && member.parts.is_empty();
        dense.singles =
            dense.members.iter().rposition(|member| !single(member)).map_or(0, |last| last + 1);
        dense
    }

    /// out_i ← out_i + ⟨A_i, x⟩.
    pub(super) fn apply(&self, x: &Mat, out: &mut [f64]) {
        for member in &self.members {
            let mut sum = 0.0;
            for &Entry { row, col, value } in &self.entries[member.entries.clone()] {
                sum += value * x[(row as usize, col as usize)];
            }
            sum *= 2.0;
            for Part { weight, vector } in &self.parts[member.parts.clone()] {
                sum += weight * quadratic(x, vector);
            }
            out[member.constraint] += sum;
        }
    }

    /// Adds sign·Σ y_i A_i to the upper triangle, with half the diagonal.
    pub(super) fn accumulate(&self, sign: f64, y: &[f64], out: &mut Mat) {
        for member in &self.members {
            let y = sign * y[member.constraint];
            if y == 0.0 {
                continue;
            }
            for &Entry { row, col, value } in &self.entries[member.entries.clone()] {
                out[(row as usize, col as usize)] += y * value;
            }
            for Part { weight, vector } in &self.parts[member.parts.clone()] {
                for (i, v) in vector.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                    let factor = y * weight * v;
                    let row = out.row_mut(i);
                    row[i] += 0.5 * factor * v;
                    row[i + 1..]
                        .iter_mut()
                        .zip(&vector[i + 1..])
                        .for_each(|(o, w)| *o += factor * w);
                }
            }
        }
    }
}

/// vᵀxv.
pub(super) fn quadratic(x: &Mat, vector: &[f64]) -> f64 {
    let support = vector.iter().enumerate().filter(|(_, v)| **v != 0.0);
    support.map(|(i, v)| v * dot(x.row(i), vector)).sum()
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
    pub(super) fn apply(&self, x: &[f64], out: &mut [f64]) {
        for (constraint, row) in &self.by_constraint {
            out[*constraint] += row.iter().map(|(t, a)| a * x[*t as usize]).sum::<f64>();
        }
    }

    /// Adds sign·Σ y_i A_i.
    pub(super) fn accumulate(&self, sign: f64, y: &[f64], out: &mut [f64]) {
        for (out, column) in out.iter_mut().zip(&self.by_coordinate) {
            *out += sign * column.iter().map(|(i, a)| a * y[*i as usize]).sum::<f64>();
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

    /// Each constraint that the block has a part in, and its (coordinate, value) pairs.
    pub(super) fn rows(&self) -> impl Iterator<Item = (usize, &[(u32, f64)])> {
        self.by_constraint.iter().map(|(constraint, row)| (*constraint, row.as_slice()))
    }

    /// The constraints of the block, in the order in which [`Self::add_column`] counts them.
    pub(super) fn constraints(&self) -> impl Iterator<Item = usize> + '_ {
        self.by_constraint.iter().map(|(constraint, _)| *constraint)
    }
}
