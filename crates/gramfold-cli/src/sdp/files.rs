//! The files of a solved program: Z block by block, y, a ray, the trace.

use std::path::Path;

use anyhow::bail;
use gramfold_sdp::{Cone, Point, Primal, Progress, Sdp, Solution, certificate::Ray};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::store::{Part, Saved};

/// The files of a solution.
pub(crate) fn parts<'a>(solution: &'a Solution, trace: &'a [Progress]) -> Vec<Part<'a>> {
    let mut parts = vec![Part::column("dual", &solution.point.dual), Part::lines("trace", trace)];
    parts.extend(blocks("block", &solution.point.primal));
    match &solution.ray {
        None => {}
        Some(Ray::Primal { y, .. }) => parts.push(Part::column("ray", y)),
        Some(Ray::Dual { z }) => parts.extend(blocks("ray", z)),
    }
    parts
}

/// `block-1-factor` holds R with Z = RRᵀ, `block-1-dense` Z itself, `block-1-diagonal` a column of numbers.
pub(crate) fn blocks<'a>(name: &'a str, blocks: &'a [Primal]) -> impl Iterator<Item = Part<'a>> {
    blocks.iter().enumerate().map(move |(i, block)| {
        let role = |kind: &str| format!("{name}-{}-{kind}", i + 1);
        match block {
            Primal::Factor(factor) => Part::array(role("factor"), factor),
            Primal::Dense(dense) => Part::array(role("dense"), dense),
            Primal::Diagonal(values) => Part::column(role("diagonal"), values),
        }
    })
}

/// Reads the point of a directory of `solve` or `theta`, to start from or to check.
pub(crate) fn read_point(directory: &Path, sdp: &Sdp) -> anyhow::Result<Point> {
    let saved = Saved::<Value>::open(directory)?;
    let primal = read_blocks(&saved, "block", sdp)?;
    // An array without entries is no matrix, and is not read.
    let dual = if sdp.constraints() == 0 { Vec::new() } else { saved.column("dual")? };
    if dual.len() != sdp.constraints() {
        let (at, m) = (directory.display(), sdp.constraints());
        bail!("{at} has {} multipliers, but the problem has {m} constraints", dual.len());
    }
    Ok(Point { primal, dual })
}

/// Reads a matrix block by block, as [`blocks`] names the files.
pub(crate) fn read_blocks<S: DeserializeOwned, D: DeserializeOwned>(
    saved: &Saved<S, D>,
    name: &str,
    sdp: &Sdp,
) -> anyhow::Result<Vec<Primal>> {
    let has = |role: &str| saved.claims.files.contains_key(role);
    let prefix = format!("{name}-");
    let found = saved.claims.files.keys().filter(|role| role.starts_with(&prefix)).count();
    let wanted = sdp.cones().len();
    if found != wanted {
        bail!("{} has {found} blocks, but the problem has {wanted}", saved.directory().display());
    }
    let mut primal = Vec::with_capacity(wanted);
    for (i, cone) in sdp.cones().iter().enumerate() {
        let role = |kind: &str| format!("{name}-{}-{kind}", i + 1);
        let block = match cone {
            Cone::Semidefinite(n) if has(&role("factor")) => {
                let factor = saved.array(&role("factor"))?;
                (factor.rows() == *n).then_some(Primal::Factor(factor))
            }
            Cone::Semidefinite(n) if has(&role("dense")) => {
                let dense = saved.array(&role("dense"))?;
                ((dense.rows(), dense.cols()) == (*n, *n)).then_some(Primal::Dense(dense))
            }
            Cone::Nonnegative(n) if has(&role("diagonal")) => {
                let values = saved.column(&role("diagonal"))?;
                (values.len() == *n).then_some(Primal::Diagonal(values))
            }
            _ => None,
        };
        let Some(block) = block else {
            let (n, at) = (cone.size(), saved.directory().display());
            bail!("{at} does not fit block {} of the problem, of size {n}", i + 1);
        };
        primal.push(block);
    }
    Ok(primal)
}
