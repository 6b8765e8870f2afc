//! Ranks: how many columns to start with, which to drop, and which to add.

use gramfold_linalg::{Gram, Mat, multiply, symmetric_eigen};

use super::{lagrangian::Lagrangian, operator::Operator, slack::Least};

/// A column is dropped when its share of the trace is below this.
const VANISHED: f64 = 1e-10;

/// Constraints a row that make a block crowded, and the share of the ceiling that it starts with.
const MANY: usize = 4;
const CROWDED: f64 = 0.45;

/// The rank at which a block has no spurious minima: r(r+1)/2 > m (Barvinok, Pataki; Boumal et al.).
pub(super) fn ceiling(operator: &Operator, block: usize) -> usize {
    if operator.is_nonnegative(block) {
        return 1;
    }
    let m = operator.touching(block) as f64;
    let pataki = ((2.0 * m + 0.25).sqrt() - 0.5).floor() as usize + 1;
    pataki.clamp(1, operator.size(block).max(1))
}

/// Columns to start with.
pub(super) fn initial(operator: &Operator, block: usize, asked: Option<usize>) -> usize {
    let most = ceiling(operator, block);
    if operator.is_nonnegative(block) {
        return 1;
    }
    if let Some(rank) = asked {
        return rank.clamp(1, operator.size(block).max(1));
    }
    let n = operator.size(block).max(1);
    let small = (2.0 * (n as f64).ln() + 2.0).ceil() as usize;
    // Many constraints a row leave little freedom: their optima have about half of the highest rank there is, and
    // growing to it step by step costs more than starting there.
    let many = operator.touching(block) >= MANY * n;
    let large = if many { (CROWDED * most as f64).ceil() as usize } else { 0 };
    small.max(large).min(most)
}

/// R rotated to its principal columns, largest first, without those that vanished; none if all are alive.
pub(super) fn compress(factor: &Mat) -> Option<Mat> {
    let (n, r) = (factor.rows(), factor.cols());
    let gram = Gram::new(r).of(factor, factor).clone();
    let eigen = symmetric_eigen(&gram)?;
    let trace: f64 = eigen.values.iter().sum();
    let alive = eigen.values.iter().filter(|value| **value > VANISHED * trace).count().max(1);
    if alive >= r {
        return None;
    }
    let rotation = Mat::from_fn(r, alive, |i, j| eigen.vectors[(r - 1 - j, i)]);
    let mut rotated = Mat::zeros(n, alive);
    multiply(1.0, factor, &rotation, &mut rotated);
    Some(rotated)
}

/// Appends directions of negative curvature to the factors (C6), sized so that L falls along them; true if any
/// block grew or moved.
pub(super) fn escape(l: &mut Lagrangian, least: &[Least]) -> bool {
    let mut factors = l.factors.clone();
    let mut direction = factors.zeros_like();
    let mut any = false;
    for (block, least) in least.iter().enumerate() {
        let count = least.curvatures.len();
        if count == 0 {
            continue;
        }
        any = true;
        let old = &l.factors.0[block];
        if l.operator.is_nonnegative(block) {
            // Entries with a negative slack: those that are away from zero move by themselves.
            let size = old.norm() / (old.rows() as f64).sqrt() + 1e-3;
            for (&at, curvature) in least.places.iter().zip(&least.curvatures) {
                let share = (curvature / least.curvatures[0]).sqrt();
                direction.0[block][(at, 0)] = share * size;
                if old[(at, 0)] < 0.0 {
                    direction.0[block][(at, 0)] *= -1.0;
                }
            }
            continue;
        }
        let (n, r) = (old.rows(), old.cols());
        let size = old.norm() / (r as f64).sqrt();
        let shares: Vec<f64> =
            least.curvatures.iter().map(|c| (c / least.curvatures[0]).sqrt()).collect();
        factors.0[block] = Mat::from_fn(n, r + count, |i, j| if j < r { old[(i, j)] } else { 0.0 });
        direction.0[block] = Mat::from_fn(n, r + count, |i, j| {
            if j < r { 0.0 } else { size * shares[j - r] * least.directions[(j - r, i)] }
        });
    }
    if !any {
        return false;
    }
    l.set_factors(factors);
    // ∇L vanishes along new columns: the quartic has no slope, and its minimiser is that of c₂t² + c₄t⁴.
    let c = l.line(&direction);
    let t = if c[2] < 0.0 && c[4] > 0.0 { (-c[2] / (2.0 * c[4])).sqrt() } else { 1e-3 };
    l.step(t, &direction);
    l.evaluate();
    true
}
