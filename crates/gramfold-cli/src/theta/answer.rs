//! A Lovász number as it is written: what is claimed, the files, the summary and the page.

use gramfold::linalg::Symmetric;
use gramfold_report::{Cell, Item, Page, Table};
use gramfold_sdp::{Method, Progress, Solution, certificate::Proof, theta::clique_cover};
use serde::{Deserialize, Serialize};

use crate::{
    answer::{self, Head, Sizes},
    cli::{RankArg, ThetaArgs},
    convergence::{Names, convergence},
    pages::trimmed,
    sdp::{BEYOND, Program, ProgramSpec, counted, parts, with_spectra},
    store::{self, Bound, Claims, Part, Side, Status},
};

/// What the objectives are called.
const NAMES: Names = Names { primal: "⟨J, Z⟩", dual: "dual" };

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

/// What only this command has to say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Details {
    #[serde(flatten)]
    pub(crate) program: Program,
    /// ⌊bound⌋: no independent set has more nodes.
    independent_at_most: u64,
    /// Cliques that cover every node, which bound θ, too.
    clique_cover: usize,
    /// Whether the cover is the bound, since the program proved none that is better.
    bound_by_cover: bool,
    edges: usize,
    /// Loops in the file, which were left out.
    loops: usize,
}

/// A Lovász number. The objective is ⟨J, Z⟩.
pub(crate) struct Answer<'a> {
    pub(crate) spec: ThetaSpec,
    pub(crate) graph: &'a Symmetric,
    /// Those of the graph, and its loops.
    pub(crate) edges: &'a [(u32, u32)],
    pub(crate) loops: usize,
    pub(crate) solution: &'a Solution,
    pub(crate) trace: &'a [Progress],
}

impl answer::Answer for Answer<'_> {
    type Spec = ThetaSpec;
    type Details = Details;

    fn claims(&self, head: Head) -> Claims<ThetaSpec, Details> {
        let Self { graph, edges, loops, solution, .. } = *self;
        let (nodes, certificate) = (graph.dim(), &solution.certificate);
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
        head.claims(self.spec.clone(), solution.status, &sizes, details).valued_in(
            certificate.scale.objective,
            0.0 - certificate.primal_objective,
            Some(bound),
        )
    }

    fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = parts(self.solution, self.trace);
        parts.push(Part::symmetric("graph", self.graph));
        parts
    }

    fn summary(&self, claims: &Claims<ThetaSpec, Details>) -> String {
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

    fn page(&self, claims: &Claims<ThetaSpec, Details>, line: &str) -> Page {
        let title = format!("{} of {}", self.spec.symbol(), claims.input.name());
        let subtitle = format!("{} nodes, {} edges", claims.nodes, claims.details.edges);
        let tolerance = claims.spec.program.tolerance;
        let page = Page::new(title, subtitle)
            .section("Answer", answer_section(claims))
            .section("Certificate", certificate(claims, line))
            .section("Convergence", vec![convergence(self.trace, &NAMES, tolerance).into()]);
        with_spectra(page, self.solution)
    }
}

/// What is proved.
fn words(claims: &Claims<ThetaSpec, Details>) -> String {
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

fn answer_section(claims: &Claims<ThetaSpec, Details>) -> Vec<Item> {
    let symbol = claims.spec.symbol();
    let at_most = match claims.bound {
        Some(bound) => format!(", at most {} (proved)", trimmed(bound.value)),
        None => ", not bounded".into(),
    };
    let theta = trimmed(claims.objective);
    let most = claims.details.independent_at_most;
    vec![
        Item::headline(format!("{symbol} = {theta}{at_most}")),
        Item::text(format!("No set of nodes without an edge between them has more than {most}.")),
    ]
}

fn certificate(claims: &Claims<ThetaSpec, Details>, line: &str) -> Vec<Item> {
    let words = words(claims).replace('\n', "; ");
    let bound = |value: Option<f64>| value.map_or(Cell::from("none"), Cell::from);
    vec![
        if claims.status.is_answer() { Item::good(words) } else { Item::bad(words) },
        Item::text(format!("{}.", claims.details.program.words(claims))),
        Table::new(
            "The number and its proof",
            [
                claims.spec.symbol(),
                "proved upper bound",
                "relative gap",
                "independent nodes at most",
            ],
        )
        .row(vec![
            claims.objective.into(),
            bound(claims.bound.map(|bound| bound.value)),
            bound(claims.relative_gap),
            Cell::from(claims.details.independent_at_most.to_string()),
        ])
        .into(),
        Item::command(line),
    ]
}
