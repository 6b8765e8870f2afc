//! A cut as it is written: what is claimed, the files, the summary and the page.

use gramfold::linalg::{Csr, Mat};
use gramfold_io::{labels_to, matrix_market_to};
use gramfold_report::{Cell, Heatmap, Item, Page, Table};
use gramfold_sdp::{Method, Primal, Progress, Solution, certificate::Proof, rounding::Cut};
use serde::{Deserialize, Serialize};

use super::Question;
use crate::{
    answer::{self, Head, Sizes},
    cli::CutArgs,
    convergence::{Names, convergence},
    pages::{BINS, bin_names, drawing, names, percent, weight},
    sdp::{Program, ProgramSpec, blocks, counted, spectra},
    store::{Bound, Claims, Part, Side},
};

/// What the objectives are called.
const NAMES: Names = Names { primal: "relaxation", dual: "dual" };

/// How a cut was asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CutSpec {
    #[serde(flatten)]
    pub(crate) program: ProgramSpec,
    pub(crate) planes: usize,
    pub(crate) sweeps: usize,
}

impl CutSpec {
    pub(super) fn of(args: &CutArgs) -> Self {
        Self {
            program: ProgramSpec::of(&args.run, Method::Auto, args.rank),
            planes: args.planes,
            sweeps: args.sweeps,
        }
    }
}

/// What only cuts claim.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Details {
    /// The relaxation.
    #[serde(flatten)]
    pub(crate) program: Program,
    /// objective/bound: at most 1 for a heavy cut, at least 1 for a light one.
    ratio: Option<f64>,
    /// Whether the weights alone are the bound, since the relaxation proved none that is sharper: no cut is heavier than the
    /// positive ones together, none lighter than the negative.
    bound_by_weights: bool,
    /// Whether the cut meets the bound, so that there is no better one.
    pub(super) optimal: bool,
    /// The optimum of the relaxation, to the tolerance.
    relaxation: f64,
    edges: usize,
    /// Nodes on each side.
    sizes: [usize; 2],
}

/// A cut. The objective is its weight, the status that of the relaxation.
pub(crate) struct Answer<'a> {
    pub(crate) spec: CutSpec,
    pub(crate) question: Question,
    pub(crate) graph: &'a Csr,
    pub(crate) names: Option<&'a [String]>,
    pub(crate) cut: &'a Cut,
    /// R with Z = RRᵀ, of the relaxation.
    pub(crate) factor: &'a Mat,
    pub(crate) solution: &'a Solution,
    pub(crate) trace: &'a [Progress],
}

impl answer::Answer for Answer<'_> {
    type Spec = CutSpec;
    type Details = Details;

    /// The bound is made whole where every weight is.
    fn claims(&self, head: Head) -> Claims<CutSpec, Details> {
        let Self { question, graph, cut, solution, .. } = *self;
        let certificate = &solution.certificate;
        let whole = graph.values().iter().all(|weight| weight.fract() == 0.0);
        let proved = certificate.dual_bound.map(|bound| {
            let value = question.weight(bound.value);
            let value = if whole { question.whole(value) } else { value };
            Bound { value, side: question.side, proof: bound.proof }
        });
        let by_weights = Bound {
            value: question.bound_by_weights(graph),
            side: question.side,
            proof: Proof::Rigorous,
        };
        let sharper = proved.filter(|bound| question.is_sharper(bound.value, by_weights.value));
        let bound = sharper.unwrap_or(by_weights);
        let second = cut.side.iter().filter(|side| **side).count();
        let details = Details {
            program: Program::of(solution),
            ratio: ratio(cut.weight, bound.value),
            bound_by_weights: sharper.is_none(),
            optimal: bound.value == cut.weight,
            relaxation: question.weight(certificate.primal_objective),
            edges: graph.stored() / 2,
            sizes: [cut.side.len() - second, second],
        };
        let sizes = Sizes {
            rank: solution.ranks.first().copied().unwrap_or(0),
            nodes: graph.dim(),
            iterations: solution.iterations,
        };
        head.claims(self.spec.clone(), solution.status, &sizes, details).valued_in(
            certificate.scale.objective,
            cut.weight,
            Some(bound),
        )
    }

    fn parts(&self) -> Vec<Part<'_>> {
        let sides = self.sides();
        let mut parts = vec![
            Part::new("partition", "partition.txt", move |out| labels_to(out, &sides, self.names)),
            Part::array("factor", self.factor),
            Part::column("dual", &self.solution.point.dual),
            Part::new("graph", "graph.mtx", |out| {
                matrix_market_to(out, &self.graph.clone().into())
            }),
            Part::lines("trace", self.trace),
        ];
        if let Some(z @ Primal::Dense(_)) = self.solution.point.primal.first() {
            // What the certificate is of; its factor is rounded.
            parts.extend(blocks("block", std::slice::from_ref(z)));
        }
        parts
    }

    fn summary(&self, claims: &Claims<CutSpec, Details>) -> String {
        let Details { program, ratio, optimal, relaxation, edges, sizes, .. } = &claims.details;
        let ratio = ratio.filter(|_| !optimal);
        let ratio = ratio.map_or(String::new(), |ratio| format!(", {ratio:.6} of the bound"));
        let gap = program.certificate.relative_gap;
        let gap = gap.map_or("none proved".into(), |gap| format!("{:.1e}", gap.abs()));
        format!(
            "{}, {}\n\
             cut {}{ratio}, sides of {} and {} nodes\n\
             {}\n\
             relaxation {} by {} after {}, {:.2} s: {relaxation:.9}, rank {}, relative gap {gap}\n",
            counted(claims.nodes, "node"),
            counted(*edges, "edge"),
            weight(claims.objective),
            sizes[0],
            sizes[1],
            self.words(claims),
            claims.status,
            program.method,
            counted(claims.iterations, "iteration"),
            claims.cost.seconds,
            claims.rank,
        )
    }

    fn page(&self, claims: &Claims<CutSpec, Details>, line: &str) -> Page {
        let names = names(self.graph.dim(), self.names);
        let title = format!("{} {}", self.question.title, claims.input.name());
        let subtitle = format!("{} nodes, {} edges", claims.nodes, claims.details.edges);
        let mut charts = convergence(self.trace, &NAMES, claims.spec.program.tolerance);
        charts.extend(spectra(self.solution));
        Page::new(title, subtitle)
            .section("Answer", self.answer_section(claims, &names))
            .section("Certificate", self.certificate(claims, line))
            .section("Picture", vec![self.picture(&names).into()])
            .section("The relaxation", vec![charts.into()])
    }
}

