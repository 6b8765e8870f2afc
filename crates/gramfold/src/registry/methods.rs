//! Every algorithm and every γ rule by name.

use super::{Entry, Parameter, Values, parameter};
use crate::{
    Algorithm, Error, PenaltyRule,
    algorithm::{Admm, Alternating, Conjugate, Direct, Extrapolated, GaussNewton, Lbfgs, Staged},
    penalty::{
        Accuracy, Adaptive, Descent, Dynamic, Fixed, Geometric, Published, Reading, Safe, Source,
        Spectral, spectral,
    },
};

const BLOCK_TOLERANCE: Parameter =
    parameter("tolerance", 1e-10, "relative tolerance of a block without a closed form");

/// Every algorithm.
pub const ALGORITHMS: &[Entry<dyn Algorithm>] = &[
    Entry {
        name: "auto",
        summary: "the split, then conjugate gradients or Gauss–Newton on X alone (the default)",
        parameters: &[parameter("exchange", 1.0, "0 never exchanges columns that got stuck")],
        build: |v| Ok(Box::new(Staged::new(v.get("exchange") != 0.0))),
    },
    Entry {
        name: "ham",
        summary: "one Gauss–Seidel pass over the columns of each block",
        parameters: &[parameter("passes", 1.0, "passes over the columns")],
        build: |v| Ok(Box::new(Alternating::ham(v.get("passes").max(1.0) as usize))),
    },
    Entry {
        name: "am",
        summary: "each block to a tolerance",
        parameters: &[BLOCK_TOLERANCE],
        build: |v| Ok(Box::new(Alternating::am(v.get("tolerance")))),
    },
    Entry {
        name: "ham-extrapolated",
        summary: "HAM that overshoots each block by an adaptive weight",
        parameters: &[parameter("passes", 1.0, "passes over the columns")],
        build: |v| Ok(Box::new(Extrapolated::new(v.get("passes").max(1.0) as usize))),
    },
    Entry {
        name: "gauss-newton",
        summary: "projected Gauss–Newton on X alone",
        parameters: &[],
        build: |_| Ok(Box::new(GaussNewton::default())),
    },
    Entry {
        name: "conjugate",
        summary: "projected conjugate gradients on X alone, with an exact line search",
        parameters: &[],
        build: |_| Ok(Box::new(Conjugate::default())),
    },
    Entry {
        name: "lbfgs",
        summary: "limited-memory BFGS on X alone, with an exact line search",
        parameters: &[],
        build: |_| Ok(Box::new(Lbfgs::default())),
    },
    Entry {
        name: "ham-jacobi",
        summary: "HAM as the paper prints it: Jacobi over columns, which does not descend",
        parameters: &[],
        build: |_| Ok(Box::new(Alternating::ham_as_printed())),
    },
    Entry {
        name: "admm",
        summary: "nonconvex ADMM on X − Y = 0",
        parameters: &[BLOCK_TOLERANCE],
        build: |v| Ok(Box::new(Admm::new(v.get("tolerance")))),
    },
    Entry {
        name: "direct",
        summary: "projected Barzilai–Borwein on X alone, without a split",
        parameters: &[],
        build: |_| Ok(Box::new(Direct::default())),
    },
];

const EPSILON: Parameter = parameter("epsilon", 1e-3, "ε₀, added so that γ > 0");
const GAMMA0: Parameter = parameter("gamma0", f64::NAN, "γ₀; by default √f(X₀X₀ᵀ)");
const SMALL_GAMMA0: Parameter = parameter("gamma0", 1e-5, "γ₀");
const NU: Parameter = parameter("nu", 0.3, "ν < 1");

