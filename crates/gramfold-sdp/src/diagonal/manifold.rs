//! The set of factors: unit rows, in a plane where there is one; its tangent vectors and its retraction.

use gramfold_linalg::{Gram, Mat, dot, norm, project_shifted, retract, row_dots, symmetric_eigen};

use super::DiagonalProgram;

/// Newton steps of the retraction onto a plane.
const RETRACTIONS: usize = 30;
/// The share of ‖v‖² below which Σ v_i²(I − x_i x_iᵀ) counts as singular: every row along one line.
const SINGULAR: f64 = 1e-9;

/// The problem and the scratch of its operations.
pub(super) struct Manifold<'a> {
    pub(super) structure: &'a DiagonalProgram,
    sums: Vec<f64>,
    plane: Option<InPlane<'a>>,
    /// Products with C, a product with r columns counted once.
    pub(super) products: usize,
}

/// Σ v_i²(I − x_i x_iᵀ) at the current X, and its pseudo-inverse.
struct InPlane<'a> {
    normal: &'a [f64],
    weighted: Mat,
    gram: Gram,
    inverse: Mat,
    /// The eigenvector of its smallest eigenvalue, where that is as good as zero.
    line: Option<Vec<f64>>,
    sum: Vec<f64>,
    mu: Vec<f64>,
}

impl<'a> Manifold<'a> {
    pub(super) fn new(structure: &'a DiagonalProgram) -> Self {
        let plane = structure.normal().map(|normal| InPlane::new(normal, 1));
        Self { structure, sums: Vec::new(), plane, products: 0 }
    }

    /// Columns that are slacks: the last one, or none.
    pub(super) fn slacks(&self) -> usize {
        usize::from(self.structure.slack_costs().is_some())
    }

    /// out ← C·v, slacks by their own costs.
    pub(super) fn apply(&mut self, v: &Mat, out: &mut Mat) {
        self.products += 1;
        self.structure.cost().apply(v, out);
        if let Some(slack) = self.structure.slack_costs() {
            let last = v.cols() - 1;
            for (i, cost) in slack.iter().enumerate() {
                out[(i, last)] = cost.map_or(0.0, |cost| cost * v[(i, last)]);
            }
        }
    }

    /// At X with G = C·X: y, and G ← the Riemannian gradient of ½⟨C, XXᵀ⟩.
    pub(super) fn gradient(&mut self, x: &Mat, g: &mut Mat, y: &mut [f64]) {
        row_dots(x, g, y);
        for (i, y) in y.iter().enumerate() {
            let (g, x) = (g.row_mut(i), x.row(i));
            g.iter_mut().zip(x).for_each(|(g, x)| *g -= y * x);
        }
        self.stand_at(x);
        // With the multiplier vμᵀ of the plane, y_i = ⟨x_i, g_i − v_i μ⟩.
        self.project_to_plane(x, g, |i, along| y[i] -= along);
    }

    /// Makes X the point at which tangent vectors are projected to the plane: a retraction may have left it at another.
    pub(super) fn stand_at(&mut self, x: &Mat) {
        if let Some(plane) = &mut self.plane {
            plane.prepare(x);
        }
    }

    /// out ← the Riemannian Hessian at (X, y) applied to the tangent vector v; returns ⟨v, out⟩.
    pub(super) fn hessian(&mut self, x: &Mat, y: &[f64], v: &Mat, out: &mut Mat) -> f64 {
        self.apply(v, out);
        let curvature = project_shifted(x, y, v, out, &mut self.sums);
        if self.plane.is_none() {
            return curvature;
        }
        self.project_to_plane(x, out, |_, _| {});
        v.dot(out)
    }

    /// Takes out of every row its part along x_i, and out of w its part that leaves the plane.
    pub(super) fn project(&mut self, x: &Mat, w: &mut Mat) {
        for i in 0..x.rows() {
            let (w, x) = (w.row_mut(i), x.row(i));
            let along: f64 = w.iter().zip(x).map(|(w, x)| w * x).sum();
            w.iter_mut().zip(x).for_each(|(w, x)| *w -= along * x);
        }
        self.project_to_plane(x, w, |_, _| {});
    }

    /// Rows of w are tangent to their spheres already. `seen` is shown each v_i⟨x_i, μ⟩ for the μ that does it.
    fn project_to_plane(&mut self, x: &Mat, w: &mut Mat, mut seen: impl FnMut(usize, f64)) {
        let Some(plane) = &mut self.plane else { return };
        let (normal, mu) = (plane.normal, plane.multiplier(w));
        for (i, normal) in normal.iter().enumerate() {
            let along: f64 = x.row(i).iter().zip(mu).map(|(x, mu)| x * mu).sum();
            seen(i, normal * along);
            let w = w.row_mut(i).iter_mut().zip(x.row(i)).zip(mu);
            w.for_each(|((w, x), mu)| *w -= normal * (mu - along * x));
        }
    }

