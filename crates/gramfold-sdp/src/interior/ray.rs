//! Proofs that there is nothing to find: rays of the dual and of the primal cone.

use gramfold_linalg::dot;

use super::{Block, Factor, Normal, Number, Program, Variable, copy, inner, symmetrise};
use crate::{Primal, Stop};

/// How far a ray may be outside its cone, where the cone of rays has no interior: any solution would then have a
/// trace of more than its inverse, in the units of the engine.
const VIOLATION: f64 = 1e-9;

/// y with bᵀy = 1 and A*(y) ⪯ 0, if y is a multiple of one: no Z ⪰ 0 can then have A(Z) = b.
pub(super) fn dual(
    program: &Program,
    y: &[f64],
    factor: &mut Factor,
    room: &mut Variable,
) -> Option<Vec<f64>> {
    let gain = dot(&program.rhs, y);
    if !(gain > 0.0 && gain.is_finite()) {
        return None;
    }
    program.adjoint(y, room);
    for block in room.iter_mut() {
        block.as_mut_slice().iter_mut().for_each(|v| *v = -*v / gain);
        block.add_identity(VIOLATION);
    }
    if !factor.compute(room) {
        return None;
    }
    let scale = 1.0 / (gain * program.primal_scale);
    Some(program.multipliers(y, scale))
}

/// As [`dual`], of constraints that contradict one another whatever the cone: then b − A(A*(v)), v a least-squares
/// solution, is orthogonal to every A(Z).
pub(super) fn inconsistent(
    program: &Program,
    normal: &mut Normal,
    factor: &mut Factor,
    room: &mut Variable,
    stop: Stop<'_>,
) -> Option<Vec<f64>> {
    let m = program.constraints();
    for block in room.iter_mut() {
        block.as_mut_slice().fill(0.0);
        block.add_identity(1.0);
    }
    if !normal.prepare(program, room, room, stop) {
        return None;
    }
    let (mut v, mut y, mut rest) = (vec![0.0; m], program.rhs.clone(), vec![0.0; m]);
    for _ in 0..3 {
        normal.solve(&y, &mut v);
        program.adjoint(&v, room);
        program.apply(room, &mut rest);
        y.iter_mut().zip(&rest).for_each(|(y, r)| *y -= r);
    }
    dual(program, &y, factor, room)
}

/// Z ⪰ 0 with A(Z) = 0 and ⟨C, Z⟩ = −1, if x is close to a multiple of one: no y can then have C − A*(y) ⪰ 0.
///
/// A(x)/⟨C, x⟩ tends to zero only as fast as x diverges. What is left is taken out by the smallest correction that x
/// itself measures, x A*(w) x, so that Z stays in the cone.
pub(super) fn primal(
    program: &Program,
    x: &Variable,
    normal: &mut Normal,
    factor: &mut Factor,
    [room, ray]: [&mut Variable; 2],
    stop: Stop<'_>,
) -> Option<Vec<Primal>> {
    let m = program.constraints();
    if !normal.prepare(program, x, x, stop) {
        return None;
    }
    let (mut image, mut weights) = (vec![0.0; m], vec![0.0; m]);
    copy(x, ray);
    for _ in 0..3 {
        program.apply(ray, &mut image);
        normal.solve(&image, &mut weights);
        program.adjoint(&weights, room);
        for ((x, room), ray) in x.iter().zip(room.iter_mut()).zip(ray.iter_mut()) {
            match (x, room, ray) {
                (Block::Dense(x), Block::Dense(room), Block::Dense(ray)) => {
                    let mut half = room.clone();
                    f64::product(x, room, false, &mut half);
                    f64::product(&half, x, false, room);
                    symmetrise(room);
                    ray.axpy(-1.0, room);
                }
                (x, room, ray) => {
                    let both = x.as_slice().iter().zip(room.as_slice());
                    ray.as_mut_slice().iter_mut().zip(both).for_each(|(r, (x, a))| *r -= x * x * a);
                }
            }
        }
    }
    let loss = -program.cost(ray);
    program.apply(ray, &mut image);
    let small = program.residual(&image) * (program.scale.rhs / program.primal_scale);
    // Rounding of A(Z), whose terms are as large as Z.
    let size = inner(ray, ray).sqrt();
    if !(loss > 1e-12 * size * program.cost_norm && small <= VIOLATION * loss) {
        return None;
    }
    copy(ray, room);
    for block in room.iter_mut() {
        block.add_identity(1e-14 * size);
    }
    if !factor.compute(room) {
        return None;
    }
    Some(program.primal(ray, 1.0 / (loss * program.cost_scale)))
}
