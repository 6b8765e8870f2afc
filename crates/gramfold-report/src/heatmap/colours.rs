//! The colour map: viridis, perceptually uniform and safe for colour-blind readers (S. van der
//! Walt and N. Smith, 2015, public domain), interpolated between ten of its colours.

/// Colours for values: the most that differ from each other, so that a colour tells its value.
pub(crate) const LEVELS: u8 = 246;

/// The index of entries that have no value.
pub(crate) const BLANK: u8 = LEVELS;

const STOPS: [[u8; 3]; 10] = [
    [0x44, 0x01, 0x54],
    [0x48, 0x28, 0x78],
    [0x3e, 0x49, 0x89],
    [0x31, 0x68, 0x8e],
    [0x26, 0x82, 0x8e],
    [0x1f, 0x9e, 0x89],
    [0x35, 0xb7, 0x79],
    [0x6e, 0xce, 0x58],
    [0xb5, 0xde, 0x2b],
    [0xfd, 0xe7, 0x25],
];

/// The colours from the lowest value to the highest.
pub(crate) fn palette() -> Vec<[u8; 3]> {
    (0..LEVELS)
        .map(|level| {
            let place = f64::from(level) / f64::from(LEVELS - 1) * (STOPS.len() - 1) as f64;
            let stop = (place as usize).min(STOPS.len() - 2);
            let share = place - stop as f64;
            std::array::from_fn(|channel| {
                let (from, to) = (STOPS[stop][channel], STOPS[stop + 1][channel]);
                (f64::from(from) * (1.0 - share) + f64::from(to) * share).round() as u8
            })
        })
        .collect()
}

/// The level of `value` between `low` and `high`.
pub(crate) fn level(value: f64, low: f64, high: f64) -> u8 {
    if !value.is_finite() {
        return BLANK;
    }
    if high <= low {
        return LEVELS / 2;
    }
    // Halves keep the difference of two huge values finite.
    let share = (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
    (share * f64::from(LEVELS - 1)).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn colours_identify_levels() {
        let colours = palette();
        assert_eq!(colours.iter().collect::<BTreeSet<_>>().len(), usize::from(LEVELS));
        assert_eq!(colours[0], STOPS[0]);
        assert_eq!(colours[usize::from(LEVELS) - 1], STOPS[9]);
    }

    #[test]
    fn levels_cover_the_range() {
        assert_eq!(level(-1.0, -1.0, 1.0), 0);
        assert_eq!(level(1.0, -1.0, 1.0), LEVELS - 1);
        assert_eq!(level(f64::NAN, -1.0, 1.0), BLANK);
        assert_eq!(level(3.0, 3.0, 3.0), LEVELS / 2);
        assert_eq!(level(f64::MAX, f64::MIN, f64::MAX), LEVELS - 1);
    }
}