    /// out ← the point of the manifold that x + v leads to; false if there is none.
    ///
    /// In a plane: rows of x + v − wμᵀ (w = v_i) are made unit, with the μ that minimises Σ‖z_i − v_i μ‖ (a weighted
    /// geometric median, convex): its stationarity says that the unit rows lie in the plane.
    pub(super) fn retract(&mut self, x: &Mat, v: &Mat, out: &mut Mat) -> bool {
        retract(x, v, out);
        let Some(plane) = &mut self.plane else { return true };
        let (mut mu, mut last) = (vec![0.0; x.cols()], f64::INFINITY);
        let scale: f64 = plane.normal.iter().map(|v| v.abs()).sum();
        for _ in 0..RETRACTIONS {
            // Newton on the median with the Hessian for unit lengths, which short steps nearly have.
            plane.prepare(out);
            let step = plane.multiplier(out).iter();
            mu.iter_mut().zip(step).for_each(|(mu, step)| *mu += step);
            let off = norm(&plane.sum);
            if off <= 1e-15 * scale || (off <= 1e-13 * scale && off >= last) {
                return true;
            }
            last = off;
            for (i, normal) in plane.normal.iter().enumerate() {
                let z = x.row(i).iter().zip(v.row(i)).zip(&mu);
                let own = out.row_mut(i);
                own.iter_mut().zip(z).for_each(|(o, ((x, v), mu))| *o = x + v - normal * mu);
                let length = norm(own);
                if length > 0.0 {
                    for o in own.iter_mut() {
                        *o /= length;
                    }
                }
            }
        }
        false
    }

    /// Where every row is along one line d, μ is only known up to multiples of d: the change of y that comes with
    /// one, v_i⟨x_i, d⟩. It leaves Σ y_i as it is.
    pub(super) fn free_multiplier(&mut self, x: &Mat) -> Option<Vec<f64>> {
        let plane = self.plane.as_mut()?;
        plane.prepare(x);
        let line = plane.line.as_ref()?;
        Some(plane.normal.iter().enumerate().map(|(i, v)| v * dot(x.row(i), line)).collect())
    }
}

impl<'a> InPlane<'a> {
    fn new(normal: &'a [f64], rank: usize) -> Self {
        Self {
            normal,
            weighted: Mat::zeros(normal.len(), rank),
            gram: Gram::new(rank),
            inverse: Mat::zeros(rank, rank),
            line: None,
            sum: vec![0.0; rank],
            mu: vec![0.0; rank],
        }
    }

    fn prepare(&mut self, x: &Mat) {
        let (normal, r) = (self.normal, x.cols());
        if self.weighted.cols() != r {
            *self = Self::new(normal, r);
        }
        for (i, v) in normal.iter().enumerate() {
            let row = self.weighted.row_mut(i).iter_mut().zip(x.row(i));
            row.for_each(|(w, x)| *w = v * x);
        }
        let squares = dot(normal, normal);
        self.inverse.as_mut_slice().fill(0.0);
        // ‖v‖²I − Σ v_i² x_i x_iᵀ: its smallest eigenvalues are the largest of the Gram matrix.
        let Some(eigen) = symmetric_eigen(self.gram.of(&self.weighted, &self.weighted)) else {
            return;
        };
        self.line = None;
        for k in 0..r {
            let value = squares - eigen.values[k];
            let axis = eigen.vectors.row(k);
            if value <= SINGULAR * squares {
                self.line = Some(axis.to_vec());
                continue;
            }
            for (i, a) in axis.iter().enumerate() {
                let row = self.inverse.row_mut(i).iter_mut().zip(axis);
                row.for_each(|(out, b)| *out += a * b / value);
            }
        }
    }

    /// The least μ with Σ v_i(w_i − v_i(μ − ⟨x_i, μ⟩x_i)) = 0 for w tangent to the spheres.
    fn multiplier(&mut self, w: &Mat) -> &[f64] {
        self.sum.fill(0.0);
        for (i, v) in self.normal.iter().enumerate() {
            self.sum.iter_mut().zip(w.row(i)).for_each(|(sum, w)| *sum += v * w);
        }
        for (i, mu) in self.mu.iter_mut().enumerate() {
            *mu = dot(self.inverse.row(i), &self.sum);
        }
        &self.mu
    }
}
