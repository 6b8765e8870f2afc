//! Which cut is asked for.

use gramfold::linalg::{Csr, Mat};
use gramfold_sdp::{
    Error, Sdp, Stop, diagonal,
    rounding::{self, Cut},
};

use crate::store::Side;

/// A cut from the factor of the relaxation.
type Round = fn(&Csr, &Mat, rounding::Options, Stop<'_>) -> Cut;

/// A heavy cut or a light one.
#[derive(Clone, Copy)]
pub(crate) struct Question {
    /// The command's name.
    pub(crate) command: &'static str,
    /// Which side of every cut a bound is on: above that of heavy ones, below that of light ones.
    pub(crate) side: Side,
    /// The relaxation, as a minimisation.
    pub(crate) program: fn(&Csr) -> Result<Sdp, Error>,
    pub(crate) round: Round,
    /// How the weights alone bound a cut, in words.
    pub(crate) by_weights: &'static str,
    /// What a bound says, before its value.
    pub(crate) limit: &'static str,
    /// How the title of the report begins.
    pub(crate) title: &'static str,
}

impl Question {
    /// The heaviest cut.
    pub(crate) const MAX_CUT: Self = Self {
        command: "maxcut",
        side: Side::Upper,
        program: diagonal::max_cut,
        round: rounding::heavy_cut,
        by_weights: "the sum of the positive weights",
        limit: "no cut is above",
        title: "A heavy cut of",
    };

    /// The lightest cut into halves.
    pub(crate) const BISECTION: Self = Self {
        command: "bisect",
        side: Side::Lower,
        program: diagonal::bisection,
        round: rounding::light_bisection,
        by_weights: "the sum of the negative weights",
        limit: "no cut into halves is below",
        title: "A light bisection of",
    };

    /// The weight that an objective of the minimisation stands for.
    pub(crate) fn weight(&self, objective: f64) -> f64 {
        match self.side {
            Side::Upper => 0.0 - objective,
            Side::Lower => objective,
        }
    }

    /// What the weights alone say: no cut is heavier than the positive ones together, none lighter than the negative.
    /// Rounded in the safe direction.
    pub(crate) fn bound_by_weights(&self, graph: &Csr) -> f64 {
        let counts = |weight: &f64| match self.side {
            Side::Upper => *weight > 0.0,
            Side::Lower => *weight < 0.0,
        };
        let rows = (0..graph.dim()).flat_map(|i| graph.row(i).filter(move |&(j, _)| j < i));
        rows.map(|(_, weight)| weight).filter(counts).fold(0.0, |sum, weight| {
            let next: f64 = sum + weight;
            let added = next - sum;
            let lost = (sum - (next - added)) + (weight - added);
            match self.side {
                _ if lost == 0.0 => next,
                Side::Upper => next.next_up(),
                Side::Lower => next.next_down(),
            }
        })
    }

    /// Whether one bound says more than another.
    pub(crate) fn is_sharper(&self, one: f64, other: f64) -> bool {
        match self.side {
            Side::Upper => one < other,
            Side::Lower => one > other,
        }
    }

    /// The best whole number that a bound allows.
    pub(crate) fn whole(&self, bound: f64) -> f64 {
        match self.side {
            Side::Upper => bound.floor(),
            Side::Lower => bound.ceil(),
        }
    }
}
