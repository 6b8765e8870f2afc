//! Thresholds on γ: every bound of the paper, as printed and corrected, and the sharper ones.
//!
//! Each is a function whose assumptions are checked and, where they fail, named. [`all`] lists those
//! of a problem, so that one sees how loose each is.

mod corollary1;
mod corollary2;
mod needed;
mod sharper;
mod theorem1;

pub use corollary1::{diameter, diameter_as_printed, level, level_as_printed, level_rank_one};
pub use corollary2::{balanced_columns, balanced_columns_as_printed, single_column};
pub use needed::{Needed, needed};
pub use sharper::{frobenius, from_zero, linear_part, lipschitz, necessary, with_linear_part};
pub use theorem1::{exactness, proximity};

use gramfold_linalg::{Mat, Symmetric};
use serde::Serialize;

use crate::{
    Problem, Split,
    certificate::{Operator, Proof, Spectrum, never},
};

/// An assumption that a problem does not meet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("needs {0}")]
pub struct Assumption(pub &'static str);

/// What a γ beyond a bound implies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Every critical point is symmetric.
    AllCriticalPoints,
    /// Every critical point at or below the start's objective is symmetric.
    FromStart,
    /// Every critical point of a special form is symmetric.
    SpecialForm,
    /// A critical point here would be symmetric.
    ThisPoint,
    /// Below it asymmetric critical points exist.
    Necessary,
    /// As printed in the paper, and known to be wrong in general.
    AsPrinted,
}

/// A bound, evaluated or refused.
#[derive(Clone, Debug, Serialize)]
pub struct Bound {
    /// Its name in the paper or in the theory notes.
    pub name: &'static str,
    /// Its formula.
    pub formula: &'static str,
    /// What it implies.
    pub role: Role,
    /// Its value, if its assumptions hold.
    pub value: Option<f64>,
    /// The assumption that fails, if one does.
    pub fails: Option<&'static str>,
}

/// The start that Corollary 1 and T6 refer to: Y₀, f(Y₀Y₀ᵀ) and h(Y₀).
pub struct StartLevel {
    /// f(Y₀Y₀ᵀ).
    pub loss: f64,
    /// h(Y₀).
    pub regularisation: f64,
    /// ‖∇f(Y₀Y₀ᵀ)‖_F.
    pub gradient_norm: f64,
}

impl StartLevel {
    /// Evaluates the problem at Y₀.
    pub fn new(problem: &Problem<'_>, factor: &Mat) -> Result<Self, crate::Error> {
        let split = Split::new(problem, factor.clone(), factor.clone(), 0.0)?;
        Ok(Self {
            loss: split.loss(),
            regularisation: problem.regulariser.value(factor),
            gradient_norm: split.evaluation().gradient_norm(factor, factor),
        })
    }

    /// c = f(Z₀) + h(Y₀) − h*, the level that descent from Y₀ never leaves.
    fn level(&self, problem: &Problem<'_>) -> f64 {
        self.loss + self.regularisation - problem.regulariser.infimum()
    }
}

/// Every bound: its name, its formula and what it implies.
const BOUNDS: [(&str, &str, Role); 14] = [
    ("Theorem 1", "½λmax(sym ∇f(XYᵀ)) − σ_h/4, here at the start", Role::ThisPoint),
    ("Corollary 1a, printed", "½(‖∇f(Z₀)‖ + l_f·diam{f ≤ f(Z₀)}) − σ_h/4", Role::AsPrinted),
    (
        "Corollary 1a",
        "½(‖∇f(Z₀)‖ + l_f·diam{f ≤ c}) − σ_h/4, c = f(Z₀) + h(Y₀) − h*",
        Role::FromStart,
    ),
    ("Corollary 1b, printed", "l_f/√(2σ_f)·√[f(Z₀) + h(Y₀) − f*]₊ − σ_h/4", Role::AsPrinted),
    ("Corollary 1b", "l_f/√(2σ_f)·√(c − f*) − σ_h/4", Role::FromStart),
    ("Corollary 1c", "√(l_1(c − f*)/2) − σ_h/4", Role::FromStart),
    ("Corollary 2i, printed", "−λmin(A), columns orthogonal or one", Role::AsPrinted),
    ("Corollary 2i", "[−λmin(A)/2]₊, columns orthogonal or one", Role::SpecialForm),
    ("Corollary 2ii", "any γ > 0, one column, A ≥ 0", Role::AllCriticalPoints),
    ("T2", "√(l_1(f(0) − f*)/2) − σ_h/4", Role::AllCriticalPoints),
    ("T3", "−λmin(A)/2 − λ/4, sharp", Role::AllCriticalPoints),
    ("T4", "½λmax(∇f(0)) − λ/4", Role::Necessary),
    ("T5", "½·sup λmax(sym ∇f) − σ_h/4", Role::AllCriticalPoints),
    ("T6", "½λmax(C) + √(l_q(c − q*)/2) − σ_h/4, C ⪰ 0", Role::FromStart),
];

/// Every bound for a problem and a start, applicable or not.
pub fn all(problem: &Problem<'_>, start: &Mat) -> Result<Vec<Bound>, crate::Error> {
    let at = StartLevel::new(problem, start)?;
    let split = Split::new(problem, start.clone(), start.clone(), 0.0)?;
    let here = crate::certificate::gradient_spectrum(&split);
    // In the order of the table.
    let values: [Result<f64, Assumption>; BOUNDS.len()] = [
        exactness(&here, problem.regulariser.sigma()),
        diameter_as_printed(problem, &at),
        diameter(problem, &at),
        level_as_printed(problem, &at),
        level(problem, &at),
        level_rank_one(problem, &at),
        balanced_columns_as_printed(problem),
        balanced_columns(problem),
        single_column(problem),
        from_zero(problem),
        frobenius(problem),
        necessary(problem),
        lipschitz(problem),
        linear_part(problem, &at),
    ];
    let bound = |((name, formula, role), value): (_, Result<f64, Assumption>)| {
        let fails = value.as_ref().err().map(|assumption| assumption.0);
        Bound { name, formula, role, value: value.ok(), fails }
    };
    Ok(BOUNDS.into_iter().zip(values).map(bound).collect())
}

/// Bounds on the spectrum of a data matrix that are proved.
fn data_spectrum(a: &Symmetric) -> Result<Spectrum, Assumption> {
    let mut apply = |v: &Mat, out: &mut Mat| a.apply(v, out);
    let rounding = 8.0 * f64::EPSILON * a.norm_squared().sqrt();
    let mut operator = Operator { dim: a.dim(), apply: &mut apply, rounding, stop: &never };
    let spectrum = Spectrum::of(&mut operator, 3);
    proved(&spectrum).map(|()| spectrum)
}

/// Refuses an eigenvalue that is only estimated.
fn proved(spectrum: &Spectrum) -> Result<(), Assumption> {
    match spectrum.proof {
        Proof::Estimate => Err(Assumption("an eigenvalue bound, and only an estimate was had")),
        _ => Ok(()),
    }
}
