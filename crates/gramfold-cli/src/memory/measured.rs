//! Measurements and how they are judged: what `gramfold fit` takes as a description and a file.

use std::{fmt::Write as _, fs};

use anyhow::{Context, bail};
use gramfold::{
    Problem, Spec,
    linalg::Mat,
    registry::{Component, MapData},
};
use gramfold_io::write_npy;
use tempfile::TempDir;

use super::{Origin, Question, To};
use crate::{
    fit::{Answer, Described, load},
    learn::{Fitted, Nodes},
};

/// Σ w·φ(⟨A_k, Z⟩, b).
pub struct Measurements {
    /// The rows of Z.
    pub dim: usize,
    /// What is measured.
    pub kind: MapData,
    /// b.
    pub targets: Vec<f64>,
    /// w.
    pub weights: Option<Vec<f64>>,
    /// φ.
    pub loss: Component,
}

impl Question for Measurements {
    fn write(&self, origin: &Origin, fitted: Fitted<'_>, to: &To<'_>) -> anyhow::Result<()> {
        let kept = TempDir::new().context("cannot keep the measurements")?;
        let file = match self.kind {
            MapData::Entries(_) | MapData::Distances(_) => "measurements.csv",
            MapData::RankOne(_) | MapData::Matrices(_) => "measurements.npy",
        };
        let path = kept.path().join(file);
        match &self.kind {
            MapData::Entries(places) | MapData::Distances(places) => {
                fs::write(&path, self.list(places)?)
                    .with_context(|| format!("cannot write {}", path.display()))?;
            }
            MapData::RankOne(vectors) => write_npy(&path, &self.table(vectors)?)?,
            MapData::Matrices(matrices) => {
                write_npy(&path, &self.table(&rows(matrices, self.dim))?)?;
            }
        }
        let text = self.description(fitted.spec, file);
        // What is claimed is claimed of the problem as the directory holds it.
        let described = Described::parse(text, "problem.toml".as_ref())?;
        let spec = described.spec(fitted.spec)?;
        let loaded = load(&described, &|_, _| Ok(path.clone()))?;
        let regulariser = spec.regulariser()?;
        let problem = Problem::new(&*loaded.loss, &*regulariser, spec.rank)?;
        let solution = fitted.solution;
        let cut_short = solution.status.is_cut_short();
        let tolerance = spec.stop.stationarity;
        let certificate = solution.certify_in_time(&problem, tolerance, cut_short)?;
        let fitted = Fitted { spec: &spec, certificate: &certificate, ..fitted };
        let files = vec![("term-1".into(), format!("term-1-{file}"), fs::read(&path)?)];
        let nodes = Nodes::new(self.dim, None);
        let answer =
            Answer { fitted, problem: &problem, described: &described, files, nodes: &nodes };
        to.write(origin, "fit", &answer)
    }
}

impl Measurements {
    fn description(&self, spec: &Spec, file: &str) -> String {
        let Spec { rank, regulariser, algorithm, rule, seed, stop, .. } = spec;
        let start = format!("{:?}", spec.start).to_lowercase();
        let limit = stop
            .time_limit
            .map_or(String::new(), |limit| format!("time_limit = {:?}\n", limit.as_secs_f64()));
        // A file has whole numbers up to 2⁶³: another seed stays with the claims alone.
        let seed = i64::try_from(*seed).map_or(String::new(), |seed| format!("seed = {seed}\n"));
        format!(
            "rank = {rank}\nnodes = {}\nregulariser = \"{regulariser}\"\nalgorithm = \"{algorithm}\"\nrule = \"{rule}\"\n\
             start = \"{start}\"\n{seed}\n[stop]\ntolerance = {:?}\nmax_iterations = {}\n{limit}\n\
             [[term]]\nmap = \"{}\"\nfile = \"{file}\"\nloss = \"{}\"\n",
            self.dim,
            stop.stationarity,
            stop.max_iterations,
            self.kind.name(),
            self.loss
        )
    }

    /// Lines of two nodes, a value and perhaps a weight.
    fn list(&self, places: &[(u32, u32)]) -> anyhow::Result<String> {
        let mut text = String::new();
        for (k, ((i, j), &target)) in places.iter().zip(&self.targets).enumerate() {
            let value = match self.kind {
                MapData::Distances(_) if target < 0.0 => {
                    bail!(
                        "the squared distance of {i} and {j} is {target}: a file has only distances from 0"
                    )
                }
                MapData::Distances(_) => target.sqrt(),
                _ => target,
            };
            write!(text, "{i},{j},{value:?}")?;
            if let Some(weights) = &self.weights {
                write!(text, ",{:?}", weights[k])?;
            }
            text.push('\n');
        }
        Ok(text)
    }

    /// What is measured, row by row, and b.
    fn table(&self, rows: &Mat) -> anyhow::Result<Mat> {
        if self.weights.is_some() {
            bail!(
                "measurements by vectors or matrices that have weights cannot be written: a file of them has none"
            );
        }
        let last = rows.cols();
        Ok(Mat::from_fn(rows.rows(), last + 1, |k, j| {
            if j == last { self.targets[k] } else { rows[(k, j)] }
        }))
    }
}

/// The n² entries of each matrix.
fn rows(matrices: &[Vec<(u32, u32, f64)>], dim: usize) -> Mat {
    let mut rows = Mat::zeros(matrices.len(), dim * dim);
    for (k, entries) in matrices.iter().enumerate() {
        for &(i, j, value) in entries {
            rows[(k, i as usize * dim + j as usize)] += value;
        }
    }
    rows
}
