//! f(Z) = ⟨C, Z⟩ − yᵀ(A(Z) − b) + (β/2)‖A(Z) − b‖², the augmented Lagrangian of a linear semidefinite program, as a map and
//! two scalar functions: up to ‖y‖²/2β it is ⟨C, Z⟩ + (β/2)‖A(Z) − b − y/β‖².

use std::sync::Arc;

use super::{Composite, Term};
use crate::{
    Error,
    loss::{
        map::Map,
        scalar::{self, Bounds, Scalar},
    },
};

/// φ(z) = z.
#[derive(Debug)]
struct Identity;

impl Scalar for Identity {
    fn name(&self) -> &'static str {
        "identity"
    }

    fn at(&self, z: f64, _: f64) -> [f64; 3] {
        [z, 1.0, 0.0]
    }

    fn bounds(&self, _: f64) -> Bounds {
        Bounds { slope: 1.0, least_curvature: 0.0, curvature: 0.0, infimum: f64::NEG_INFINITY }
    }

    fn is_quadratic(&self) -> bool {
        true
    }
}

/// φ(z, b) = (β/2)(z − b)².
#[derive(Debug)]
struct Penalty {
    beta: f64,
}

impl Scalar for Penalty {
    fn name(&self) -> &'static str {
        "penalty"
    }

    fn at(&self, z: f64, b: f64) -> [f64; 3] {
        let r = z - b;
        [0.5 * self.beta * r * r, self.beta * r, self.beta]
    }

    fn bounds(&self, _: f64) -> Bounds {
        let (slope, curvature) = (f64::INFINITY, self.beta);
        Bounds { slope, least_curvature: curvature, curvature, infimum: 0.0 }
    }

    fn is_quadratic(&self) -> bool {
        true
    }
}

impl Composite {
    /// The augmented Lagrangian, plus ‖y‖²/2β, of min ⟨C, Z⟩ s.t. A(Z) = b: the first measurement of the map is ⟨C, Z⟩, the
    /// others are A(Z).
    ///
    /// # Panics
    /// If b or y does not have one entry a constraint.
    pub fn lagrangian(
        map: Arc<dyn Map>,
        rhs: &[f64],
        multipliers: &[f64],
        beta: f64,
    ) -> Result<Self, Error> {
        let beta = scalar::positive("beta", beta)?;
        assert_eq!(map.len(), rhs.len() + 1, "one number a constraint, and the cost");
        let cost =
            Term { range: 0..1, scalar: Arc::new(Identity), targets: vec![0.0], weights: vec![] };
        let penalty = penalty(rhs, multipliers, beta);
        Ok(Self::assemble(map, vec![cost, penalty], None))
    }

    /// Other multipliers and another β for a Lagrangian.
    ///
    /// # Panics
    /// If it is none, or the numbers do not fit it.
    pub fn set_multipliers(
        &mut self,
        rhs: &[f64],
        multipliers: &[f64],
        beta: f64,
    ) -> Result<(), Error> {
        let beta = scalar::positive("beta", beta)?;
        assert!(self.terms.len() == 2 && self.map.len() == rhs.len() + 1, "a Lagrangian");
        let old = std::mem::replace(&mut self.terms[1], penalty(rhs, multipliers, beta));
        let ratio = beta / old.scalar.bounds(0.0).curvature;
        self.constants.smoothness *= ratio;
        self.constants.rank_one_smoothness *= ratio;
        self.largest_curvature = beta;
        self.judge_origin();
        Ok(())
    }
}

fn penalty(rhs: &[f64], multipliers: &[f64], beta: f64) -> Term {
    assert_eq!(rhs.len(), multipliers.len(), "one multiplier a constraint");
    let targets = rhs.iter().zip(multipliers).map(|(b, y)| b + y / beta).collect();
    let range = 1..rhs.len() + 1;
    Term { range, scalar: Arc::new(Penalty { beta }), targets, weights: vec![] }
}
