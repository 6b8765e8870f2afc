//! What is said of a solution, as JSON and in words, with the signs of the file.
//!
//! A file's problem is max ⟨F_0, Y⟩ s.t. ⟨F_i, Y⟩ = c_i, Y ⪰ 0, and min cᵀx s.t. Σ x_i F_i − F_0 ⪰ 0. It is solved as
//! min ⟨C, Z⟩ with C = −F_0, Z = Y and y = −x, so every objective and bound changes its sign on the way out.

use gramfold_sdp::{Certificate, Cone, Sdp, Solution, certificate::Ray};
use serde::{Deserialize, Serialize};

use crate::{
    sdp::{BEYOND, Program, ProgramSpec},
    session::{Envelope, Sizes},
    store::{self, Bound, Claims, Side},
};

/// With SDPA's names: the primal problem is that in x, the dual that in Y. The objective is ⟨F_0, Y⟩.
pub(crate) type SolveClaims = Claims<ProgramSpec, Details>;

/// What only `solve` claims.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Details {
    #[serde(flatten)]
    pub(crate) program: Program,
    /// cᵀx.
    pub(crate) dual_objective: f64,
    pub(crate) ranks: Vec<usize>,
    /// γ of the split, its threshold and whether it is above, for methods that split.
    pub(crate) gamma: Option<f64>,
    pub(crate) threshold: Option<f64>,
    pub(crate) exact: Option<bool>,
    pub(crate) blocks: Vec<i64>,
    pub(crate) constraints: usize,
    pub(crate) stored: usize,
    /// The certificate in words.
    pub(crate) words: String,
}

/// What is claimed of a solution.
pub(crate) fn claims(
    envelope: &impl Envelope,
    spec: ProgramSpec,
    sdp: &Sdp,
    solution: &Solution,
) -> SolveClaims {
    let certificate = &solution.certificate;
    let details = Details {
        program: Program::of(solution),
        dual_objective: negated(certificate.dual_objective),
        ranks: solution.ranks.clone(),
        gamma: solution.gamma,
        threshold: solution.threshold,
        exact: solution.gamma.zip(solution.threshold).map(|(gamma, least)| gamma > least),
        blocks: sdp.cones().iter().map(signed_size).collect(),
        constraints: sdp.constraints(),
        stored: sdp.stored(),
        words: String::new(),
    };
    let sizes = Sizes {
        rank: solution.ranks.iter().copied().max().unwrap_or(0),
        nodes: sdp.cones().iter().map(|cone| cone.size()).sum(),
        iterations: solution.iterations,
    };
    let bound = certificate.dual_bound.map(|bound| Bound {
        value: negated(bound.value),
        side: Side::Upper,
        proof: bound.proof,
    });
    let status = sdpa_status(solution.status);
    let mut claims = envelope.claims(spec, status, &sizes, details).valued_in(
        certificate.scale.objective,
        negated(certificate.primal_objective),
        bound,
    );
    claims.details.words = words(&claims, solution.ray.as_ref());
    claims
}

/// What is proved, in the signs of the file.
fn words(claims: &SolveClaims, ray: Option<&Ray>) -> String {
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
    let feasible = format!(
        "Y meets the constraints to {:.1e}",
        claims.details.program.certificate.infeasibility
    );
    let cut_short = claims.details.program.certificate.cut_short;
    let cut_short = if cut_short { format!("; {}", Certificate::CUT_SHORT) } else { String::new() };
    match (claims.bound, claims.relative_gap) {
        (Some(bound), Some(gap)) => {
            let label = if claims.status == store::Status::Solved {
                "optimal"
            } else {
                "not proved optimal"
            };
            format!(
                "{label}: {feasible}, and no feasible Y is above {} ({}); relative gap {:.1e}{cut_short}",
                bound,
                bound.proof,
                gap.abs(),
            )
        }
        _ => format!("not proved optimal: {}", claims.details.program.certificate),
    }
}

/// The summary for a person.
pub(super) fn summary(claims: &SolveClaims) -> String {
    let details = &claims.details;
    let beyond = claims.gap.is_some_and(|gap| gap < 0.0);
    format!(
        "{} constraints, {}, {} stored entries\n\
         {}\n\
         objective {}{}, bound {}, ranks {}\n\
         {}\n",
        details.constraints,
        sizes(&details.blocks),
        details.stored,
        details.program.words(claims),
        store::digits(claims.objective),
        if beyond { BEYOND } else { "" },
        claims.bound.map_or("none".into(), |bound| bound.to_string()),
        list(&details.ranks),
        details.words,
    )
}

/// The status with SDPA's names, whose primal problem is our dual; and back.
pub(crate) fn sdpa_status(status: impl Into<store::Status>) -> store::Status {
    match status.into() {
        store::Status::PrimalInfeasible => store::Status::DualInfeasible,
        store::Status::DualInfeasible => store::Status::PrimalInfeasible,
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
