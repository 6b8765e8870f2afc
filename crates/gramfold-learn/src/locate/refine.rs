//! Gauss–Newton on the stress, damped where its steps are poor, by conjugate gradients with the inverse of each point's own block.

use gramfold::{
    linalg::{ConjugateGradients, Mat, Reach, System, invert_each, multiply_rows},
    loss::Line,
};

use super::{Stress, pairs};

/// The most conjugate gradient steps an iteration.
const INNER: usize = 400;

/// Conjugate gradients stop at this residual, relative to the first, or at one between the two.
const FORCING: f64 = 0.1;
const PRECISE: f64 = 1e-2;

/// Conjugate gradient steps between two looks at the clock.
const PATIENCE: usize = 16;

/// Added to a block, relative to its trace: a point with fewer neighbours than dimensions has a singular one.
const SHIFT: f64 = 1e-9;

/// Steps shorter than this share of Gauss–Newton's are damped more, …
const SHORT: f64 = 0.3;

/// … those longer than this one less, each time by this factor, …
const LONG: f64 = 0.7;
const FACTOR: f64 = 4.0;

/// … within these shares of the blocks' mean curvature; less is none.
const LEAST_DAMPING: f64 = 1e-7;
const MOST_DAMPING: f64 = 1.0;

/// The mean of a column.
fn mean(x: &Mat, column: usize) -> f64 {
    x.column(column).sum::<f64>() / x.rows() as f64
}

/// The norm of positions around their mean: distances do not tell where they are as a whole.
fn spread(x: &Mat) -> f64 {
    let square = |j: usize| {
        let mean = mean(x, j);
        x.column(j).map(|v| (v - mean).powi(2)).sum::<f64>()
    };
    (0..x.cols()).map(square).sum::<f64>().sqrt()
}

/// Takes out of a direction what moves all points alike: it changes no distance, and is noise of the conjugate gradients.
fn centre(direction: &mut Mat) {
    for j in 0..direction.cols() {
        let mean = mean(direction, j);
        (0..direction.rows()).for_each(|i| direction[(i, j)] -= mean);
    }
}

/// What a step came to; with its length relative to the layout.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Outcome {
    /// On.
    Moved(f64),
    /// Within the tolerance.
    Done(f64),
    /// No descent is left to be seen.
    Stalled,
}

/// The state of a descent.
pub(super) struct Refinement<'a> {
    stress: &'a Stress<'a>,
    frozen: &'a [bool],
    /// (p_j/2)‖column j‖² is added; empty for none.
    pressures: Vec<f64>,
    residuals: Vec<f64>,
    /// 2√w(x_i − x_j) of each pair, and the blocks' inverses.
    differences: Vec<f64>,
    inverses: Vec<f64>,
    gradient: Mat,
    direction: Mat,
    scaled: Mat,
    solver: ConjugateGradients,
    /// The decrement before the last step.
    before: Option<f64>,
    /// The length that the next step should have.
    expected: f64,
    /// μ in (JᵀJ + μI)⁻¹ (Levenberg, Marquardt), relative to the mean diagonal of JᵀJ: where JᵀJ is nearly singular, steps of
    /// Gauss–Newton are long, and lead nowhere.
    damping: f64,
    /// That mean.
    mean: f64,
    passes: usize,
}

impl<'a> Refinement<'a> {
    pub(super) fn new(
        stress: &'a Stress<'a>,
        frozen: &'a [bool],
        pressures: &[f64],
        cols: usize,
    ) -> Self {
        let zeros = || Mat::zeros(frozen.len(), cols);
        Self {
            stress,
            frozen,
            pressures: pressures.to_vec(),
            residuals: Vec::new(),
            differences: vec![0.0; stress.pairs.len() * cols],
            inverses: vec![0.0; frozen.len() * cols * cols],
            gradient: zeros(),
            direction: zeros(),
            scaled: zeros(),
            solver: ConjugateGradients::new(frozen.len(), cols),
            before: None,
            expected: f64::INFINITY,
            damping: 0.0,
            mean: 0.0,
            passes: 0,
        }
    }

    /// Passes over the pairs since the last call.
    pub(super) fn take_passes(&mut self) -> usize {
        std::mem::take(&mut self.passes)
    }

