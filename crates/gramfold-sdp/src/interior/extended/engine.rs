//! The iteration: Mehrotra's predictor–corrector on the HKM direction, as in `f64` but for its digits.

use super::{
    super::{engine::Quality, program::Program, variable},
    Iterate,
    dense::dot,
    double::Double,
    linear,
    normal::Normal,
    space::{
        Block, Factor, Variable, add_product, add_scaled, clear, copy, inner, rounded, widened,
        zeros,
    },
};

/// A direction.
struct Direction {
    x: Variable,
    y: Vec<Double>,
    s: Variable,
}

/// The iterate and its surroundings.
pub(in super::super) struct Extended<'a> {
    program: &'a Program,
    degree: f64,
    rhs: Vec<Double>,
    x: Variable,
    y: Vec<Double>,
    s: Variable,
    x_factor: Factor,
    s_factor: Factor,
    /// S⁻¹ and A(S⁻¹).
    w: Variable,
    w_image: Vec<Double>,
    primal_residual: Vec<Double>,
    /// C − A*(y) − S; zero once a full dual step has been made.
    dual_residual: Variable,
    dual_feasible: bool,
    normal: Normal,
    predictor: Direction,
    corrector: Direction,
    rooms: [Variable; 3],
    target: Vec<Double>,
    image: Vec<Double>,
}

impl<'a> Extended<'a> {
    /// Begins at a point; none if it is not in the interior of the cones.
    pub(in super::super) fn new(program: &'a Program, at: &Iterate) -> Option<Self> {
        let cones = &program.cones;
        let m = program.constraints();
        let numbers = || vec![Double::ZERO; m];
        let direction = || Direction { x: zeros(cones), y: numbers(), s: zeros(cones) };
        let mut engine = Self {
            program,
            degree: cones.iter().map(|cone| cone.size()).sum::<usize>() as f64,
            rhs: program.rhs.iter().map(|&b| Double::from(b)).collect(),
            x: widened(cones, at.x),
            y: at.y.iter().map(|&y| Double::from(y)).collect(),
            s: widened(cones, at.s),
            x_factor: Factor::new(cones),
            s_factor: Factor::new(cones),
            w: zeros(cones),
            w_image: numbers(),
            primal_residual: numbers(),
            dual_residual: zeros(cones),
            dual_feasible: false,
            normal: Normal::new(m),
            predictor: direction(),
            corrector: direction(),
            rooms: [zeros(cones), zeros(cones), zeros(cones)],
            target: numbers(),
            image: numbers(),
        };
        let inside = engine.x_factor.compute(&engine.x) && engine.s_factor.compute(&engine.s);
        inside.then_some(engine)
    }

    /// The point, rounded.
    pub(in super::super) fn point(&self) -> (variable::Variable, Vec<f64>) {
        (rounded(&self.program.cones, &self.x), self.y.iter().map(|y| y.rounded()).collect())
    }

    /// Recomputes the residuals and measures the iterate.
    pub(in super::super) fn assess(&mut self) -> Quality {
        let program = self.program;
        self.image.fill(Double::ZERO);
        linear::apply(&program.blocks, &self.x, &mut self.image);
        for ((r, b), a) in self.primal_residual.iter_mut().zip(&self.rhs).zip(&self.image) {
            *r = *b - *a;
        }
        if !self.dual_feasible {
            slack(program, &self.y, &mut self.dual_residual);
            add_scaled(-Double::ONE, &self.s, &mut self.dual_residual);
        }
        let unit = program.cost_scale * program.primal_scale;
        let mut cost = [Double::ZERO];
        linear::apply(program.costs(), &self.x, &mut cost);
        let dual = dot(&self.rhs, &self.y);
        let (primal_objective, dual_objective) = (unit * cost[0].rounded(), unit * dual.rounded());
        let complementarity = unit * inner(&self.x, &self.s).rounded();
        let difference = (unit * (cost[0] - dual).rounded()).abs();
        let residual: Vec<f64> = self.primal_residual.iter().map(|r| r.rounded()).collect();
        let dual_residual = inner(&self.dual_residual, &self.dual_residual).sqrt().rounded();
        Quality {
            primal_objective,
            dual_objective,
            primal_infeasibility: program.residual(&residual),
            dual_infeasibility: program.cost_scale * dual_residual / program.scale.cost,
            gap: difference.max(complementarity)
                / (program.scale.objective + primal_objective.abs() + dual_objective.abs()),
        }
    }