/// Every γ rule.
pub const RULES: &[Entry<dyn PenaltyRule>] = &[
    Entry {
        name: "spectral",
        summary: "Theorem 1's threshold, tracked by Lanczos (the default)",
        parameters: &[
            parameter("delta", spectral::DELTA, "δ, the margin above the threshold"),
            parameter("floor", spectral::FLOOR, "the least γ, relative to the mean squared column"),
        ],
        build: |v| Ok(Box::new(Spectral::new(v.get("delta"), v.get("floor")))),
    },
    Entry {
        name: "fixed",
        summary: "a constant γ",
        parameters: &[Parameter { name: "gamma", default: None, meaning: "γ > 0" }],
        build: |v| {
            let gamma = v.get("gamma");
            if gamma > 0.0 {
                return Ok(Box::new(Fixed { gamma }));
            }
            Err(Error::Parameter { name: "gamma".into(), value: gamma, range: "positive" })
        },
    },
    Entry {
        name: "safe",
        summary: "rule (S): Corollary 1's corrected bound followed downhill, with a proof",
        parameters: &[
            parameter("delta", 0.1, "δ, the margin"),
            EPSILON,
            parameter("floor", 0.0, "the least γ, relative to the start's mean squared column"),
        ],
        build: |v| Ok(Box::new(Safe::new(v.get("delta"), v.get("epsilon"), v.get("floor")))),
    },
    Entry {
        name: "dynamic",
        summary: "the paper's rule, with its min",
        parameters: &[NU, EPSILON, GAMMA0],
        build: |v| Ok(Box::new(dynamic(v, true))),
    },
    Entry {
        name: "dynamic-max",
        summary: "the paper's rule, without its min",
        parameters: &[NU, EPSILON, GAMMA0],
        build: |v| Ok(Box::new(dynamic(v, false))),
    },
    Entry {
        name: "adp",
        summary: "Li et al., as run: growth by the mismatch of the current factors",
        parameters: &[SMALL_GAMMA0],
        build: |v| Ok(Box::new(Adaptive::new(v.get("gamma0"), false))),
    },
    Entry {
        name: "adp-printed",
        summary: "Li et al., as printed: of the previous factors",
        parameters: &[SMALL_GAMMA0],
        build: |v| Ok(Box::new(Adaptive::new(v.get("gamma0"), true))),
    },
    Entry {
        name: "agd",
        summary: "Hu and Kwok, as run: the form in Y",
        parameters: &[SMALL_GAMMA0, EPSILON],
        build: |v| Ok(Box::new(descent(v, Reading::Run))),
    },
    Entry {
        name: "agd-printed",
        summary: "Hu and Kwok, as printed: the form in X",
        parameters: &[SMALL_GAMMA0, EPSILON],
        build: |v| Ok(Box::new(descent(v, Reading::Printed))),
    },
    Entry {
        name: "pca",
        summary: "Han et al., as run: l_f/‖X − Y‖ up to a cap",
        parameters: &[EPSILON, CAP, GAMMA0],
        build: |v| Ok(Box::new(accuracy(v, false))),
    },
    Entry {
        name: "pca-printed",
        summary: "Han et al., as printed: l_f/√‖X − Y‖ up to a cap",
        parameters: &[EPSILON, CAP, GAMMA0],
        build: |v| Ok(Box::new(accuracy(v, true))),
    },
    Entry {
        name: "zhu",
        summary: "Zhu et al.: ½(‖A‖₂ + ‖A − X₀Y₀ᵀ‖), fixed",
        parameters: &[],
        build: |_| Ok(Box::new(Published { source: Source::Zhu })),
    },
    Entry {
        name: "kuang",
        summary: "Kuang et al.: (max A)², fixed",
        parameters: &[],
        build: |_| Ok(Box::new(Published { source: Source::Kuang })),
    },
    Entry {
        name: "lorads",
        summary: "the schedule that LoRADS uses: ×1.2 every 5 iterations",
        parameters: &[
            parameter("gamma0", f64::NAN, "γ₀; by default 1/√n"),
            parameter("factor", 1.2, "growth"),
            parameter("every", 5.0, "iterations between growths"),
            parameter("cap", 5000.0, "the largest γ"),
        ],
        build: |v| {
            let every = v.get("every") as usize;
            let (factor, cap) = (v.get("factor"), v.get("cap"));
            Ok(Box::new(Geometric::new(v.optional("gamma0"), factor, every, cap)))
        },
    },
];

const CAP: Parameter = parameter("cap", 1e3, "the largest γ");

fn dynamic(v: &Values, monotone: bool) -> Dynamic {
    let (nu, epsilon) = (v.get("nu"), v.get("epsilon"));
    Dynamic { nu, epsilon, gamma0: v.optional("gamma0"), monotone }
}

fn descent(v: &Values, reading: Reading) -> Descent {
    Descent { gamma0: v.get("gamma0"), epsilon: v.get("epsilon"), reading }
}

fn accuracy(v: &Values, printed: bool) -> Accuracy {
    let (epsilon, cap) = (v.get("epsilon"), v.get("cap"));
    Accuracy { epsilon, cap, gamma0: v.optional("gamma0"), printed }
}
