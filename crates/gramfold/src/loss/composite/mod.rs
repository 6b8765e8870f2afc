//! f(Z) = Σ_k w_k·φ(⟨A_k, Z⟩, b_k) + ⟨C, Z⟩: a map and a scalar function make a loss.

mod curvature;
mod evaluation;
mod lagrangian;
mod rows;
mod state;
mod term;

use std::{
    ops::Range,
    sync::{Arc, OnceLock},
};

use gramfold_linalg::{Csr, Mat, Symmetric, dot};

use super::{
    Constants, Evaluation, Loss, Structure,
    map::{Map, Stacked, perron},
    scalar::{self, Scalar},
};
use crate::Error;
use evaluation::CompositeEvaluation;
use term::Term;

/// A sum of scalar functions of measurements, and a linear term.
pub struct Composite {
    map: Arc<dyn Map>,
    terms: Vec<Term>,
    linear: Option<Symmetric>,
    constants: Constants,
    /// The slopes w·φ′ at Z = 0, and what the map made of them.
    at_origin: Vec<f64>,
    origin_loaded: Vec<f64>,
    at_zero: f64,
    /// ‖𝒜‖ and the largest w·φ″: bounds that rounding is measured by.
    norm: f64,
    largest_curvature: f64,
    /// T5's bound on λmax(sym ∇f), once it was asked for.
    radius: OnceLock<f64>,
    /// What a start uses instead of −∇f(0), loaded, where the map knows better.
    tempered: OnceLock<Option<(Vec<f64>, Vec<f64>)>>,
}

impl Composite {
    /// Σ w_k·φ(⟨A_k, Z⟩, b_k), with a target b_k and a weight w_k ≥ 0 (1 if there are none) for each observation of the map.
    pub fn new(
        map: Box<dyn Map>,
        scalar: Box<dyn Scalar>,
        targets: &[f64],
        weights: Option<&[f64]>,
    ) -> Result<Self, Error> {
        let observations = map.observations();
        for (what, count) in
            [("targets", targets.len()), ("weights", weights.map_or(observations, <[f64]>::len))]
        {
            if count != observations {
                let message = format!("{count} {what} for {observations} observations");
                return Err(Error::data(message));
            }
        }
        if let Some(b) =
            targets.iter().find(|b| !b.is_finite() || scalar.nearest_target(**b) != **b)
        {
            let (name, allowed) = (scalar.name(), scalar.targets());
            let message = format!("a target is {b}, but the loss `{name}` takes {allowed}");
            return Err(Error::data(message));
        }
        if let Some(w) = weights.into_iter().flatten().find(|w| !(w.is_finite() && **w >= 0.0)) {
            return Err(Error::data(format!("a weight is {w}, not at least 0")));
        }
        let targets = map.expand(targets);
        let weights = weights.map_or_else(Vec::new, |weights| map.expand(weights));
        let terms = vec![Term { range: 0..map.len(), scalar: scalar.into(), targets, weights }];
        Ok(Self::assemble(map.into(), terms, None))
    }

    /// The sum of two losses on matrices of one size.
    pub fn plus(self, other: Self) -> Result<Self, Error> {
        if self.map.dim() != other.map.dim() {
            let (own, other) = (self.map.dim(), other.map.dim());
            return Err(Error::data(format!("losses of sizes {own} and {other} do not add")));
        }
        let first = self.map.len();
        let mut terms = self.terms;
        terms.extend(other.terms.into_iter().map(|term| {
            let Range { start, end } = term.range;
            Term { range: start + first..end + first, ..term }
        }));
        let linear = match (self.linear, other.linear) {
            (Some(a), Some(b)) => Some(combination(&[(1.0, &a), (1.0, &b)])?),
            (a, b) => a.or(b),
        };
        let map = Arc::new(Stacked::new(vec![self.map, other.map]));
        Ok(Self::assemble(map, terms, linear))
    }

    /// The loss times a factor > 0.
    pub fn scaled(self, factor: f64) -> Result<Self, Error> {
        let factor = scalar::positive("factor", factor)?;
        let mut terms = self.terms;
        for term in &mut terms {
            if term.weights.is_empty() {
                term.weights = vec![1.0; term.targets.len()];
            }
            term.weights.iter_mut().for_each(|w| *w *= factor);
        }
        let linear = self.linear.map(|c| combination(&[(factor, &c)])).transpose()?;
        Ok(Self::assemble(self.map, terms, linear))
    }

