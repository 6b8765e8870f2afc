//! A solution as it is written: what is claimed with the signs of the file, the files, the summary and the page.
//!
//! A file's problem is max ⟨F_0, Y⟩ s.t. ⟨F_i, Y⟩ = c_i, Y ⪰ 0, and min cᵀx s.t. Σ x_i F_i − F_0 ⪰ 0. It is solved as
//! min ⟨C, Z⟩ with C = −F_0, Z = Y and y = −x, so every objective and bound changes its sign on the way out.

use std::path::PathBuf;

use gramfold_report::{Cell, Item, Page, Table};
use gramfold_sdp::{
    Certificate, Cone, Progress, Sdp, Solution,
    certificate::{BlockBounds, Ray},
};
use serde::{Deserialize, Serialize};

use crate::{
    answer::{self, Head, Sizes},
    convergence::{Names, convergence},
    pages::{list, rounded, trimmed},
    sdp::{BEYOND, Program, ProgramSpec, counted, parts, with_spectra},
    store::{self, Bound, Claims, Part, Side, Status},
};

/// Blocks that the summary lists, and that the page shows.
const LISTED: usize = 8;
const SHOWN: usize = 200;

/// What the file calls the objectives.
const NAMES: Names = Names { primal: "⟨F₀, Y⟩", dual: "cᵀx" };

/// What only this command has to say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Details {
    #[serde(flatten)]
    pub(crate) program: Program,
    /// cᵀx.
    dual_objective: f64,
    ranks: Vec<usize>,
    /// γ of the split, its threshold and whether it is above, for methods that split.
    pub(crate) gamma: Option<f64>,
    pub(crate) threshold: Option<f64>,
    exact: Option<bool>,
    blocks: Vec<i64>,
    constraints: usize,
    stored: usize,
    /// The certificate in words.
    words: String,
}

/// A solution, with SDPA's names: the primal problem is that in x, the dual that in Y. The objective is ⟨F_0, Y⟩.
pub(crate) struct Answer<'a> {
    pub(crate) spec: ProgramSpec,
    pub(crate) sdp: &'a Sdp,
    pub(crate) solution: &'a Solution,
    pub(crate) trace: &'a [Progress],
    /// The file that holds the program, and its name in the directory.
    pub(crate) program: (PathBuf, &'static str),
}

impl answer::Answer for Answer<'_> {
    type Spec = ProgramSpec;
    type Details = Details;

    fn claims(&self, head: Head) -> Claims<ProgramSpec, Details> {
        let Self { sdp, solution, .. } = self;
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
        let mut claims = head.claims(self.spec.clone(), status, &sizes, details).valued_in(
            certificate.scale.objective,
            negated(certificate.primal_objective),
            bound,
        );
        claims.details.words = words(&claims, solution.ray.as_ref());
        claims
    }

    fn parts(&self) -> Vec<Part<'_>> {
        let (path, name) = &self.program;
        let mut parts = parts(self.solution, self.trace);
        parts.push(Part::copy("program", *name, path.clone()));
        parts
    }

    fn summary(&self, claims: &Claims<ProgramSpec, Details>) -> String {
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
            list(&details.ranks, LISTED),
            details.words,
        )
    }

    fn page(&self, claims: &Claims<ProgramSpec, Details>, line: &str) -> Page {
        let title = format!("The semidefinite program {}", claims.input.name());
        let subtitle = format!(
            "{}, {} with {} rows in all",
            counted(self.sdp.constraints(), "constraint"),
            counted(self.sdp.cones().len(), "block"),
            claims.nodes
        );
        let tolerance = claims.spec.tolerance;
        let page = Page::new(title, subtitle)
            .section("Answer", answer_section(claims))
            .section("Certificate", certificate(claims, line))
            .section("Convergence", vec![convergence(self.trace, &NAMES, tolerance).into()]);
        with_spectra(page, self.solution).section("Blocks", vec![blocks(self.solution).into()])
    }
}

/// What is proved, in the signs of the file.
fn words(claims: &Claims<ProgramSpec, Details>, ray: Option<&Ray>) -> String {
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
            let label =
                if claims.status == Status::Solved { "optimal" } else { "not proved optimal" };
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

/// The status with SDPA's names, whose primal problem is our dual; and back.
pub(crate) fn sdpa_status(status: impl Into<Status>) -> Status {
    match status.into() {
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

/// `a block of 50 rows`, `3 blocks of 2, 2 and −5 rows`.
fn sizes(blocks: &[i64]) -> String {
    match blocks {
        [one] => format!("a block of {one} rows"),
        many => {
            let sizes: Vec<usize> = many.iter().map(|n| n.unsigned_abs() as usize).collect();
            format!("{} blocks of {} rows", many.len(), list(&sizes, LISTED))
        }
    }
}

/// The optimum and its bound, or that there is none.
fn answer_section(claims: &Claims<ProgramSpec, Details>) -> Vec<Item> {
    let objective = trimmed(claims.objective);
    let bound = claims.bound.map(|bound| trimmed(bound.value));
    let headline = match (claims.status, bound) {
        (Status::PrimalInfeasible | Status::DualInfeasible, _) => {
            "The program is infeasible".to_owned()
        }
        (Status::Solved, Some(bound)) => {
            format!("⟨F₀, Y⟩ = {objective}, at most {bound} (proved)")
        }
        (_, Some(bound)) => format!("⟨F₀, Y⟩ = {objective} so far, at most {bound} (proved)"),
        (_, None) => format!("⟨F₀, Y⟩ = {objective} so far, not bounded"),
    };
    vec![Item::headline(headline)]
}

fn certificate(claims: &Claims<ProgramSpec, Details>, line: &str) -> Vec<Item> {
    let words = claims.details.words.clone();
    let certificate = match claims.status {
        Status::PrimalInfeasible | Status::DualInfeasible => Item::finding("Infeasible", words),
        status if status.is_answer() => Item::good(words),
        _ => Item::bad(words),
    };
    let bound = claims.bound.map_or(Cell::from("none"), |bound| bound.value.into());
    vec![
        certificate,
        Item::text(format!("{}.", claims.details.program.words(claims))),
        Table::new("Objectives, with the signs of the file", ["⟨F₀, Y⟩", "cᵀx", "proved bound"])
            .row(vec![claims.objective.into(), claims.details.dual_objective.into(), bound])
            .into(),
        Table::new(
            "DIMACS errors",
            ["constraints", "Y ⪰ 0", "slack", "slack ⪰ 0", "gap", "complementarity"],
        )
        .row(claims.details.program.dimacs.map(|error| Cell::from(rounded(error))).to_vec())
        .into(),
        Item::command(line),
    ]
}

fn blocks(solution: &Solution) -> Table {
    let header = [
        "block",
        "rank of Z",
        "smallest eigenvalue of the slack",
        "proved bound",
        "trace of Z at most",
    ];
    let known = solution.certificate.blocks.iter().zip(&solution.ranks).take(SHOWN);
    let row = |(i, (block, rank)): (usize, (&BlockBounds, &usize))| {
        vec![
            i.to_string().into(),
            rank.to_string().into(),
            rounded(block.slack.estimate).into(),
            rounded(block.slack.bound).into(),
            block.trace.map_or(Cell::from("not bounded"), Cell::from),
        ]
    };
    Table::new("What is known of each block", header).rows((1..).zip(known).map(row))
}
