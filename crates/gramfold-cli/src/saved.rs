//! A solution directory: what it holds, and how it is written and read.
//!
//! `solution.json` is written last, so where it is, everything it speaks of is.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use gramfold::{
    Certificate, Record, Solution, Spec, Status,
    linalg::{Dense, Mat, Symmetric},
};
use gramfold_io::{
    Asymmetry, read_matrix_market, read_npy, write_atomically, write_matrix_market, write_npy,
};
use serde::{Deserialize, Serialize};

use crate::resources::Cost;

/// The version of the directory's format.
const FORMAT: u32 = 1;

/// All that is claimed of a solution: the summary's numbers, the certificate and the run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Claims {
    pub(crate) format: u32,
    pub(crate) status: Status,
    /// ½‖A − XXᵀ‖² at X = ½(X + Y).
    pub(crate) objective: f64,
    /// h at X = ½(X + Y).
    #[serde(with = "gramfold::extended")]
    pub(crate) regularisation: f64,
    /// ‖A − XXᵀ‖/‖A‖.
    pub(crate) relative_error: f64,
    pub(crate) iterations: usize,
    /// Products of A with an n×r matrix.
    pub(crate) products: f64,
    pub(crate) gamma: f64,
    #[serde(with = "gramfold::extended")]
    pub(crate) threshold: f64,
    pub(crate) asymmetry: f64,
    pub(crate) exact: bool,
    pub(crate) optimal: bool,
    pub(crate) lower_bound: Option<f64>,
    /// objective + regularisation − lower_bound.
    pub(crate) gap: Option<f64>,
    #[serde(flatten)]
    pub(crate) cost: Cost,
    /// The n of the matrix.
    pub(crate) dim: usize,
    /// The entries stored for it.
    pub(crate) stored: usize,
    /// The file that was read.
    pub(crate) input: PathBuf,
    pub(crate) spec: Spec,
    pub(crate) certificate: Certificate,
    /// The version of gramfold that wrote this.
    pub(crate) version: String,
    /// The paths written.
    pub(crate) files: Files,
}

/// Where the parts are.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Files {
    pub(crate) factor: PathBuf,
    pub(crate) x: PathBuf,
    pub(crate) y: PathBuf,
    pub(crate) matrix: PathBuf,
    pub(crate) trace: PathBuf,
    pub(crate) solution: PathBuf,
}

impl Files {
    fn in_directory(directory: &Path, matrix: &Symmetric) -> Self {
        // Text is the form that others read; a dense matrix would be slow and large in it.
        let name = if matches!(matrix, Symmetric::Dense(_)) { "A.npy" } else { "A.mtx" };
        Self {
            factor: directory.join("factor.npy"),
            x: directory.join("X.npy"),
            y: directory.join("Y.npy"),
            matrix: directory.join(name),
            trace: directory.join("trace.jsonl"),
            solution: directory.join("solution.json"),
        }
    }
}

/// What the summary and the files are made from.
pub(crate) struct Outcome<'a> {
    pub(crate) input: &'a Path,
    pub(crate) matrix: &'a Symmetric,
    pub(crate) spec: &'a Spec,
    pub(crate) solution: &'a Solution,
    pub(crate) certificate: Certificate,
    pub(crate) trace: &'a [Record],
    pub(crate) cost: Cost,
}

/// Makes the directory: before the work, since a place that cannot be written should not waste it.
pub(crate) fn prepare(directory: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(directory)
        .with_context(|| format!("cannot create the directory {}", directory.display()))
}

/// Writes everything and returns the claims.
pub(crate) fn write(directory: &Path, outcome: Outcome<'_>) -> anyhow::Result<Claims> {
    let claims = write_parts(directory, outcome)?;
    write_solution(&claims.files.solution, &claims)?;
    Ok(claims)
}

/// Writes `solution.json`: last, so that where it is, everything it speaks of is.
pub(crate) fn write_solution(path: &Path, claims: &impl Serialize) -> anyhow::Result<()> {
    write_atomically(path, |out| {
        serde_json::to_writer_pretty(&mut *out, claims)?;
        out.write_all(b"\n")
    })?;
    Ok(())
}

