//! Answers to questions that came from memory, not from a file: the directories and reports that the commands write.

mod cluster;
mod learn;
mod measured;

use std::path::{Path, PathBuf};

use anyhow::Context;
use gramfold::linalg::{Csr, Symmetric};
use gramfold_io::{read_sdpa, write_atomically, write_sdpa};
use gramfold_report::Page;
use gramfold_sdp::{Cone, Primal, Progress, Sdp, rounding::Cut, theta};
use serde::Serialize;
use tempfile::TempDir;

pub use crate::{learn::Fitted, sdp::ProgramSpec};
pub use cluster::{Clustered, Clustering, Clusters};
pub use learn::{Completion, Correlation, Factors, Kernel, Location, Metric, Recovery};
pub use measured::Measurements;

use crate::{
    factor,
    factorisation::Factorisation,
    maxcut::{self, claims::CutSpec},
    resources::{Cost, Timings},
    sdp,
    session::{Envelope, Head},
    solve,
    store::{Claims, Input, Part, Place},
    theta::{self as lovasz, claims::ThetaSpec},
};

/// Where an answer came from.
pub struct Origin {
    /// What the data are called.
    pub name: String,
    /// The call that made it.
    pub line: String,
    /// Seconds that it took.
    pub seconds: f64,
}

/// What is to be written.
pub enum To<'a> {
    /// The directory that the command writes, which `gramfold check` takes.
    Directory(&'a Path),
    /// The report, one HTML page.
    Report(&'a Path),
}

/// An envelope for one command.
struct Named<'a>(&'a Origin, &'static str, Input);

impl Envelope for Named<'_> {
    fn head(&self) -> Head {
        let cost = Cost { seconds: self.0.seconds, cpu_seconds: 0.0, peak_memory_bytes: None };
        Head::new(self.1, self.2.clone(), cost, Timings::new())
    }
}

impl Origin {
    fn of(&self, command: &'static str) -> Named<'_> {
        let path = PathBuf::from(&self.name);
        Named(self, command, Input { path, bytes: 0, sha256: String::new() })
    }
}

/// What was asked of a run that fits a factor: with its answer it can be written.
pub trait Question: Send + Sync {
    /// Writes the answer.
    fn write(&self, origin: &Origin, fitted: Fitted<'_>, to: &To<'_>) -> anyhow::Result<()>;
}

/// A factorisation of a matrix.
impl Question for Symmetric {
    fn write(&self, origin: &Origin, fitted: Fitted<'_>, to: &To<'_>) -> anyhow::Result<()> {
        let details = Factorisation::of(self, fitted.fit());
        let claims = fitted.claims(&origin.of("factor"), details);
        let mut parts = fitted.parts();
        parts.push(Part::symmetric("A", self));
        let Fitted { solution, trace, .. } = fitted;
        write(to, claims, &parts, |claims| {
            factor::report::page(claims, &origin.line, self, None, &solution.factor, trace)
        })
    }
}

/// A solved program.
pub fn program(
    origin: &Origin,
    sdp: &Sdp,
    spec: ProgramSpec,
    solution: &gramfold_sdp::Solution,
    trace: &[Progress],
    to: &To<'_>,
) -> anyhow::Result<()> {
    let kept = TempDir::new().context("cannot keep the program")?;
    let path = kept.path().join("program.dat-s");
    write_sdpa(&path, sdp)?;
    // What is claimed is claimed of the program as the directory holds it.
    let sdp = read_sdpa(&path)?.program()?;
    let mut solution = solution.clone();
    if one_rows_to_numbers(&sdp, &mut solution.point.primal) {
        solution.certificate = gramfold_sdp::Certificate::of(&sdp, &solution.point)?;
    }
    let mut envelope = origin.of("solve");
    envelope.2 = Input::of(&path, Path::new(&origin.name))?;
    let claims = solve::claims::claims(&envelope, spec, &sdp, &solution);
    let mut parts = sdp::parts(&solution, trace);
    parts.push(Part::copy("program", "program.dat-s", path));
    write(to, claims, &parts, |claims| {
        solve::report::page(claims, &origin.line, &sdp, &solution, trace)
    })
}

/// A file has no semidefinite blocks of one row: they are read as numbers. True if there was one.
fn one_rows_to_numbers(sdp: &Sdp, primal: &mut [Primal]) -> bool {
    let mut changed = false;
    for (cone, block) in sdp.cones().iter().zip(primal) {
        let value = match (cone, &*block) {
            (Cone::Nonnegative(1), Primal::Factor(r)) => r.norm_squared(),
            (Cone::Nonnegative(1), Primal::Dense(z)) => z[(0, 0)],
            _ => continue,
        };
        *block = Primal::Diagonal(vec![value]);
        changed = true;
    }
    changed
}

/// A Lovász number, or Schrijver's.
pub fn lovasz_number(
    origin: &Origin,
    graph: &Symmetric,
    plus: bool,
    spec: ProgramSpec,
    solution: &gramfold_sdp::Solution,
    trace: &[Progress],
    to: &To<'_>,
) -> anyhow::Result<()> {
    let (edges, loops) = theta::edges(graph);
    let spec = ThetaSpec { program: spec, plus };
    let of = (graph.dim(), &edges[..], loops);
    let claims = lovasz::claims::claims(&origin.of("theta"), spec, of, solution);
    let mut parts = sdp::parts(solution, trace);
    parts.push(Part::symmetric("graph", graph));
    write(to, claims, &parts, |claims| lovasz::report::page(claims, &origin.line, solution, trace))
}

/// How a cut was rounded.
#[derive(Clone, Copy, Debug)]
pub struct Rounding {
    /// Whether the cut is one into halves.
    pub halves: bool,
    /// Random hyperplanes.
    pub planes: usize,
    /// Sweeps of simulated annealing.
    pub sweeps: usize,
}

/// A heavy cut, or light halves.
pub fn cut(
    origin: &Origin,
    graph: &Csr,
    rounding: Rounding,
    spec: ProgramSpec,
    (solution, trace): (&gramfold_sdp::Solution, &[Progress]),
    cut: &Cut,
    to: &To<'_>,
) -> anyhow::Result<()> {
    let halves = rounding.halves;
    let question = if halves { maxcut::Question::Bisection } else { maxcut::Question::MaxCut };
    let spec = CutSpec { program: spec, planes: rounding.planes, sweeps: rounding.sweeps };
    let envelope = origin.of(question.command());
    let claims = maxcut::claims::claims(&envelope, spec, question, graph, solution, cut);
    let sides: Vec<usize> = cut.side.iter().map(|side| usize::from(*side)).collect();
    let factor = maxcut::factor(&solution.point.primal)?;
    let weights = Symmetric::from(graph.clone());
    let parts = maxcut::parts(&sides, None, &factor, &weights, solution, trace);
    write(to, claims, &parts, |claims| {
        maxcut::report::page(&maxcut::report::Shown {
            claims,
            line: &origin.line,
            question,
            graph,
            cut,
            solution,
            trace,
            names: None,
        })
    })
}

fn write<S: Serialize, D: Serialize>(
    to: &To<'_>,
    mut claims: Claims<S, D>,
    parts: &[Part<'_>],
    page: impl FnOnce(&Claims<S, D>) -> Page,
) -> anyhow::Result<()> {
    match to {
        To::Directory(path) => Place::claim(path)?.write(&mut claims, parts),
        To::Report(path) => {
            let html = page(&claims).to_html();
            Ok(write_atomically(path, |out| out.write_all(html.as_bytes()))?)
        }
    }
}
