//! Points gathered into small balls by halving.

use std::ops::Range;

use gramfold_linalg::{Mat, dot, norm};
use rayon::prelude::*;

use super::squared_distance;

/// Most points of a cell: 128 slows the matrix product, 512 skips too little (measured, 2 to 50
/// dimensions).
const SIZE: usize = 256;

/// Power steps towards the principal direction: tighter cells, which save up to a third of the search.
const POWER_STEPS: usize = 3;

/// Cells of points that lie close together, each with its centre and radius.
pub(super) struct Cells {
    ids: Vec<u32>,
    points: Mat,
    starts: Vec<usize>,
    centres: Mat,
    radii: Vec<f64>,
}

impl Cells {
    /// Cells for the points with the given indices.
    pub(super) fn new(points: &Mat, mut ids: Vec<u32>) -> Self {
        let sizes = halve(points, &mut ids);
        let mut starts = vec![0];
        starts.extend(sizes.iter().scan(0, |end, size| {
            *end += size;
            Some(*end)
        }));
        let d = points.cols();
        let mut gathered = Mat::zeros(ids.len(), d);
        for (at, &id) in ids.iter().enumerate() {
            gathered.row_mut(at).copy_from_slice(points.row(id as usize));
        }
        let mut centres = Mat::zeros(sizes.len(), d);
        let mut radii = Vec::with_capacity(sizes.len());
        for cell in 0..sizes.len() {
            let members = starts[cell]..starts[cell + 1];
            let centre = mean(members.clone().map(|at| gathered.row(at)), d);
            let radius = members.map(|at| squared_distance(gathered.row(at), &centre));
            radii.push(radius.fold(0.0, f64::max).sqrt());
            centres.row_mut(cell).copy_from_slice(&centre);
        }
        Self { ids, points: gathered, starts, centres, radii }
    }

    /// Number of cells.
    pub(super) fn len(&self) -> usize {
        self.radii.len()
    }

    /// Number of coordinates.
    pub(super) fn dim(&self) -> usize {
        self.points.cols()
    }

    /// The index of every point, cell by cell.
    pub(super) fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The places of a cell's points in [`Cells::ids`] and [`Cells::point`].
    pub(super) fn members(&self, cell: usize) -> Range<usize> {
        self.starts[cell]..self.starts[cell + 1]
    }

    /// The point at a place.
    pub(super) fn point(&self, at: usize) -> &[f64] {
        self.points.row(at)
    }

    /// The mean of a cell's points.
    pub(super) fn centre(&self, cell: usize) -> &[f64] {
        self.centres.row(cell)
    }

    /// The largest distance of a cell's points from its centre.
    pub(super) fn radius(&self, cell: usize) -> f64 {
        self.radii[cell]
    }
}

/// Reorders `ids` so that consecutive runs are cells, and returns the sizes of those.
fn halve(points: &Mat, ids: &mut [u32]) -> Vec<usize> {
    if ids.len() <= SIZE {
        return vec![ids.len()];
    }
    let direction = spread(points, ids);
    let mut keyed: Vec<(f64, u32)> =
        ids.par_iter().map(|&id| (dot(points.row(id as usize), &direction), id)).collect();
    let half = ids.len() / 2;
    keyed.select_nth_unstable_by(half, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    ids.iter_mut().zip(&keyed).for_each(|(id, key)| *id = key.1);
    // The selection leaves each half in an order of its own; sorted, the sums below are the same
    // whatever the version of the standard library.
    let (left, right) = ids.split_at_mut(half);
    left.sort_unstable();
    right.sort_unstable();
    let (mut sizes, rest) = rayon::join(|| halve(points, left), || halve(points, right));
    sizes.extend(rest);
    sizes
}

/// Roughly the principal direction of the points: power steps on their covariance, from the
/// point farthest from the mean.
fn spread(points: &Mat, ids: &[u32]) -> Vec<f64> {
    let row = |id: u32| points.row(id as usize);
    let mean = mean(ids.iter().map(|&id| row(id)), points.cols());
    // The maximum of a total order does not depend on how the threads share the work.
    let far = ids.par_iter().map(|&id| (squared_distance(row(id), &mean), id));
    let far = far.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let far = row(far.expect("invariant: a node has points").1);
    let mut direction: Vec<f64> = far.iter().zip(&mean).map(|(a, b)| a - b).collect();
    for _ in 0..POWER_STEPS {
        let offset = dot(&mean, &direction);
        let mut image = vec![0.0; direction.len()];
        for &id in ids {
            let along = dot(row(id), &direction) - offset;
            let pairs = row(id).iter().zip(&mean);
            image.iter_mut().zip(pairs).for_each(|(sum, (v, m))| *sum += along * (v - m));
        }
        let length = norm(&image);
        if length == 0.0 {
            break;
        }
        direction = image.into_iter().map(|v| v / length).collect();
    }
    direction
}

fn mean<'a>(rows: impl Iterator<Item = &'a [f64]>, dim: usize) -> Vec<f64> {
    let (mut sum, mut count) = (vec![0.0; dim], 0.0);
    for row in rows {
        sum.iter_mut().zip(row).for_each(|(sum, v)| *sum += v);
        count += 1.0;
    }
    sum.into_iter().map(|v| v / count).collect()
}
