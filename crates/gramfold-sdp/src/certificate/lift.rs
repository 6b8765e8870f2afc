//! Multipliers that are feasible on a face of the cone only, made feasible on all of it.
//!
//! With A*(w) ⪰ 0 and bᵀw = 0 the dual objective of y − tw is that of y, and its slack S + tA*(w) tends to the cone
//! if S is positive semidefinite on the kernel of A*(w). What is missing falls like 1/t while rounding grows like
//! t; the bound of every t is a bound, so the best one is taken.

use super::{Allowance, Dual, trace};
use crate::Sdp;

/// t relative to the size of y at first, the factor from one to the next, and how many are tried.
const FIRST: f64 = 1.0 / 16.0;
const FACTOR: f64 = 4.0;
const TRIALS: usize = 28;

/// y − tw with the t that proves the best bound; y itself if none proves any.
pub(crate) fn lift(sdp: &Sdp, y: &[f64], w: &[f64], time: &Allowance<'_>) -> Vec<f64> {
    let mut traces = trace::bounds(sdp);
    if traces.iter().any(|traces| traces.trace.is_none()) {
        trace::imply(sdp, &mut traces, time);
    }
    let size = |v: &[f64]| v.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    let mut t = FIRST * (1.0 + size(y)) / size(w).max(f64::MIN_POSITIVE);
    let mut best = (f64::NEG_INFINITY, y.to_vec());
    let mut worse = 0;
    for _ in 0..TRIALS {
        let shifted: Vec<f64> = y.iter().zip(w).map(|(y, w)| y - t * w).collect();
        let bound = Dual::of(sdp, 1.0, &shifted, &[], time).bound(&traces);
        match bound {
            Some(bound) if bound.value > best.0 => (best, worse) = ((bound.value, shifted), 0),
            _ if best.0 > f64::NEG_INFINITY => worse += 1,
            _ => {}
        }
        if worse > 2 || time.is_over() {
            break;
        }
        t *= FACTOR;
    }
    best.1
}
