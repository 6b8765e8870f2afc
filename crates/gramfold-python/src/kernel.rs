//! Kernels on graphs.

use std::sync::Arc;

use gramfold::{Loss, Spec, factorise};
use gramfold_cli::memory::Kernel;
use gramfold_learn::Links;
use pyo3::prelude::*;

use crate::{
    answer::Answer,
    arrays::{self, Pairs},
    errors::refused,
    matrix::Matrix,
    spec::Keywords,
};

/// How the kernel is to be learnt.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wanted {
    loss: String,
    smoothness: f64,
    /// Chosen by the number of pairs if not given.
    rank: Option<usize>,
}

/// Learns a kernel from pairs of nodes and their signs: the run, and the share of pairs whose entry has the right sign.
#[pyfunction]
pub(crate) fn learn_kernel<'py>(
    py: Python<'py>,
    graph: &Matrix,
    pairs: Pairs<'py>,
    signs: &Bound<'py, PyAny>,
    wanted: Wanted,
    keywords: Keywords,
    callback: Option<Py<PyAny>>,
) -> PyResult<(Answer, f64)> {
    let links = Links { pairs: arrays::pairs(&pairs)?, signs: arrays::numbers(signs)? };
    let (graph, smoothness) = (graph.0.clone(), wanted.smoothness);
    let n = graph.dim();
    let rank = wanted.rank.unwrap_or_else(|| links.rank(n));
    if rank > n {
        return Err(refused(format!("rank = {rank} is not allowed: the graph has only {n} nodes")));
    }
    let loss = wanted.loss.parse().map_err(refused)?;
    let spec = Spec { rank, loss, data: "entries".into(), ..keywords.spec()? };
    let loss = links.loss(&graph, smoothness, &spec.loss).map_err(refused)?;
    let loss: Arc<dyn Loss> = Arc::new(loss);
    let regulariser = spec.regulariser().map_err(refused)?;
    let (question, described) = (Arc::new(Kernel { graph, links, smoothness }), spec.clone());
    let asked = Arc::clone(&question);
    let run = Answer::make(py, callback, loss, &*regulariser, asked, spec, |problem, watch| {
        factorise(problem, &described, watch)
    })?;
    let kept = question.links.kept(run.factor());
    Ok((run, kept))
}
