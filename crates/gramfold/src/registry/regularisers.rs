//! Every regulariser by name.

use super::{Entry, Parameter, entry, parameter};
use crate::{
    Error, Regulariser,
    regulariser::{
        Bounded, ElasticNet, Group, Mcp, Nonnegative, NonnegativeL1, Ridge, RowBall, SimplexRows,
        Zero,
    },
};

const MU: Parameter = parameter("mu", 0.1, "μ");

/// Every regulariser.
pub const REGULARISERS: &[Entry<dyn Regulariser>] = &[
    entry("zero", "h = 0", &[], |_| Ok(Box::new(Zero))),
    entry("ridge", "h = (λ/2)‖X‖²", &[parameter("lambda", 1.0, "λ")], |v| {
        Ok(Box::new(Ridge::new(v.get("lambda"))?))
    }),
    entry("nonnegative", "X ≥ 0", &[], |_| Ok(Box::new(Nonnegative))),
    entry("trace", "h = λ·tr XXᵀ, a ridge of 2λ", &[parameter("lambda", 1.0, "λ")], |v| {
        Ok(Box::new(Ridge::new(2.0 * v.get("lambda"))?))
    }),
    entry("l1", "h = μ·Σ|x|", &[MU], |v| Ok(Box::new(ElasticNet::l1(v.get("mu"))?))),
    entry(
        "elastic-net",
        "h = μ·Σ|x| + (λ/2)‖X‖²",
        &[MU, parameter("lambda", 0.1, "λ")],
        |v| Ok(Box::new(ElasticNet::new(v.get("mu"), v.get("lambda"))?)),
    ),
    entry("nonnegative-l1", "X ≥ 0 with h = μ·Σx", &[MU], |v| {
        Ok(Box::new(NonnegativeL1::new(v.get("mu"))?))
    }),
    entry(
        "box",
        "−below ≤ x ≤ above",
        &[
            parameter("below", 0.0, "how far an entry may be below 0"),
            parameter("above", 1.0, "how far above"),
        ],
        |v| Ok(Box::new(Bounded::new(-v.get("below"), v.get("above"))?)),
    ),
    entry(
        "row-ball",
        "every row of length at most the radius",
        &[parameter("radius", 1.0, "the radius")],
        |v| Ok(Box::new(RowBall::new(v.get("radius"))?)),
    ),
    entry("simplex-rows", "every row nonnegative with sum 1", &[], |_| Ok(Box::new(SimplexRows))),
    entry("row-group", "h = μ·Σ‖row‖", &[MU], |v| Ok(Box::new(Group::rows(v.get("mu"))?))),
    entry(
        "column-group",
        "h = μ·Σ‖column‖: columns that are not needed vanish",
        &[MU],
        |v| Ok(Box::new(Group::columns(v.get("mu"))?)),
    ),
    entry(
        "mcp",
        "the minimax concave penalty, weakly convex: σ_h = −1/θ",
        &[MU, parameter("theta", 3.0, "θ > 0")],
        |v| Ok(Box::new(Mcp::new(v.get("mu"), v.get("theta"))?)),
    ),
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