    /// One step with an exact line search; where it `is_over`, of what is solved by then.
    pub(super) fn step(
        &mut self,
        x: &mut Mat,
        tolerance: f64,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Outcome {
        self.linearise(x);
        let size = spread(x).max(f64::MIN_POSITIVE);
        precondition(&self.inverses, &self.gradient, &mut self.scaled);
        let decrement = self.gradient.dot(&self.scaled).max(0.0).sqrt();
        if decrement == 0.0 {
            return Outcome::Done(0.0);
        }
        // As precise as the last step was good (Eisenstat and Walker): where it gets stuck, more is wasted.
        let ratio = decrement / self.before.replace(decrement).unwrap_or(decrement);
        // And no more precise than the tolerance asks for, where the last step was whole.
        let enough = 0.5 * tolerance / self.expected;
        let forcing = (FORCING * ratio * ratio).max(enough).clamp(PRECISE, FORCING);
        self.solve(forcing, is_over);
        if self.pressures.is_empty() && !self.frozen.contains(&true) {
            centre(&mut self.direction);
        }
        let length = self.direction.norm() / size;
        if self.gradient.dot(&self.direction) >= 0.0 {
            return Outcome::Stalled;
        }
        let Some(t) = self.line(x).minimiser(2.0) else { return Outcome::Stalled };
        if t < SHORT {
            self.damping = (FACTOR * self.damping).clamp(LEAST_DAMPING, MOST_DAMPING);
        } else if t > LONG {
            self.damping /= FACTOR;
            if self.damping < LEAST_DAMPING {
                self.damping = 0.0;
            }
        }
        self.expected = if t > LONG { forcing * length } else { f64::INFINITY };
        // Damped by μ ≤ damping·λmax(JᵀJ), a step may be shorter than a gradient step by 1 + damping.
        if (1.0 + self.damping) * length <= tolerance {
            x.axpy(t, &self.direction);
            return Outcome::Done(length);
        }
        if t * length <= 1e-15 {
            return Outcome::Stalled;
        }
        x.axpy(t, &self.direction);
        Outcome::Moved(length)
    }

    /// Residuals, differences, gradient and blocks at x.
    fn linearise(&mut self, x: &Mat) {
        let k = x.cols();
        self.passes += 1;
        match k {
            1 => self.linearise_pairs::<1>(x),
            2 => self.linearise_pairs::<2>(x),
            3 => self.linearise_pairs::<3>(x),
            4 => self.linearise_pairs::<4>(x),
            5 => self.linearise_pairs::<5>(x),
            _ => self.linearise_pairs::<0>(x),
        }
        let (gradient, blocks) = (self.gradient.as_mut_slice(), &mut self.inverses[..]);
        for (j, pressure) in self.pressures.iter().enumerate() {
            for i in 0..x.rows() {
                gradient[i * k + j] += pressure * x[(i, j)];
                blocks[(i * k + j) * k + j] += pressure;
            }
        }
        for (i, frozen) in self.frozen.iter().enumerate() {
            if *frozen {
                gradient[i * k..(i + 1) * k].fill(0.0);
            }
        }
        let diagonal = |block: &[f64]| (0..k).map(|l| block[l * k + l]).sum::<f64>();
        self.mean = blocks.chunks_exact(k * k).map(diagonal).sum::<f64>() / gradient.len() as f64;
        let damping = self.damping * self.mean;
        for block in blocks.chunks_exact_mut(k * k) {
            (0..k).for_each(|l| block[l * k + l] += damping);
        }
        self.invert(k);
    }

    /// Residuals and differences of the pairs, and what they add to the gradient and the blocks, for K columns, or any number of them if
    /// K = 0.
    fn linearise_pairs<const K: usize>(&mut self, x: &Mat) {
        let k = if K == 0 { x.cols() } else { K };
        let (gradient, blocks) = (self.gradient.as_mut_slice(), &mut self.inverses[..]);
        gradient.fill(0.0);
        blocks.fill(0.0);
        self.residuals.clear();
        let Stress { pairs, squares, weights, .. } = self.stress;
        let edges = pairs.iter().zip(squares).zip(weights);
        for (((&(i, j), square), w), difference) in edges.zip(self.differences.chunks_exact_mut(k))
        {
            let (i, j) = (i as usize * k, j as usize * k);
            let root = 2.0 * w.sqrt();
            let (own, other) = (&x.as_slice()[i..i + k], &x.as_slice()[j..j + k]);
            let mut length = 0.0;
            for ((out, own), other) in difference.iter_mut().zip(own).zip(other) {
                let gap = own - other;
                length += gap * gap;
                *out = root * gap;
            }
            let residual = length - square;
            self.residuals.push(residual);
            let pull = 0.5 * root * residual;
            for (node, pull) in [(i, pull), (j, -pull)] {
                let gradient = gradient[node..node + k].iter_mut();
                let rows = blocks[node * k..(node + k) * k].chunks_exact_mut(k);
                for ((gradient, row), value) in gradient.zip(rows).zip(&*difference) {
                    *gradient += pull * value;
                    row.iter_mut().zip(&*difference).for_each(|(out, other)| *out += value * other);
                }
            }
        }
    }

    /// The inverse of each point's block; zero for a frozen one, so that it never moves.
    fn invert(&mut self, k: usize) {
        let trace = |block: &[f64]| (0..k).map(|l| block[l * k + l]).sum::<f64>();
        let traces: Vec<f64> = self.inverses.chunks_exact(k * k).map(trace).collect();
        let shifts: Vec<f64> = traces.iter().map(|trace| SHIFT * trace).collect();
        invert_each(&mut self.inverses, &shifts, k);
        let inverses = self.inverses.chunks_exact_mut(k * k);
        for ((inverse, trace), frozen) in inverses.zip(traces).zip(self.frozen) {
            if *frozen || trace <= 0.0 {
                inverse.fill(0.0);
            } else if inverse.iter().any(|value| !value.is_finite()) {
                inverse.fill(0.0);
                (0..k).for_each(|l| inverse[l * k + l] = 1.0 / trace);
            }
        }
    }

    /// direction ← −(JᵀJ + μI + pressures)⁻¹·gradient, to a relative residual.
    fn solve(&mut self, forcing: f64, is_over: &mut dyn FnMut() -> bool) {
        let mut system = Model {
            pairs: self.stress.pairs,
            differences: &self.differences,
            inverses: &self.inverses,
            pressures: &self.pressures,
            frozen: self.frozen,
            damping: self.damping * self.mean,
            forcing,
            is_over,
            passes: 0,
        };
        let reach = Reach::products(INNER);
        self.solver.descend(&mut self.direction, &self.gradient, reach, &mut system);
        self.passes += system.passes;
    }

    /// The stress and the pressures along the direction.
    fn line(&self, x: &Mat) -> Line<'static> {
        let p = &self.direction;
        let mut c = match x.cols() {
            2 => self.along::<2>(x.as_slice()),
            3 => self.along::<3>(x.as_slice()),
            4 => self.along::<4>(x.as_slice()),
            5 => self.along::<5>(x.as_slice()),
            _ => self.along::<0>(x.as_slice()),
        };
        for (j, pressure) in self.pressures.iter().enumerate() {
            for (x, p) in x.column(j).zip(p.column(j)) {
                c[1] += pressure * x * p;
                c[2] += 0.5 * pressure * p * p;
            }
        }
        Line::Quartic(c)
    }

