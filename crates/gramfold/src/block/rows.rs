//! Blocks whose rows decouple: each row is solved on its own, by Newton's method with a Cholesky factorisation where h is a
//! ridge or nothing, and with coordinate sweeps over its model where h is separable.

use gramfold_linalg::{Mat, solve_each};
use rayon::prelude::*;

use super::{BlockProblem, BlockSolver};
use crate::{BlockForm, Error, Problem, Regulariser, Shape, Side, loss::RowModels};

/// Rows that one task solves; their curvature matrices must stay in a near cache.
const ROWS: usize = 64;

/// Newton steps a block, and passes over the columns of a model.
const STEPS: usize = 100;
const PASSES: usize = 10_000;

/// Sufficient decrease of a line search, and how often a step is halved.
const ARMIJO: f64 = 1e-4;
const HALVINGS: usize = 40;

/// Solves each row of a block.
pub struct RowNewton {
    tolerance: f64,
    steps: usize,
    passes: usize,
}

impl RowNewton {
    /// Each row to a relative tolerance; at once where it is quadratic.
    pub fn to_tolerance(tolerance: f64) -> Self {
        Self { tolerance, steps: STEPS, passes: PASSES }
    }

    /// Passes over the columns of each row's model: a HAM step.
    pub fn passes(passes: usize) -> Self {
        Self { tolerance: 0.0, steps: 1, passes }
    }
}

impl BlockSolver for RowNewton {
    fn name(&self) -> &'static str {
        "row by row"
    }

    fn check(&self, problem: &Problem<'_>) -> Result<(), Error> {
        if !matches!(problem.loss.evaluation(1).block(Side::X), BlockForm::Rows(_)) {
            return Err(problem.lacks_loss(self.name(), "a loss whose rows decouple"));
        }
        if !problem.regulariser.shape().is_separable() {
            return Err(problem.lacks_regulariser(self.name(), "a separable regulariser"));
        }
        Ok(())
    }

    fn minimise(&mut self, block: &mut BlockProblem<'_>, x: &mut Mat) {
        let BlockForm::Rows(models) = block.evaluation.block(block.side) else {
            unreachable!("invariant: `check` refused this problem")
        };
        let r = x.cols();
        let (centre, gamma, h) = (block.centre, block.gamma, block.regulariser);
        // One pass over the columns is no solve, whatever h is.
        let exactly = self.passes == PASSES;
        let ridge = match h.shape() {
            Shape::Ridge { lambda } if exactly => Some(lambda),
            _ => None,
        };
        x.as_mut_slice().par_chunks_mut(ROWS * r).enumerate().for_each(|(index, rows)| {
            let first = index * ROWS;
            let centre = &centre.as_slice()[first * r..first * r + rows.len()];
            let room = |each: usize| vec![0.0; rows.len() / r * each];
            let (values, trials, grams) = (room(1), room(1), room(r * r));
            let (gradients, steps, moved) = (room(r), room(r), room(r));
            #[rustfmt::skip]
            let mut chunk = Chunk {
                models, first, r, centre, gamma, h, ridge, values, trials, gradients, grams, steps, moved,
            };
            for _ in 0..self.steps {
                if chunk.step(rows, self.passes, self.tolerance) {
                    break;
                }
            }
        });
    }
}

/// Some rows of a block, with room for their models.
struct Chunk<'a> {
    models: &'a dyn RowModels,
    first: usize,
    r: usize,
    centre: &'a [f64],
    gamma: f64,
    h: &'a dyn Regulariser,
    /// λ where the system is solved at once.
    ridge: Option<f64>,
    values: Vec<f64>,
    trials: Vec<f64>,
    gradients: Vec<f64>,
    grams: Vec<f64>,
    steps: Vec<f64>,
    moved: Vec<f64>,
}

