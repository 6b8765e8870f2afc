//! ⟨A_k, Z⟩ for any symmetric matrices, given by their entries: sensing, constraints.

use gramfold_linalg::{CsrError, Mat, Pattern, dot, sample};

use super::{Map, perron};

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
        let mut starts = vec![0; count + 1];
        for entry in entries {
            starts[entry.0 as usize + 1] += 1;
        }
        for k in 0..count {
            starts[k + 1] += starts[k];
        }
        let mut next = starts.clone();
        let mut sorted = vec![(0, 0.0); entries.len()];
        for &(list, index, value) in entries {
            sorted[next[list as usize]] = (index, value);
            next[list as usize] += 1;
        }
        Self { starts, entries: sorted }
    }

    fn get(&self, list: usize) -> &[(u32, f64)] {
        &self.entries[self.starts[list]..self.starts[list + 1]]
    }

    /// out\[list\] ← Σ value·of\[index\], or Σ |value|·of\[index\].
    fn combine(&self, absolute: bool, of: &[f64], out: &mut [f64]) {
        for (list, out) in out.iter_mut().enumerate() {
            let values = self.get(list).iter();
            let each =
                values.map(|&(index, a)| if absolute { a.abs() } else { a } * of[index as usize]);
            *out = each.sum();
        }
    }
}

impl Matrices {
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
        let (rows, cols) = places.into_iter().unzip();
        Ok(Self { rows, cols, pattern, from, of_matrix, of_place })
    }

    /// How often a place counts: twice off the diagonal.
    fn double(&self, values: &mut [f64]) {
        let places = self.rows.iter().zip(&self.cols);
        let off = values.iter_mut().zip(places).filter(|(_, (i, j))| i != j);
        off.for_each(|(value, _)| *value *= 2.0);
    }

    /// ‖A_k‖²_F.
    fn squares(&self) -> Vec<f64> {
        let mut counts = vec![1.0; self.rows.len()];
        self.double(&mut counts);
        let square =
            |k| self.of_matrix.get(k).iter().map(|&(p, a)| counts[p as usize] * a * a).sum();
        (0..self.len()).map(square).collect()
    }

    fn spread(&self, absolute: bool, s: &[f64], values: &mut [f64]) {
        let mut table = vec![0.0; self.rows.len()];
        self.of_place.combine(absolute, s, &mut table);
        values.iter_mut().zip(&self.from).for_each(|(value, &p)| *value = table[p as usize]);
    }
}

impl Map for Matrices {
    fn name(&self) -> &'static str {
        "matrices"
    }

    fn dim(&self) -> usize {
        self.pattern.dim()
    }

    fn len(&self) -> usize {
        self.of_matrix.starts.len() - 1
    }

    fn image(&self, x: &Mat, y: &Mat, out: &mut [f64]) {
        let mut table = vec![0.0; self.rows.len()];
        sample(&self.rows, &self.cols, x, y, &mut table);
        self.double(&mut table);
        self.of_matrix.combine(false, &table, out);
    }

    fn stored(&self) -> usize {
        self.pattern.len()
    }

    fn load(&self, s: &[f64], values: &mut [f64]) {
        self.spread(false, s, values);
    }

    fn apply(&self, _: &[f64], values: &[f64], v: &Mat, out: &mut Mat) {
        self.pattern.apply(values, v, out);
    }

    fn absolute(&self, s: &[f64], v: &Mat, out: &mut Mat) {
        let mut values = vec![0.0; self.pattern.len()];
        self.spread(true, s, &mut values);
        self.pattern.apply(&values, v, out);
    }

    fn norm_squared(&self, c: &[f64]) -> f64 {
        // |⟨A_k, A_l⟩| ≤ ⟨|A_k|, |A_l|⟩; and the trace of the Gram matrix bounds its norm, too.
        let mut table = vec![0.0; self.rows.len()];
        let entrywise = perron(self.len(), |v, out| {
            self.of_place.combine(true, v.as_slice(), &mut table);
            self.double(&mut table);
            self.of_matrix.combine(true, &table, out.as_mut_slice());
            out.as_mut_slice().iter_mut().zip(c).for_each(|(out, c)| *out *= c);
        });
        let trace: f64 = self.squares().iter().zip(c).map(|(square, c)| square * c).sum();
        entrywise.min(trace * (1.0 + 1e-12))
    }

    fn squares_through(&self, points: &Mat) -> Option<Vec<f64>> {
        if (0..self.len()).any(|k| self.of_matrix.get(k).len() > FEW) {
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
        self.spread(false, s, &mut values);
        gramfold_linalg::norm(&values) * (1.0 + 1e-12)
    }

    fn rounding(&self, rank: usize) -> f64 {
        let total: f64 = self.squares().iter().sum();
        4.0 * (self.rows.len() + rank + 4) as f64 * f64::EPSILON * total.sqrt()
    }
}
