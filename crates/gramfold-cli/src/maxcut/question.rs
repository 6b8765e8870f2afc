//! Which cut is asked for.

use gramfold::linalg::{Csr, Mat};
use gramfold_sdp::{
    Error, Sdp, Stop, diagonal,
    rounding::{self, Cut},
};

use crate::store::Side;

/// Heavy or light.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// The heaviest cut.
    MaxCut,
    /// The lightest cut into halves.
    Bisection,
}

impl Question {
    /// The relaxation, as a minimisation.
    pub(crate) fn program(self, graph: &Csr) -> Result<Sdp, Error> {
        match self {
            Self::MaxCut => diagonal::max_cut(graph),
            Self::Bisection => diagonal::bisection(graph),
        }
    }

    /// A cut from the factor of the relaxation.
    pub(crate) fn round(
        self,
        graph: &Csr,
        factor: &Mat,
        options: rounding::Options,
        stop: Stop<'_>,
    ) -> Cut {
        match self {
            Self::MaxCut => rounding::heavy_cut(graph, factor, options, stop),
            Self::Bisection => rounding::light_bisection(graph, factor, options, stop),
        }
    }

    /// The weight that an objective of the minimisation stands for.
    pub(crate) fn weight(self, objective: f64) -> f64 {
        match self {
            Self::MaxCut => 0.0 - objective,
            Self::Bisection => objective,
        }
    }

    /// Which side of every cut a bound is on.
    pub(crate) fn side(self) -> Side {
        match self {
            Self::MaxCut => Side::Upper,
            Self::Bisection => Side::Lower,
        }
    }

    /// The command's name.
    pub(crate) fn command(self) -> &'static str {
        match self {
            Self::MaxCut => "maxcut",
            Self::Bisection => "bisect",
        }
    }

    /// What the weights alone say: no cut is heavier than the positive ones together, none lighter than the negative.
    /// Rounded in the safe direction.
    pub(crate) fn bound_by_weights(self, graph: &Csr) -> f64 {
        let counts = |weight: f64| match self {
            Self::MaxCut => weight > 0.0,
            Self::Bisection => weight < 0.0,
        };
        let rows = (0..graph.dim()).flat_map(|i| graph.row(i).filter(move |&(j, _)| j < i));
        rows.map(|(_, weight)| weight).filter(|weight| counts(*weight)).fold(0.0, |sum, weight| {
            let next: f64 = sum + weight;
            let added = next - sum;
            let lost = (sum - (next - added)) + (weight - added);
            match self {
                _ if lost == 0.0 => next,
                Self::MaxCut => next.next_up(),
                Self::Bisection => next.next_down(),
            }
        })
    }

    /// How the weights alone bound a cut, in words.
    pub(crate) fn by_weights(self) -> &'static str {
        match self {
            Self::MaxCut => "the sum of the positive weights",
            Self::Bisection => "the sum of the negative weights",
        }
    }

    /// Whether one bound says more than another.
    pub(crate) fn is_sharper(self, one: f64, other: f64) -> bool {
        match self {
            Self::MaxCut => one < other,
            Self::Bisection => one > other,
        }
    }

    /// The best whole number that a bound allows.
    pub(crate) fn whole(self, bound: f64) -> f64 {
        match self {
            Self::MaxCut => bound.floor(),
            Self::Bisection => bound.ceil(),
        }
    }

    /// `no cut is above`, `no bisection is below`.
    pub(crate) fn limit(self) -> &'static str {
        match self {
            Self::MaxCut => "no cut is above",
            Self::Bisection => "no cut into halves is below",
        }
    }

    /// The title of the report.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::MaxCut => "A heavy cut of",
            Self::Bisection => "A light bisection of",
        }
    }
}