impl Answer<'_> {
    /// The side of each node.
    fn sides(&self) -> Vec<usize> {
        self.cut.side.iter().map(|side| usize::from(*side)).collect()
    }

    /// The bound in words.
    fn words(&self, claims: &Claims<CutSpec, Details>) -> String {
        let Some(bound) = claims.bound else {
            return format!("no bound is proved: {}", claims.details.program.certificate);
        };
        let end = if claims.details.optimal { ", which this one meets: it is optimal" } else { "" };
        let proof = if claims.details.bound_by_weights {
            self.question.by_weights.to_owned()
        } else {
            bound.proof.to_string()
        };
        format!("{} {} ({proof}){end}", self.question.limit, bound)
    }

    /// The cut, how good it can be, and where it goes through.
    fn answer_section(&self, claims: &Claims<CutSpec, Details>, names: &[String]) -> Vec<Item> {
        let found = weight(claims.objective);
        let headline = match (claims.bound.map(|bound| weight(bound.value)), self.question.side) {
            (None, _) => format!("A cut of {found}, not bounded"),
            (Some(_), _) if claims.details.optimal => {
                format!("A cut of {found}: no other is better")
            }
            (Some(bound), Side::Upper) => {
                let share =
                    claims.details.ratio.map_or(String::new(), |r| format!(", {}", percent(r)));
                format!("A cut of {found} of at most {bound}{share}")
            }
            (Some(bound), Side::Lower) => {
                format!("A cut of {found}, where at least {bound} is needed")
            }
        };
        let called = vec!["side 0".into(), "side 1".into()];
        let mut items = vec![Item::headline(headline), self.within(claims).into()];
        items.extend(
            drawing(&self.graph.clone().into(), names, &self.sides(), called).map(Item::from),
        );
        items
    }

    fn certificate(&self, claims: &Claims<CutSpec, Details>, line: &str) -> Vec<Item> {
        let words = self.words(claims);
        let number = |value: Option<f64>| value.map_or(Cell::from("none"), Cell::from);
        vec![
            if claims.status.is_answer() { Item::good(words) } else { Item::bad(words) },
            Item::text(format!(
                "The relaxation was {} by the method {} after {} iterations; {} hyperplanes were rounded; {:.2} s in all.",
                claims.status,
                claims.details.program.method,
                claims.iterations,
                claims.spec.planes,
                claims.cost.seconds
            )),
            Table::new(
                "Weights",
                ["cut", "proved bound", "cut/bound", "relaxation", "relative gap"],
            )
            .row(vec![
                claims.objective.into(),
                number(claims.bound.map(|bound| bound.value)),
                number(claims.details.ratio),
                claims.details.relaxation.into(),
                number(claims.details.program.certificate.relative_gap),
            ])
            .into(),
            Item::command(line),
        ]
    }

    /// Mean weights between groups of nodes, one side first.
    fn picture(&self, names: &[String]) -> Heatmap {
        let Self { graph, cut, .. } = *self;
        let n = graph.dim();
        let bins = n.min(BINS);
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&i| cut.side[i]);
        let mut place = vec![0; n];
        order.iter().enumerate().for_each(|(at, &i)| place[i] = at * bins / n);
        let mut sums = vec![0.0; bins * bins];
        for i in 0..n {
            for (j, weight) in graph.row(i) {
                sums[place[i] * bins + place[j]] += weight.abs();
            }
        }
        let first = cut.side.iter().filter(|side| !**side).count();
        let called = bin_names(names, &order, bins);
        Heatmap::new("Weights, one side before the other", bins, bins, sums)
            .caption(
                "Absolute weights between groups of nodes; what is cut lies off the diagonal blocks",
            )
            .row_names(called.clone())
            .col_names(called)
            .breaks(vec![first * bins / n])
    }

    /// The sides, and the weight within each.
    fn within(&self, claims: &Claims<CutSpec, Details>) -> Table {
        let Self { graph, cut, .. } = *self;
        let mut within = [0.0; 2];
        for i in 0..graph.dim() {
            for (j, weight) in graph.row(i).filter(|&(j, _)| j < i) {
                if cut.side[i] == cut.side[j] {
                    within[usize::from(cut.side[i])] += weight;
                }
            }
        }
        let rows = (0..2).map(|side: usize| {
            let nodes = claims.details.sizes[side] as f64;
            vec![side.to_string().into(), nodes.into(), within[side].into()]
        });
        Table::new("Sides", ["side", "nodes", "weight within"]).rows(rows)
    }
}

/// cut/bound, where 0/0 is 1; none where one is negative and a ratio says nothing.
fn ratio(cut: f64, bound: f64) -> Option<f64> {
    if cut == bound {
        return Some(1.0);
    }
    (cut >= 0.0 && bound > 0.0).then_some(cut / bound)
}
