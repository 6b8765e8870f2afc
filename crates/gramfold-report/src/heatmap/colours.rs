//! The colour maps. Values of one sign: viridis, perceptually uniform and safe for colour-blind readers (S. van der Walt and
//! N. Smith, 2015, public domain), interpolated between ten of its colours. Values of both: from blue by a light grey, which is
//! zero, to red.

/// Colours for values: the most that differ from each other, so that a colour tells its value.
pub(crate) const LEVELS: u8 = 246;

/// The index of entries that have no value.
pub(crate) const BLANK: u8 = LEVELS;

const VIRIDIS: [[u8; 3]; 10] = [
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

const BLUE_TO_RED: [[u8; 3]; 5] = [
    [0x0b, 0x2f, 0x7a],
    [0x4f, 0x8f, 0xcf],
    [0xf2, 0xf2, 0xf2],
    [0xdd, 0x7a, 0x52],
    [0x8c, 0x12, 0x12],
];

/// The colours from the lowest value to the highest; of both signs, zero is in the middle.
pub(crate) fn palette(signed: bool) -> Vec<[u8; 3]> {
    let stops: &[[u8; 3]] = if signed { &BLUE_TO_RED } else { &VIRIDIS };
    (0..LEVELS)
        .map(|level| {
            let place = f64::from(level) / f64::from(LEVELS - 1) * (stops.len() - 1) as f64;
            let stop = (place as usize).min(stops.len() - 2);
            let share = place - stop as f64;
            std::array::from_fn(|channel| {
                let (from, to) = (stops[stop][channel], stops[stop + 1][channel]);
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
        for (signed, first, last) in
            [(false, VIRIDIS[0], VIRIDIS[9]), (true, BLUE_TO_RED[0], BLUE_TO_RED[4])]
        {
            let colours = palette(signed);
            assert_eq!(colours.iter().collect::<BTreeSet<_>>().len(), usize::from(LEVELS));
            assert_eq!((colours[0], colours[usize::from(LEVELS) - 1]), (first, last));
        }
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
