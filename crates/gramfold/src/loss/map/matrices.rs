//! ⟨A_k, Z⟩ for any symmetric matrices, given by their entries and rank-one parts: sensing, constraints.

mod rows;

use std::{convert::identity, ops::Range};

use gramfold_linalg::{CsrError, Mat, Pattern, counting_sort, dot, norm, sample};

use super::{Map, Scratch, perron};

/// Entries up to which products with a matrix are cheap.
const FEW: usize = 16;

/// Symmetric A_k over the union of their patterns.
#[derive(Clone, Debug)]
pub struct Matrices {
    /// The places that some A_k uses, on and above the diagonal …
    rows: Vec<u32>,
    cols: Vec<u32>,
    /// … with their mirror images, and which place each entry came from.
    pattern: Pattern,
    from: Vec<u32>,
    /// The (place, value) of each A_k, and the (matrix, value) of each place.
    of_matrix: Lists,
    of_place: Lists,
    /// How often a place counts: twice off the diagonal.
    counts: Vec<f64>,
    rank_ones: Vec<RankOnePart>,
    scratch: Scratch,
}

/// weight·vvᵀ in A_`matrix`, v on the rows from `first` on: what is dense, and yet of rank one.
#[derive(Clone, Debug)]
struct RankOnePart {
    matrix: usize,
    weight: f64,
    first: usize,
    vector: Vec<f64>,
}

impl RankOnePart {
    /// out ← Vᵀv.
    fn along(&self, v: &Mat, out: &mut [f64]) {
        let r = v.cols();
        out.fill(0.0);
        let rows = v.as_slice()[self.first * r..].chunks_exact(r);
        for (weight, row) in self.vector.iter().zip(rows) {
            out.iter_mut().zip(row).for_each(|(sum, value)| *sum += weight * value);
        }
    }

    /// out ← out + α·v·wᵀ.
    fn add(&self, alpha: f64, w: &[f64], out: &mut Mat) {
        let r = out.cols();
        let rows = out.as_mut_slice()[self.first * r..].chunks_exact_mut(r);
        for (v, row) in self.vector.iter().zip(rows) {
            let factor = alpha * v;
            row.iter_mut().zip(w).for_each(|(out, w)| *out += factor * w);
        }
    }

    /// |weight|·‖v‖², its norm.
    fn norm(&self) -> f64 {
        self.weight.abs() * dot(&self.vector, &self.vector)
    }
}

/// Lists of (index, value), one after the other.
#[derive(Clone, Debug)]
struct Lists {
    starts: Vec<usize>,
    entries: Vec<(u32, f64)>,
}

impl Lists {
    /// Entries (list, index, value), sorted stably by list.
    fn new(count: usize, entries: &[(u32, u32, f64)]) -> Self {
        let (sorted, starts) = counting_sort(count, entries.iter().copied(), |entry| entry.0);
        Self { starts, entries: sorted.into_iter().map(|(_, at, value)| (at, value)).collect() }
    }

    fn get(&self, list: usize) -> &[(u32, f64)] {
        &self.entries[self.starts[list]..self.starts[list + 1]]
    }

    /// out\[list\] ← Σ weight(value)·of\[index\].
    fn combine(&self, weight: impl Fn(f64) -> f64, of: &[f64], out: &mut [f64]) {
        for (out, range) in out.iter_mut().zip(self.starts.windows(2)) {
            let entries = self.entries[range[0]..range[1]].iter();
            *out = entries.map(|&(index, value)| weight(value) * of[index as usize]).sum();
        }
    }
}

impl Matrices {
    /// Its name in specs and files.
    pub const NAME: &'static str = "matrices";

    /// From the entries (i, j, value) of each A_k: the symmetric part ½(A + Aᵀ) of what they add up to.
    pub fn new(dim: usize, matrices: &[Vec<(u32, u32, f64)>]) -> Result<Self, CsrError> {
        let mut places: Vec<(u32, u32)> =
            matrices.iter().flatten().map(|&(i, j, _)| (i.min(j), i.max(j))).collect();
        places.sort_unstable();
        places.dedup();
        let (pattern, from) = Pattern::mirrored(dim, &places)?;
        let mut entries = Vec::new();
        for (k, matrix) in matrices.iter().enumerate() {
            let first = entries.len();
            for &(i, j, value) in matrix {
                let place = places.binary_search(&(i.min(j), i.max(j)));
                let place = place.expect("invariant: every place is listed") as u32;
                // One entry stands for its mirror image, too, each of them half.
                entries.push((k as u32, place, if i == j { value } else { 0.5 * value }));
            }
            entries[first..].sort_by_key(|entry| entry.1);
            // Entries at one place add up.
            let mut kept = first;
            for at in first..entries.len() {
                if kept > first && entries[kept - 1].1 == entries[at].1 {
                    entries[kept - 1].2 += entries[at].2;
                } else {
                    entries[kept] = entries[at];
                    kept += 1;
                }
            }
            entries.truncate(kept);
        }
        let of_matrix = Lists::new(matrices.len(), &entries);
        let turned: Vec<_> = entries.iter().map(|&(k, place, value)| (place, k, value)).collect();
        let of_place = Lists::new(places.len(), &turned);
        let counts = places.iter().map(|(i, j)| if i == j { 1.0 } else { 2.0 }).collect();
        let (rows, cols) = places.into_iter().unzip();
        let (rank_ones, scratch) = (Vec::new(), Scratch::default());
        Ok(Self { rows, cols, pattern, from, of_matrix, of_place, counts, rank_ones, scratch })
    }

