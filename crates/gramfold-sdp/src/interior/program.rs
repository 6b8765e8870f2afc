//! The program as the engine works on it: constraints of norm about 1, heaviest first, block by block.
//!
//! Every scale is a power of two. Scaling therefore commits no rounding error, and a slack that is positive
//! definite here is positive definite in the units of the problem.

use std::borrow::Cow;

use super::{
    Block, Face, Number,
    coefficients::{Dense, Diagonal},
    variable::{mirror, norm},
    zeros,
};
use crate::{Cone, Point, Primal, Scale, Sdp, scale::norms};

/// The A_i of one block.
pub(super) enum Coefficients {
    Dense(Dense),
    Diagonal(Diagonal),
}

/// The scaled program.
pub(super) struct Program {
    pub(super) cones: Vec<Cone>,
    /// b, scaled, in the order of the engine.
    pub(super) rhs: Vec<f64>,
    pub(super) blocks: Vec<Coefficients>,
    /// C, scaled, as constraint 0 of a program of its own.
    cost: Vec<Coefficients>,
    /// Constraint i of the engine is constraint `order[i]` of the problem, divided by `rows[i]`.
    order: Vec<usize>,
    rows: Vec<f64>,
    /// C = `cost_scale` · scaled C.
    pub(super) cost_scale: f64,
    /// Z = `primal_scale` · scaled Z.
    pub(super) primal_scale: f64,
    /// The units of the problem.
    pub(super) scale: Scale,
    /// ‖C‖_F, scaled.
    pub(super) cost_norm: f64,
    /// Constraints 0 = b_i.
    empty: Vec<usize>,
    /// The faces that the variables live on, if not on whole cones; `cones` are then those of the faces.
    faces: Option<Vec<Face>>,
}

/// The nearest power of two, for anything positive and finite; else 1.
fn power_of_two(value: f64) -> f64 {
    if value > 0.0 && value.is_finite() {
        value.log2().round().clamp(-1000.0, 1000.0).exp2()
    } else {
        1.0
    }
}

/// How many entries each matrix has, rank-one parts counted as if they were written out.
fn weights(sdp: &Sdp) -> Vec<usize> {
    let mut weights = vec![0; sdp.constraints() + 1];
    sdp.all_matrices().for_each(|(_, matrix, entries)| weights[matrix] += entries.len());
    for part in sdp.rank_ones() {
        let support = part.vector.iter().filter(|v| **v != 0.0).count();
        weights[part.matrix] += support * (support + 1) / 2;
    }
    weights
}

impl Program {
    pub(super) fn new(sdp: &Sdp) -> Self {
        let m = sdp.constraints();
        let norms = norms(sdp);
        let weights = weights(sdp);
        // Heaviest first: the column of a constraint meets only those after it, so each heavy one is worked out
        // once and the light ones are then only read off.
        let mut order: Vec<usize> = (0..m).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(weights[i + 1]));
        let rows: Vec<f64> = order.iter().map(|&i| power_of_two(norms[i + 1])).collect();
        let cost_scale = power_of_two(norms[0]);
        let scale = Scale::of(sdp);
        let scaled = |i: usize| sdp.rhs()[order[i]] / rows[i];
        let largest = (0..m).fold(0.0, |max: f64, i| max.max(scaled(i).abs()));
        let primal_scale = power_of_two(largest).max(power_of_two(0.5 * scale.rhs).min(1.0));
        let rhs = (0..m).map(|i| scaled(i) / primal_scale).collect();

