//! Semidefinite programs: stated by arrays, solved, proved.

use std::{
    fmt::Display,
    ops::ControlFlow,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Instant,
};

use gramfold::linalg::Mat;
use gramfold_cli::memory::{Origin, ProgramSpec, Rounding, Solved, To};
use gramfold_sdp::{
    Cone, Method, Options, Point, Primal, Progress, RankOne, Sdp, Solution, Status, Term, Watch,
    certificate::Ray,
    diagonal,
    rounding::Cut,
    solve,
    theta::{self, lovasz},
};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use crate::{
    arrays::{self, to_numpy},
    cuts::sparse,
    errors::{refused, refused_in_full},
    matrix::Matrix,
    session::{self, Link},
    spec::{time_limit, tolerance},
};

/// min ⟨C, Z⟩ s.t. ⟨A_i, Z⟩ = b_i, Z ∈ K.
#[pyclass(frozen, module = "gramfold._gramfold")]
pub(crate) struct Program {
    sdp: Arc<Sdp>,
    /// The nodes of a graph whose Lovász number this is, and whether Z ≥ 0.
    theta: Option<(usize, bool)>,
}

/// The entries of C and the A_i, one array a field.
#[derive(FromPyObject)]
struct Entries<'py>(
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
);

/// How to solve.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Keywords {
    method: String,
    tol: f64,
    rank: Option<usize>,
    time_limit: Option<f64>,
    seed: u64,
}