    /// The loss plus ⟨C, Z⟩.
    pub fn with_linear(self, c: impl Into<Symmetric>) -> Result<Self, Error> {
        let c = c.into();
        if c.dim() != self.map.dim() {
            let (own, size) = (c.dim(), self.map.dim());
            let message = format!("a linear term of size {own} for a loss of size {size}");
            return Err(Error::data(message));
        }
        let linear = match self.linear {
            Some(own) => combination(&[(1.0, &own), (1.0, &c)])?,
            None => c,
        };
        Ok(Self::assemble(self.map, self.terms, Some(linear)))
    }

    /// The map.
    pub fn map(&self) -> &dyn Map {
        &*self.map
    }

    fn assemble(map: Arc<dyn Map>, terms: Vec<Term>, linear: Option<Symmetric>) -> Self {
        let (m, n) = (map.len(), map.dim());
        let mut at_origin = vec![0.0; m];
        let at_zero = judge(&terms, None, &mut at_origin);
        let mut origin_loaded = vec![0.0; map.stored()];
        map.load(&at_origin, &mut origin_loaded);
        let bounds =
            |of: fn(&scalar::Bounds) -> f64| terms.iter().flat_map(move |term| term.bounds(of));
        // Plain squares need no list of their curvatures: filling new pages takes its time.
        let plain = terms.iter().all(Term::is_plain);
        let curvatures: Vec<f64> =
            if plain { Vec::new() } else { bounds(|b| b.curvature).collect() };
        let (smoothness, largest_curvature) = if plain {
            (map.plain_norm_squared(), if m > 0 { 1.0 } else { 0.0 })
        } else {
            (map.norm_squared(&curvatures), curvatures.iter().copied().fold(0.0, f64::max))
        };
        let ones = plain || curvatures.iter().all(|c| *c == 1.0);
        let norm = if ones { smoothness } else { map.plain_norm_squared() }.sqrt();
        let bounded = linear.as_ref().is_none_or(|c| c.max_abs() == 0.0);
        let infimum = match (bounded, plain) {
            (false, _) => f64::NEG_INFINITY,
            (true, true) => 0.0,
            (true, false) => bounds(|b| b.infimum).sum(),
        };
        let targets: f64 = terms.iter().map(|term| dot(&term.targets, &term.targets)).sum();
        let constants = Constants {
            // Fewer numbers than Z has entries are all zero for some Z.
            sigma: if m < n * n {
                0.0
            } else {
                map.least_squared(&bounds(|b| b.least_curvature).collect::<Vec<f64>>())
            },
            smoothness,
            rank_one_smoothness: smoothness,
            infimum,
            scale: if norm > 0.0 { targets.sqrt() / norm } else { 0.0 },
            slope: slope(&*map, &at_origin, linear.as_ref()),
        };
        Self {
            map,
            terms,
            linear,
            constants,
            at_origin,
            origin_loaded,
            at_zero,
            norm,
            largest_curvature,
            radius: OnceLock::new(),
            tempered: OnceLock::new(),
        }
    }

    /// What f and its slopes are at Z = 0, after a change of the terms. The typical size of Z stays what it was.
    fn judge_origin(&mut self) {
        self.at_zero = judge(&self.terms, None, &mut self.at_origin);
        self.map.load(&self.at_origin, &mut self.origin_loaded);
        self.constants.slope = slope(&*self.map, &self.at_origin, self.linear.as_ref());
        self.tempered = OnceLock::new();
    }

    /// w·φ″ where every term is quadratic.
    fn constant_curvatures(&self) -> Vec<f64> {
        self.terms.iter().flat_map(|term| term.bounds(|b| b.curvature)).collect()
    }

    /// Whether every term is quadratic.
    fn is_quadratic(&self) -> bool {
        self.terms.iter().all(|term| term.scalar.is_quadratic())
    }

    /// out ← w·φ″ at an image, or the curvatures of the model.
    fn curvatures(&self, model: bool, image: &[f64], out: &mut [f64]) {
        for term in &self.terms {
            let (z, out) = (&image[term.range.clone()], &mut out[term.range.clone()]);
            term.curvatures(model, z, out);
        }
    }

    /// At least λmax(sym Σ s_k·A_k) for all slopes that the terms can have; ∞ if they have no bound.
    fn radius(&self) -> f64 {
        *self.radius.get_or_init(|| {
            let slopes: Vec<f64> =
                self.terms.iter().flat_map(|term| term.bounds(|b| b.slope)).collect();
            if slopes.iter().any(|slope| slope.is_infinite()) {
                return f64::INFINITY;
            }
            perron(self.map.dim(), |v, out| self.map.absolute(&slopes, v, out))
        })
    }
}