        let numbers: Vec<usize> = order.iter().map(|&i| i + 1).collect();
        let coefficients = |numbers: &[usize], scales: &[f64]| -> Vec<Coefficients> {
            (0..sdp.cones().len())
                .map(|block| match sdp.cones()[block] {
                    Cone::Semidefinite(_) => {
                        Coefficients::Dense(Dense::new(sdp, block, numbers, scales))
                    }
                    Cone::Nonnegative(_) => {
                        Coefficients::Diagonal(Diagonal::new(sdp, block, numbers, scales))
                    }
                })
                .collect()
        };
        let empty = (0..m).filter(|&i| norms[order[i] + 1] == 0.0).collect();
        let blocks = coefficients(&numbers, &rows);
        let cost = coefficients(&[0], &[cost_scale]);
        let mut program = Self {
            cones: sdp.cones().to_vec(),
            rhs,
            blocks,
            cost,
            order,
            rows,
            cost_scale,
            primal_scale,
            scale,
            cost_norm: 0.0,
            empty,
            faces: None,
        };
        let mut cost = zeros(&program.cones);
        program.slack(&vec![0.0; m], &mut cost);
        program.cost_norm = norm(&cost);
        program
    }

    /// The program with Z on these faces, one for each block.
    pub(super) fn on_faces(sdp: &Sdp, faces: Vec<Face>) -> Self {
        let mut program = Self::new(sdp);
        let cones = program.cones.iter().zip(&faces);
        program.cones = cones.map(|(cone, face)| face.cone(*cone)).collect();
        program.faces = Some(faces);
        program
    }

    /// x in the whole cone.
    pub(super) fn lifted<'a, T: Number>(&self, x: &'a [Block<T>]) -> Cow<'a, [Block<T>]> {
        match &self.faces {
            None => Cow::Borrowed(x),
            Some(faces) => faces.iter().zip(x).map(|(face, x)| T::lift(face, x)).collect(),
        }
    }

    /// out ← what `fill` makes of a matrix of the whole cone, as the face sees it.
    fn compressed<T: Number>(&self, out: &mut [Block<T>], fill: impl Fn(usize, &mut Block<T>)) {
        for (at, out) in out.iter_mut().enumerate() {
            match self.faces.as_ref().map(|faces| &faces[at]) {
                None | Some(Face::Whole) => fill(at, out),
                Some(face) => {
                    let mut full = self.blocks[at].zeros();
                    fill(at, &mut full);
                    T::compress(face, &full, out);
                }
            }
        }
    }

    pub(super) fn constraints(&self) -> usize {
        self.rhs.len()
    }

    /// Whether the variables live on faces of the cones.
    pub(super) fn is_on_face(&self) -> bool {
        self.faces.is_some()
    }

    /// How large a solution may be, scaled: max (1 + |b_i|)/(1 + ‖A_i‖), and 1 + the largest norm of C and the A_i. Where b or C is
    /// smaller than 1, it takes the place of 1.
    pub(super) fn sizes(&self) -> (f64, f64) {
        let least = (0.5 * self.scale.rhs).min(1.0);
        let ratio =
            |(b, row): (&f64, &f64)| (least + (b * row * self.primal_scale).abs()) / (1.0 + row);
        let primal = self.rhs.iter().zip(&self.rows).map(ratio).fold(0.0, f64::max);
        // Rows that are all tiny say nothing about Z: |b_i|/‖A_i‖ does.
        let least = self.rhs.iter().fold(0.0_f64, |most, b| most.max(b.abs()));
        let primal = primal.max(1e-3 * least * self.primal_scale);
        let cost = self.cost_norm * self.cost_scale;
        let least = if cost > 0.0 { cost.min(1.0) } else { 1.0 };
        let rows = self.rows.iter().copied().fold(0.0, f64::max);
        let dual = least + cost.max(least * rows);
        (primal.max(f64::MIN_POSITIVE) / self.primal_scale, dual / self.cost_scale)
    }

    /// A constraint 0 = b_i ≠ 0.
    pub(super) fn contradicts(&self) -> Option<usize> {
        self.empty.iter().copied().find(|&i| self.rhs[i] != 0.0)
    }

    /// out ← A(x).
    pub(super) fn apply<T: Number>(&self, x: &[Block<T>], out: &mut [T]) {
        out.fill(T::default());
        for (block, x) in self.blocks.iter().zip(self.lifted(x).iter()) {
            block.apply(x, out);
        }
    }

    /// ⟨C, x⟩.
    pub(super) fn cost<T: Number>(&self, x: &[Block<T>]) -> T {
        let mut value = [T::default()];
        for (block, x) in self.cost.iter().zip(self.lifted(x).iter()) {
            block.apply(x, &mut value);
        }
        value[0]
    }

    /// out ← A*(y).
    pub(super) fn adjoint<T: Number>(&self, y: &[T], out: &mut [Block<T>]) {
        self.compressed(out, |at, out| {
            let block = &self.blocks[at];
            out.as_mut_slice().fill(T::default());
            block.accumulate(1.0, y, out);
            block.complete(out);
        });
    }

    /// out ← C − A*(y).
    pub(super) fn slack<T: Number>(&self, y: &[T], out: &mut [Block<T>]) {
        self.compressed(out, |at, out| {
            let block = &self.blocks[at];
            out.as_mut_slice().fill(T::default());
            self.cost[at].accumulate(1.0, &[T::from(1.0)], out);
            block.accumulate(-1.0, y, out);
            block.complete(out);
        });
    }

    /// ‖r‖ relative to the problem's unit of b, of a residual r of the scaled constraints.
    pub(super) fn residual<T: Number>(&self, r: &[T]) -> f64 {
        let unit = self.primal_scale / self.scale.rhs;
        let scaled = r.iter().zip(&self.rows).map(|(r, row)| r.rounded() * (row * unit));
        scaled.map(|r| r.powi(2)).sum::<f64>().sqrt()
    }

    /// y in the units and the order of the problem.
    pub(super) fn multipliers(&self, y: &[f64], scale: f64) -> Vec<f64> {
        let mut original = vec![0.0; y.len()];
        for (i, &at) in self.order.iter().enumerate() {
            original[at] = scale * y[i] / self.rows[i];
        }
        original
    }

    /// The inverse of [`Self::multipliers`] with a scale of 1.
    pub(super) fn scaled(&self, y: &[f64]) -> Vec<f64> {
        self.order.iter().zip(&self.rows).map(|(&at, row)| y[at] * row).collect()
    }

    /// scale·x, in the whole cone.
    pub(super) fn primal(&self, x: &[Block], scale: f64) -> Vec<Primal> {
        let scaled = |block: &Block| match block.map(|v| scale * v) {
            Block::Dense(mat) => Primal::Dense(mat),
            Block::Diagonal(values) => Primal::Diagonal(values),
        };
        self.lifted(x).iter().map(scaled).collect()
    }

    /// (x, y) in the units of the problem.
    pub(super) fn point(&self, x: &[Block], y: &[f64]) -> Point {
        Point {
            primal: self.primal(x, self.primal_scale),
            dual: self.multipliers(y, self.cost_scale),
        }
    }
}