impl Chunk<'_> {
    /// One Newton step for every row; whether all have come to rest.
    fn step(&mut self, rows: &mut [f64], passes: usize, tolerance: f64) -> bool {
        let Self { values, gradients, grams, .. } = self;
        self.models.models(self.first, rows, values, gradients, grams);
        let pulls = self.gradients.iter_mut().zip(rows.iter().zip(self.centre));
        pulls.for_each(|(gradient, (x, c))| *gradient += self.gamma * (x - c));
        if let Some(lambda) = self.ridge {
            let entries = self.gradients.iter_mut().zip(&mut self.steps).zip(&*rows);
            for ((gradient, step), x) in entries {
                *gradient += 0.5 * lambda * x;
                *step = -*gradient;
            }
            solve_each(&self.grams, self.gamma + 0.5 * lambda, self.r, &mut self.steps);
        } else {
            self.sweep(rows, passes, tolerance);
        }
        if self.models.is_quadratic() {
            rows.iter_mut().zip(&self.steps).for_each(|(x, step)| *x += step);
            return true;
        }
        self.search(rows);
        let still = |(x, step): (&[f64], &[f64])| norm(step) <= tolerance * norm(x);
        rows.chunks_exact(self.r).zip(self.steps.chunks_exact(self.r)).all(still)
    }

    /// steps ← the minimiser of gᵀd + ½dᵀ(G + γI)d + ½h(x + d) for each row, by passes over its columns.
    fn sweep(&mut self, rows: &[f64], passes: usize, tolerance: f64) {
        let r = self.r;
        let models = self.gradients.chunks_exact(r).zip(self.grams.chunks_exact(r * r));
        let each = rows.chunks_exact(r).zip(self.steps.chunks_exact_mut(r));
        for ((x, step), (gradient, gram)) in each.zip(models) {
            step.fill(0.0);
            for _ in 0..passes {
                let (mut change, mut size) = (0.0_f64, 0.0);
                for j in 0..r {
                    let row = &gram[j * r..(j + 1) * r];
                    let inverse = 1.0 / (row[j] + self.gamma);
                    let along: f64 = row.iter().zip(&*step).map(|(g, d)| g * d).sum();
                    let slope = gradient[j] + along + self.gamma * step[j];
                    let mut value = [x[j] + step[j] - inverse * slope];
                    // The block carries ½h.
                    self.h.prox(&mut value, 1, 0.5 * inverse);
                    let next = value[0] - x[j];
                    change += (next - step[j]).powi(2);
                    size += value[0] * value[0];
                    step[j] = next;
                }
                if change <= tolerance * tolerance * size {
                    break;
                }
            }
        }
    }

    /// Shortens each step until its row's objective falls, and takes it.
    fn search(&mut self, rows: &mut [f64]) {
        let r = self.r;
        let half_h = |row: &[f64]| match self.h.shape() {
            Shape::Ridge { lambda } => 0.25 * lambda * dot(row, row),
            _ => 0.5 * self.h.value(&Mat::from_row_major(1, r, row.to_vec())),
        };
        let rest = |row: &[f64], centre: &[f64]| {
            let apart: f64 = row.iter().zip(centre).map(|(x, c)| (x - c) * (x - c)).sum();
            half_h(row) + 0.5 * self.gamma * apart
        };
        // What the model promises for the whole step: at most 0, as h is convex along it.
        let mut goals = Vec::with_capacity(self.values.len());
        for (i, (x, step)) in rows.chunks_exact(r).zip(self.steps.chunks_exact(r)).enumerate() {
            let centre = &self.centre[i * r..(i + 1) * r];
            self.values[i] += rest(x, centre);
            let end: Vec<f64> = x.iter().zip(step).map(|(x, d)| x + d).collect();
            let smooth = dot(&self.gradients[i * r..(i + 1) * r], step);
            // With a ridge the gradient has its part already.
            let promise =
                if self.ridge.is_some() { smooth } else { smooth + half_h(&end) - half_h(x) };
            goals.push(promise.min(0.0));
        }
        let mut lengths = vec![1.0_f64; goals.len()];
        for _ in 0..HALVINGS {
            let places = self.moved.chunks_exact_mut(r).zip(self.steps.chunks_exact(r));
            for ((x, (moved, step)), t) in rows.chunks_exact(r).zip(places).zip(&lengths) {
                moved.iter_mut().zip(x.iter().zip(step)).for_each(|(m, (x, d))| *m = x + t * d);
            }
            self.models.values(self.first, &self.moved, &mut self.trials);
            let mut all = true;
            for (i, t) in lengths.iter_mut().enumerate() {
                let range = i * r..(i + 1) * r;
                let trial = self.trials[i] + rest(&self.moved[range.clone()], &self.centre[range]);
                let slack = 1e-14 * self.values[i].abs();
                if trial > self.values[i] + ARMIJO * *t * goals[i] + slack {
                    *t *= 0.5;
                    all = false;
                }
            }
            if all {
                break;
            }
        }
        let steps = self.steps.chunks_exact_mut(r).zip(&lengths);
        steps.for_each(|(step, t)| step.iter_mut().for_each(|d| *d *= t));
        rows.iter_mut().zip(&self.steps).for_each(|(x, step)| *x += step);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
