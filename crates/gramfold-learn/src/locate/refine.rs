//! Gauss–Newton on the stress, damped where its steps are poor, by conjugate gradients with the inverse of each point's own block.

use gramfold::{
    linalg::{Mat, invert_each, multiply_rows},
    loss::Line,
};

use super::stress::Stress;

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
    residual: Mat,
    scaled: Mat,
    search: Mat,
    image: Mat,
    /// The decrement before the last step.
    before: Option<f64>,
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
            residual: zeros(),
            scaled: zeros(),
            search: zeros(),
            image: zeros(),
            before: None,
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
        self.solve((FORCING * ratio * ratio).clamp(PRECISE, FORCING), is_over);
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
        self.stress.residuals(x, &mut self.residuals);
        self.gradient.as_mut_slice().fill(0.0);
        let blocks = &mut self.inverses[..];
        blocks.fill(0.0);
        let gradient = self.gradient.as_mut_slice();
        let edges = self.stress.pairs.iter().zip(&self.residuals).zip(&self.stress.weights);
        let edges = edges.zip(self.differences.chunks_exact_mut(k));
        for (((&(i, j), r), w), difference) in edges {
            let (i, j) = (i as usize, j as usize);
            let root = 2.0 * w.sqrt();
            for (l, out) in difference.iter_mut().enumerate() {
                *out = root * (x[(i, l)] - x[(j, l)]);
            }
            let pull = w.sqrt() * r;
            for (l, value) in difference.iter().enumerate() {
                gradient[i * k + l] += pull * value;
                gradient[j * k + l] -= pull * value;
                for (m, other) in difference.iter().enumerate() {
                    let product = value * other;
                    blocks[(i * k + l) * k + m] += product;
                    blocks[(j * k + l) * k + m] += product;
                }
            }
        }
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
        self.direction.as_mut_slice().fill(0.0);
        self.residual.copy_from(&self.gradient);
        self.residual.scale(-1.0);
        precondition(&self.inverses, &self.residual, &mut self.scaled);
        self.search.copy_from(&self.scaled);
        let mut rho = self.residual.dot(&self.scaled);
        let goal = forcing * forcing * rho;
        for done in 0..INNER {
            let late = done > 0 && done.is_multiple_of(PATIENCE) && is_over();
            if rho <= goal || rho <= 0.0 || late {
                break;
            }
            self.product();
            let curvature = self.search.dot(&self.image);
            if curvature <= 0.0 || !curvature.is_finite() {
                break;
            }
            let alpha = rho / curvature;
            self.direction.axpy(alpha, &self.search);
            self.residual.axpy(-alpha, &self.image);
            precondition(&self.inverses, &self.residual, &mut self.scaled);
            let next = self.residual.dot(&self.scaled);
            let beta = next / rho;
            rho = next;
            self.search.zip(&self.scaled, |search, scaled| scaled + beta * search);
        }
    }

    /// image ← (JᵀJ + μI + pressures)·search.
    fn product(&mut self) {
        self.passes += 1;
        let k = self.search.cols();
        let (v, out) = (self.search.as_slice(), self.image.as_mut_slice());
        out.fill(0.0);
        let (pairs, g) = (self.stress.pairs, &self.differences);
        match k {
            1 => edges::<1>(pairs, g, v, out),
            2 => edges::<2>(pairs, g, v, out),
            3 => edges::<3>(pairs, g, v, out),
            4 => edges::<4>(pairs, g, v, out),
            5 => edges::<5>(pairs, g, v, out),
            _ => edges_of_any_width(pairs, g, v, out, k),
        }
        let damping = self.damping * self.mean;
        if damping > 0.0 {
            out.iter_mut().zip(v).for_each(|(out, v)| *out += damping * v);
        }
        if !self.pressures.is_empty() {
            for (row, v) in out.chunks_exact_mut(k).zip(v.chunks_exact(k)) {
                let terms = row.iter_mut().zip(v).zip(&self.pressures);
                terms.for_each(|((out, v), pressure)| *out += pressure * v);
            }
        }
        for (row, frozen) in out.chunks_exact_mut(k).zip(self.frozen) {
            if *frozen {
                row.fill(0.0);
            }
        }
    }

    /// The stress and the pressures along the direction.
    fn line(&self, x: &Mat) -> Line<'static> {
        let k = x.cols();
        let mut c = [0.0; 5];
        let p = &self.direction;
        let edges = self.stress.pairs.iter().zip(&self.residuals).zip(&self.stress.weights);
        for ((&(i, j), r), w) in edges {
            let (i, j) = (i as usize, j as usize);
            let (mut first, mut second) = (0.0, 0.0);
            for l in 0..k {
                let (dx, dp) = (x[(i, l)] - x[(j, l)], p[(i, l)] - p[(j, l)]);
                first += 2.0 * dx * dp;
                second += dp * dp;
            }
            c[0] += 0.5 * w * r * r;
            c[1] += w * r * first;
            c[2] += w * (r * second + 0.5 * first * first);
            c[3] += w * first * second;
            c[4] += 0.5 * w * second * second;
        }
        for (j, pressure) in self.pressures.iter().enumerate() {
            for (x, p) in x.column(j).zip(p.column(j)) {
                c[1] += pressure * x * p;
                c[2] += 0.5 * pressure * p * p;
            }
        }
        Line::Quartic(c)
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