    /// Adds weight·vvᵀ to A_k, with v on the rows from `first` on and zero elsewhere.
    ///
    /// # Panics
    /// If there is no such matrix, or v does not fit.
    pub fn add_rank_one(&mut self, k: usize, weight: f64, first: usize, v: Vec<f64>) {
        assert!(k < self.len() && first + v.len() <= self.dim(), "a part of one of the matrices");
        self.rank_ones.push(RankOnePart { matrix: k, weight, first, vector: v });
    }

    /// The places that some A_k has entries at, on and above the diagonal.
    pub fn places(&self) -> usize {
        self.rows.len()
    }

    /// Σ s_k·A_k on some rows and the same columns, entry by entry, given what [`Map::load`] made of s.
    pub fn dense(&self, s: &[f64], values: &[f64], rows: Range<usize>) -> Mat {
        let mut dense = Mat::zeros(rows.len(), rows.len());
        for i in rows.clone() {
            let out = dense.row_mut(i - rows.start);
            let entries = self.pattern.row(i);
            let entries = self.pattern.columns()[entries.clone()].iter().zip(&values[entries]);
            for (&j, value) in entries.filter(|(j, _)| rows.contains(&(**j as usize))) {
                out[j as usize - rows.start] = *value;
            }
            for part in &self.rank_ones {
                let at = |j: usize| j.checked_sub(part.first).and_then(|j| part.vector.get(j));
                let Some(v) = at(i) else { continue };
                let factor = s[part.matrix] * part.weight * v;
                for (out, j) in out.iter_mut().zip(rows.clone()) {
                    *out += factor * at(j).copied().unwrap_or(0.0);
                }
            }
        }
        dense
    }

    /// At least ‖A_k‖²_F.
    fn squares(&self) -> Vec<f64> {
        let square =
            |k| self.of_matrix.get(k).iter().map(|&(p, a)| self.counts[p as usize] * a * a).sum();
        let mut squares: Vec<f64> = (0..self.len()).map(square).collect();
        for part in &self.rank_ones {
            let square = &mut squares[part.matrix];
            *square = (square.sqrt() + part.norm()).powi(2);
        }
        squares
    }

    fn spread(&self, weight: impl Fn(f64) -> f64, s: &[f64], values: &mut [f64]) {
        self.scratch.lend(self.rows.len(), |table| {
            self.of_place.combine(weight, s, table);
            values.iter_mut().zip(&self.from).for_each(|(value, &p)| *value = table[p as usize]);
        });
    }
}

impl Map for Matrices {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn dim(&self) -> usize {
        self.pattern.dim()
    }

    fn len(&self) -> usize {
        self.of_matrix.starts.len() - 1
    }

    fn image(&self, x: &Mat, y: &Mat, out: &mut [f64]) {
        self.scratch.lend(self.rows.len(), |table| {
            sample(&self.rows, &self.cols, x, y, table);
            table.iter_mut().zip(&self.counts).for_each(|(value, count)| *value *= count);
            self.of_matrix.combine(identity, table, out);
        });
        let (mut left, mut right) = (vec![0.0; x.cols()], vec![0.0; y.cols()]);
        for part in &self.rank_ones {
            part.along(x, &mut left);
            if std::ptr::eq(x, y) {
                right.copy_from_slice(&left);
            } else {
                part.along(y, &mut right);
            }
            out[part.matrix] += part.weight * dot(&left, &right);
        }
    }

    fn stored(&self) -> usize {
        self.pattern.len()
    }

    fn load(&self, s: &[f64], values: &mut [f64]) {
        self.spread(identity, s, values);
    }

    fn apply(&self, s: &[f64], values: &[f64], v: &Mat, out: &mut Mat) {
        self.pattern.apply(values, v, out);
        let mut along = vec![0.0; v.cols()];
        for part in self.rank_ones.iter().filter(|part| s[part.matrix] != 0.0) {
            part.along(v, &mut along);
            part.add(s[part.matrix] * part.weight, &along, out);
        }
    }

    fn row_grams(&self, c: &[f64], x: &Mat, grams: &mut [f64]) -> bool {
        let r = x.cols();
        grams.fill(0.0);
        self.for_each_row(c, x, |i, c, row| {
            let gram = &mut grams[i * r * r..(i + 1) * r * r];
            for (a, line) in row.iter().zip(gram.chunks_exact_mut(r)) {
                line.iter_mut().zip(row).for_each(|(sum, b)| *sum += c * a * b);
            }
        });
        true
    }

