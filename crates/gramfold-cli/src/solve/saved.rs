//! The directory of a solved program: Z block by block, y, the trace, and `solution.json` last.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use gramfold::linalg::Mat;
use gramfold_io::{read_npy, write_npy};
use gramfold_sdp::{Cone, Point, Primal, Progress, Sdp, Solution, certificate::Ray};
use serde::{Deserialize, Serialize};

use super::claims::SolveClaims;
use crate::{saved::write_trace, sdp::FORMAT};

/// Where the parts are.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Files {
    /// Z, block by block.
    pub(crate) blocks: Vec<BlockFile>,
    /// y = −x.
    pub(crate) dual: PathBuf,
    pub(crate) trace: PathBuf,
    pub(crate) solution: PathBuf,
    /// A ray y, or the blocks of a ray Z.
    pub(crate) ray: Vec<BlockFile>,
}

/// One block of Z.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct BlockFile {
    pub(crate) kind: Kind,
    pub(crate) path: PathBuf,
}

/// How a block is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// R of Z = RRᵀ.
    Factor,
    /// Z itself.
    Dense,
    /// A column of numbers.
    Diagonal,
}

/// Writes everything but `solution.json`.
pub(crate) fn write_parts(
    directory: &Path,
    solution: &Solution,
    trace: &[Progress],
) -> anyhow::Result<Files> {
    let blocks = write_blocks(directory, "block", &solution.point.primal)?;
    let dual = directory.join("y.npy");
    write_npy(&dual, &column(&solution.point.dual))?;
    let ray = match &solution.ray {
        None => Vec::new(),
        Some(Ray::Primal { y, .. }) => {
            write_blocks(directory, "ray", &[Primal::Diagonal(y.clone())])?
        }
        Some(Ray::Dual { z }) => write_blocks(directory, "ray", z)?,
    };
    let path = directory.join("trace.jsonl");
    write_trace(&path, trace)?;
    Ok(Files { blocks, dual, trace: path, solution: directory.join("solution.json"), ray })
}

fn write_blocks(directory: &Path, name: &str, blocks: &[Primal]) -> anyhow::Result<Vec<BlockFile>> {
    let mut files = Vec::with_capacity(blocks.len());
    for (i, block) in blocks.iter().enumerate() {
        let (kind, ending) = match block {
            Primal::Factor(_) => (Kind::Factor, "-factor"),
            Primal::Dense(_) => (Kind::Dense, ""),
            Primal::Diagonal(_) => (Kind::Diagonal, "-diagonal"),
        };
        let path = directory.join(format!("{name}-{}{ending}.npy", i + 1));
        match block {
            Primal::Factor(matrix) | Primal::Dense(matrix) => write_npy(&path, matrix)?,
            Primal::Diagonal(values) => write_npy(&path, &column(values))?,
        }
        files.push(BlockFile { kind, path });
    }
    Ok(files)
}

fn column(values: &[f64]) -> Mat {
    Mat::from_row_major(values.len(), 1, values.to_vec())
}

/// Reads the point of a directory, wherever it has been moved to, to start from.
pub(super) fn read_point(directory: &Path, sdp: &Sdp) -> anyhow::Result<Point> {
    let path = directory.join("solution.json");
    let text = fs::read_to_string(&path).with_context(|| {
        format!("cannot read {}; is this a directory of `gramfold solve`?", path.display())
    })?;
    let claims: SolveClaims = serde_json::from_str(&text)
        .with_context(|| format!("{} is not of `gramfold solve`", path.display()))?;
    if claims.run.format != FORMAT {
        let format = claims.run.format;
        bail!("{} has format {format}, but this gramfold reads {FORMAT}", path.display());
    }
    let local = |path: &Path| directory.join(path.file_name().unwrap_or_default());
    let blocks = sdp.cones().len();
    if claims.files.blocks.len() != blocks {
        let found = claims.files.blocks.len();
        bail!("{} has {found} blocks, but the problem has {blocks}", directory.display());
    }
    let mut primal = Vec::with_capacity(blocks);
    for (i, (file, cone)) in claims.files.blocks.iter().zip(sdp.cones()).enumerate() {
        let path = local(&file.path);
        let matrix = read_npy(&path)?;
        let (rows, n) = (matrix.rows(), cone.size());
        let fits = match (file.kind, cone) {
            (Kind::Factor, Cone::Semidefinite(_)) => rows == n,
            (Kind::Dense, Cone::Semidefinite(_)) => (rows, matrix.cols()) == (n, n),
            (Kind::Diagonal, Cone::Nonnegative(_)) => (rows, matrix.cols()) == (n, 1),
            _ => false,
        };
        if !fits {
            bail!("{} does not fit block {} of the problem, of size {n}", path.display(), i + 1);
        }
        primal.push(match file.kind {
            Kind::Factor => Primal::Factor(matrix),
            Kind::Dense => Primal::Dense(matrix),
            Kind::Diagonal => Primal::Diagonal(matrix.as_slice().to_vec()),
        });
    }
    let path = local(&claims.files.dual);
    let dual = read_npy(&path)?;
    if (dual.rows(), dual.cols()) != (sdp.constraints(), 1) {
        bail!("{} does not fit the {} constraints", path.display(), sdp.constraints());
    }
    Ok(Point { primal, dual: dual.as_slice().to_vec() })
}
