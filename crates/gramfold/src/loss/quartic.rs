//! Exact minimisation of a quartic over t > 0: a quadratic loss, or the augmented Lagrangian of a program, along a line of factors.

/// c₀ + c₁t + c₂t² + c₃t³ + c₄t⁴.
pub fn value(c: &[f64; 5], t: f64) -> f64 {
    c.iter().rev().fold(0.0, |sum, c| sum * t + c)
}

/// The t in (0, longest] where a quartic that descends at 0 is smallest; none if it falls for ever, or does not
/// descend.
pub fn minimiser(c: &[f64; 5], longest: f64) -> Option<f64> {
    if !c.iter().all(|c| c.is_finite()) || c[1] >= 0.0 {
        return None;
    }
    let slope = |t: f64| c[1] + t * (2.0 * c[2] + t * (3.0 * c[3] + t * 4.0 * c[4]));
    let rises = [c[4], c[3], c[2]].into_iter().find(|c| *c != 0.0).is_some_and(|c| c > 0.0);
    if !rises && longest == f64::INFINITY {
        return None;
    }
    // The slope is a cubic: between its own stationary points it changes sign at most once, and beyond the
    // last it rises to infinity.
    let mut cuts = [0.0; 4];
    let mut count = 1;
    let (a, b, d) = (12.0 * c[4], 6.0 * c[3], 2.0 * c[2]);
    let discriminant = b * b - 4.0 * a * d;
    if discriminant > 0.0 {
        let q = -0.5 * (b + if b < 0.0 { -1.0 } else { 1.0 } * discriminant.sqrt());
        for t in [q / a, d / q] {
            if t > 0.0 && t < longest && t.is_finite() {
                cuts[count] = t;
                count += 1;
            }
        }
    }
    cuts[..count].sort_by(f64::total_cmp);
    let mut end = cuts[count - 1].max(f64::MIN_POSITIVE.sqrt());
    while slope(end) <= 0.0 && end < longest {
        end = (8.0 * end).min(longest);
        if !end.is_finite() {
            return None;
        }
    }
    cuts[count] = end;
    count += 1;
    let mut best = (slope(end) <= 0.0).then(|| (end, value(c, end)));
    for pair in cuts[..count].windows(2) {
        let (mut low, mut high) = (pair[0], pair[1]);
        if !(slope(low) < 0.0 && slope(high) > 0.0) {
            continue;
        }
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if slope(middle) < 0.0 { low = middle } else { high = middle }
        }
        let found = value(c, high);
        if best.is_none_or(|(_, least)| found < least) {
            best = Some((high, found));
        }
    }
    best.map(|(t, _)| t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimiser_beats_a_fine_grid() {
        let quartics = [
            [1.0, -1.0, 0.5, 0.0, 0.0],
            [0.0, -1.0, 3.0, -4.0, 2.1],
            [0.0, -2.0, -1.0, 0.5, 0.1],
            [5.0, -1e-3, 10.0, 2.0, 7.0],
            [0.0, -1.0, 12.0, -30.0, 20.0],
            [0.0, -1.0, 8.0, -6.0, 1.0],
            [0.0, -1e-9, 1.0, 0.0, 0.0],
            [0.0, -5.0, 0.0, 0.0, 1e-6],
        ];
        for c in quartics {
            let t = minimiser(&c, f64::INFINITY).unwrap();
            assert!(t > 0.0, "{c:?}");
            let least =
                (1..=400_000).map(|i| value(&c, f64::from(i) / 2e3)).fold(f64::INFINITY, f64::min);
            assert!(value(&c, t) <= least + 1e-9 * (1.0 + least.abs()), "{c:?} at {t}");
            for longest in [1e-3, 0.1, 0.3, 1.0, 7.0] {
                let t = minimiser(&c, longest).unwrap();
                assert!(t > 0.0 && t <= longest);
                let grid = (1..=10_000).map(|i| value(&c, longest * f64::from(i) / 1e4));
                let least = grid.fold(f64::INFINITY, f64::min);
                assert!(value(&c, t) <= least + 1e-9 * (1.0 + least.abs()), "{c:?} at {t}");
            }
        }
    }

    #[test]
    fn a_fall_without_end_is_seen() {
        assert_eq!(minimiser(&[0.0, -1.0, -1.0, 0.0, 0.0], 2.0), Some(2.0));
        assert_eq!(minimiser(&[0.0, -1.0, -1.0, 0.0, 0.0], f64::INFINITY), None);
        assert_eq!(minimiser(&[0.0, -1.0, 0.0, 0.0, 0.0], f64::INFINITY), None);
        assert_eq!(minimiser(&[0.0, 1.0, 1.0, 0.0, 1.0], f64::INFINITY), None);
        assert_eq!(minimiser(&[0.0, -1.0, f64::NAN, 0.0, 1.0], f64::INFINITY), None);
    }
}
