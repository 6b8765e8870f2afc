//! Every regulariser by name.

use super::{Entry, parameter};
use crate::{
    Error, Regulariser,
    regulariser::{Nonnegative, Ridge, Zero},
};

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
