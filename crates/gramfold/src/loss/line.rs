//! f along a line of folded factors, t ↦ f((X + tP)(X + tP)ᵀ): after the images of three matrices every further trial is cheap.

use std::cell::RefCell;

use super::quartic;

/// A function of one variable, known with its first two derivatives.
pub enum Line<'a> {
    /// c₀ + c₁t + c₂t² + c₃t³ + c₄t⁴, where f is quadratic.
    Quartic([f64; 5]),
    /// Any other, with what is added to it: c₁t + c₂t².
    Smooth(Box<dyn Fn(f64) -> [f64; 3] + 'a>, [f64; 2]),
}

/// A line search that is not exact ends where the slope has fallen by this factor.
const ENOUGH: f64 = 1e-2;

/// How often a step that does not descend is shortened.
const SHORTER: usize = 30;

impl<'a> Line<'a> {
    /// Any function, with c₁t + c₂t² added to it. A value that is asked for again, as that at 0 is by every part of a search, is
    /// not computed again.
    pub fn smooth(at: impl Fn(f64) -> [f64; 3] + 'a, more: [f64; 2]) -> Self {
        let known = RefCell::new(Vec::<(f64, [f64; 3])>::new());
        let at = move |t: f64| {
            if let Some((_, found)) = known.borrow().iter().find(|(other, _)| *other == t) {
                return *found;
            }
            let found = at(t);
            known.borrow_mut().push((t, found));
            found
        };
        Self::Smooth(Box::new(at), more)
    }
}

impl Line<'_> {
    /// Adds c₁t + c₂t², as a ridge does.
    pub fn add(&mut self, c1: f64, c2: f64) {
        match self {
            Self::Quartic(c) => {
                c[1] += c1;
                c[2] += c2;
            }
            Self::Smooth(_, more) => *more = [more[0] + c1, more[1] + c2],
        }
    }

    /// The value and two derivatives at t.
    pub fn at(&self, t: f64) -> [f64; 3] {
        match self {
            Self::Quartic(c) => [
                quartic::value(c, t),
                c[1] + t * (2.0 * c[2] + t * (3.0 * c[3] + t * 4.0 * c[4])),
                2.0 * c[2] + t * (6.0 * c[3] + t * 12.0 * c[4]),
            ],
            Self::Smooth(at, [c1, c2]) => {
                let [value, slope, curvature] = at(t);
                [value + t * (c1 + t * c2), slope + c1 + 2.0 * t * c2, curvature + 2.0 * c2]
            }
        }
    }

    /// The value at 0 less that at t, without the cancellation where that can be had.
    pub fn fall(&self, t: f64) -> f64 {
        match self {
            Self::Quartic(c) => -t * (c[1] + t * (c[2] + t * (c[3] + t * c[4]))),
            Self::Smooth(..) => self.value(0.0) - self.value(t),
        }
    }

    /// Whether the coefficients, or the value and the derivatives at 0, are finite.
    pub fn is_finite(&self) -> bool {
        match self {
            Self::Quartic(c) => c.iter().all(|c| c.is_finite()),
            Self::Smooth(..) => self.at(0.0).iter().all(|value| value.is_finite()),
        }
    }

    /// The value at t.
    pub fn value(&self, t: f64) -> f64 {
        self.at(t)[0]
    }

    /// A minimiser on (0, longest] of a line that descends at 0: the lowest one of a quartic, a near one of another, to a
    /// hundredth of its slope at 0. None if it falls as far as one can see.
    pub fn minimiser(&self, longest: f64) -> Option<f64> {
        if let Self::Quartic(c) = self {
            return quartic::minimiser(c, longest);
        }
        // A line need not be convex: what is stationary further out may be higher than where it begins.
        let start = self.value(0.0);
        let mut longest = longest;
        for _ in 0..SHORTER {
            let t = self.stationary(longest)?;
            if self.value(t) <= start {
                return Some(t);
            }
            longest = 0.25 * t;
        }
        Some(longest)
    }

    /// Where the slope is next to nothing, or the line ends; none if it falls as far as one can see.
    fn stationary(&self, longest: f64) -> Option<f64> {
        let mut end = longest.min(1.0);
        while self.at(end)[1] < 0.0 {
            if end >= longest {
                return Some(longest);
            }
            if end > 1e12 {
                return None;
            }
            end = (4.0 * end).min(longest);
        }
        Some(self.newton(end))
    }

    /// Newton's method between 0, where the line descends, and `end`, where it does not; halves what Newton leaves. What is
    /// returned lies between them, whatever the derivatives are.
    fn newton(&self, end: f64) -> f64 {
        let [_, slope, curvature] = self.at(0.0);
        let goal = ENOUGH * slope.abs();
        let (mut low, mut high) = (0.0, end);
        let mut t = if curvature > 0.0 { -slope / curvature } else { end };
        for _ in 0..50 {
            if !(t > low && t < high) {
                t = 0.5 * (low + high);
            }
            let [_, slope, curvature] = self.at(t);
            if slope.abs() <= goal {
                return t;
            }
            if slope < 0.0 {
                low = t;
            } else {
                high = t;
            }
            t -= slope / curvature;
        }
        0.5 * (low + high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_far_valley_that_is_higher_is_not_taken() {
        // A quartic with minima near 0.1 and 1.1, the second above the start.
        let c = [0.0, -1.0, 8.4, -12.2, 5.0];
        let at = move |t: f64| Line::Quartic(c).at(t);
        let line = Line::smooth(at, [0.0; 2]);
        let t = line.minimiser(f64::INFINITY).unwrap();
        assert!(line.value(t) < 0.0, "{t}: {}", line.value(t));
    }

    #[test]
    fn nothing_is_computed_twice() {
        let calls = std::cell::Cell::new(0);
        let at = |t: f64| {
            calls.set(calls.get() + 1);
            [(t - 2.0).powi(4), 4.0 * (t - 2.0).powi(3), 12.0 * (t - 2.0).powi(2)]
        };
        let line = Line::smooth(at, [0.0, 1.0]);
        let first = line.at(0.5);
        assert_eq!(line.at(0.5), first);
        assert!((line.value(0.5) - 1.5_f64.powi(4) - 0.25).abs() < 1e-12);
        assert_eq!(calls.get(), 1);
    }

    #[test]
    fn newton_finds_a_small_slope() {
        for (shift, ridge) in [(0.3, 0.0), (5.0, 0.4), (40.0, 0.0)] {
            let at = move |t: f64| {
                let root = (1.0 + (t - shift).powi(2)).sqrt();
                [root, (t - shift) / root, 1.0 / root.powi(3)]
            };
            let mut line = Line::smooth(at, [0.0; 2]);
            line.add(0.01, 0.5 * ridge);
            let t = line.minimiser(f64::INFINITY).unwrap();
            assert!(line.at(t)[1].abs() <= 0.0101 * line.at(0.0)[1].abs(), "{t}");
        }
    }
}
