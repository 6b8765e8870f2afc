//! The HKM direction: A(dX) = b − A(X), A*(dy) + dS = R, dX + X dS W = σμW − X − dX' dS' W, symmetrised.
//!
//! R = C − A*(y) − S is the dual residual, W = S⁻¹, and (dX', dS') the predictor, whose second-order effect the
//! corrector takes into account. Eliminating dX and dS leaves M dy = b − σμA(W) + A((XR + dX' dS')W).

use super::{
    Block, Normal, Number, Program, Variable, add_scaled, copy, normal::norm, symmetrise,
    variable::multiply, zeros,
};
use crate::{Cone, Stop};

/// Where the direction starts.
pub(super) struct Place<'a, T: Number> {
    pub(super) program: &'a Program,
    pub(super) x: &'a Variable<T>,
    /// S⁻¹.
    pub(super) w: &'a Variable<T>,
    /// R; none if it is zero.
    pub(super) residual: Option<&'a Variable<T>>,
    /// b − A(X).
    pub(super) primal_residual: &'a [T],
    /// A(W).
    pub(super) image: &'a [T],
    /// Asked between two products.
    pub(super) stop: Stop<'a>,
}

/// A direction.
pub(super) struct Direction<T: Number> {
    pub(super) x: Variable<T>,
    pub(super) y: Vec<T>,
    pub(super) s: Variable<T>,
}

/// Temporaries.
pub(super) struct Room<T: Number> {
    factor: Variable<T>,
    symmetric: Variable<T>,
    second: Variable<T>,
    rhs: Vec<T>,
    image: Vec<T>,
    shift: Vec<T>,
}

/// Error of A(dX) that is left alone.
const NEGLIGIBLE: f64 = 1e-2;

impl<T: Number> Direction<T> {
    pub(super) fn new(cones: &[Cone], m: usize) -> Self {
        Self { x: zeros(cones), y: vec![T::default(); m], s: zeros(cones) }
    }

    /// Computes the direction towards the centre σμ, which takes out a share of the primal residual, with the
    /// second-order effect of `predictor`; false if someone asks to stop before it is done.
    pub(super) fn compute(
        &mut self,
        normal: &mut Normal<T>,
        place: &Place<T>,
        (centre, share): (f64, f64),
        predictor: Option<&Self>,
        room: &mut Room<T>,
    ) -> bool {
        let program = place.program;
        let Room { factor, symmetric, second, rhs, image, .. } = room;
        let (centre, left) = (T::from(centre), T::from(1.0 - share));
        if let Some(Self { x, s, .. }) = predictor {
            multiply(x, s, false, second);
        }
        rhs.copy_from_slice(&T::widened(&program.rhs));
        let both = place.image.iter().zip(place.primal_residual);
        rhs.iter_mut().zip(both).for_each(|(r, (i, p))| *r -= centre * *i + left * *p);
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
            symmetric.iter_mut().filter_map(Block::as_mat).for_each(symmetrise);
            program.apply(symmetric, image);
            rhs.iter_mut().zip(&*image).for_each(|(r, i)| *r += *i);
        }
        normal.solve(rhs, &mut self.y);

        program.adjoint(&self.y, &mut self.s);
        for (at, s) in self.s.iter_mut().enumerate() {
            let s = s.as_mut_slice();
            match place.residual {
                Some(r) => s.iter_mut().zip(r[at].as_slice()).for_each(|(s, r)| *s = *r - *s),
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
            d.as_mat().into_iter().for_each(symmetrise);
            let both = x.as_slice().iter().zip(w.as_slice());
            let entries = d.as_mut_slice().iter_mut().zip(both);
            entries.for_each(|(d, (x, w))| *d = centre * *w - *x - *d);
        }
        self.refine(normal, place, share, room)
    }

    /// Takes out of A(dX) = b − A(X) what rounding has put in: near the end, X and W nearly annihilate what is
    /// multiplied with them, and dX has few digits left. False if someone asks to stop.
    fn refine(
        &mut self,
        normal: &mut Normal<T>,
        place: &Place<T>,
        share: f64,
        room: &mut Room<T>,
    ) -> bool {
        let program = place.program;
        let Room { factor, symmetric, rhs, image, shift, .. } = room;
        let wanted = norm(place.primal_residual);
        let mut last = f64::INFINITY;
        for _ in 0..T::ACCURACY.refinements {
            program.apply(&self.x, image);
            let both = place.primal_residual.iter().zip(&*image);
            rhs.iter_mut().zip(both).for_each(|(r, (p, i))| *r = T::from(share) * *p - *i);
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
            self.y.iter_mut().zip(&*shift).for_each(|(y, d)| *y += *d);
            add_scaled(-1.0, symmetric, &mut self.s);
            multiply(place.x, symmetric, false, factor);
            multiply(factor, place.w, false, symmetric);
            symmetric.iter_mut().filter_map(Block::as_mat).for_each(symmetrise);
            add_scaled(1.0, symmetric, &mut self.x);
        }
        true
    }
}

impl<T: Number> Room<T> {
    pub(super) fn new(cones: &[Cone], m: usize) -> Self {
        Self {
            factor: zeros(cones),
            symmetric: zeros(cones),
            second: zeros(cones),
            rhs: vec![T::default(); m],
            image: vec![T::default(); m],
            shift: vec![T::default(); m],
        }
    }
}

/// into ← from, or zero.
fn start<T: Number>(from: Option<&Variable<T>>, into: &mut Variable<T>) {
    match from {
        Some(from) => copy(from, into),
        None => into.iter_mut().for_each(|block| block.as_mut_slice().fill(T::default())),
    }
}
