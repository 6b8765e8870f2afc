//! Every algorithm and every γ rule by name.

use super::{Entry, Parameter, Values, entry, parameter};
use crate::{
    Algorithm, Error, PenaltyRule,
    algorithm::{Admm, Alternating, Conjugate, Direct, Extrapolated, GaussNewton, Lbfgs, Staged},
    penalty::{
        Accuracy, Adaptive, Descent, Dynamic, Fixed, Geometric, Published, Safe, Spectral, spectral,
    },
};

const PASSES: Parameter = parameter("passes", 1.0, "passes over the columns");

/// A number of passes; there is no half of one, and none would not move.
fn passes(values: &Values) -> Result<usize, Error> {
    let value = values.get("passes");
    if value >= 1.0 && value.fract() == 0.0 {
        Ok(value as usize)
    } else {
        Err(Error::Parameter { name: "passes".into(), value, range: "a whole number from 1" })
    }
}

const BLOCK_TOLERANCE: Parameter =
    parameter("tolerance", 1e-10, "relative tolerance of a block without a closed form");

/// Every algorithm.
pub const ALGORITHMS: &[Entry<dyn Algorithm>] = &[
    entry(
        "auto",
        "the split, then conjugate gradients or Gauss–Newton on X alone (the default)",
        &[parameter("exchange", 1.0, "0 never exchanges columns that got stuck")],
        |v| Ok(Box::new(Staged::new(v.get("exchange") != 0.0))),
    ),
    entry("ham", "one Gauss–Seidel pass over the columns of each block", &[PASSES], |v| {
        Ok(Box::new(Alternating::ham(passes(v)?)))
    }),
    entry("am", "each block to a tolerance", &[BLOCK_TOLERANCE], |v| {
        Ok(Box::new(Alternating::am(v.get("tolerance"))))
    }),
    entry(
        "ham-extrapolated",
        "HAM that overshoots each block by an adaptive weight",
        &[PASSES],
        |v| Ok(Box::new(Extrapolated::new(passes(v)?))),
    ),
    entry("gauss-newton", "projected Gauss–Newton on X alone", &[], |_| {
        Ok(Box::new(GaussNewton::default()))
    }),
    entry(
        "conjugate",
        "projected conjugate gradients on X alone, with an exact line search",
        &[],
        |_| Ok(Box::new(Conjugate::default())),
    ),
    entry("lbfgs", "limited-memory BFGS on X alone, with an exact line search", &[], |_| {
        Ok(Box::new(Lbfgs::default()))
    }),
    entry(
        "ham-jacobi",
        "HAM as the paper prints it: Jacobi over columns, which does not descend",
        &[],
        |_| Ok(Box::new(Alternating::ham_as_printed())),
    ),
    entry("admm", "nonconvex ADMM on X − Y = 0", &[BLOCK_TOLERANCE], |v| {
        Ok(Box::new(Admm::new(v.get("tolerance"))))
    }),
    entry("direct", "projected Barzilai–Borwein on X alone, without a split", &[], |_| {
        Ok(Box::new(Direct::default()))
    }),
];

const EPSILON: Parameter = parameter("epsilon", 1e-3, "ε₀, added so that γ > 0");
const GAMMA0: Parameter = parameter("gamma0", f64::NAN, "γ₀; by default √f(X₀X₀ᵀ)");
const SMALL_GAMMA0: Parameter = parameter("gamma0", 1e-5, "γ₀");
const NU: Parameter = parameter("nu", 0.3, "ν < 1");

