//! The iterate and its surroundings, in numbers of any kind.

mod advance;

use super::{
    Direction, Factor, Normal, Number, Program, Stepper, Variable, add_scaled, direction::Room,
    inner, variable::norm, zeros,
};

/// How good a point is, in the units of the problem.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Quality {
    pub(super) primal_objective: f64,
    pub(super) dual_objective: f64,
    pub(super) primal_infeasibility: f64,
    pub(super) dual_infeasibility: f64,
    pub(super) gap: f64,
}

impl Quality {
    pub(super) fn worst(&self) -> f64 {
        self.primal_infeasibility.max(self.dual_infeasibility).max(self.gap)
    }
}

/// The iterate and all that is kept from one step to the next.
pub(super) struct Iteration<T: Number = f64> {
    /// The degree of K.
    degree: f64,
    /// What the engine is to come to.
    pub(super) tolerance: f64,
    pub(super) normal: Normal<T>,
    pub(super) x: Variable<T>,
    pub(super) y: Vec<T>,
    pub(super) s: Variable<T>,
    x_factor: Factor<T>,
    s_factor: Factor<T>,
    /// S⁻¹ and A(S⁻¹).
    pub(super) w: Variable<T>,
    w_image: Vec<T>,
    primal_residual: Vec<T>,
    dual_residual: Variable<T>,
    /// Whether S is C − A*(y) itself.
    pub(super) dual_feasible: bool,
    predictor: Direction<T>,
    corrector: Direction<T>,
    room: Room<T>,
    pub(super) trial: Variable<T>,
    pub(super) trial_y: Vec<T>,
    stepper: Stepper,
}

impl<T: Number> Iteration<T> {
    pub(super) fn new(
        program: &Program,
        (x, y, s): (Variable<T>, Vec<T>, Variable<T>),
        tolerance: f64,
    ) -> Self {
        let (cones, m) = (&program.cones, program.constraints());
        let numbers = || vec![T::default(); m];
        Self {
            degree: cones.iter().map(|cone| cone.size()).sum::<usize>() as f64,
            tolerance,
            normal: Normal::new(program),
            x,
            y,
            s,
            x_factor: Factor::new(cones),
            s_factor: Factor::new(cones),
            w: zeros(cones),
            w_image: numbers(),
            primal_residual: numbers(),
            dual_residual: zeros(cones),
            dual_feasible: false,
            predictor: Direction::new(cones, m),
            corrector: Direction::new(cones, m),
            room: Room::new(cones, m),
            trial: zeros(cones),
            trial_y: numbers(),
            stepper: Stepper::default(),
        }
    }

    /// Factors the point; false if it is not in the interior of the cones.
    pub(super) fn begin(&mut self) -> bool {
        self.x_factor.compute(&self.x) & self.s_factor.compute(&self.s)
    }

    /// Recomputes the residuals and measures the iterate. Beside it stands the largest of both infeasibilities and ⟨X, S⟩, which
    /// shrinks even where the objective tends to zero and takes the scale of the relative gap along. Where ⟨X, S⟩ is within the
    /// tolerance, its shrinking is no progress.
    pub(super) fn assess(&mut self, program: &Program) -> (Quality, f64) {
        let rhs = T::widened(&program.rhs);
        program.apply(&self.x, &mut self.primal_residual);
        self.primal_residual.iter_mut().zip(&*rhs).for_each(|(r, b)| *r = *b - *r);
        if !self.dual_feasible {
            program.slack(&self.y, &mut self.dual_residual);
            add_scaled(-1.0, &self.s, &mut self.dual_residual);
        }
        let unit = program.cost_scale * program.primal_scale;
        let (primal, dual) = (program.cost(&self.x), T::dot(&rhs, &self.y));
        let (primal_objective, dual_objective) = (unit * primal.rounded(), unit * dual.rounded());
        let difference = (unit * (primal - dual).rounded()).abs();
        let complementarity = unit * inner(&self.x, &self.s).rounded();
        // With multipliers that have diverged, C − A*(y) has no correct digit left, whatever is computed for it.
        let multipliers = self.y.iter().map(|y| y.rounded().abs()).sum::<f64>();
        let residual = if self.dual_feasible { 0.0 } else { norm(&self.dual_residual) };
        let dual_infeasibility = residual.max(T::ACCURACY.epsilon * multipliers);
        let scale = &program.scale;
        let primal_infeasibility = program.residual(&self.primal_residual);
        let dual_infeasibility = program.cost_scale * dual_infeasibility / scale.cost;
        let size = scale.objective + primal_objective.abs() + dual_objective.abs();
        let open = complementarity > self.tolerance * size;
        let remainder = if open { complementarity / scale.objective } else { 0.0 };
        let quality = Quality {
            primal_objective,
            dual_objective,
            primal_infeasibility,
            dual_infeasibility,
            gap: difference.max(complementarity) / size,
        };
        (quality, primal_infeasibility.max(dual_infeasibility).max(remainder))
    }
}
