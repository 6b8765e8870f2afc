//! Sparse Cholesky of C + Diag(d): the pattern analysed once (by faer, approximate minimum degree), the
//! numbers as often as d changes, and solves with many right-hand sides stored as rows.

use faer::{
    Par, Side, Spec,
    dyn_stack::{MemBuffer, MemStack},
    linalg::cholesky::llt::factor::LltRegularization,
    sparse::{
        SparseColMat, SymbolicSparseColMat,
        linalg::cholesky::{
            CholeskySymbolicParams, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
            factorize_symbolic_cholesky,
        },
    },
};

use crate::{Csr, Mat, add_scaled, multiversion};

/// Entries of L at most: 1.6 GB in both of its forms.
const MOST: usize = 100_000_000;

/// A pattern, its fill-reducing order and room for the numbers.
pub struct SparseCholesky {
    /// Upper triangle with every diagonal entry, by column.
    matrix: SparseColMat<usize, f64>,
    /// Where the diagonal entries are in `matrix`.
    diagonal: Vec<usize>,
    /// The diagonal of C.
    own: Vec<f64>,
    symbolic: SymbolicCholesky<usize>,
    values: Vec<f64>,
    memory: MemBuffer,
    /// place\[k\] = the row of C that is eliminated k-th.
    place: Vec<u32>,
    /// L by columns, diagonal first, in elimination order.
    starts: Vec<usize>,
    rows: Vec<u32>,
    entries: Vec<f64>,
    flops: f64,
    longest_row: usize,
}

impl SparseCholesky {
    /// Analyses the pattern of C; none if it is too large to hold.
    pub fn analyse(c: &Csr) -> Option<Self> {
        let n = c.dim();
        let (mut starts, mut rows) = (vec![0], Vec::new());
        let (mut values, mut diagonal, mut own) = (Vec::new(), Vec::new(), Vec::new());
        for j in 0..n {
            for (i, value) in c.row(j).take_while(|&(i, _)| i < j) {
                rows.push(i);
                values.push(value);
            }
            diagonal.push(rows.len());
            own.push(c.get(j, j));
            rows.push(j);
            values.push(0.0);
            starts.push(rows.len());
        }
        let pattern = SymbolicSparseColMat::new_checked(n, n, starts, None, rows);
        let parameters = CholeskySymbolicParams::default();
        let symbolic = factorize_symbolic_cholesky(
            pattern.as_ref(),
            Side::Upper,
            SymmetricOrdering::Amd,
            parameters,
        )
        .ok()?;
        if symbolic.len_val() > MOST {
            return None;
        }
        let memory = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Spec::default());
        let memory = MemBuffer::try_new(memory).ok()?;
        let place = match symbolic.perm() {
            Some(perm) => perm.arrays().0.iter().map(|&i| i as u32).collect(),
            None => (0..n as u32).collect(),
        };
        let (starts, rows) = columns_of(&symbolic);
        let flops = starts.windows(2).map(|w| ((w[1] - w[0]) as f64).powi(2)).sum();
        let mut counts = vec![0_usize; n];
        for &row in &rows {
            counts[row as usize] += 1;
        }
        Some(Self {
            matrix: SparseColMat::new(pattern, values),
            diagonal,
            own,
            values: vec![0.0; symbolic.len_val()],
            entries: vec![0.0; rows.len()],
            symbolic,
            memory,
            place,
            starts,
            rows,
            flops,
            longest_row: counts.into_iter().max().unwrap_or(0),
        })
    }

    /// What a proof by factorisation loses to rounding, as a share of the trace: no sum has more terms than the longest row of L
    /// has entries.
    pub fn unit(&self) -> f64 {
        (self.longest_row as f64 + 4.0) * f64::EPSILON
    }

    /// Proves that C + Diag(d) is positive definite, where C is known up to this error in spectral norm; `false` proves nothing.
    ///
    /// Factors of the matrix less cI, c ≥ error + (s + 4)ε·tr with s the longest row of L, exist only if it is positive
    /// definite (Rump, "Verification of positive definiteness", BIT 2006, allows for sparsity).
    pub fn proves_positive_definite(&mut self, d: impl Fn(usize) -> f64, error: f64) -> bool {
        // With |c_ii| + |d_i| for each entry, which its own rounding is measured by, too.
        let own = self.own.iter().enumerate();
        let trace: f64 = own.map(|(i, own)| own.abs() + d(i).abs()).sum();
        let slack = ((error + self.unit() * trace) * (1.0 + 8.0 * f64::EPSILON)).next_up();
        slack.is_finite() && self.factorise(|i| d(i) - slack)
    }

    /// Multiplications and additions of one factorisation.
    pub fn flops(&self) -> f64 {
        self.flops
    }

    /// Factorises C + Diag(d); false if it is not positive definite.
    pub fn factorise(&mut self, d: impl Fn(usize) -> f64) -> bool {
        let matrix = self.matrix.val_mut();
        for (i, &at) in self.diagonal.iter().enumerate() {
            matrix[at] = self.own[i] + d(i);
        }
        let done = self
            .symbolic
            .factorize_numeric_llt(
                &mut self.values,
                self.matrix.as_ref(),
                Side::Upper,
                LltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut self.memory),
                Spec::default(),
            )
            .is_ok();
        if done {
            self.flatten();
        }
        done
    }

    /// Copies L out of faer's storage into flat columns.
    fn flatten(&mut self) {
        match self.symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(_) => self.entries.copy_from_slice(&self.values),
            SymbolicCholeskyRaw::Supernodal(s) => {
                let mut at = 0;
                for k in 0..s.n_supernodes() {
                    let width = s.supernode_end()[k] - s.supernode_begin()[k];
                    let from = s.col_ptr_for_val()[k];
                    let height = (s.col_ptr_for_val()[k + 1] - from) / width;
                    for j in 0..width {
                        let column = &self.values[from + j * height + j..from + (j + 1) * height];
                        self.entries[at..at + column.len()].copy_from_slice(column);
                        at += column.len();
                    }
                }
            }
        }
        // The diagonal is only ever divided by.
        for &start in &self.starts[..self.starts.len() - 1] {
            self.entries[start] = self.entries[start].recip();
        }
    }

    /// v ← (C + Diag(d))⁻¹·v, column by column of v; `scratch` has the shape of v.
    pub fn solve(&self, v: &mut Mat, scratch: &mut Mat) {
        let width = v.cols();
        for (k, &i) in self.place.iter().enumerate() {
            scratch.row_mut(k).copy_from_slice(v.row(i as usize));
        }
        let columns = (&self.starts[..], &self.rows[..], &self.entries[..]);
        solve_permuted::<4>(columns, width, scratch.as_mut_slice());
        for (k, &i) in self.place.iter().enumerate() {
            v.row_mut(i as usize).copy_from_slice(scratch.row(k));
        }
    }
}