/// Σ w·φ at an image, or at zeros where none is given, with the slopes.
fn judge(terms: &[Term], image: Option<&[f64]>, slopes: &mut [f64]) -> f64 {
    let each = terms.iter().map(|term| {
        let z = image.map(|image| &image[term.range.clone()]);
        term.evaluate(z, &mut slopes[term.range.clone()])
    });
    each.sum()
}

/// A typical ‖∇f(Z)·V‖/‖V‖, from the slopes at Z = 0 and the linear term.
fn slope(map: &dyn Map, at_origin: &[f64], linear: Option<&Symmetric>) -> f64 {
    let linear = linear.map_or(0.0, |c| c.norm_squared().sqrt());
    (map.size(at_origin) + linear) / (map.dim() as f64).sqrt()
}

/// The sum of some matrices, each multiplied, as a sparse one.
fn combination(parts: &[(f64, &Symmetric)]) -> Result<Symmetric, Error> {
    let n = parts[0].1.dim();
    let mut entries = Vec::new();
    for (factor, part) in parts {
        let mut row = vec![0.0; n];
        for i in 0..n {
            row.fill(0.0);
            part.add_row(i, *factor, &mut row);
            let lower = row[..=i].iter().enumerate().filter(|(_, value)| **value != 0.0);
            entries.extend(lower.map(|(j, value)| (i as u32, j as u32, *value)));
        }
    }
    Ok(Csr::from_triangle(n, &entries)?.into())
}

impl Loss for Composite {
    fn name(&self) -> &'static str {
        if self.terms.len() == 1 { self.terms[0].scalar.name() } else { "sum" }
    }

    fn dim(&self) -> usize {
        self.map.dim()
    }

    fn constants(&self) -> Constants {
        self.constants
    }

    fn at_zero(&self) -> f64 {
        self.at_zero
    }

    fn structure(&self) -> Structure<'_> {
        match &self.linear {
            Some(c) => {
                let infimum = self.terms.iter().flat_map(|term| term.bounds(|b| b.infimum)).sum();
                Structure::WithLinear { c, infimum }
            }
            None if self.radius().is_finite() => Structure::BoundedGradient(self.radius()),
            None => Structure::General,
        }
    }

    fn is_curved(&self) -> bool {
        self.constants.smoothness > 0.0
    }

    fn pull(&self, v: &Mat, out: &mut Mat) {
        let tempered = self.tempered.get_or_init(|| {
            let s = self.map.temper(&self.at_origin)?;
            let mut loaded = vec![0.0; self.map.stored()];
            self.map.load(&s, &mut loaded);
            Some((s, loaded))
        });
        let (s, loaded) =
            tempered.as_ref().map_or((&self.at_origin, &self.origin_loaded), |(s, l)| (s, l));
        self.map.apply(s, loaded, v, out);
        if let Some(c) = &self.linear {
            let mut linear = Mat::zeros(v.rows(), v.cols());
            c.apply(v, &mut linear);
            out.axpy(1.0, &linear);
        }
        out.scale(-1.0);
    }

    // Without `structure`, which takes products to tell.
    fn largest_entry(&self) -> f64 {
        let targets = self.terms.iter().flat_map(|term| &term.targets);
        targets.fold(0.0, |largest, b| largest.max(b.abs()))
    }

    fn has_kinks(&self) -> bool {
        self.terms.iter().any(|term| term.scalar.smoother(1.0).is_some())
    }

    fn curved_share(&self, x: &Mat) -> f64 {
        let mut image = vec![0.0; self.map.len()];
        self.map.image(x, x, &mut image);
        let mut curvatures = vec![0.0; image.len()];
        self.curvatures(false, &image, &mut curvatures);
        curvatures.iter().filter(|c| **c > 0.0).count() as f64 / image.len().max(1) as f64
    }

    fn smoother(&self, times: f64) -> Option<Box<dyn Loss + '_>> {
        let smoother: Vec<Option<Box<dyn Scalar>>> =
            self.terms.iter().map(|term| term.scalar.smoother(times)).collect();
        if smoother.iter().all(Option::is_none) {
            return None;
        }
        // What is smooth by itself is shared by all, with the map and the linear term.
        let terms = self.terms.iter().zip(smoother).map(|(term, smoother)| Term {
            range: term.range.clone(),
            scalar: smoother.map_or_else(|| term.scalar.clone(), Arc::from),
            targets: term.targets.clone(),
            weights: term.weights.clone(),
        });
        Some(Box::new(Self::assemble(self.map.clone(), terms.collect(), self.linear.clone())))
    }

    fn evaluation(&self, rank: usize) -> Box<dyn Evaluation + '_> {
        Box::new(CompositeEvaluation::new(self, rank))
    }
}