#[pymethods]
impl Program {
    /// `cones` are sizes, negative for nonnegative numbers; an entry is its matrix (0 for C), block, row, column, value.
    #[new]
    fn new(
        cones: Vec<i64>,
        rhs: &Bound<'_, PyAny>,
        entries: Entries<'_>,
        rank_ones: Vec<(usize, usize, f64, Bound<'_, PyAny>)>,
    ) -> PyResult<Self> {
        let cones = cones.into_iter().map(|size| {
            let n = size.unsigned_abs() as usize;
            if size < 0 { Cone::Nonnegative(n) } else { Cone::Semidefinite(n) }
        });
        let Entries(matrix, block, row, col, value) = entries;
        let matrix: Vec<usize> = arrays::indices(&matrix)?;
        let block: Vec<usize> = arrays::indices(&block)?;
        let row: Vec<usize> = arrays::indices(&row)?;
        let col: Vec<usize> = arrays::indices(&col)?;
        let value = arrays::numbers(&value)?;
        let length = matrix.len();
        if [block.len(), row.len(), col.len(), value.len()].iter().any(|&n| n != length) {
            return Err(refused("the arrays of entries differ in length"));
        }
        let terms = (0..length).map(|k| Term {
            matrix: matrix[k],
            block: block[k],
            row: row[k],
            col: col[k],
            value: value[k],
        });
        let rank_ones: PyResult<Vec<RankOne>> = rank_ones
            .into_iter()
            .map(|(matrix, block, weight, vector)| {
                Ok(RankOne { matrix, block, weight, vector: arrays::numbers(&vector)? })
            })
            .collect();
        let sdp = Sdp::new(cones.collect(), arrays::numbers(rhs)?, terms.collect(), rank_ones?);
        Ok(Self { sdp: Arc::new(sdp.map_err(refused)?), theta: None })
    }

    /// The relaxation of the heaviest cut.
    #[staticmethod]
    fn max_cut(graph: &Matrix) -> PyResult<Self> {
        let sdp = diagonal::max_cut(&sparse(&graph.0)?).map_err(refused)?;
        Ok(Self { sdp: Arc::new(sdp), theta: None })
    }

    /// The relaxation of the lightest cut into halves.
    #[staticmethod]
    fn bisection(graph: &Matrix) -> PyResult<Self> {
        let sdp = diagonal::bisection(&sparse(&graph.0)?).map_err(refused)?;
        Ok(Self { sdp: Arc::new(sdp), theta: None })
    }

    /// Lovász's number of a graph, or Schrijver's; and the number of edges.
    #[staticmethod]
    fn theta(graph: &Matrix, plus: bool) -> PyResult<(Self, usize)> {
        let n = graph.0.dim();
        if n == 0 {
            return Err(refused("the graph has no nodes"));
        }
        let (edges, _) = theta::edges(&graph.0);
        let sdp = lovasz(n, &edges, plus).map_err(refused)?;
        Ok((Self { sdp: Arc::new(sdp), theta: Some((n, plus)) }, edges.len()))
    }

    /// The engine that would be tried first, and why.
    fn choose(&self, method: &str) -> PyResult<(String, String)> {
        let method: Method = method.parse().map_err(refused)?;
        let (method, why) = gramfold_sdp::choose(&self.sdp, method).map_err(refused)?;
        Ok((method.to_string(), why))
    }

    /// Solves and proves. A warm start is the blocks and the dual of an earlier outcome.
    fn solve(
        &self,
        py: Python<'_>,
        keywords: Keywords,
        warm: Option<(Vec<Given<'_>>, Bound<'_, PyAny>)>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<Outcome> {
        let Keywords { method, tol, rank, time_limit: seconds, seed } = keywords;
        let tol = tolerance(tol)?;
        if rank == Some(0) {
            return Err(refused("rank = 0 is not allowed: expected a number from 1"));
        }
        let options = Options {
            tolerance: tol,
            rank,
            method: method.parse().map_err(refused)?,
            time_limit: time_limit(seconds)?,
            seed,
            warm: warm.map(|(blocks, dual)| point(blocks, &dual)).transpose()?,
            ..Options::default()
        };
        let spec =
            ProgramSpec { method: options.method, rank, tolerance: tol, time_limit: seconds, seed };
        let clock = Instant::now();
        let (solution, trace) = session::attempt(py, callback, |link| {
            let watch = Mutex::new(Steps { link, trace: Vec::new() });
            let mut one = |options: Options| {
                let mut watch = watch.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                solve(&self.sdp, &options, &mut *watch)
            };
            let by_structure = self.theta.filter(|_| options.method == Method::Auto);
            let solution = match by_structure {
                Some((n, plus)) => {
                    theta::answer(&self.sdp, n, plus, options, &mut one, &|| link.stops())
                }
                None => one(options),
            };
            let watch = watch.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
            solution.map(|solution| (solution, watch.trace))
        })?;
        let (sdp, seconds) = (Arc::clone(&self.sdp), clock.elapsed().as_secs_f64());
        Ok(Outcome { sdp, spec, solution, trace, seconds })
    }
}

/// An answer and what is proved of it.
#[pyclass(frozen, module = "gramfold._gramfold")]
pub(crate) struct Outcome {
    sdp: Arc<Sdp>,
    spec: ProgramSpec,
    pub(crate) solution: Solution,
    trace: Vec<Progress>,
    seconds: f64,
}

/// A block of Z as it is given: its kind and its numbers.
type Given<'py> = (String, Bound<'py, PyAny>);

/// A block of Z: its kind and its numbers.
type Block<'py> = (&'static str, Bound<'py, PyArray2<f64>>);

#[pymethods]
impl Outcome {
    /// The name of the status, as in `solution.json`, and how it reads.
    #[getter]
    fn status(&self) -> PyResult<(String, String)> {
        let status: Status = self.solution.status;
        let name = serde_json::to_value(status).map_err(refused)?;
        Ok((name.as_str().unwrap_or_default().to_owned(), status.to_string()))
    }

    #[getter]
    fn method(&self) -> (String, String) {
        (self.solution.method.to_string(), self.solution.why.clone())
    }

    #[getter]
    fn iterations(&self) -> usize {
        self.solution.iterations
    }

    #[getter]
    fn ranks(&self) -> Vec<usize> {
        self.solution.ranks.clone()
    }

