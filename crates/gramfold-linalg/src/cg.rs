//! Preconditioned conjugate gradients, in a trust region where one is given (Steihaug): what Newton's steps, quadratic
//! blocks and least squares are solved by.

use crate::{
    Mat,
    spheres::{cg_direction, cg_step},
};

/// A symmetric system H·X = B on tall matrices, known by its products.
pub trait System {
    /// out ← H·V; returns ⟨V, H·V⟩.
    fn product(&mut self, v: &Mat, out: &mut Mat) -> f64;

    /// out ← about H⁻¹·V.
    fn precondition(&mut self, v: &Mat, out: &mut Mat) {
        out.copy_from(v);
    }

    /// What `precondition` multiplies each row by, where that is all it does: then it is not called, and nothing is stored.
    fn row_weights(&self) -> Option<&[f64]> {
        None
    }

    /// Whether this residual, which is not zero, is small enough; `square` and `first` are its square, and the first one's, in the norm of the
    /// preconditioner.
    fn is_solved(&mut self, residual: &Mat, square: f64, first: f64) -> bool;

    /// Whether ⟨search, H·search⟩ is too little to divide by.
    fn is_flat(&self, curvature: f64, _search: &Mat, _square: f64) -> bool {
        curvature <= 0.0
    }
}

/// How far a solve goes.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// The most products with H.
    pub products: usize,
    /// How far X may move in the norm of the preconditioner; infinite for as far as it takes.
    pub radius: f64,
}

impl Reach {
    /// At most so many products, and as far as they take it.
    pub fn products(products: usize) -> Self {
        Self { products, radius: f64::INFINITY }
    }
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SolveEnd {
    /// The residual is small enough, or the products are used up.
    Within,
    /// At the edge of the trust region.
    Edge,
    /// At ⟨search, H·search⟩ that is flat, along the direction that [`ConjugateGradients::search`] still holds. In a trust
    /// region it is followed to the edge.
    Flat(f64),
}

/// What a solve did.
#[derive(Clone, Copy, Debug)]
pub struct Solved {
    /// Products with H.
    pub products: usize,
    /// What ½⟨X, H·X⟩ − ⟨B, X⟩ fell by.
    pub decrease: f64,
    /// How it ended.
    pub end: SolveEnd,
}

/// Room for systems of one shape.
pub struct ConjugateGradients {
    residual: Mat,
    scaled: Mat,
    search: Mat,
    image: Mat,
    sums: Vec<f64>,
}

impl ConjugateGradients {
    /// Room for n×r matrices.
    pub fn new(dim: usize, rank: usize) -> Self {
        let zeros = || Mat::zeros(dim, rank);
        let (residual, scaled, search, image) = (zeros(), zeros(), zeros(), zeros());
        Self { residual, scaled, search, image, sums: Vec::new() }
    }

    /// The last direction.
    pub fn search(&self) -> &Mat {
        &self.search
    }

    /// X ← the minimiser of ½⟨X, H·X⟩ + ⟨gradient, X⟩, or a point on the way to it from zero.
    pub fn descend(
        &mut self,
        x: &mut Mat,
        gradient: &Mat,
        reach: Reach,
        system: &mut dyn System,
    ) -> Solved {
        x.as_mut_slice().fill(0.0);
        self.solve(x, reach, system, |_, residual| {
            residual.copy_from(gradient);
            residual.scale(-1.0);
        })
    }

