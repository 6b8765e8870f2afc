//! Every component by name: one line here makes a loss, regulariser, γ rule or algorithm known to
//! specs, to the command line and to the law tests.

use std::{collections::BTreeMap, fmt, str::FromStr};

use gramfold_linalg::Symmetric;
use serde::{Deserialize, Serialize};

use crate::{
    Algorithm, Error, Loss, PenaltyRule, Regulariser,
    algorithm::{Admm, Alternating, Direct, Extrapolated, GaussNewton, Staged},
    loss::{Linear, Quadratic},
    penalty::{
        Accuracy, Adaptive, Descent, Dynamic, Fixed, Geometric, Published, Reading, Safe, Source,
        Spectral, spectral,
    },
    regulariser::{Nonnegative, Ridge, Zero},
};

/// A component and its parameters, written `name` or `name:key=value,key=value`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Component {
    /// Its name in the registry.
    pub name: String,
    /// Parameters that differ from their defaults.
    #[serde(flatten)]
    pub parameters: BTreeMap<String, f64>,
}

impl Component {
    /// A component with default parameters.
    pub fn named(name: &str) -> Self {
        Self { name: name.into(), parameters: BTreeMap::new() }
    }

    /// Sets a parameter.
    #[must_use]
    pub fn with(mut self, key: &str, value: f64) -> Self {
        self.parameters.insert(key.into(), value);
        self
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (i, (key, value)) in self.parameters.iter().enumerate() {
            write!(f, "{}{key}={value}", if i == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

impl FromStr for Component {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let mut component = Self::named(name.trim());
        for pair in rest.split(',').filter(|pair| !pair.trim().is_empty()) {
            let parsed = pair
                .split_once('=')
                .and_then(|(key, value)| Some((key.trim().to_owned(), value.trim().parse().ok()?)));
            let (key, value) =
                parsed.ok_or_else(|| format!("`{pair}` is not of the form key=number"))?;
            component.parameters.insert(key, value);
        }
        Ok(component)
    }
}

/// A parameter of a component.
pub struct Parameter {
    /// Its key.
    pub name: &'static str,
    /// Its default; none if it must be given, NaN if it is chosen from the data.
    pub default: Option<f64>,
    /// What it means.
    pub meaning: &'static str,
}

/// A component that can be built by name.
pub struct Entry<T: ?Sized> {
    /// Its name.
    pub name: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    build: fn(&Values) -> Result<Box<T>, Error>,
}

/// Checked parameter values.
pub struct Values(BTreeMap<&'static str, f64>);

impl Values {
    fn get(&self, name: &'static str) -> f64 {
        self.0[name]
    }

    /// None where the data decides.
    fn optional(&self, name: &'static str) -> Option<f64> {
        Some(self.get(name)).filter(|value| !value.is_nan())
    }
}

/// A loss on a data matrix.
pub struct LossEntry {
    /// Its name.
    pub name: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    /// Builds it.
    pub build: fn(Symmetric) -> Box<dyn Loss>,
}

/// Every loss on a data matrix.
pub const LOSSES: &[LossEntry] = &[
    LossEntry {
        name: "quadratic", summary: "½‖Z − A‖²", build: |a| Box::new(Quadratic::new(a))
    },
    LossEntry { name: "linear", summary: "⟨C, Z⟩", build: |c| Box::new(Linear::new(c)) },
];

const fn parameter(name: &'static str, default: f64, meaning: &'static str) -> Parameter {
    Parameter { name, default: Some(default), meaning }
}

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

const BLOCK_TOLERANCE: Parameter =
    parameter("tolerance", 1e-10, "relative tolerance of a block without a closed form");

/// Every algorithm.
pub const ALGORITHMS: &[Entry<dyn Algorithm>] = &[
    Entry {
        name: "auto",
        summary: "the split, then Gauss–Newton where products with A are dear (the default)",
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
        summary: "projected Gauss–Newton on X alone, for the quadratic loss",
        parameters: &[],
        build: |_| Ok(Box::new(GaussNewton::new())),
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
        build: |_| Ok(Box::new(Direct::new())),
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

/// The regulariser that a component names.
pub fn regulariser(component: &Component) -> Result<Box<dyn Regulariser>, Error> {
    build("regulariser", REGULARISERS, component)
}

/// The γ rule that a component names.
pub fn rule(component: &Component) -> Result<Box<dyn PenaltyRule>, Error> {
    build("γ rule", RULES, component)
}

/// The algorithm that a component names.
pub fn algorithm(component: &Component) -> Result<Box<dyn Algorithm>, Error> {
    build("algorithm", ALGORITHMS, component)
}

fn build<T: ?Sized>(
    kind: &'static str,
    table: &[Entry<T>],
    component: &Component,
) -> Result<Box<T>, Error> {
    let unknown = |name: &str, known: Vec<&str>, kind| Error::Unknown {
        kind,
        name: name.into(),
        known: known.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", "),
    };
    let Some(entry) = table.iter().find(|entry| entry.name == component.name) else {
        return Err(unknown(&component.name, table.iter().map(|e| e.name).collect(), kind));
    };
    for (key, &value) in &component.parameters {
        if !entry.parameters.iter().any(|p| p.name == key) {
            return Err(unknown(
                key,
                entry.parameters.iter().map(|p| p.name).collect(),
                "parameter",
            ));
        }
        if !(value >= 0.0 && value.is_finite()) {
            return Err(Error::Parameter {
                name: key.clone(),
                value,
                range: "finite and at least 0",
            });
        }
    }
    let mut values = BTreeMap::new();
    for p in entry.parameters {
        let Some(value) = component.parameters.get(p.name).copied().or(p.default) else {
            return Err(Error::Missing { component: entry.name, parameter: p.name });
        };
        values.insert(p.name, value);
    }
    (entry.build)(&Values(values))
}