    /// Z, block by block.
    fn blocks<'py>(&self, py: Python<'py>) -> PyResult<Vec<Block<'py>>> {
        blocks(py, &self.solution.point.primal)
    }

    /// y.
    fn dual<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.solution.point.dual)
    }

    /// A ray y that proves that no Z is feasible.
    fn primal_ray<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        match &self.solution.ray {
            Some(Ray::Primal { y, .. }) => Some(PyArray1::from_slice(py, y)),
            _ => None,
        }
    }

    /// A ray Z that proves that no y is feasible.
    fn dual_ray<'py>(&self, py: Python<'py>) -> PyResult<Option<Vec<Block<'py>>>> {
        match &self.solution.ray {
            Some(Ray::Dual { z }) => blocks(py, z).map(Some),
            _ => Ok(None),
        }
    }

    /// What is proved, as JSON and in words.
    fn certificate(&self) -> PyResult<(String, String)> {
        let certificate = &self.solution.certificate;
        Ok((serde_json::to_string(certificate).map_err(refused)?, certificate.to_string()))
    }

    /// Writes the directory of `gramfold solve`, or its report.
    fn write(&self, py: Python<'_>, to: Place) -> PyResult<()> {
        self.written(py, &to, |solved, origin, to| solved.write(&self.sdp, origin, to))
    }

    /// Writes the directory of `gramfold theta`, or its report.
    fn write_theta(&self, py: Python<'_>, to: Place, graph: &Matrix, plus: bool) -> PyResult<()> {
        self.written(py, &to, |solved, origin, to| solved.write_theta(&graph.0, plus, origin, to))
    }

    /// Writes the directory of `gramfold maxcut` or `bisect`, or its report; the cut is the sides and the weight
    /// between them, and whether it is one into halves, hyperplanes and sweeps.
    fn write_cut(
        &self,
        py: Python<'_>,
        to: Place,
        graph: &Matrix,
        cut: (Vec<bool>, f64),
        rounding: (bool, usize, usize),
    ) -> PyResult<()> {
        let (graph, cut) = (sparse(&graph.0)?, Cut { side: cut.0, weight: cut.1 });
        let (halves, planes, sweeps) = rounding;
        let rounding = Rounding { halves, planes, sweeps };
        self.written(py, &to, |solved, origin, to| {
            solved.write_cut((&graph, &cut), rounding, origin, to)
        })
    }

    /// What was seen of each step, as JSON.
    fn trace(&self) -> PyResult<String> {
        serde_json::to_string(&self.trace).map_err(refused)
    }
}

/// Where to write: the path, whether it is the report that is wanted, what the data are called, and the call.
type Place = (PathBuf, bool, String, String);

impl Outcome {
    fn written<E: Display + Send>(
        &self,
        py: Python<'_>,
        (path, report, name, line): &Place,
        write: impl FnOnce(Solved<'_>, &Origin, &To<'_>) -> Result<(), E> + Send,
    ) -> PyResult<()> {
        let Self { spec, solution, trace, seconds, .. } = self;
        let origin = Origin { name: name.clone(), line: line.clone(), seconds: *seconds };
        let to = if *report { To::Report(path) } else { To::Directory(path) };
        py.detach(|| write(Solved { spec, solution, trace }, &origin, &to)).map_err(refused_in_full)
    }
}

fn blocks<'py>(py: Python<'py>, primal: &[Primal]) -> PyResult<Vec<Block<'py>>> {
    primal
        .iter()
        .map(|block| match block {
            Primal::Factor(r) => Ok(("factor", to_numpy(py, r)?)),
            Primal::Dense(z) => Ok(("dense", to_numpy(py, z)?)),
            Primal::Diagonal(z) => {
                Ok(("diagonal", to_numpy(py, &Mat::from_row_major(z.len(), 1, z.clone()))?))
            }
        })
        .collect()
}

/// A point from its blocks and y.
fn point(blocks: Vec<Given<'_>>, dual: &Bound<'_, PyAny>) -> PyResult<Point> {
    let primal: PyResult<Vec<Primal>> = blocks
        .into_iter()
        .map(|(kind, array)| {
            let matrix = arrays::matrix(&array)?;
            match kind.as_str() {
                "factor" => Ok(Primal::Factor(matrix)),
                "dense" => Ok(Primal::Dense(matrix)),
                "diagonal" => Ok(Primal::Diagonal(matrix.as_slice().to_vec())),
                other => Err(refused(format!("there is no block of kind `{other}`"))),
            }
        })
        .collect();
    Ok(Point { primal: primal?, dual: arrays::numbers(dual)? })
}

/// Keeps the trace and serves the callback.
struct Steps<'a> {
    link: &'a Link<'a>,
    trace: Vec<Progress>,
}

impl Watch for Steps<'_> {
    fn step(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.trace.push(progress.clone());
        self.link.show(progress)
    }

    fn stops(&self) -> bool {
        self.link.stops()
    }
}
