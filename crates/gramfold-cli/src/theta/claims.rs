//! What is said of a Lovász number, as JSON and in words.

use gramfold_sdp::{Method, Solution, certificate::Proof, theta::clique_cover};
use serde::{Deserialize, Serialize};

use crate::{
    cli::{RankArg, ThetaArgs},
    sdp::{BEYOND, Program, ProgramSpec, counted},
    session::{Envelope, Sizes},
    store::{self, Bound, Claims, Side, Status},
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
    pub(super) fn of(args: &ThetaArgs) -> Self {
        Self { program: ProgramSpec::of(&args.run, Method::Auto, RankArg(None)), plus: args.plus }
    }

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
    pub(crate) independent_at_most: u64,
    /// Cliques that cover every node, which bound θ, too.
    pub(crate) clique_cover: usize,
    /// Whether the cover is the bound, since the program proved none that is better.
    pub(crate) bound_by_cover: bool,
    pub(crate) edges: usize,
    /// Loops in the file, which were left out.
    pub(crate) loops: usize,
}

/// What is claimed of θ.
pub(crate) fn claims(
    envelope: &impl Envelope,
    spec: ThetaSpec,
    (nodes, edges, loops): (usize, &[(u32, u32)], usize),
    solution: &Solution,
) -> ThetaClaims {
    let certificate = &solution.certificate;
    let clique_cover = clique_cover(nodes, edges);
    let cover = Bound { value: clique_cover as f64, side: Side::Upper, proof: Proof::Rigorous };
    let proved = certificate.dual_bound.map(|bound| Bound {
        value: -bound.value,
        side: Side::Upper,
        proof: bound.proof,
    });
    let better = proved.filter(|bound| bound.value < cover.value);
    let bound = better.unwrap_or(cover);
    let details = Details {
        program: Program::of(solution),
        // α is an integer: rounding the bound down loses nothing.
        independent_at_most: bound.value.floor().max(0.0) as u64,
        clique_cover,
        bound_by_cover: better.is_none(),
        edges: edges.len(),
        loops,
    };
    let rank = solution.ranks.first().copied().unwrap_or(0);
    let sizes = Sizes { rank, nodes, iterations: solution.iterations };
    envelope.claims(spec, solution.status, &sizes, details).valued_in(
        certificate.scale.objective,
        0.0 - certificate.primal_objective,
        Some(bound),
    )
}

/// What is proved.
pub(super) fn words(claims: &ThetaClaims) -> String {
    let symbol = claims.spec.symbol();
    let Details { program, independent_at_most, clique_cover, bound_by_cover, .. } =
        &claims.details;
    match (claims.bound, claims.relative_gap) {
        (Some(bound), Some(gap)) => {
            let label =
                if claims.status == Status::Solved { "proved" } else { "not proved optimal" };
            let proof = if *bound_by_cover {
                format!("by a cover with {}", counted(*clique_cover, "clique"))
            } else {
                bound.proof.to_string()
            };
            format!(
                "{label}: {symbol} ≤ {} ({proof}), relative gap {:.1e}, Z meets the constraints to {:.1e}\n\
                 so no independent set has more than {}",
                bound,
                gap.abs(),
                program.certificate.infeasibility,
                counted(*independent_at_most as usize, "node"),
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
    let beyond = claims.gap.is_some_and(|gap| gap < 0.0);
    format!(
        "{}, {}{loops}\n\
         {}\n\
         {} = {}{}, rank {}\n\
         {}\n",
        counted(claims.nodes, "node"),
        counted(*edges, "edge"),
        program.words(claims),
        claims.spec.symbol(),
        store::digits(claims.objective),
        if beyond { BEYOND } else { "" },
        claims.rank,
        words(claims),
    )
}