/// Every γ rule.
pub const RULES: &[Entry<dyn PenaltyRule>] = &[
    entry(
        "spectral",
        "Theorem 1's threshold, tracked by Lanczos (the default)",
        &[
            parameter("delta", spectral::DELTA, "δ, the margin above the threshold"),
            parameter("floor", spectral::FLOOR, "the least γ, relative to the mean squared column"),
        ],
        |v| Ok(Box::new(Spectral::new(v.get("delta"), v.get("floor")))),
    ),
    entry(
        "fixed",
        "a constant γ",
        &[Parameter { name: "gamma", default: None, meaning: "γ > 0" }],
        |v| {
            let gamma = v.get("gamma");
            if gamma > 0.0 {
                return Ok(Box::new(Fixed { gamma }));
            }
            Err(Error::Parameter { name: "gamma".into(), value: gamma, range: "positive" })
        },
    ),
    entry(
        "safe",
        "rule (S): Corollary 1's corrected bound followed downhill, with a proof",
        &[
            parameter("delta", 0.1, "δ, the margin"),
            EPSILON,
            parameter("floor", 0.0, "the least γ, relative to the start's mean squared column"),
        ],
        |v| Ok(Box::new(Safe::new(v.get("delta"), v.get("epsilon"), v.get("floor")))),
    ),
    entry("dynamic", "the paper's rule, with its min", &[NU, EPSILON, GAMMA0], |v| {
        Ok(Box::new(dynamic(v, true)))
    }),
    entry("dynamic-max", "the paper's rule, without its min", &[NU, EPSILON, GAMMA0], |v| {
        Ok(Box::new(dynamic(v, false)))
    }),
    entry(
        "adp",
        "Li et al., as run: growth by the mismatch of the current factors",
        &[SMALL_GAMMA0],
        |v| Ok(Box::new(Adaptive::new(v.get("gamma0"), false))),
    ),
    entry("adp-printed", "Li et al., as printed: of the previous factors", &[SMALL_GAMMA0], |v| {
        Ok(Box::new(Adaptive::new(v.get("gamma0"), true)))
    }),
    entry("agd", "Hu and Kwok, as run: the form in Y", &[SMALL_GAMMA0, EPSILON], |v| {
        Ok(Box::new(descent(v, false)))
    }),
    entry("agd-printed", "Hu and Kwok, as printed: the form in X", &[SMALL_GAMMA0, EPSILON], |v| {
        Ok(Box::new(descent(v, true)))
    }),
    entry(
        "pca",
        "Han et al., as run: l_f/‖X − Y‖ up to a cap",
        &[EPSILON, CAP, GAMMA0],
        |v| Ok(Box::new(accuracy(v, false))),
    ),
    entry(
        "pca-printed",
        "Han et al., as printed: l_f/√‖X − Y‖ up to a cap",
        &[EPSILON, CAP, GAMMA0],
        |v| Ok(Box::new(accuracy(v, true))),
    ),
    entry("zhu", "Zhu et al.: ½(‖A‖₂ + ‖A − X₀Y₀ᵀ‖), fixed", &[], |_| {
        Ok(Box::new(Published::Zhu))
    }),
    entry("kuang", "Kuang et al.: (max A)², fixed", &[], |_| Ok(Box::new(Published::Kuang))),
    entry(
        "lorads",
        "the schedule that LoRADS uses: ×1.2 every 5 iterations",
        &[
            parameter("gamma0", f64::NAN, "γ₀; by default 1/√n"),
            parameter("factor", 1.2, "growth"),
            parameter("every", 5.0, "iterations between growths"),
            parameter("cap", 5000.0, "the largest γ"),
        ],
        |v| {
            let every = v.get("every") as usize;
            let (factor, cap) = (v.get("factor"), v.get("cap"));
            Ok(Box::new(Geometric::new(v.optional("gamma0"), factor, every, cap)))
        },
    ),
];

const CAP: Parameter = parameter("cap", 1e3, "the largest γ");

fn dynamic(v: &Values, monotone: bool) -> Dynamic {
    let (nu, epsilon) = (v.get("nu"), v.get("epsilon"));
    Dynamic { nu, epsilon, gamma0: v.optional("gamma0"), monotone }
}

fn descent(v: &Values, printed: bool) -> Descent {
    Descent { gamma0: v.get("gamma0"), epsilon: v.get("epsilon"), printed }
}

fn accuracy(v: &Values, printed: bool) -> Accuracy {
    let (epsilon, cap) = (v.get("epsilon"), v.get("cap"));
    Accuracy { epsilon, cap, gamma0: v.optional("gamma0"), printed }
}