    fn row_squares(&self, c: &[f64], x: &Mat, out: &mut [f64]) -> bool {
        out.fill(0.0);
        self.for_each_row(c, x, |i, c, row| {
            out[i] += c * row.iter().map(|value| value * value).sum::<f64>();
        });
        true
    }

    fn diagonal(&self, s: &[f64], values: &[f64], out: &mut [f64]) -> bool {
        for (i, out) in out.iter_mut().enumerate() {
            let row = self.pattern.row(i);
            let at = self.pattern.columns()[row.clone()].binary_search(&(i as u32));
            *out = at.map_or(0.0, |at| values[row.start + at]);
        }
        for part in &self.rank_ones {
            let factor = s[part.matrix] * part.weight;
            let entries = out[part.first..].iter_mut().zip(&part.vector);
            entries.for_each(|(out, v)| *out += factor * v * v);
        }
        true
    }

    fn absolute(&self, s: &[f64], v: &Mat, out: &mut Mat) {
        let mut values = vec![0.0; self.pattern.len()];
        self.spread(f64::abs, s, &mut values);
        self.pattern.apply(&values, v, out);
        for part in &self.rank_ones {
            let vector = part.vector.iter().map(|v| v.abs()).collect();
            let part = RankOnePart { vector, ..part.clone() };
            let mut along = vec![0.0; v.cols()];
            part.along(v, &mut along);
            part.add(s[part.matrix] * part.weight.abs(), &along, out);
        }
    }

    fn norm_squared(&self, c: &[f64]) -> f64 {
        // |⟨A_k, A_l⟩| ≤ ⟨|A_k|, |A_l|⟩; and the trace of the Gram matrix bounds its norm, too.
        let mut table = vec![0.0; self.rows.len()];
        let mut entrywise = perron(self.len(), |v, out| {
            self.of_place.combine(f64::abs, v.as_slice(), &mut table);
            table.iter_mut().zip(&self.counts).for_each(|(value, count)| *value *= count);
            self.of_matrix.combine(f64::abs, &table, out.as_mut_slice());
            out.as_mut_slice().iter_mut().zip(c).for_each(|(out, c)| *out *= c);
        });
        // A rank-one part adds at most its own norm.
        let parts = self.rank_ones.iter().map(|part| c[part.matrix] * part.norm().powi(2));
        entrywise = (entrywise.sqrt() + parts.map(f64::sqrt).sum::<f64>()).powi(2);
        let trace: f64 = self.squares().iter().zip(c).map(|(square, c)| square * c).sum();
        entrywise.min(trace) * (1.0 + 1e-12)
    }

    fn squares_through(&self, points: &Mat) -> Option<Vec<f64>> {
        let many = (0..self.len()).any(|k| self.of_matrix.get(k).len() > FEW);
        if many || !self.rank_ones.is_empty() {
            return None;
        }
        // tr(A·G·A·G) over the entries of A, with the Gram matrix G of the points that they are at.
        let square = |k: usize| {
            let mut entries = Vec::new();
            for &(place, value) in self.of_matrix.get(k) {
                let (i, j) = (self.rows[place as usize], self.cols[place as usize]);
                entries.push((i as usize, j as usize, value));
                if i != j {
                    entries.push((j as usize, i as usize, value));
                }
            }
            let mut used: Vec<usize> = entries.iter().map(|entry| entry.0).collect();
            used.sort_unstable();
            used.dedup();
            let size = used.len();
            let gram =
                Mat::from_fn(size, size, |a, b| dot(points.row(used[a]), points.row(used[b])));
            let at = |i: usize| used.partition_point(|u| *u < i);
            let mut product = Mat::zeros(size, size);
            for &(i, j, value) in &entries {
                let (i, j) = (at(i), at(j));
                for column in 0..size {
                    product[(i, column)] += value * gram[(j, column)];
                }
            }
            let pairs = (0..size).flat_map(|a| (0..size).map(move |b| (a, b)));
            pairs.map(|(a, b)| product[(a, b)] * product[(b, a)]).sum()
        };
        Some((0..self.len()).map(square).collect())
    }

    fn size(&self, s: &[f64]) -> f64 {
        let mut values = vec![0.0; self.pattern.len()];
        self.spread(identity, s, &mut values);
        let parts: f64 = self.rank_ones.iter().map(|part| s[part.matrix].abs() * part.norm()).sum();
        (norm(&values) + parts) * (1.0 + 1e-12)
    }

    fn rounding(&self, rank: usize) -> f64 {
        let total: f64 = self.squares().iter().sum();
        // Sums over places, or over the rows of a rank-one part.
        let length = self.rows.len() + if self.rank_ones.is_empty() { 0 } else { 2 * self.dim() };
        4.0 * (length + rank + 4) as f64 * f64::EPSILON * total.sqrt()
    }
}
