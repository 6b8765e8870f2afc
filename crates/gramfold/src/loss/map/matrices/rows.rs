//! What the matrices make of single rows of a factor, for preconditioners.

use gramfold_linalg::Mat;

use super::Matrices;

impl Matrices {
    /// Calls `visit(i, c_k, row)` for every row i of every A_kX that A_k can reach, where c_k is not 0.
    pub(super) fn for_each_row(
        &self,
        c: &[f64],
        x: &Mat,
        mut visit: impl FnMut(usize, f64, &[f64]),
    ) {
        let (n, r) = (x.rows(), x.cols());
        let mut image = Mat::zeros(n, r);
        let mut touched = vec![false; n];
        let mut list: Vec<usize> = Vec::new();
        let mut along = vec![0.0; r];
        let mut parts: Vec<_> = self.rank_ones.iter().collect();
        parts.sort_by_key(|part| part.matrix);
        let mut parts = parts.into_iter().peekable();
        for (k, &c) in c.iter().enumerate() {
            let mut touch = |i: usize| {
                if !std::mem::replace(&mut touched[i], true) {
                    list.push(i);
                }
            };
            for &(place, value) in self.of_matrix.get(k).iter().filter(|_| c != 0.0) {
                let (i, j) = (self.rows[place as usize], self.cols[place as usize]);
                let pairs = [(i as usize, j as usize), (j as usize, i as usize)];
                for &(to, from) in &pairs[..if i == j { 1 } else { 2 }] {
                    touch(to);
                    let row = image.row_mut(to).iter_mut().zip(x.row(from));
                    row.for_each(|(out, v)| *out += value * v);
                }
            }
            while let Some(part) = parts.next_if(|part| part.matrix == k) {
                if c != 0.0 {
                    part.along(x, &mut along);
                    part.add(part.weight, &along, &mut image);
                    (part.first..part.first + part.vector.len()).for_each(&mut touch);
                }
            }
            for i in list.drain(..) {
                visit(i, c, image.row(i));
                image.row_mut(i).fill(0.0);
                touched[i] = false;
            }
        }
    }
}
