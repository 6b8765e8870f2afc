//! Random numbers that stay the same for ever, as expected numbers in files need them.

use std::f64::consts::TAU;

/// SplitMix64 (Steele, Lea and Flood 2014): its output is fixed by its seventeen lines, not by the
/// version of a library.
pub(crate) struct SplitMix {
    state: u64,
}

impl SplitMix {
    /// The stream of one experiment's seed and the indices of what is drawn.
    pub(crate) fn of(seed: u64, indices: &[usize]) -> Self {
        let mut random = Self { state: seed };
        for &index in indices {
            random.state = random.bits() ^ index as u64;
        }
        random
    }

    /// 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform on (0, 1].
    pub(crate) fn uniform(&mut self) -> f64 {
        ((self.bits() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Standard normal, by Box and Muller.
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (TAU * self.uniform()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_stream() {
        let mut random = SplitMix::of(1234567, &[]);
        let bits = [random.bits(), random.bits()];
        assert_eq!(bits, [6457827717110365317, 3203168211198807973]);
    }

    #[test]
    fn normal_moments() {
        let mut random = SplitMix::of(1, &[2, 3]);
        let sample: Vec<f64> = (0..20_000).map(|_| random.normal()).collect();
        let mean = sample.iter().sum::<f64>() / 2e4;
        let variance = sample.iter().map(|v| v * v).sum::<f64>() / 2e4;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05);
    }
}