/// Writes what was seen of each step, one JSON object a line.
pub(crate) fn write_trace(path: &Path, steps: &[impl Serialize]) -> anyhow::Result<()> {
    write_atomically(path, |out| {
        for step in steps {
            serde_json::to_writer(&mut *out, step)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    })?;
    Ok(())
}

/// Writes everything but `solution.json` and returns the claims that are to go there.
pub(crate) fn write_parts(directory: &Path, outcome: Outcome<'_>) -> anyhow::Result<Claims> {
    let Outcome { input, matrix, spec, solution, certificate, trace, cost } = outcome;
    let files = Files::in_directory(directory, matrix);
    write_npy(&files.factor, &solution.factor)?;
    write_npy(&files.x, &solution.x)?;
    write_npy(&files.y, &solution.y)?;
    match matrix {
        Symmetric::Dense(dense) => write_npy(&files.matrix, dense.as_mat())?,
        _ => write_matrix_market(&files.matrix, matrix)?,
    }
    write_trace(&files.trace, trace)?;
    let claims = Claims {
        format: FORMAT,
        status: solution.status,
        objective: certificate.loss,
        regularisation: certificate.regularisation,
        relative_error: relative_error(certificate.loss, matrix),
        iterations: solution.last.iteration,
        products: solution.last.products,
        gamma: solution.gamma,
        threshold: certificate.threshold,
        asymmetry: certificate.asymmetry,
        exact: certificate.exact,
        optimal: certificate.optimal,
        lower_bound: certificate.lower_bound.map(|bound| bound.value),
        gap: certificate.gap,
        cost,
        dim: matrix.dim(),
        stored: matrix.stored(),
        input: input.to_owned(),
        spec: spec.clone(),
        certificate,
        version: env!("CARGO_PKG_VERSION").into(),
        files,
    };
    Ok(claims)
}

/// ‖A − Z‖/‖A‖ from ½‖A − Z‖²; zero for a zero matrix.
pub(crate) fn relative_error(loss: f64, matrix: &Symmetric) -> f64 {
    let norm_squared = matrix.norm_squared();
    if norm_squared == 0.0 { 0.0 } else { (2.0 * loss / norm_squared).sqrt() }
}

/// A directory read back.
pub(crate) struct Saved {
    pub(crate) claims: Claims,
    pub(crate) matrix: Symmetric,
    pub(crate) factor: Mat,
    pub(crate) x: Mat,
    pub(crate) y: Mat,
    pub(crate) trace: Vec<Record>,
}

/// Reads a solution directory, wherever it has been moved to.
pub(crate) fn read(directory: &Path) -> anyhow::Result<Saved> {
    let path = directory.join("solution.json");
    let text = fs::read_to_string(&path).with_context(|| {
        format!("cannot read {}; is this a solution directory?", path.display())
    })?;
    let any: serde_json::Value =
        serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()))?;
    if any.get("dimacs").is_some() {
        bail!(
            "{} is of a semidefinite program, which `check` does not read: run the command again",
            path.display()
        );
    }
    let claims: Claims =
        serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()))?;
    if claims.format != FORMAT {
        let format = claims.format;
        bail!("{} has format {format}, but this gramfold reads {FORMAT}", path.display());
    }
    // The names count, not the places: the directory may have been moved.
    let local = |path: &Path| directory.join(path.file_name().unwrap_or_default());
    let matrix = local(&claims.files.matrix);
    let matrix = if matrix.extension().is_some_and(|extension| extension == "npy") {
        let dense = read_npy(&matrix)?;
        if dense.rows() != dense.cols() || dense != dense.transposed() {
            bail!("{} is not symmetric", matrix.display());
        }
        Dense::symmetrised(dense).into()
    } else {
        read_matrix_market(&matrix, Asymmetry::Refuse)?
    };
    let path = local(&claims.files.trace);
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let trace = text
        .lines()
        .enumerate()
        .map(|(i, line)| {
            serde_json::from_str(line)
                .with_context(|| format!("{}:{}: not a record", path.display(), i + 1))
        })
        .collect::<anyhow::Result<_>>()?;
    Ok(Saved {
        trace,
        factor: read_npy(&local(&claims.files.factor))?,
        x: read_npy(&local(&claims.files.x))?,
        y: read_npy(&local(&claims.files.y))?,
        matrix,
        claims,
    })
}
