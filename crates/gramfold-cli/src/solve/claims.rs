//! What is said of a solution, as JSON and in words, with the signs of the file.
//!
//! A file's problem is max ⟨F_0, Y⟩ s.t. ⟨F_i, Y⟩ = c_i, Y ⪰ 0, and min cᵀx s.t. Σ x_i F_i − F_0 ⪰ 0. It is solved as
//! min ⟨C, Z⟩ with C = −F_0, Z = Y and y = −x, so every objective and bound changes its sign on the way out.

use std::path::Path;

use gramfold::certificate::significant;
use gramfold_sdp::{
    Certificate, Cone, Sdp, Solution, Status,
    certificate::{Proof, Ray},
};
use serde::{Deserialize, Serialize};

use super::saved::Files;
use crate::{
    cli::SolveArgs,
    resources::Cost,
    sdp::{Claims, Run},
};

/// All that is claimed of a solution.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SolveClaims {
    /// With SDPA's names: the primal problem is that in x, the dual that in Y. The gap is `dual_bound` − `primal_objective`.
    #[serde(flatten)]
    pub(super) run: Run,
    /// ⟨F_0, Y⟩.
    pub(super) primal_objective: f64,
    /// cᵀx.
    pub(super) dual_objective: f64,
    /// No feasible Y has an objective above this.
    pub(super) dual_bound: Option<Bound>,
    pub(super) ranks: Vec<usize>,
    /// γ of the split, its threshold and whether it is above, for methods that split.
    pub(super) gamma: Option<f64>,
    pub(super) threshold: Option<f64>,
    pub(super) exact: Option<bool>,
    pub(super) blocks: Vec<i64>,
    pub(super) constraints: usize,
    pub(super) stored: usize,
    /// The certificate in words.
    pub(super) words: String,
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
        let certificate = &solution.certificate;
        let dual_bound =
            certificate.dual_bound.map(|b| Bound { value: negated(b.value), proof: b.proof });
        let mut run = Run::of(&args.run, &args.input, solution, cost);
        run.status = sdpa_status(solution.status);
        let mut claims = Self {
            run,
            primal_objective: negated(certificate.primal_objective),
            dual_objective: negated(certificate.dual_objective),
            dual_bound,
            ranks: solution.ranks.clone(),
            gamma: solution.gamma,
            threshold: solution.threshold,
            exact: solution.gamma.zip(solution.threshold).map(|(gamma, least)| gamma > least),
            blocks: sdp.cones().iter().map(signed_size).collect(),
            constraints: sdp.constraints(),
            stored: sdp.stored(),
            words: String::new(),
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
        let feasible = format!("Y meets the constraints to {:.1e}", self.run.dimacs[0]);
        let cut_short = self.run.certificate.cut_short;
        let cut_short =
            if cut_short { format!("; {}", Certificate::CUT_SHORT) } else { String::new() };
        match (self.dual_bound, self.run.relative_gap) {
            (Some(bound), Some(gap)) => {
                let label = if self.run.status == Status::Solved {
                    "optimal"
                } else {
                    "not proved optimal"
                };
                format!(
                    "{label}: {feasible}, and no feasible Y is above {} ({}); relative gap {:.1e}{cut_short}",
                    significant(bound.value),
                    bound.proof,
                    gap.abs(),
                )
            }
            _ => format!("not proved optimal: {}", self.run.certificate),
        }
    }
}

impl Claims for SolveClaims {
    fn run(&self) -> &Run {
        &self.run
    }

    fn summary(&self, directory: &Path) -> String {
        let sizes = sizes(&self.blocks);
        format!(
            "{} constraints, {sizes}, {} stored entries\n\
             {}\n\
             objective {}, bound {}, ranks {}\n\
             {}\n\
             written to {}\n",
            self.constraints,
            self.stored,
            self.run.words(),
            digits(self.primal_objective),
            self.dual_bound.map_or("none".into(), |bound| digits(bound.value)),
            list(&self.ranks),
            self.words,
            directory.display(),
        )
    }
}

/// The status with SDPA's names, whose primal problem is our dual.
fn sdpa_status(status: Status) -> Status {
    match status {
        Status::PrimalInfeasible => Status::DualInfeasible,
        Status::DualInfeasible => Status::PrimalInfeasible,
        other => other,
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