    /// Moves X from where its residual B − H·X is what `residual` writes.
    pub fn solve(
        &mut self,
        x: &mut Mat,
        reach: Reach,
        system: &mut dyn System,
        residual: impl FnOnce(&mut dyn System, &mut Mat),
    ) -> Solved {
        residual(system, &mut self.residual);
        self.search.as_mut_slice().fill(0.0);
        if system.row_weights().is_none() {
            system.precondition(&self.residual, &mut self.scaled);
        }
        self.turn(system, 0.0);
        let first = self.residual.dot(&self.search);
        let edge = reach.radius * reach.radius;
        // ‖s‖², ⟨s, p⟩, ‖p‖² in the norm of the preconditioner, for the way s so far and the search direction p.
        let (mut square, mut way, mut along, mut length) = (first, 0.0, 0.0, first);
        let mut decrease = 0.0;
        for products in 0..reach.products {
            if square <= 0.0 || system.is_solved(&self.residual, square, first) {
                return Solved { products, decrease, end: SolveEnd::Within };
            }
            let curvature = system.product(&self.search, &mut self.image);
            let flat = system.is_flat(curvature, &self.search, square) || !curvature.is_finite();
            let step = square / curvature;
            let further = way + step * (2.0 * along + step * length);
            if flat || further >= edge {
                if edge.is_finite() && curvature.is_finite() {
                    let room = (along * along + length * (edge - way)).max(0.0);
                    let last = (room.sqrt() - along) / length;
                    x.axpy(last, &self.search);
                    decrease += last * (square - 0.5 * last * curvature);
                }
                let end = if flat { SolveEnd::Flat(curvature) } else { SolveEnd::Edge };
                return Solved { products: products + 1, decrease, end };
            }
            decrease += 0.5 * step * square;
            (way, along) = (further, along + step * length);
            let next = self.advance(system, step, x);
            let ratio = next / square;
            self.turn(system, ratio);
            (square, along, length) = (next, ratio * along, next + ratio * ratio * length);
        }
        Solved { products: reach.products, decrease, end: SolveEnd::Within }
    }

    /// X ← X + step·search and the residual there; returns its square in the norm of the preconditioner.
    fn advance(&mut self, system: &mut dyn System, step: f64, x: &mut Mat) -> f64 {
        if let Some(weights) = system.row_weights() {
            let (given, changed) = ([&self.search, &self.image], [x, &mut self.residual]);
            return cg_step(step, weights, given, changed, &mut self.sums);
        }
        x.axpy(step, &self.search);
        self.residual.axpy(-step, &self.image);
        system.precondition(&self.residual, &mut self.scaled);
        self.residual.dot(&self.scaled)
    }

