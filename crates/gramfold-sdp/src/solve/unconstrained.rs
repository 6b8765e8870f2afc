//! Programs without constraints: min ⟨C, Z⟩ over the cone is 0, at Z = 0, or has no bound.

use gramfold_linalg::{Mat, symmetric_eigen};

use super::judge;
use crate::{
    Allowance, Error, Method, Outcome, Point, Primal, Sdp, Solution, Status,
    certificate::Combination, solve::choose::Choice,
};

/// Rows up to which a direction of descent is looked for: all eigenvectors of C are computed.
const MOST: usize = 2048;

/// Judges Z = 0, and a direction in which ⟨C, Z⟩ falls for ever, if C has one.
pub(super) fn solve(sdp: &Sdp, tolerance: f64, time: &Allowance<'_>) -> Result<Solution, Error> {
    let directions: Option<Vec<Primal>> =
        (0..sdp.cones().len()).map(|block| descent(sdp, block)).collect();
    let mut outcome = Outcome::new(origin(sdp), Status::Solved, 0, 0.0, 0.0);
    outcome.ray_z = directions;
    let choice = Choice { method: Method::Auto, why: "there are no constraints".into() };
    judge(sdp, tolerance, &choice, outcome, time)
}

/// Z = 0 and y = 0.
pub(super) fn origin(sdp: &Sdp) -> Point {
    let primal = sdp.cones().iter().map(Primal::zero).collect();
    Point { primal, dual: vec![0.0; sdp.constraints()] }
}

/// The block of Z along which the block of C falls fastest; zero where it does not fall, none where that is too dear.
fn descent(sdp: &Sdp, block: usize) -> Option<Primal> {
    match Combination::of(sdp, block, 1.0, 1.0, &[]) {
        Combination::Nonnegative { values, .. } => {
            Some(Primal::Diagonal(values.iter().map(|value| (-value).max(0.0)).collect()))
        }
        Combination::Semidefinite(cost) => {
            let n = sdp.cones()[block].size();
            if n > MOST {
                return None;
            }
            let eigen = symmetric_eigen(&cost.to_dense())?;
            let falls = eigen.values.first().is_some_and(|least| *least < 0.0);
            let factor = |i, _| if falls { eigen.vectors[(0, i)] } else { 0.0 };
            Some(Primal::Factor(Mat::from_fn(n, 1, factor)))
        }
    }
}