/// out ← Σ over pairs of g·gᵀ(v_i − v_j), added to i and taken from j.
fn edges<const K: usize>(pairs: &[(u32, u32)], g: &[f64], v: &[f64], out: &mut [f64]) {
    let (g, v, out) = (g.as_chunks::<K>().0, v.as_chunks::<K>().0, out.as_chunks_mut::<K>().0);
    // Pairs of one point follow each other: its sum stays in registers.
    let mut rest = pairs.iter().zip(g).peekable();
    while let Some(&(&(i, _), _)) = rest.peek() {
        let own = v[i as usize];
        let mut sum = [0.0; K];
        while let Some((&(_, j), g)) = rest.next_if(|((other, _), _)| *other == i) {
            let (there, out) = (&v[j as usize], &mut out[j as usize]);
            let mut along = 0.0;
            for l in 0..K {
                along += g[l] * (own[l] - there[l]);
            }
            for l in 0..K {
                sum[l] += along * g[l];
                out[l] -= along * g[l];
            }
        }
        out[i as usize].iter_mut().zip(sum).for_each(|(out, sum)| *out += sum);
    }
}

/// The same for K = `k`.
fn edges_of_any_width(pairs: &[(u32, u32)], g: &[f64], v: &[f64], out: &mut [f64], k: usize) {
    for (&(i, j), g) in pairs.iter().zip(g.chunks_exact(k)) {
        let (i, j) = (i as usize * k, j as usize * k);
        let (own, other) = (&v[i..i + k], &v[j..j + k]);
        let along: f64 = g.iter().zip(own.iter().zip(other)).map(|(g, (a, b))| g * (a - b)).sum();
        out[i..i + k].iter_mut().zip(g).for_each(|(out, g)| *out += along * g);
        out[j..j + k].iter_mut().zip(g).for_each(|(out, g)| *out -= along * g);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_of_every_width_agree() {
        let pairs = [(0, 3), (0, 1), (2, 3), (0, 2), (1, 3), (3, 4)];
        for k in 1..=5 {
            let wave = |count: usize, phase: f64| -> Vec<f64> {
                (0..count).map(|at| (at as f64 * 0.7 + phase).sin()).collect()
            };
            let (g, v) = (wave(pairs.len() * k, 0.2), wave(5 * k, 1.0));
            let (mut fixed, mut any) = (vec![0.0; 5 * k], vec![0.0; 5 * k]);
            match k {
                1 => edges::<1>(&pairs, &g, &v, &mut fixed),
                2 => edges::<2>(&pairs, &g, &v, &mut fixed),
                3 => edges::<3>(&pairs, &g, &v, &mut fixed),
                4 => edges::<4>(&pairs, &g, &v, &mut fixed),
                _ => edges::<5>(&pairs, &g, &v, &mut fixed),
            }
            edges_of_any_width(&pairs, &g, &v, &mut any, k);
            assert!(fixed.iter().zip(&any).all(|(a, b)| (a - b).abs() < 1e-14), "{k} columns");
        }
    }
}
