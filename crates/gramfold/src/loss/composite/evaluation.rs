//! A composite loss seen from (X, Y): images, slopes and products, each computed when it is first asked for.

use std::{
    cell::{Cell, RefCell, RefMut},
    ops::Range,
};

use gramfold_linalg::Mat;

use crate::Memory;

use super::{
    super::{BlockForm, Evaluation, Line, Side, scalar},
    Composite, curvature, judge,
    rows::Seen,
    state::{Along, Part, State},
};
use scalar::Images;

pub(super) struct CompositeEvaluation<'a> {
    loss: &'a Composite,
    x: Seen<'a>,
    y: Seen<'a>,
    folded: bool,
    /// Whether steps have been added up since the image was last computed from the factors.
    drifted: bool,
    state: RefCell<State>,
    along: Along,
    columns: Cell<u64>,
}

impl<'a> CompositeEvaluation<'a> {
    pub(super) fn new(loss: &'a Composite, rank: usize) -> Self {
        Self {
            loss,
            x: Seen::new(loss, rank),
            y: Seen::new(loss, rank),
            folded: true,
            drifted: false,
            state: RefCell::default(),
            along: Along::default(),
            columns: Cell::new(0),
        }
    }

    /// What the block of one side sees: the other factor. Where both are one, that is X, and Y is not kept up to date.
    fn seen(&self, side: Side) -> &Seen<'a> {
        if side == Side::Y || self.folded { &self.x } else { &self.y }
    }

    fn count(&self, columns: usize) {
        self.columns.set(self.columns.get() + columns as u64);
    }

    /// The state, with image and slopes.
    fn state(&self) -> RefMut<'_, State> {
        let mut guard = self.state.borrow_mut();
        let state = &mut *guard;
        if state.judged {
            return guard;
        }
        state.make_room(self.loss);
        if state.imaged || !self.judge_folded(state, None) {
            self.see(state);
            state.value = judge(&self.loss.terms, Some(&state.image), &mut state.slopes.s);
        }
        self.loss.map.load(&state.slopes.s, &mut state.slopes.loaded);
        state.is_judged();
        guard
    }

    /// The image alone.
    fn see(&self, state: &mut State) {
        if !state.imaged {
            let (x, y) = (self.x.factor(), self.seen(Side::X).factor());
            state.image.resize(self.loss.map.len(), 0.0);
            self.loss.map.image(x, y, &mut state.image);
            self.count(x.cols());
            state.imaged = true;
        }
    }

    /// Image, value and slopes of X = Y in one pass where the map has one, and with it ∇f·X.
    fn judge_folded(&self, state: &mut State, out: Option<&mut Mat>) -> bool {
        let [term] = &self.loss.terms[..] else { return false };
        if !self.folded {
            return false;
        }
        let judge = |range: Range<usize>, z: &[f64], slopes: &mut [f64]| {
            let weights = term.weights(range.clone());
            term.scalar.evaluate(z, &term.targets[range], weights, slopes)
        };
        let (x, columns) = (self.x.factor(), 1 + usize::from(out.is_some()));
        let (image, slopes) = (&mut state.image, &mut state.slopes.s);
        let Some(value) = self.loss.map.judged(x, &judge, image, slopes, out) else { return false };
        state.value = value;
        self.count(columns * x.cols());
        true
    }

    fn forget(&mut self) {
        let state = self.state.get_mut();
        (state.imaged, state.judged) = (false, false);
    }

    /// out ← (Σ s_k·A_k + C)·V.
    fn product(&self, adjoint: Part, v: &Mat, out: &mut Mat) {
        let mut state = self.state();
        let state = &mut *state;
        let adjoint = match adjoint {
            Part::Own => &state.slopes,
            Part::Turned => &state.turned,
            Part::Symmetric => &state.symmetric,
        };
        self.loss.map.apply(&adjoint.s, &adjoint.loaded, v, out);
        self.count(v.cols());
        if let Some(c) = &self.loss.linear {
            if (state.linear.rows(), state.linear.cols()) != (v.rows(), v.cols()) {
                state.linear = Mat::zeros(v.rows(), v.cols());
            }
            c.apply(v, &mut state.linear);
            out.axpy(1.0, &state.linear);
        }
    }

    /// Which slopes hold the transpose, or the mean with it, made ready.
    fn ready(&self, part: Part) -> Part {
        if self.folded {
            return Part::Own;
        }
        let mut state = self.state();
        let State { slopes, turned, symmetric, .. } = &mut *state;
        let target = if part == Part::Turned { turned } else { symmetric };
        if !target.known {
            target.s.resize(slopes.s.len(), 0.0);
            target.loaded.resize(slopes.loaded.len(), 0.0);
            if !self.loss.map.transpose(&slopes.s, &mut target.s) {
                return Part::Own; // Every A_k is symmetric.
            }
            if part == Part::Symmetric {
                target.s.iter_mut().zip(&slopes.s).for_each(|(t, s)| *t = 0.5 * (*t + s));
            }
            self.loss.map.load(&target.s, &mut target.loaded);
            target.known = true;
        }
        part
    }

    /// The terms of f along a line of images: value, slope and curvature at t.
    fn along(&self, [zeroth, first, second]: [&[f64]; 3], t: f64) -> [f64; 3] {
        let mut sums = [0.0; 3];
        for term in &self.loss.terms {
            let line = Images { zeroth, first, second }.part(term.range.clone());
            let part = term.along(&line, t);
            sums = [0, 1, 2].map(|i| sums[i] + part[i]);
        }
        sums
    }

    /// ⟨C, XYᵀ⟩.
    fn linear_value(&self, x: &Mat) -> f64 {
        self.seen(Side::X).linear().map_or(0.0, |image| image.dot(x))
    }
}

