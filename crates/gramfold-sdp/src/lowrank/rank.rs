//! Ranks: how many columns to start with, which to drop, and which to add.

use gramfold::loss::Line;
use gramfold_linalg::Mat;

use super::{BlockRows, Factor, Lagrangian, Least, Program};
use crate::axes::without_vanished;

/// A column is dropped when its share of the trace is below this.
const VANISHED: f64 = 1e-10;

/// Constraints a row that make a block crowded, and the share of the ceiling that it starts with.
const MANY: usize = 4;
const CROWDED: f64 = 0.45;

/// The rank at which a block has no spurious minima: r(r+1)/2 > m (Barvinok, Pataki; Boumal et al.).
fn ceiling(block: &BlockRows) -> usize {
    let m = block.touching as f64;
    let pataki = ((2.0 * m + 0.25).sqrt() - 0.5).floor() as usize + 1;
    pataki.clamp(1, block.range.len().max(1))
}

/// Columns to start with.
pub(super) fn initial(block: &BlockRows, asked: Option<usize>) -> usize {
    if block.nonnegative {
        return 1;
    }
    let (n, most) = (block.range.len().max(1), ceiling(block));
    if let Some(rank) = asked {
        return rank.clamp(1, n);
    }
    let small = (2.0 * (n as f64).ln() + 2.0).ceil() as usize;
    // Many constraints a row leave little freedom: their optima have about half of the highest rank there is, and
    // growing to it step by step costs more than starting there.
    let many = block.touching >= MANY * n;
    let large = if many { (CROWDED * most as f64).ceil() as usize } else { 0 };
    small.max(large).min(most)
}

/// Drops columns that have vanished from each block; none if none has.
pub(super) fn shrunk(program: &Program, factor: &Factor) -> Option<Factor> {
    let mut dropped = false;
    let kept = |(block, rows): (usize, &BlockRows)| {
        let old = factor.block(program, block);
        let free = |trace| VANISHED * trace;
        let kept = if rows.nonnegative { None } else { without_vanished(&old, free) };
        dropped |= kept.is_some();
        kept.unwrap_or(old)
    };
    let blocks: Vec<Mat> = program.blocks.iter().enumerate().map(kept).collect();
    dropped.then(|| Factor::stacked(&blocks))
}

/// Appends directions of negative curvature to the factors (C6), sized so that L falls along them; true if any
/// block grew or moved.
pub(super) fn escape(l: &mut Lagrangian, least: &[Least]) -> bool {
    if least.iter().all(|least| least.curvatures.is_empty()) {
        return false;
    }
    let (mut factors, mut directions) = (Vec::new(), Vec::new());
    for (block, least) in least.iter().enumerate() {
        let old = l.factor.block(&l.program, block);
        let (n, r) = (old.rows(), old.cols());
        let shares: Vec<f64> =
            least.curvatures.iter().map(|c| (c / least.curvatures[0]).sqrt()).collect();
        if l.program.blocks[block].nonnegative {
            // Entries with a negative slack: those that are away from zero move by themselves.
            let size = old.norm() / (n as f64).sqrt() + 1e-3;
            let mut direction = Mat::zeros(n, r);
            for (&at, share) in least.places.iter().zip(shares) {
                direction[(at, 0)] = if old[(at, 0)] < 0.0 { -share * size } else { share * size };
            }
            directions.push(direction);
            factors.push(old);
        } else {
            let size = old.norm() / (r as f64).sqrt();
            let all = r + shares.len();
            let grown = |i, j| if j < r { old[(i, j)] } else { 0.0 };
            let added = |i, j| {
                if j < r { 0.0 } else { size * shares[j - r] * least.directions[(j - r, i)] }
            };
            factors.push(Mat::from_fn(n, all, grown));
            directions.push(Mat::from_fn(n, all, added));
        }
    }
    let (mut grown, direction) = (Factor::stacked(&factors), Factor::stacked(&directions));
    l.set_factor(grown.clone());
    // ∇L vanishes along new columns: the quartic has no slope, and its minimiser is that of c₂t² + c₄t⁴.
    let line = l.split().and_then(|mut split| match split.line(&direction.rows)? {
        Line::Quartic(c) => Some(c),
        Line::Smooth(..) => None,
    });
    let t = match line {
        Some(c) if c[2] < 0.0 && c[4] > 0.0 => (-c[2] / (2.0 * c[4])).sqrt(),
        _ => 1e-3,
    };
    grown.rows.axpy(t, &direction.rows);
    l.set_factor(grown);
    true
}
