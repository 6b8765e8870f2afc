//! What is said of a solution, as JSON and in words, with the signs of the file.
//!
//! A file's problem is max ⟨F_0, Y⟩ s.t. ⟨F_i, Y⟩ = c_i, Y ⪰ 0, and min cᵀx s.t. Σ x_i F_i − F_0 ⪰ 0. It is solved as
//! min ⟨C, Z⟩ with C = −F_0, Z = Y and y = −x, so every objective and bound changes its sign on the way out.

use std::path::{Path, PathBuf};

use gramfold::certificate::significant;
use gramfold_sdp::{
    Certificate, Cone, Method, Sdp, Solution, Status,
    certificate::{Infeasible, Proof, Ray},
};
use serde::{Deserialize, Serialize};

use super::saved::Files;
use crate::{cli::SolveArgs, resources::Cost};

/// The version of the directory's format.
pub(super) const FORMAT: u32 = 1;

/// All that is claimed of a solution.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SolveClaims {
    pub(super) format: u32,
    pub(super) status: Status,
    /// ⟨F_0, Y⟩.
    pub(super) primal_objective: f64,
    /// cᵀx.
    pub(super) dual_objective: f64,
    /// No feasible Y has an objective above this.
    pub(super) dual_bound: Option<Bound>,
    /// `dual_bound` − `primal_objective`.
    pub(super) gap: Option<f64>,
    /// The gap relative to 1 + |primal objective| + |dual bound|.
    pub(super) relative_gap: Option<f64>,
    /// The six DIMACS errors.
    pub(super) dimacs: [f64; 6],
    pub(super) ranks: Vec<usize>,
    /// γ of the split, its threshold and whether it is above, for methods that split.
    pub(super) gamma: Option<f64>,
    pub(super) threshold: Option<f64>,
    pub(super) exact: Option<bool>,
    /// Which of SDPA's two problems is proved infeasible: `primal` (there is no x) or `dual` (there is no Y).
    pub(super) sdpa_infeasible: Option<Infeasible>,
    pub(super) method: Method,
    pub(super) why: String,
    pub(super) iterations: usize,
    #[serde(flatten)]
    pub(super) cost: Cost,
    pub(super) tolerance: f64,
    pub(super) blocks: Vec<i64>,
    pub(super) constraints: usize,
    pub(super) stored: usize,
    /// The certificate in words.
    pub(super) words: String,
    /// The certificate itself, in the signs of min ⟨−F_0, Y⟩.
    pub(super) certificate: Certificate,
    pub(super) input: PathBuf,
    pub(super) version: String,
    pub(super) files: Files,
}

/// An upper bound on ⟨F_0, Y⟩ and how it was proved.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Bound {
    pub(super) value: f64,
    #[serde(flatten)]
    pub(super) proof: Proof,
}

impl SolveClaims {
    pub(super) fn of(
        args: &SolveArgs,
        sdp: &Sdp,
        solution: &Solution,
        cost: Cost,
        files: Files,
    ) -> Self {
        let certificate = solution.certificate.clone();
        let dual_bound =
            certificate.dual_bound.map(|b| Bound { value: negated(b.value), proof: b.proof });
        let mut claims = Self {
            format: FORMAT,
            status: solution.status,
            primal_objective: negated(certificate.primal_objective),
            dual_objective: negated(certificate.dual_objective),
            dual_bound,
            gap: certificate.gap,
            relative_gap: certificate.relative_gap,
            dimacs: certificate.dimacs,
            ranks: solution.ranks.clone(),
            gamma: solution.gamma,
            threshold: solution.threshold,
            exact: solution.gamma.zip(solution.threshold).map(|(gamma, least)| gamma > least),
            sdpa_infeasible: solution.ray.as_ref().map(|ray| match ray.infeasible() {
                Infeasible::Primal => Infeasible::Dual,
                Infeasible::Dual => Infeasible::Primal,
            }),
            method: solution.method,
            why: solution.why.clone(),
            iterations: solution.iterations,
            cost,
            tolerance: args.tol,
            blocks: sdp.cones().iter().map(signed_size).collect(),
            constraints: sdp.constraints(),
            stored: sdp.stored(),
            words: String::new(),
            certificate,
            input: args.input.clone(),
            version: env!("CARGO_PKG_VERSION").into(),
            files,
        };
        claims.words = claims.certificate_in_words(solution.ray.as_ref());
        claims
    }

