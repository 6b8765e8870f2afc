//! Squared distances between points: ⟨(e_i − e_j)(e_i − e_j)ᵀ, XXᵀ⟩ = ‖x_i − x_j‖².

use gramfold_linalg::{CsrError, Mat, Pattern};
use rayon::prelude::*;

use super::{Map, perron};

/// Pairs, or points, that one task handles.
const PART: usize = 1024;

/// ‖x_i − x_j‖² for the pairs (i, j) given; for XYᵀ, (x_i − x_j)·(y_i − y_j). The adjoint is a graph Laplacian.
#[derive(Clone, Debug)]
pub struct Distances {
    pairs: Vec<(u32, u32)>,
    /// The pairs that each point is in.
    around: Pattern,
    from: Vec<u32>,
    /// Whether some pair is given more than once.
    repeated: bool,
}

impl Distances {
    /// Its name in specs and files.
    pub const NAME: &'static str = "distances";

    /// Of n points. A pair of a point with itself measures nothing.
    pub fn new(dim: usize, pairs: &[(u32, u32)]) -> Result<Self, CsrError> {
        let (around, from) = Pattern::mirrored(dim, pairs)?;
        let repeated =
            (0..dim).any(|i| around.columns()[around.row(i)].windows(2).any(|w| w[0] == w[1]));
        Ok(Self { pairs: pairs.to_vec(), around, from, repeated })
    }

    /// out_i ← Σ_j s_ij·(v_i + sign·v_j) over the pairs of each point.
    fn combine(&self, s: &[f64], sign: f64, v: &Mat, out: &mut Mat) {
        let width = v.cols();
        out.as_mut_slice().par_chunks_mut(PART * width).enumerate().for_each(|(index, part)| {
            for (i, out) in (index * PART..).zip(part.chunks_exact_mut(width)) {
                out.fill(0.0);
                let row = self.around.row(i);
                let own = v.row(i);
                let neighbours = self.around.columns()[row.clone()].iter().zip(&self.from[row]);
                for (&j, &k) in neighbours.filter(|(j, _)| **j as usize != i) {
                    let s = s[k as usize];
                    let other = v.row(j as usize);
                    for ((out, own), other) in out.iter_mut().zip(own).zip(other) {
                        *out += s * (own + sign * other);
                    }
                }
            }
        });
    }
}

impl Map for Distances {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn dim(&self) -> usize {
        self.around.dim()
    }

    fn len(&self) -> usize {
        self.pairs.len()
    }

    fn image(&self, x: &Mat, y: &Mat, out: &mut [f64]) {
        out.par_chunks_mut(PART).zip(self.pairs.par_chunks(PART)).for_each(|(out, pairs)| {
            for (out, &(i, j)) in out.iter_mut().zip(pairs) {
                let (i, j) = (i as usize, j as usize);
                let left = x.row(i).iter().zip(x.row(j)).map(|(a, b)| a - b);
                let right = y.row(i).iter().zip(y.row(j)).map(|(a, b)| a - b);
                *out = left.zip(right).map(|(a, b)| a * b).sum();
            }
        });
    }

    fn apply(&self, s: &[f64], _: &[f64], v: &Mat, out: &mut Mat) {
        self.combine(s, -1.0, v, out);
    }

    fn absolute(&self, s: &[f64], v: &Mat, out: &mut Mat) {
        self.combine(s, 1.0, v, out);
    }

    fn norm_squared(&self, c: &[f64]) -> f64 {
        // ⟨A_k, A_l⟩ is 4 for the same pair and 1 for pairs that share a point: nonnegative.
        let mut at_points = vec![0.0; self.dim()];
        perron(self.len(), |v, out| {
            at_points.fill(0.0);
            for (&(i, j), v) in self.pairs.iter().zip(v.as_slice()) {
                at_points[i as usize] += v;
                at_points[j as usize] += v;
            }
            let values = v.as_slice().iter().zip(c).zip(&self.pairs);
            for (out, ((v, c), &(i, j))) in out.as_mut_slice().iter_mut().zip(values) {
                let shared = at_points[i as usize] + at_points[j as usize];
                // A pair is in both sums, which makes 2; what repeats it is at most the sums again.
                *out = c * if self.repeated { 2.0 * shared } else { shared + 2.0 * v };
            }
        })
    }

    fn squares_through(&self, points: &Mat) -> Option<Vec<f64>> {
        let square = |&(i, j): &(u32, u32)| {
            let pairs = points.row(i as usize).iter().zip(points.row(j as usize));
            pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>().powi(2)
        };
        Some(self.pairs.iter().map(square).collect())
    }

    fn size(&self, s: &[f64]) -> f64 {
        // Degrees on the diagonal, −s off it.
        let mut degrees = vec![0.0; self.dim()];
        let mut off = 0.0;
        for (&(i, j), s) in self.pairs.iter().zip(s) {
            degrees[i as usize] += s.abs();
            degrees[j as usize] += s.abs();
            off += 2.0 * s * s;
        }
        let repeated = if self.repeated { self.len() as f64 } else { 1.0 };
        (degrees.iter().map(|d| d * d).sum::<f64>() + repeated * off).sqrt()
    }

    fn rounding(&self, rank: usize) -> f64 {
        // Differences and an inner product of length r; ‖x_i − x_j‖ ≤ √2·‖X‖.
        4.0 * (rank + 4) as f64 * f64::EPSILON * (self.len() as f64).sqrt()
    }
}