    /// search ← the preconditioned residual + ratio·search.
    fn turn(&mut self, system: &dyn System, ratio: f64) {
        match system.row_weights() {
            Some(weights) => cg_direction(weights, &self.residual, ratio, &mut self.search),
            None => self.search.zip(&self.scaled, |search, scaled| scaled + ratio * search),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symmetric_eigen;

    /// H, scaled by these weights where there are some, to a residual of this share.
    struct Plain {
        matrix: Mat,
        weights: Option<Vec<f64>>,
        by_row: bool,
        forcing: f64,
    }

    impl System for Plain {
        fn product(&mut self, v: &Mat, out: &mut Mat) -> f64 {
            crate::multiply(1.0, &self.matrix, v, out);
            v.dot(out)
        }

        fn precondition(&mut self, v: &Mat, out: &mut Mat) {
            out.copy_from(v);
            for (i, weight) in self.weights.iter().flatten().enumerate() {
                out.row_mut(i).iter_mut().for_each(|value| *value *= weight);
            }
        }

        fn row_weights(&self) -> Option<&[f64]> {
            self.weights.as_deref().filter(|_| self.by_row)
        }

        fn is_solved(&mut self, _: &Mat, square: f64, first: f64) -> bool {
            square <= self.forcing * self.forcing * first
        }
    }

    fn wave(rows: usize, cols: usize, phase: f64) -> Mat {
        Mat::from_fn(rows, cols, |i, j| (phase + (3 * i + 7 * j) as f64).sin())
    }

    /// A symmetric matrix with the eigenvalues 1, 2, …, less a shift.
    fn matrix(n: usize, shift: f64) -> Mat {
        let wave = wave(n, n, 0.0);
        let symmetric = Mat::from_fn(n, n, |i, j| wave[(i, j)] + wave[(j, i)]);
        let vectors = symmetric_eigen(&symmetric).unwrap().vectors;
        let value = |k: usize| 1.0 + k as f64 - shift;
        Mat::from_fn(n, n, |i, j| {
            (0..n).map(|k| value(k) * vectors[(k, i)] * vectors[(k, j)]).sum()
        })
    }

    /// ½⟨X, H·X⟩ − ⟨B, X⟩.
    fn model(matrix: &Mat, b: &Mat, x: &Mat) -> f64 {
        let mut image = Mat::zeros(x.rows(), x.cols());
        crate::multiply(1.0, matrix, x, &mut image);
        0.5 * x.dot(&image) - b.dot(x)
    }

    /// ‖X − Y‖ in the norm of the preconditioner.
    fn distance(weights: Option<&[f64]>, x: &Mat, y: &Mat) -> f64 {
        let mut between = x.clone();
        between.axpy(-1.0, y);
        let weight = |i: usize| weights.map_or(1.0, |weights| weights[i]);
        let rows = (0..x.rows()).map(|i| crate::dot(between.row(i), between.row(i)) / weight(i));
        rows.sum::<f64>().sqrt()
    }

    fn run(system: &mut Plain, x: &mut Mat, b: &Mat, reach: Reach) -> Solved {
        let start = x.clone();
        let mut solver = ConjugateGradients::new(x.rows(), x.cols());
        solver.solve(x, reach, system, |system, residual| {
            system.product(&start, residual);
            residual.zip(b, |image, b| b - image);
        })
    }

    /// The same system, not preconditioned, preconditioned in general, and row by row.
    fn each_way(n: usize, shift: f64, forcing: f64) -> [Plain; 3] {
        let weights: Vec<f64> = (0..n).map(|i| 1.0 + 0.5 * (i as f64).cos()).collect();
        [(None, false), (Some(&weights), false), (Some(&weights), true)].map(|(weights, by_row)| {
            Plain { matrix: matrix(n, shift), weights: weights.cloned(), by_row, forcing }
        })
    }

    #[test]
    fn a_definite_system_is_solved_from_anywhere() {
        for mut system in each_way(30, 0.0, 1e-13) {
            let (expected, mut x) = (wave(30, 3, 1.0), wave(30, 3, 2.0));
            let mut b = Mat::zeros(30, 3);
            system.product(&expected, &mut b);
            let before = model(&system.matrix, &b, &x);
            let solved = run(&mut system, &mut x, &b, Reach::products(200));
            assert_eq!(solved.end, SolveEnd::Within);
            assert!(solved.products < 100 && x.distance(&expected) < 1e-10, "{solved:?}");
            let fell = before - model(&system.matrix, &b, &x);
            assert!((solved.decrease - fell).abs() < 1e-10 * fell, "{solved:?} {fell}");
        }
    }

    #[test]
    fn a_trust_region_is_left_nowhere() {
        // The second matrix has eigenvalues −4, …, 5.
        for (shift, radius) in [(0.0, 0.3), (5.0, 0.3), (5.0, 30.0)] {
            for mut system in each_way(10, shift, 1e-10) {
                let (b, start) = (wave(10, 2, 1.0), wave(10, 2, 2.0));
                let mut x = start.clone();
                let solved = run(&mut system, &mut x, &b, Reach { products: 100, radius });
                assert_ne!(solved.end, SolveEnd::Within, "{solved:?}");
                let moved = distance(system.weights.as_deref(), &x, &start);
                assert!((moved - radius).abs() < 1e-9 * radius, "{moved} {radius}");
                let fell = model(&system.matrix, &b, &start) - model(&system.matrix, &b, &x);
                assert!((solved.decrease - fell).abs() < 1e-9 * fell, "{solved:?} {fell}");
            }
        }
    }

    #[test]
    fn nothing_is_left_to_do_where_the_residual_is_zero() {
        // Not even for a system that cannot tell.
        for mut system in each_way(10, 20.0, f64::NAN) {
            let (b, mut x) = (Mat::zeros(10, 2), Mat::zeros(10, 2));
            let solved = run(&mut system, &mut x, &b, Reach { products: 9, radius: 1.0 });
            assert_eq!((solved.products, solved.decrease, solved.end), (0, 0.0, SolveEnd::Within));
            assert_eq!(x.norm(), 0.0);
        }
    }

    #[test]
    fn without_one_a_direction_of_negative_curvature_is_told() {
        for mut system in each_way(10, 20.0, 1e-10) {
            let (b, mut x) = (wave(10, 2, 1.0), Mat::zeros(10, 2));
            let solved = run(&mut system, &mut x, &b, Reach::products(100));
            assert!(matches!(solved.end, SolveEnd::Flat(curvature) if curvature < 0.0));
            assert_eq!((solved.products, x.norm()), (1, 0.0));
        }
    }
}