    /// The coefficients of the stress along the direction, for K columns, or any number of them if K = 0.
    fn along<const K: usize>(&self, x: &[f64]) -> [f64; 5] {
        let k = if K == 0 { self.direction.cols() } else { K };
        let p = self.direction.as_slice();
        let mut c = [0.0; 5];
        let edges = self.stress.pairs.iter().zip(&self.residuals).zip(&self.stress.weights);
        for ((&(i, j), r), w) in edges {
            let (i, j) = (i as usize * k, j as usize * k);
            let (mut first, mut second) = (0.0, 0.0);
            let ends = x[i..i + k].iter().zip(&x[j..j + k]);
            let moves = p[i..i + k].iter().zip(&p[j..j + k]);
            for ((x, other), (p, beside)) in ends.zip(moves) {
                first += 2.0 * (x - other) * (p - beside);
                second += (p - beside) * (p - beside);
            }
            c[0] += 0.5 * w * r * r;
            c[1] += w * r * first;
            c[2] += w * (r * second + 0.5 * first * first);
            c[3] += w * first * second;
            c[4] += 0.5 * w * second * second;
        }
        c
    }
}

/// JᵀJ + μI + pressures, but for the frozen points.
struct Model<'a> {
    pairs: &'a [(u32, u32)],
    differences: &'a [f64],
    inverses: &'a [f64],
    pressures: &'a [f64],
    frozen: &'a [bool],
    /// μ.
    damping: f64,
    forcing: f64,
    is_over: &'a mut dyn FnMut() -> bool,
    passes: usize,
}

impl System for Model<'_> {
    fn product(&mut self, v: &Mat, out: &mut Mat) -> f64 {
        self.passes += 1;
        let k = v.cols();
        let (entries, image) = (v.as_slice(), out.as_mut_slice());
        image.fill(0.0);
        pairs::product(self.pairs, self.differences, entries, image, k);
        if self.damping > 0.0 {
            image.iter_mut().zip(entries).for_each(|(out, v)| *out += self.damping * v);
        }
        if !self.pressures.is_empty() {
            for (row, v) in image.chunks_exact_mut(k).zip(entries.chunks_exact(k)) {
                let terms = row.iter_mut().zip(v).zip(self.pressures);
                terms.for_each(|((out, v), pressure)| *out += pressure * v);
            }
        }
        for (row, frozen) in image.chunks_exact_mut(k).zip(self.frozen) {
            if *frozen {
                row.fill(0.0);
            }
        }
        v.dot(out)
    }

    fn precondition(&mut self, v: &Mat, out: &mut Mat) {
        precondition(self.inverses, v, out);
    }

    fn is_solved(&mut self, _: &Mat, square: f64, first: f64) -> bool {
        let look = self.passes > 0 && self.passes.is_multiple_of(PATIENCE);
        square <= self.forcing * self.forcing * first || square <= 0.0 || (look && (self.is_over)())
    }
}

fn precondition(inverses: &[f64], v: &Mat, out: &mut Mat) {
    if v.cols() != 2 {
        return multiply_rows(inverses, v, out);
    }
    let rows =
        v.as_slice().as_chunks::<2>().0.iter().zip(out.as_mut_slice().as_chunks_mut::<2>().0);
    for (([a, b], out), [aa, ab, ba, bb]) in rows.zip(inverses.as_chunks::<4>().0) {
        *out = [aa * a + ba * b, ab * a + bb * b];
    }
}
