//! S on a plane v⊥ as a dense matrix of one row less: reflected so that v lies along an axis, which is left out.

use gramfold_linalg::{Csr, Mat, dot, is_positive_definite, normalise};

/// The reflection that takes v to an axis, and room for the matrix.
pub(super) struct Reflected {
    cost: Csr,
    /// The unit vector h of I − 2hhᵀ.
    mirror: Vec<f64>,
    axis: usize,
    image: Vec<f64>,
    matrix: Mat,
}

impl Reflected {
    pub(super) fn new(cost: &Csr, normal: &[f64]) -> Self {
        let n = normal.len();
        let axis = (0..n).max_by(|&i, &j| normal[i].abs().total_cmp(&normal[j].abs())).unwrap_or(0);
        let mut mirror = normal.to_vec();
        normalise(&mut mirror);
        // Away from zero: no cancellation.
        mirror[axis] += 1.0_f64.copysign(mirror[axis]);
        normalise(&mut mirror);
        let matrix = Mat::zeros(n - 1, n - 1);
        Self { cost: cost.clone(), mirror, axis, image: vec![0.0; n], matrix }
    }

    /// Whether C − Diag(y) + `shift`·I is positive definite on the plane, up to what rounding leaves open.
    pub(super) fn is_above(&mut self, y: &[f64], shift: f64) -> bool {
        let Self { cost, mirror: h, axis, image, matrix } = self;
        for (i, image) in image.iter_mut().enumerate() {
            *image = cost.row(i).map(|(j, c)| c * h[j]).sum::<f64>() - y[i] * h[i];
        }
        // S − 2(h(Sh)ᵀ + (Sh)hᵀ) + 4(hᵀSh)hhᵀ = S + hqᵀ + qhᵀ.
        let half = 2.0 * dot(h, image);
        image.iter_mut().zip(&*h).for_each(|(q, h)| *q = half * h - 2.0 * *q);
        let place = |i: usize| i - usize::from(i > *axis);
        let kept = |i: &usize| i != axis;
        for i in (0..h.len()).filter(kept) {
            let row = matrix.row_mut(place(i));
            for j in (0..h.len()).filter(kept) {
                row[place(j)] = h[i] * image[j] + image[i] * h[j];
            }
            row[place(i)] -= y[i];
            for (j, c) in cost.row(i).filter(|(j, _)| kept(j)) {
                row[place(j)] += c;
            }
        }
        is_positive_definite(matrix, 1.0, shift, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::symmetric_eigen;

    use super::*;

    #[test]
    fn the_sign_changes_at_the_smallest_eigenvalue_on_the_plane() {
        let n = 9;
        let entries: Vec<_> = (0..n)
            .flat_map(|i| (i..n).map(move |j| (i, j)))
            .filter(|(i, j)| (i * 3 + j) % 4 != 1)
            .map(|(i, j)| (i as u32, j as u32, ((i * j + 2 * i + j) as f64).sin()))
            .collect();
        let cost = Csr::from_triangle(n, &entries).unwrap();
        let v: Vec<f64> = (0..n).map(|i| (i as f64 - 5.5).powi(2) - 3.0).collect();
        let y: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        // PSP has the eigenvalues on the plane and one more zero, which 3vvᵀ/‖v‖² moves out of the way.
        let squares = dot(&v, &v);
        let p = Mat::from_fn(n, n, |i, j| f64::from(i == j) - v[i] * v[j] / squares);
        let s = Mat::from_fn(n, n, |i, j| cost.get(i, j) - if i == j { y[i] } else { 0.0 });
        let sp = Mat::from_fn(n, n, |i, j| dot(s.row(i), p.row(j)));
        let on_plane = Mat::from_fn(n, n, |i, j| {
            (0..n).map(|k| p[(i, k)] * sp[(k, j)]).sum::<f64>() + 3.0 * v[i] * v[j] / squares
        });
        let least = symmetric_eigen(&on_plane).unwrap().values[0];
        assert!(least < -0.5, "{least}");
        let mut reflected = Reflected::new(&cost, &v);
        assert!(reflected.is_above(&y, -least + 1e-10));
        assert!(!reflected.is_above(&y, -least - 1e-10));
    }
}
