//! Every regulariser by name.

use super::{Entry, Parameter, parameter};
use crate::{
    Error, Regulariser,
    regulariser::{
        Bounded, ColumnGroup, ElasticNet, L1, Mcp, Nonnegative, NonnegativeL1, Ridge, RowBall,
        RowGroup, SimplexRows, Zero,
    },
};

const MU: Parameter = parameter("mu", 0.1, "μ");

/// Every regulariser.
pub const REGULARISERS: &[Entry<dyn Regulariser>] = &[
    Entry { name: "zero", summary: "h = 0", parameters: &[], build: |_| Ok(Box::new(Zero)) },
    Entry {
        name: "ridge",
        summary: "h = (λ/2)‖X‖²",
        parameters: &[parameter("lambda", 1.0, "λ")],
        build: |v| Ok(Box::new(Ridge::new(v.get("lambda"))?)),
    },
    Entry {
        name: "nonnegative",
        summary: "X ≥ 0",
        parameters: &[],
        build: |_| Ok(Box::new(Nonnegative)),
    },
    Entry {
        name: "trace",
        summary: "h = λ·tr XXᵀ, a ridge of 2λ",
        parameters: &[parameter("lambda", 1.0, "λ")],
        build: |v| Ok(Box::new(Ridge::new(2.0 * v.get("lambda"))?)),
    },
    Entry {
        name: "l1",
        summary: "h = μ·Σ|x|",
        parameters: &[MU],
        build: |v| Ok(Box::new(L1::new(v.get("mu"))?)),
    },
    Entry {
        name: "elastic-net",
        summary: "h = μ·Σ|x| + (λ/2)‖X‖²",
        parameters: &[MU, parameter("lambda", 0.1, "λ")],
        build: |v| Ok(Box::new(ElasticNet::new(v.get("mu"), v.get("lambda"))?)),
    },
    Entry {
        name: "nonnegative-l1",
        summary: "X ≥ 0 with h = μ·Σx",
        parameters: &[MU],
        build: |v| Ok(Box::new(NonnegativeL1::new(v.get("mu"))?)),
    },
    Entry {
        name: "box",
        summary: "−below ≤ x ≤ above",
        parameters: &[
            parameter("below", 0.0, "how far an entry may be below 0"),
            parameter("above", 1.0, "how far above"),
        ],
        build: |v| Ok(Box::new(Bounded::new(-v.get("below"), v.get("above"))?)),
    },
    Entry {
        name: "row-ball",
        summary: "every row of length at most the radius",
        parameters: &[parameter("radius", 1.0, "the radius")],
        build: |v| Ok(Box::new(RowBall::new(v.get("radius"))?)),
    },
    Entry {
        name: "simplex-rows",
        summary: "every row nonnegative with sum 1",
        parameters: &[],
        build: |_| Ok(Box::new(SimplexRows)),
    },
    Entry {
        name: "row-group",
        summary: "h = μ·Σ‖row‖",
        parameters: &[MU],
        build: |v| Ok(Box::new(RowGroup::new(v.get("mu"))?)),
    },
    Entry {
        name: "column-group",
        summary: "h = μ·Σ‖column‖: columns that are not needed vanish",
        parameters: &[MU],
        build: |v| Ok(Box::new(ColumnGroup::new(v.get("mu"))?)),
    },
    Entry {
        name: "mcp",
        summary: "the minimax concave penalty, weakly convex: σ_h = −1/θ",
        parameters: &[MU, parameter("theta", 3.0, "θ > 0")],
        build: |v| Ok(Box::new(Mcp::new(v.get("mu"), v.get("theta"))?)),
    },
];

/// Sets that no theorem covers, with what to take instead.
const REFUSED: &[(&[&str], &str)] = &[
    (
        &["sphere", "unit-rows", "unit-sphere"],
        "rows on a sphere are no convex set, and with them no γ is exact: take `row-ball`, whose rows end on the sphere \
         where the loss pulls outwards (T9)",
    ),
    (
        &["orthogonal", "orthogonality", "stiefel"],
        "orthogonal columns are no convex set: take `ridge` or `column-group`, and rotate the factor afterwards",
    ),
    (
        &["l0", "cardinality"],
        "counting entries is not convex: take `l1`, or `mcp`, which is nearer to it",
    ),
    (&["integer", "binary"], "whole numbers are no convex set: take `box`, and round afterwards"),
];

/// Refuses a set by name, with the alternative.
pub(super) fn refuse(name: &str) -> Result<(), Error> {
    match REFUSED.iter().find(|(names, _)| names.contains(&name)) {
        Some((_, reason)) => Err(Error::Refused { name: name.into(), reason }),
        None => Ok(()),
    }
}