    /// What is proved, in the signs of the file.
    fn certificate_in_words(&self, ray: Option<&Ray>) -> String {
        if let Some(ray) = ray {
            return match ray {
                Ray::Primal { proof, .. } => format!(
                    "infeasible: no Y ⪰ 0 meets the constraints, since a combination x of them has cᵀx < 0 but \
                     ⟨Σ x_i F_i, Y⟩ ≥ 0 for every Y ⪰ 0 ({proof})"
                ),
                Ray::Dual { .. } => "infeasible: no x makes Σ x_i F_i − F_0 ⪰ 0, and the objective of a feasible Y \
                    would have no bound, since a Y ⪰ 0 has every ⟨F_i, Y⟩ = 0 and ⟨F_0, Y⟩ > 0 (rigorous, by \
                    factorisation)"
                    .into(),
            };
        }
        let feasible = format!("Y meets the constraints to {:.1e}", self.dimacs[0]);
        match (self.dual_bound, self.relative_gap) {
            (Some(bound), Some(gap)) => {
                let label =
                    if self.status == Status::Solved { "optimal" } else { "not proved optimal" };
                format!(
                    "{label}: {feasible}, and no feasible Y is above {} ({}); relative gap {:.1e}",
                    significant(bound.value),
                    bound.proof,
                    gap.abs(),
                )
            }
            _ => format!("not proved optimal: {}", self.certificate),
        }
    }

    /// The summary for a person.
    pub(super) fn summary(&self, directory: &Path) -> String {
        let sizes = sizes(&self.blocks);
        format!(
            "{} constraints, {sizes}, {} stored entries\n\
             {} by {} after {} iterations, {:.2} s: {}\n\
             objective {}, bound {}, ranks {}\n\
             {}\n\
             written to {}\n",
            self.constraints,
            self.stored,
            self.status,
            self.method,
            self.iterations,
            self.cost.seconds,
            self.why,
            digits(self.primal_objective),
            self.dual_bound.map_or("none".into(), |bound| digits(bound.value)),
            list(&self.ranks),
            self.words,
            directory.display(),
        )
    }
}

/// −value, without a negative zero.
fn negated(value: f64) -> f64 {
    0.0 - value
}

fn signed_size(cone: &Cone) -> i64 {
    match *cone {
        Cone::Semidefinite(n) => n.cast_signed() as i64,
        Cone::Nonnegative(n) => -(n.cast_signed() as i64),
    }
}

/// Nine significant digits, as the tables of the literature have.
pub(crate) fn digits(value: f64) -> String {
    if value != 0.0 && (value.abs() < 1e-3 || value.abs() >= 1e9) {
        return format!("{value:.8e}");
    }
    let whole = if value == 0.0 { 0.0 } else { value.abs().log10().floor() };
    let decimals = (8.0 - whole).clamp(0.0, 10.0) as usize;
    format!("{value:.decimals$}")
}

/// `a block of 50 rows`, `3 blocks of 2, 2 and −5 rows`.
fn sizes(blocks: &[i64]) -> String {
    match blocks {
        [one] => format!("a block of {one} rows"),
        many => {
            let sizes: Vec<usize> = many.iter().map(|n| n.unsigned_abs() as usize).collect();
            format!("{} blocks of {} rows", many.len(), list(&sizes))
        }
    }
}

/// The first numbers, and how many more.
fn list(numbers: &[usize]) -> String {
    let shown: Vec<_> = numbers.iter().take(8).map(usize::to_string).collect();
    let more = numbers.len().saturating_sub(shown.len());
    let tail = if more > 0 { format!(", … ({more} more)") } else { String::new() };
    shown.join(", ") + &tail
}
