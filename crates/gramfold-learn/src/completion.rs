//! Completion: entries of a symmetric matrix from some of them, b_ij ≈ a_i + a_j + x_i·x_j.

use gramfold::{
    Certificate, Error, Loss, Observer, Problem, Solution, Spec,
    linalg::{Mat, dot},
    loss::map::Entries,
    registry::{Component, Data},
};
use serde::{Deserialize, Serialize};

use crate::{Biases, Observations, determined::oversampling, scarce};

/// What is fitted to the observations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// How an entry is judged.
    pub loss: Component,
    /// The number of columns of X.
    pub rank: usize,
    /// λ in (λ/2)‖X‖².
    pub ridge: f64,
    /// How strongly row biases are drawn to zero; none if there are none.
    pub shrinkage: Option<f64>,
}

impl Model {
    /// The run that fits it; `base` has what is not the model's.
    pub fn spec(&self, base: &Spec) -> Spec {
        let regulariser = if self.ridge > 0.0 {
            Component::named("ridge").with("lambda", self.ridge)
        } else {
            Component::named("zero")
        };
        let loss = self.loss.clone();
        Spec { rank: self.rank, loss, data: "entries".into(), regulariser, ..base.clone() }
    }

    /// The biases, and the loss of what they leave.
    pub fn prepare(&self, observed: &Observations) -> Result<(Biases, Box<dyn Loss>), Error> {
        let biases = match self.shrinkage {
            Some(shrinkage) => Biases::fit(observed, shrinkage),
            None => Biases::none(observed.dim),
        };
        let loss = self.loss_of(&biases, observed)?;
        Ok((biases, loss))
    }

    /// The loss of what given biases leave.
    pub fn loss_of(
        &self,
        biases: &Biases,
        observed: &Observations,
    ) -> Result<Box<dyn Loss>, Error> {
        let map = Entries::new(observed.dim, &observed.places)?;
        let targets = match self.shrinkage {
            Some(_) => biases.residual(observed).values,
            None => observed.values.clone(),
        };
        let data = Data::Measured { map: Box::new(map), targets, weights: None };
        self.spec(&Spec::default()).loss(data)
    }
}

/// A fitted model.
pub struct Completion {
    /// a.
    pub biases: Biases,
    /// X.
    pub solution: Solution,
}

impl Completion {
    /// Fits a model.
    pub fn fit(
        observed: &Observations,
        model: &Model,
        base: &Spec,
        observer: &mut dyn Observer,
    ) -> Result<Self, Error> {
        let (biases, loss) = model.prepare(observed)?;
        let spec = model.spec(base);
        let regulariser = spec.regulariser()?;
        let problem = Problem::new(&*loss, &*regulariser, spec.rank)?;
        let oversampling = oversampling(observed, spec.rank);
        let solution = scarce::fit(&problem, &spec, model.ridge, oversampling, None, observer)?;
        Ok(Self { biases, solution })
    }

    /// Proves what can be proved of the factor.
    pub fn certify(
        &self,
        observed: &Observations,
        model: &Model,
        tolerance: f64,
    ) -> Result<Certificate, Error> {
        let loss = model.loss_of(&self.biases, observed)?;
        let regulariser = model.spec(&Spec::default()).regulariser()?;
        let problem = Problem::new(&*loss, &*regulariser, model.rank)?;
        self.solution.certify_in_time(&problem, tolerance, self.solution.status.is_cut_short())
    }

    /// a_i + a_j + x_i·x_j.
    pub fn predict(&self, i: usize, j: usize) -> f64 {
        predict(&self.biases, &self.solution.factor, i, j)
    }
}

/// a_i + a_j + x_i·x_j.
pub fn predict(biases: &Biases, factor: &Mat, i: usize, j: usize) -> f64 {
    biases.at(i, j) + dot(factor.row(i), factor.row(j))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(n: usize, r: usize, seed: u64) -> Mat {
        let mut state = seed | 1;
        Mat::from_fn(n, r, |_, _| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        })
    }

    /// Half of the entries of a matrix of rank 2 are enough for all of them.
    #[test]
    fn missing_entries_come_out() {
        let truth = random(40, 2, 9);
        let coin = random(40, 40, 5);
        let places: Vec<(u32, u32)> = (0..40_u32)
            .flat_map(|i| (i..40).map(move |j| (i, j)))
            .filter(|&(i, j)| coin[(i as usize, j as usize)] > 0.0)
            .collect();
        let entry = |i: usize, j: usize| dot(truth.row(i), truth.row(j));
        let values = places.iter().map(|&(i, j)| entry(i as usize, j as usize)).collect();
        let observed = Observations { dim: 40, places, values };
        let model =
            Model { loss: Component::named("square"), rank: 2, ridge: 0.0, shrinkage: None };
        let base = Spec { start: gramfold::start::Start::Spectral, ..Spec::default() };
        let fit = Completion::fit(&observed, &model, &base, &mut ()).unwrap();
        for i in 0..40 {
            for j in 0..40 {
                assert!((fit.predict(i, j) - entry(i, j)).abs() < 1e-4, "({i}, {j})");
            }
        }
        assert!(fit.certify(&observed, &model, 1e-6).unwrap().exact);
    }
}