    /// One predictor–corrector step from the point last assessed; false if none can be made.
    pub(in super::super) fn advance(&mut self) -> bool {
        let program = self.program;
        self.s_factor.invert(&mut self.w);
        self.w_image.fill(Double::ZERO);
        linear::apply(&program.blocks, &self.w, &mut self.w_image);
        let [first, second, _] = &mut self.rooms;
        let at = (self.x.as_slice(), self.w.as_slice());
        linear::schur(&program.blocks, at, &mut self.normal.matrix, [first, second]);
        if !self.normal.factor() {
            return false;
        }
        let mu = (inner(&self.x, &self.s) / Double::from(self.degree)).rounded();
        self.direct(0.0, 1.0, false);
        let primal = self.x_factor.longest(&self.predictor.x).min(1.0);
        let dual = self.s_factor.longest(&self.predictor.s).min(1.0);
        let (alpha, beta) = (Double::from(primal), Double::from(dual));
        let ahead = inner(&self.x, &self.s)
            + alpha * inner(&self.predictor.x, &self.s)
            + beta * inner(&self.x, &self.predictor.s)
            + alpha * beta * inner(&self.predictor.x, &self.predictor.s);
        let ratio = (ahead.rounded() / self.degree / mu).clamp(0.0, 1.0);
        let shorter = primal.min(dual);
        let sigma = ratio.powf((3.0 * shorter * shorter).max(1.0)).clamp(1e-6, 1.0);
        self.direct(sigma * mu, 1.0 - sigma, true);
        let fraction = 0.9 + 0.09 * shorter;
        let primal = (fraction * self.x_factor.longest(&self.corrector.x)).min(1.0);
        let dual = (fraction * self.s_factor.longest(&self.corrector.s)).min(1.0);
        self.step_primal(primal) && self.step_dual(dual) && primal.max(dual) > 1e-7
    }

    /// The direction towards the centre of weight `centre`, which takes out a share of the primal residual; the
    /// corrector's if there is a predictor to correct.
    fn direct(&mut self, centre: f64, share: f64, corrects: bool) {
        let program = self.program;
        let [second, factor, symmetric] = &mut self.rooms;
        let (centre, left) = (Double::from(centre), Double::from(1.0 - share));
        // dX'dS' + XR, then with W from the right.
        clear(second);
        if corrects {
            add_product(&self.predictor.x, &self.predictor.s, second);
        }
        copy(second, factor);
        add_product(&self.x, &self.dual_residual, factor);
        clear(symmetric);
        add_product(factor, &self.w, symmetric);
        symmetric.iter_mut().for_each(Block::symmetrise);
        self.image.fill(Double::ZERO);
        linear::apply(&program.blocks, symmetric, &mut self.image);
        for (i, target) in self.target.iter_mut().enumerate() {
            let kept = centre * self.w_image[i] + left * self.primal_residual[i];
            *target = self.rhs[i] - kept + self.image[i];
        }
        let into = if corrects { &mut self.corrector } else { &mut self.predictor };
        self.normal.solve(&self.target, &mut into.y);
        clear(&mut into.s);
        linear::accumulate(&program.blocks, &into.y, &mut into.s);
        for (s, r) in into.s.iter_mut().zip(&self.dual_residual) {
            s.zip(r, |s, r| r - s);
        }
        add_product(&self.x, &into.s, second);
        clear(&mut into.x);
        add_product(second, &self.w, &mut into.x);
        for ((d, x), w) in into.x.iter_mut().zip(&self.x).zip(&self.w) {
            d.symmetrise();
            d.zip(x, |d, x| -d - x);
            d.zip(w, |d, w| d + centre * w);
        }
    }

    fn step_primal(&mut self, mut length: f64) -> bool {
        for _ in 0..20 {
            let trial = &mut self.rooms[0];
            copy(&self.x, trial);
            add_scaled(Double::from(length), &self.corrector.x, trial);
            if self.x_factor.compute(trial) {
                std::mem::swap(&mut self.x, trial);
                return true;
            }
            length *= 0.7;
        }
        false
    }

    fn step_dual(&mut self, mut length: f64) -> bool {
        for _ in 0..20 {
            for ((t, y), d) in self.target.iter_mut().zip(&self.y).zip(&self.corrector.y) {
                *t = *y + Double::from(length) * *d;
            }
            let trial = &mut self.rooms[0];
            let full = self.dual_feasible || length == 1.0;
            if full {
                slack(self.program, &self.target, trial);
            } else {
                copy(&self.s, trial);
                add_scaled(Double::from(length), &self.corrector.s, trial);
            }
            if self.s_factor.compute(trial) {
                if full && !self.dual_feasible {
                    self.dual_feasible = true;
                    clear(&mut self.dual_residual);
                }
                std::mem::swap(&mut self.s, trial);
                std::mem::swap(&mut self.y, &mut self.target);
                return true;
            }
            length *= 0.7;
        }
        false
    }
}

/// out ← C − A*(y).
fn slack(program: &Program, y: &[Double], out: &mut Variable) {
    clear(out);
    linear::accumulate(&program.blocks, y, out);
    for block in out.iter_mut() {
        block.map(|v| -v);
    }
    linear::accumulate(program.costs(), &[Double::ONE], out);
}
