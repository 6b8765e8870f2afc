//! Answers to questions that came from memory, not from a file: the directories and reports that the commands write.

mod cluster;
mod learn;
mod measured;

use std::path::Path;

use anyhow::Context;
use gramfold::linalg::{Csr, Symmetric};
use gramfold_io::{read_sdpa, write_atomically, write_sdpa};
use gramfold_sdp::{Certificate, Cone, Primal, Progress, Sdp, Solution, rounding::Cut, theta};
use tempfile::TempDir;

pub use crate::{learn::Fitted, maxcut::factor as cut_factor, sdp::ProgramSpec};
pub use cluster::{Clustered, Clustering, Clusters};
pub use learn::{Completion, Correlation, Factors, Kernel, Location, Metric, Recovery};
pub use measured::Measurements;

use crate::{
    answer::{Answer, ClaimsOf, Head},
    factor,
    maxcut::{self, CutSpec},
    resources::{Cost, Timings},
    solve,
    store::{Input, Place},
    theta::{self as lovasz, ThetaSpec},
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

impl Origin {
    /// What a command would claim of the run.
    fn head(&self, command: &str) -> Head {
        let cost = Cost { seconds: self.seconds, cpu_seconds: 0.0, peak_memory_bytes: None };
        let input = Input { path: (&self.name).into(), bytes: 0, sha256: String::new() };
        Head::new(command, input, cost, Timings::new())
    }
}

impl To<'_> {
    /// Writes an answer as a command would.
    fn write(&self, origin: &Origin, command: &str, answer: &impl Answer) -> anyhow::Result<()> {
        self.write_as(origin, answer.claims(origin.head(command)), answer)
    }

    /// The same with these claims.
    fn write_as<A: Answer>(
        &self,
        origin: &Origin,
        mut claims: ClaimsOf<A>,
        answer: &A,
    ) -> anyhow::Result<()> {
        match self {
            Self::Directory(path) => Place::claim(path)?.write(&mut claims, &answer.parts()),
            Self::Report(path) => {
                let html = answer.page(&claims, &origin.line).to_html();
                Ok(write_atomically(path, |out| out.write_all(html.as_bytes()))?)
            }
        }
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
        to.write(origin, "factor", &factor::Answer { fitted, matrix: self, names: None })
    }
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

/// A solved program.
#[derive(Clone, Copy)]
pub struct Solved<'a> {
    /// How it was asked to be solved.
    pub spec: &'a ProgramSpec,
    /// The answer.
    pub solution: &'a Solution,
    /// What was seen of each step.
    pub trace: &'a [Progress],
}

impl Solved<'_> {
    /// Writes it for itself.
    pub fn write(self, sdp: &Sdp, origin: &Origin, to: &To<'_>) -> anyhow::Result<()> {
        let kept = TempDir::new().context("cannot keep the program")?;
        let path = kept.path().join("program.dat-s");
        write_sdpa(&path, sdp)?;
        // What is claimed is claimed of the program as the directory holds it.
        let sdp = &read_sdpa(&path)?.program()?;
        let mut solution = self.solution.clone();
        if one_rows_to_numbers(sdp, &mut solution.point.primal) {
            solution.certificate = Certificate::of(sdp, &solution.point)?;
        }
        let mut head = origin.head("solve");
        head.input = Input::of(&path, Path::new(&origin.name))?;
        let (spec, program) = (self.spec.clone(), (path, "program.dat-s"));
        let answer = solve::Answer { spec, sdp, solution: &solution, trace: self.trace, program };
        to.write_as(origin, answer.claims(head), &answer)
    }

    /// Writes it as the Lovász number of a graph, or Schrijver's.
    pub fn write_theta(
        self,
        graph: &Symmetric,
        plus: bool,
        origin: &Origin,
        to: &To<'_>,
    ) -> anyhow::Result<()> {
        let Self { spec, solution, trace } = self;
        let (edges, loops) = theta::edges(graph);
        let spec = ThetaSpec { program: spec.clone(), plus };
        let answer = lovasz::Answer { spec, graph, edges: &edges, loops, solution, trace };
        to.write(origin, "theta", &answer)
    }

    /// Writes it as the relaxation of a heavy cut, or of light halves.
    pub fn write_cut(
        self,
        (graph, cut): (&Csr, &Cut),
        Rounding { halves, planes, sweeps }: Rounding,
        origin: &Origin,
        to: &To<'_>,
    ) -> anyhow::Result<()> {
        let Self { spec, solution, trace } = self;
        let question = if halves { maxcut::Question::BISECTION } else { maxcut::Question::MAX_CUT };
        let spec = CutSpec { program: spec.clone(), planes, sweeps };
        let (names, factor) = (None, &maxcut::factor(&solution.point.primal)?);
        let answer = maxcut::Answer { spec, question, graph, names, cut, factor, solution, trace };
        to.write(origin, question.command, &answer)
    }
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
