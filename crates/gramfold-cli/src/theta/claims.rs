//! What is said of a Lovász number, as JSON and in words.

use gramfold_sdp::{Method, Solution};
use serde::{Deserialize, Serialize};

use crate::{
    cli::{RankArg, ThetaArgs},
    sdp::{Program, ProgramSpec, counted},
    session::{Session, Sizes},
    solve::claims::digits,
    store::{Bound, Claims, Side, Status},
};

/// The objective is ⟨J, Z⟩.
pub(crate) type ThetaClaims = Claims<ThetaSpec, Details>;

/// How θ was asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ThetaSpec {
    #[serde(flatten)]
    pub(crate) program: ProgramSpec,
    /// Whether Z ≥ 0 was asked for: Schrijver's θ′.
    pub(crate) plus: bool,
}

impl ThetaSpec {
    /// θ or θ′.
    pub(super) fn symbol(&self) -> &'static str {
        if self.plus { "θ′" } else { "θ" }
    }
}

/// What only `theta` claims.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Details {
    #[serde(flatten)]
    pub(crate) program: Program,
    /// ⌊bound⌋: no independent set has more nodes.
    pub(crate) independent_at_most: Option<u64>,
    pub(crate) edges: usize,
    /// Loops in the file, which were left out.
    pub(crate) loops: usize,
}

/// What is claimed of θ.
pub(super) fn claims(
    session: &Session<'_>,
    args: &ThetaArgs,
    nodes: usize,
    edges: usize,
    loops: usize,
    solution: &Solution,
) -> ThetaClaims {
    let certificate = &solution.certificate;
    let bound = certificate.dual_bound.map(|bound| Bound {
        value: -bound.value,
        side: Side::Upper,
        proof: bound.proof,
    });
    let details = Details {
        program: Program::of(solution),
        // α is an integer: rounding the bound down loses nothing.
        independent_at_most: bound.map(|bound| bound.value.floor().max(0.0) as u64),
        edges,
        loops,
    };
    let program = ProgramSpec::of(&args.run, Method::Auto, RankArg(None));
    let rank = solution.ranks.first().copied().unwrap_or(0);
    let sizes = Sizes { rank, nodes, iterations: solution.iterations };
    session
        .claims(ThetaSpec { program, plus: args.plus }, solution.status, &sizes, details)
        .valued(0.0 - certificate.primal_objective, bound)
}

/// What is proved.
pub(super) fn words(claims: &ThetaClaims) -> String {
    let symbol = claims.spec.symbol();
    let Details { program, independent_at_most, .. } = &claims.details;
    match (claims.bound, claims.relative_gap) {
        (Some(bound), Some(gap)) => {
            let label =
                if claims.status == Status::Solved { "proved" } else { "not proved optimal" };
            format!(
                "{label}: {symbol} ≤ {} ({}), relative gap {:.1e}, Z meets the constraints to {:.1e}\n\
                 so no independent set has more than {}",
                digits(bound.value),
                bound.proof,
                gap.abs(),
                program.dimacs[0],
                counted(independent_at_most.unwrap_or(0) as usize, "node"),
            )
        }
        _ => format!("nothing is proved: {}", program.certificate),
    }
}

/// The summary for a person.
pub(super) fn summary(claims: &ThetaClaims) -> String {
    let Details { program, edges, loops, .. } = &claims.details;
    let loops = match loops {
        0 => String::new(),
        1 => ", 1 loop left out".into(),
        many => format!(", {many} loops left out"),
    };
    format!(
        "{}, {}{loops}\n\
         {}\n\
         {} = {}, rank {}\n\
         {}\n",
        counted(claims.nodes, "node"),
        counted(*edges, "edge"),
        program.words(claims),
        claims.spec.symbol(),
        digits(claims.objective),
        claims.rank,
        words(claims),
    )
}