/// The pattern of L by columns, diagonal first.
fn columns_of(symbolic: &SymbolicCholesky<usize>) -> (Vec<usize>, Vec<u32>) {
    match symbolic.raw() {
        SymbolicCholeskyRaw::Simplicial(s) => {
            (s.col_ptr().to_vec(), s.row_idx().iter().map(|&i| i as u32).collect())
        }
        SymbolicCholeskyRaw::Supernodal(s) => {
            let (mut starts, mut rows) = (vec![0], Vec::new());
            for k in 0..s.n_supernodes() {
                let (begin, end) = (s.supernode_begin()[k], s.supernode_end()[k]);
                let pattern = s.supernode(k).pattern();
                for j in begin..end {
                    rows.extend(j as u32..end as u32);
                    rows.extend(pattern.iter().map(|&i| i as u32));
                    starts.push(rows.len());
                }
            }
            (starts, rows)
        }
    }
}

multiversion! {
    fn solve_permuted<const L: usize>(
        columns: (&[usize], &[u32], &[f64]),
        width: usize,
        x: &mut [f64],
    ) {
        let (starts, rows, entries) = columns;
        let n = starts.len() - 1;
        for j in 0..n {
            let (upper, lower) = x.split_at_mut((j + 1) * width);
            let own = &mut upper[j * width..];
            let inverse = entries[starts[j]];
            for v in own.iter_mut() {
                *v *= inverse;
            }
            for k in starts[j] + 1..starts[j + 1] {
                let at = (rows[k] as usize - j - 1) * width;
                add_scaled::<FUSED, _>(-entries[k], own, &mut lower[at..at + width]);
            }
        }
        for j in (0..n).rev() {
            let (upper, lower) = x.split_at_mut((j + 1) * width);
            let own = &mut upper[j * width..];
            for k in starts[j] + 1..starts[j + 1] {
                let at = (rows[k] as usize - j - 1) * width;
                add_scaled::<FUSED, _>(-entries[k], &lower[at..at + width], own);
            }
            let inverse = entries[starts[j]];
            for v in own.iter_mut() {
                *v *= inverse;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Symmetric;

    /// A ring of n with chords, and the shift that makes it definite.
    fn ring(n: u32) -> Csr {
        let entries: Vec<_> = (0..n)
            .flat_map(|i| {
                let (a, b) = ((i + 1) % n, (i * 7 + 3) % n);
                let value = f64::from(i % 5) - 2.2;
                let chord = if b == i { 0.0 } else { value };
                [(i, a, value), (i, b, chord)]
            })
            .collect();
        Csr::from_triangle(n as usize, &entries).unwrap()
    }

    #[test]
    fn solutions_satisfy_the_system_in_both_storages() {
        // The dense one is supernodal in faer, the sparse one simplicial.
        let full: Vec<_> =
            (0..90).flat_map(|i| (0..i).map(move |j| (i, j, f64::from(i * j % 7)))).collect();
        for c in [ring(30), ring(700), Csr::from_triangle(90, &full).unwrap()] {
            let (n, r) = (c.dim(), 5);
            let mut cholesky = SparseCholesky::analyse(&c).unwrap();
            let shift = |i: usize| 700.0 + (i % 3) as f64;
            assert!(cholesky.factorise(shift));
            let b = Mat::from_fn(n, r, |i, j| ((3 * i + j) as f64).sin());
            let (mut x, mut scratch) = (b.clone(), Mat::zeros(n, r));
            cholesky.solve(&mut x, &mut scratch);
            let mut image = Mat::zeros(n, r);
            Symmetric::from(c).apply(&x, &mut image);
            for i in 0..n {
                (0..r).for_each(|j| image[(i, j)] += shift(i) * x[(i, j)]);
            }
            assert!(image.distance(&b) < 1e-11 * b.norm(), "{}", image.distance(&b));
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused_and_a_better_shift_accepted() {
        let c = Csr::from_triangle(2, &[(0, 1, 2.0)]).unwrap();
        let mut cholesky = SparseCholesky::analyse(&c).unwrap();
        assert!(!cholesky.factorise(|_| 1.9));
        assert!(cholesky.factorise(|_| 2.1));
    }
}