impl Coefficients {
    /// The zero of the block.
    fn zeros<T: Number>(&self) -> Block<T> {
        match self {
            Self::Dense(a) => Block::zeros(Cone::Semidefinite(a.n)),
            Self::Diagonal(a) => Block::zeros(Cone::Nonnegative(a.size())),
        }
    }

    fn apply<T: Number>(&self, x: &Block<T>, out: &mut [T]) {
        match (self, x) {
            (Self::Dense(a), Block::Dense(x)) => a.apply(x, out),
            (Self::Diagonal(a), Block::Diagonal(x)) => a.apply(x, out),
            _ => unreachable!("coefficients and variables of one problem have the same blocks"),
        }
    }

    /// Adds sign·A*(y), of dense blocks only the triangle that entries name.
    fn accumulate<T: Number>(&self, sign: f64, y: &[T], out: &mut Block<T>) {
        match (self, out) {
            (Self::Dense(a), Block::Dense(out)) => a.accumulate(sign, y, out),
            (Self::Diagonal(a), Block::Diagonal(out)) => a.accumulate(sign, y, out),
            _ => unreachable!("coefficients and variables of one problem have the same blocks"),
        }
    }

    /// Turns what was accumulated into a symmetric matrix.
    fn complete<T: Number>(&self, out: &mut Block<T>) {
        if let (Self::Dense(a), Block::Dense(out)) = (self, out) {
            let n = a.n;
            out.as_mut_slice().iter_mut().step_by(n + 1).for_each(|v| *v += *v);
            mirror(out);
        }
    }
}