impl Evaluation for CompositeEvaluation<'_> {
    fn moved(&mut self, side: Side, factor: &Mat) {
        if self.folded {
            self.y.moved(self.x.factor());
        }
        match side {
            Side::X => self.x.moved(factor),
            Side::Y => self.y.moved(factor),
        }
        self.drifted = false;
        self.folded = self.x.factor() == self.y.factor();
        self.forget();
    }

    fn folded(&mut self, factor: &Mat) {
        self.x.moved(factor);
        (self.folded, self.drifted) = (true, false);
        self.forget();
    }

    fn value(&self, x: &Mat, _: &Mat) -> f64 {
        self.state().value + self.linear_value(x)
    }

    fn gradient_norm(&self, _: &Mat, _: &Mat) -> f64 {
        let linear = self.loss.linear.as_ref().map_or(0.0, |c| c.norm_squared().sqrt());
        self.loss.map.size(&self.state().slopes.s) + linear
    }

    fn apply(&self, _: &Mat, _: &Mat, v: &Mat, out: &mut Mat) {
        self.product(Part::Own, v, out);
    }

    fn apply_transpose(&self, _: &Mat, _: &Mat, v: &Mat, out: &mut Mat) {
        self.product(self.ready(Part::Turned), v, out);
    }

    fn apply_symmetric(&self, _: &Mat, _: &Mat, v: &Mat, out: &mut Mat) {
        self.product(self.ready(Part::Symmetric), v, out);
    }

    fn block_gradient(&self, side: Side, x: &Mat, y: &Mat, out: &mut Mat) {
        let mut guard = self.state.borrow_mut();
        let state = &mut *guard;
        // What is loaded of the slopes and a linear term have products of their own.
        let plain = self.loss.linear.is_none() && self.loss.map.stored() == 0;
        state.make_room(self.loss);
        if state.judged && state.has_gradient {
            return out.copy_from(&state.gradient);
        }
        if plain && !state.imaged && !state.judged && self.judge_folded(state, Some(&mut *out)) {
            return state.is_judged_with(out);
        }
        drop(guard);
        match side {
            Side::X => self.apply(x, y, y, out),
            Side::Y => self.apply_transpose(x, y, x, out),
        }
    }

    fn rounding(&self, x: &Mat, y: &Mat) -> f64 {
        let loss = self.loss;
        let image = loss.map.rounding(x.cols()) * x.norm() * y.norm();
        let slopes = loss.largest_curvature * image * loss.norm;
        // Sums of up to n terms in a product, and a few roundings in a slope.
        let length = (x.rows() + 16) as f64;
        4.0 * (slopes + length * f64::EPSILON * self.gradient_norm(x, y))
    }

    fn gradient_diagonal(&self, out: &mut [f64]) -> bool {
        if self.loss.linear.is_some() {
            return false;
        }
        let part = self.ready(Part::Symmetric);
        let state = self.state();
        let adjoint = if part == Part::Own { &state.slopes } else { &state.symmetric };
        self.loss.map.diagonal(&adjoint.s, &adjoint.loaded, out)
    }

    fn block(&self, side: Side) -> BlockForm<'_> {
        self.seen(side).block()
    }

    fn lipschitz(&self, side: Side) -> f64 {
        self.seen(side).lipschitz()
    }

    fn curvature(&self, side: Side) -> f64 {
        curvature::largest(self, self.seen(side).factor())
    }

    fn line(&mut self, x: &Mat, p: &Mat) -> Option<Line<'_>> {
        let m = self.loss.map.len();
        self.along.first.resize(m, 0.0);
        self.along.second.resize(m, 0.0);
        self.loss.map.line(x, p, &mut self.along.first, &mut self.along.second);
        self.count(3 * p.cols());
        drop(self.state());
        // ⟨C, Z(t)⟩.
        let linear = self.loss.linear.as_ref().map_or([0.0; 3], |c| {
            let mut image = Mat::zeros(p.rows(), p.cols());
            c.apply(p, &mut image);
            [self.linear_value(x), 2.0 * image.dot(x), image.dot(p)]
        });
        if !self.loss.is_quadratic() {
            let this = &*self;
            let at = move |t: f64| {
                let image = &this.state.borrow().image;
                let images = [image, &this.along.first, &this.along.second].map(|v| &v[..]);
                let [value, slope, curvature] = this.along(images, t);
                [value + linear[0], slope, curvature]
            };
            return Some(Line::smooth(at, [linear[1], linear[2]]));
        }
        let state = self.state.borrow();
        let (s, first, second) = (&state.slopes.s, &self.along.first, &self.along.second);
        let [sa, sb, aa, ab, bb] = curvature::quadratic_sums(self.loss, [s, first, second]);
        let mut c = [state.value, sa, sb + 0.5 * aa, ab, 0.5 * bb];
        (0..3).for_each(|i| c[i] += linear[i]);
        Some(Line::Quartic(c))
    }

    fn folded_along(&mut self, t: f64, factor: &Mat) {
        let state = self.state.get_mut();
        if self.along.first.is_empty() || !state.imaged {
            return self.folded(factor);
        }
        let steps = self.along.first.iter().zip(&self.along.second);
        state.image.iter_mut().zip(steps).for_each(|(z, (a, b))| *z += t * (a + t * b));
        state.judged = false;
        self.x.moved(factor);
        (self.folded, self.drifted) = (true, true);
    }

    fn remember(&self, memory: &mut Memory) {
        if self.drifted {
            let image = self.state.borrow().image.clone();
            memory.set("image", &Mat::from_row_major(image.len(), 1, image));
        }
    }

    fn recall(&mut self, memory: &Memory) {
        let state = self.state.get_mut();
        if let Some(image) = memory.get("image")
            && image.as_slice().len() == self.loss.map.len()
        {
            state.image = image.as_slice().to_vec();
            (state.imaged, state.judged, self.drifted) = (true, false, true);
        }
    }

    fn curvature_product(&self, x: &Mat, v: &Mat, full: bool, out: &mut Mat) -> bool {
        let mut state = self.state();
        state.curve(self.loss, full);
        let State { image, tangent, loaded, curvatures, .. } = &mut *state;
        let map = &*self.loss.map;
        if !map.curvature_product(curvatures, x, v, out) {
            tangent.resize(image.len(), 0.0);
            map.tangent(x, v, tangent);
            tangent.iter_mut().zip(&*curvatures).for_each(|(t, c)| *t *= c);
            loaded.resize(map.stored(), 0.0);
            map.load(tangent, loaded);
            map.apply(tangent, loaded, x, out);
        }
        self.count(3 * v.cols());
        drop(state);
        if full {
            let mut slope = std::mem::take(&mut self.state().slope);
            if (slope.rows(), slope.cols()) != (v.rows(), v.cols()) {
                slope = Mat::zeros(v.rows(), v.cols());
            }
            self.product(Part::Own, v, &mut slope);
            out.axpy(1.0, &slope);
            self.state().slope = slope;
        }
        out.scale(2.0);
        true
    }

    fn rough_curvature_product(&self, x: &Mat, v: &Mat, out: &mut Mat) -> bool {
        let mut state = self.state();
        // A quadratic without weights has one curvature.
        let plain = match &self.loss.terms[..] {
            [term] if term.weights.is_empty() && term.scalar.is_quadratic() => {
                Some(term.curvature())
            }
            _ => None,
        };
        if plain.is_none() {
            state.curve(self.loss, false);
        }
        let c = if plain.is_some() { &[] } else { &state.curvatures[..] };
        let done = self.loss.map.rough_curvature_product(c, x, v, out);
        drop(state);
        if !done {
            return self.curvature_product(x, v, false, out);
        }
        self.count(3 * v.cols());
        out.scale(2.0 * plain.unwrap_or(1.0));
        true
    }

    fn best_multiple(&self, x: &Mat) -> Option<f64> {
        let c = self.linear_value(x);
        if self.loss.is_quadratic() {
            let [slope, curvature] = curvature::of_multiples(self.loss, x).unwrap_or_else(|| {
                let mut state = self.state.borrow_mut();
                self.see(&mut state);
                let images = [&self.loss.at_origin, &state.image, &state.image].map(|v| &v[..]);
                let [slope, _, curvature, ..] = curvature::quadratic_sums(self.loss, images);
                [slope, curvature]
            });
            return Some(-(slope + c) / curvature).filter(|t| *t > 0.0 && t.is_finite());
        }
        let state = self.state();
        let zeros = vec![0.0; state.image.len()];
        let at = |t: f64| {
            let [value, slope, curvature] = self.along([&zeros, &state.image, &zeros], t);
            [value + t * c, slope + c, curvature]
        };
        if at(0.0)[1] >= 0.0 {
            return None;
        }
        Line::smooth(at, [0.0; 2]).minimiser(f64::INFINITY).filter(|t| t.is_finite())
    }

    fn columns_multiplied(&self) -> u64 {
        self.columns.get()
    }
}
