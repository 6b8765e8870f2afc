//! Thins a long run of points without changing how it looks.

/// Each bucket keeps at most two points, and the first and last point are kept as well.
const BUCKETS: usize = 299;

/// The indices of at most 600 of the `pixels` (x, y): those with the lowest and the highest y of
/// every bucket, the first and the last.
///
/// Buckets are equal parts of the width where x never turns back, and equal parts of the run
/// otherwise.
pub(crate) fn decimate(pixels: &[(f64, f64)]) -> Vec<usize> {
    let n = pixels.len();
    if n <= 2 * BUCKETS + 2 {
        return (0..n).collect();
    }
    let (start, end) = (pixels[0].0, pixels[n - 1].0);
    let forward = end > start && pixels.windows(2).all(|pair| pair[0].0 <= pair[1].0);
    let bucket = |i: usize| {
        if forward {
            let share = (pixels[i].0 - start) / (end - start);
            ((share * BUCKETS as f64) as usize).min(BUCKETS - 1)
        } else {
            i * BUCKETS / n
        }
    };

    let mut kept = vec![0];
    let mut first = 0;
    while first < n {
        let current = bucket(first);
        let (mut lowest, mut highest) = (first, first);
        let mut next = first + 1;
        while next < n && bucket(next) == current {
            if pixels[next].1 < pixels[lowest].1 {
                lowest = next;
            }
            if pixels[next].1 > pixels[highest].1 {
                highest = next;
            }
            next += 1;
        }
        kept.extend([lowest.min(highest), lowest.max(highest)]);
        first = next;
    }
    kept.push(n - 1);
    // Ascending already, since buckets and the two points within each are in order.
    kept.dedup();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noisy(n: usize) -> Vec<(f64, f64)> {
        (0..n).map(|i| (i as f64 * 0.07, ((i * 7919) % 1009) as f64)).collect()
    }

    #[test]
    fn short_runs_are_left_alone() {
        assert_eq!(decimate(&noisy(600)).len(), 600);
    }

    #[test]
    fn extremes_and_ends_are_kept() {
        let mut pixels = noisy(10_000);
        pixels[4321].1 = -5000.0;
        pixels[4322].1 = 5000.0;
        let kept = decimate(&pixels);
        assert!(kept.len() <= 600, "{}", kept.len());
        assert!(kept.contains(&4321) && kept.contains(&4322));
        assert_eq!((kept[0], kept[kept.len() - 1]), (0, 9999));
        assert!(kept.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn runs_that_turn_back_are_thinned_too() {
        let mut pixels = noisy(5000);
        pixels.reverse();
        pixels[2500].1 = 1e6;
        let kept = decimate(&pixels);
        assert!(kept.len() <= 600 && kept.contains(&2500));
    }
}
