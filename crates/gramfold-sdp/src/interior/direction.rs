//! The HKM direction: A(dX) = b − A(X), A*(dy) + dS = R, dX + X dS W = σμW − X − dX' dS' W, symmetrised.
//!
//! R = C − A*(y) − S is the dual residual, W = S⁻¹, and (dX', dS') the predictor, whose second-order effect the
//! corrector takes into account. Eliminating dX and dS leaves M dy = b − σμA(W) + A((XR + dX' dS')W).

use gramfold_linalg::norm;

use super::{
    normal::Normal,
    program::Program,
    variable::{Block, Variable, product, symmetrise, zeros},
};
use crate::{Cone, Stop};

/// Where the direction starts.
pub(super) struct Place<'a> {
    pub(super) x: &'a Variable,
    /// S⁻¹.
    pub(super) w: &'a Variable,
    /// R; none if it is zero.
    pub(super) residual: Option<&'a Variable>,
    /// b − A(X).
    pub(super) primal_residual: &'a [f64],
    /// A(W).
    pub(super) image: &'a [f64],
    /// Asked between two products.
    pub(super) stop: Stop<'a>,
}

/// A direction.
pub(super) struct Direction {
    pub(super) x: Variable,
    pub(super) y: Vec<f64>,
    pub(super) s: Variable,
}

/// Temporaries.
pub(super) struct Room {
    factor: Variable,
    symmetric: Variable,
    second: Variable,
    rhs: Vec<f64>,
    image: Vec<f64>,
    shift: Vec<f64>,
}

/// Error of A(dX) that is left alone, and how often more is taken out.
const NEGLIGIBLE: f64 = 1e-2;
const REFINEMENTS: usize = 3;

impl Direction {
    pub(super) fn new(cones: &[Cone], m: usize) -> Self {
        Self { x: zeros(cones), y: vec![0.0; m], s: zeros(cones) }
    }

    /// Computes the direction towards the centre σμ, which takes out a share of the primal residual, with the
    /// second-order effect of `predictor`; false if someone asks to stop before it is done.
    pub(super) fn compute(
        &mut self,
        program: &Program,
        normal: &mut Normal,
        place: &Place,
        (centre, share): (f64, f64),
        predictor: Option<&Direction>,
        room: &mut Room,
    ) -> bool {
        let Room { factor, symmetric, second, rhs, image, .. } = room;
        if let Some(Direction { x, s, .. }) = predictor {
            multiply(x, s, false, second);
        }
        rhs.copy_from_slice(&program.rhs);
        let both = place.image.iter().zip(place.primal_residual);
        rhs.iter_mut().zip(both).for_each(|(r, (i, p))| *r -= centre * i + (1.0 - share) * p);
        if place.residual.is_some() || predictor.is_some() {
            let factor = match place.residual {
                Some(residual) => {
                    start(predictor.map(|_| &*second), factor);
                    multiply(place.x, residual, true, factor);
                    &*factor
                }
                None => &*second,
            };
            if (place.stop)() {
                return false;
            }
            multiply(factor, place.w, false, symmetric);
            symmetric.iter_mut().for_each(symmetrise_block);
            program.apply(symmetric, image);
            rhs.iter_mut().zip(&*image).for_each(|(r, i)| *r += i);
        }
        normal.solve(rhs, &mut self.y);

        program.adjoint(&self.y, &mut self.s);
        for (at, s) in self.s.iter_mut().enumerate() {
            let s = s.as_mut_slice();
            match place.residual {
                Some(r) => s.iter_mut().zip(r[at].as_slice()).for_each(|(s, r)| *s = r - *s),
                None => s.iter_mut().for_each(|s| *s = -*s),
            }
        }
        start(predictor.map(|_| &*second), factor);
        if (place.stop)() {
            return false;
        }
        multiply(place.x, &self.s, true, factor);
        if (place.stop)() {
            return false;
        }
        multiply(factor, place.w, false, &mut self.x);
        for ((d, x), w) in self.x.iter_mut().zip(place.x).zip(place.w) {
            symmetrise_block(d);
            let both = x.as_slice().iter().zip(w.as_slice());
            d.as_mut_slice().iter_mut().zip(both).for_each(|(d, (x, w))| *d = centre * w - x - *d);
        }
        self.refine(program, normal, place, share, room)
    }

    /// Takes out of A(dX) = b − A(X) what rounding has put in: near the end, X and W nearly annihilate what is
    /// multiplied with them, and dX has few digits left. False if someone asks to stop.
    fn refine(
        &mut self,
        program: &Program,
        normal: &mut Normal,
        place: &Place,
        share: f64,
        room: &mut Room,
    ) -> bool {
        let Room { factor, symmetric, rhs, image, shift, .. } = room;
        let wanted = norm(place.primal_residual);
        let mut last = f64::INFINITY;
        for _ in 0..REFINEMENTS {
            program.apply(&self.x, image);
            let both = place.primal_residual.iter().zip(&*image);
            rhs.iter_mut().zip(both).for_each(|(r, (wanted, image))| *r = share * wanted - image);
            let error = norm(rhs);
            if error <= NEGLIGIBLE * wanted || error.is_nan() || error >= 0.5 * last {
                break;
            }
            if (place.stop)() {
                return false;
            }
            last = error;
            normal.solve(rhs, shift);
            program.adjoint(shift, symmetric);
            self.y.iter_mut().zip(&*shift).for_each(|(y, d)| *y += d);
            super::variable::add_scaled(-1.0, symmetric, &mut self.s);
            multiply(place.x, symmetric, false, factor);
            multiply(factor, place.w, false, symmetric);
            symmetric.iter_mut().for_each(symmetrise_block);
            super::variable::add_scaled(1.0, symmetric, &mut self.x);
        }
        true
    }
}

impl Room {
    pub(super) fn new(cones: &[Cone], m: usize) -> Self {
        Self {
            factor: zeros(cones),
            symmetric: zeros(cones),
            second: zeros(cones),
            rhs: vec![0.0; m],
            image: vec![0.0; m],
            shift: vec![0.0; m],
        }
    }
}

/// into ← from, or zero.
fn start(from: Option<&Variable>, into: &mut Variable) {
    match from {
        Some(from) => super::variable::copy(from, into),
        None => into.iter_mut().for_each(|block| block.as_mut_slice().fill(0.0)),
    }
}

/// out ← ab or out + ab, block by block.
fn multiply(a: &Variable, b: &Variable, add: bool, out: &mut Variable) {
    for ((a, b), out) in a.iter().zip(b).zip(out) {
        match (a, b, out) {
            (Block::Dense(a), Block::Dense(b), Block::Dense(out)) => product(a, b, add, out),
            (Block::Diagonal(a), Block::Diagonal(b), Block::Diagonal(out)) => {
                let kept = if add { 1.0 } else { 0.0 };
                let both = a.iter().zip(b);
                out.iter_mut().zip(both).for_each(|(o, (a, b))| *o = kept * *o + a * b);
            }
            _ => unreachable!("variables of one problem have the same blocks"),
        }
    }
}

fn symmetrise_block(block: &mut Block) {
    if let Block::Dense(mat) = block {
        symmetrise(mat);
    }
}
