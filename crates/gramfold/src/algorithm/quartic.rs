//! Exact minimisation of a quartic on (0, 1].

/// c₀ + c₁t + c₂t² + c₃t³ + c₄t⁴.
pub(super) fn value(c: &[f64; 5], t: f64) -> f64 {
    c.iter().rev().fold(0.0, |sum, c| sum * t + c)
}

/// The t in (0, 1] where a quartic that descends at 0 is smallest.
pub(super) fn minimiser(c: &[f64; 5]) -> f64 {
    let slope = |t: f64| c[1] + t * (2.0 * c[2] + t * (3.0 * c[3] + t * 4.0 * c[4]));
    // The slope is a cubic: its sign changes lie between its own stationary points.
    let mut cuts = vec![0.0, 1.0];
    let (a, b, d) = (12.0 * c[4], 6.0 * c[3], 2.0 * c[2]);
    let discriminant = b * b - 4.0 * a * d;
    if discriminant > 0.0 {
        let q = -0.5 * (b + b.signum() * discriminant.sqrt());
        cuts.extend([q / a, d / q].into_iter().filter(|t| *t > 0.0 && *t < 1.0));
    }
    cuts.sort_by(f64::total_cmp);
    let mut best = (1.0, value(c, 1.0));
    for pair in cuts.windows(2) {
        let (mut low, mut high) = (pair[0], pair[1]);
        if slope(low) < 0.0 && slope(high) > 0.0 {
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if slope(middle) < 0.0 { low = middle } else { high = middle }
            }
            let found = value(c, low);
            if found < best.1 && low > 0.0 {
                best = (low, found);
            }
        }
    }
    best.0
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
        ];
        for c in quartics {
            let t = minimiser(&c);
            assert!(t > 0.0 && t <= 1.0);
            let grid = (1..=10_000).map(|i| value(&c, f64::from(i) / 1e4));
            let least = grid.fold(f64::INFINITY, f64::min);
            assert!(value(&c, t) <= least + 1e-9, "{c:?} at {t}");
        }
    }
}
