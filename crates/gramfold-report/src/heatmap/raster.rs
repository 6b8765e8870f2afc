//! The cells of a heatmap as drawn: the entries of the matrix, or means of blocks of them.

use super::Heatmap;
use super::colours;
use crate::number::range;

/// More cells in a row would be narrower than a pixel.
const MOST: usize = 512;

/// Values below this share of the largest are rounding, and not of the other sign.
const ROUNDING: f64 = 1e-9;

/// The cells of a heatmap as drawn.
pub(crate) struct Raster {
    /// How many cells a row has.
    pub(crate) cols: usize,
    /// How many rows and columns of the matrix a cell covers.
    pub(crate) block: (usize, usize),
    pub(crate) cells: Vec<f64>,
    /// The range that colours cover: what was asked for, or the least and the greatest finite cell.
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Whether that has both signs.
    pub(crate) signed: bool,
}

impl Raster {
    /// The cells of `heatmap`, if there is a finite one.
    pub(crate) fn of(heatmap: &Heatmap) -> Option<Self> {
        let (rows, cols) = (heatmap.rows, heatmap.cols);
        if heatmap.values.is_empty() || rows.checked_mul(cols) != Some(heatmap.values.len()) {
            return None;
        }
        let block = (rows.div_ceil(MOST), cols.div_ceil(MOST));
        let cells = if block == (1, 1) { heatmap.values.clone() } else { means(heatmap, block) };
        let finite = cells.iter().copied().filter(|value| value.is_finite());
        let (low, high) = range(finite);
        if low > high {
            return None;
        }
        let (low, high) = heatmap.range.unwrap_or((low, high));
        let signed = (-low).min(high) > ROUNDING * (-low).max(high);
        Some(Self { cols: cols.div_ceil(block.1), block, cells, low, high, signed })
    }

    /// The place of a value among the colours; of both signs, zero is in the middle.
    pub(crate) fn level(&self, value: f64) -> u8 {
        if self.signed {
            let most = (-self.low).max(self.high);
            return colours::level(value, -most, most);
        }
        colours::level(value, self.low, self.high)
    }
}

/// The means of the finite entries of each block.
fn means(heatmap: &Heatmap, (height, width): (usize, usize)) -> Vec<f64> {
    let (rows, cols) = (heatmap.rows, heatmap.cols);
    let mut cells = Vec::with_capacity(rows.div_ceil(height) * cols.div_ceil(width));
    for top in (0..rows).step_by(height) {
        for left in (0..cols).step_by(width) {
            let (mut sum, mut count) = (0.0, 0.0);
            for row in top..(top + height).min(rows) {
                let start = row * cols;
                for value in &heatmap.values[start + left..start + (left + width).min(cols)] {
                    if value.is_finite() {
                        sum += value;
                        count += 1.0;
                    }
                }
            }
            // A block without a finite entry becomes 0/0, which is drawn blank.
            cells.push(sum / count);
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_matrices_are_drawn_as_they_are() {
        let values = vec![1.0, f64::NAN, -2.0, 4.0];
        let raster = Raster::of(&Heatmap::new("", 2, 2, values)).expect("finite entries");
        assert_eq!((raster.low, raster.high, raster.block), (-2.0, 4.0, (1, 1)));
    }

    #[test]
    fn zero_is_in_the_middle_where_there_are_both_signs() {
        let of = |values: Vec<f64>| {
            Raster::of(&Heatmap::new("", 1, values.len(), values)).expect("finite entries")
        };
        let middle = colours::LEVELS / 2;
        let both = of(vec![-1.0, 0.0, 4.0]);
        assert!(both.signed && both.level(-1.0) < middle && both.level(4.0) == 2 * middle - 1);
        assert_eq!((both.level(0.0), both.low, both.high), (middle, -1.0, 4.0));
        for values in [vec![0.0, 4.0], vec![-4.0, -1.0], vec![-1e-12, 4.0], vec![0.0, 0.0]] {
            assert!(!of(values.clone()).signed, "{values:?}");
        }
        assert_eq!(of(vec![1.0, 2.0]).level(1.0), 0);
    }

    #[test]
    fn large_matrices_are_drawn_as_means() {
        let values = (0..1000).map(|j| f64::from(j % 2)).collect();
        let raster = Raster::of(&Heatmap::new("", 1, 1000, values)).expect("finite entries");
        assert_eq!((raster.cols, raster.block), (500, (1, 2)));
        assert!(raster.cells.iter().all(|cell| *cell == 0.5));
    }

    #[test]
    fn nothing_to_draw() {
        for (rows, cols, values) in
            [(0, 0, vec![]), (2, 2, vec![1.0]), (1, 1, vec![f64::NAN]), (usize::MAX, 2, vec![0.0])]
        {
            assert!(Raster::of(&Heatmap::new("", rows, cols, values)).is_none());
        }
    }
}
