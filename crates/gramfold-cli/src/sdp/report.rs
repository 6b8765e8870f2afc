//! The charts of a solved program.

use gramfold::linalg::{Gram, symmetric_eigen};
use gramfold_report::{Axis, Chart, Page};
use gramfold_sdp::{Primal, Solution};

/// Blocks whose spectra are shown, largest first, and the largest of them.
const SHOWN: usize = 4;
const LARGEST: usize = 1200;

/// A page with the spectra of its solution, where there are any.
pub(crate) fn with_spectra(page: Page, solution: &Solution) -> Page {
    let spectra = spectra(solution);
    if spectra.is_empty() { page } else { page.section("Spectrum of Z", vec![spectra.into()]) }
}

/// The eigenvalues of the largest blocks, largest first.
pub(crate) fn spectra(solution: &Solution) -> Vec<Chart> {
    let mut blocks: Vec<(usize, &Primal)> = solution.point.primal.iter().enumerate().collect();
    let size = |block: &Primal| match block {
        Primal::Factor(r) => r.rows(),
        Primal::Dense(z) => z.rows(),
        Primal::Diagonal(z) => z.len(),
    };
    blocks.sort_by_key(|(i, block)| (std::cmp::Reverse(size(block)), *i));
    let mut charts = Vec::new();
    for (i, block) in blocks.into_iter().take(SHOWN) {
        let values = match block {
            Primal::Factor(r) => symmetric_eigen(Gram::new(r.cols()).of(r, r)).map(|e| e.values),
            Primal::Dense(z) if z.rows() <= LARGEST => symmetric_eigen(z).map(|e| e.values),
            Primal::Dense(_) => None,
            Primal::Diagonal(z) => {
                let mut sorted = z.clone();
                sorted.sort_by(f64::total_cmp);
                Some(sorted)
            }
        };
        let Some(values) = values.filter(|values| values.iter().any(|v| *v > 0.0)) else {
            continue;
        };
        let points = values.iter().rev().enumerate().filter(|(_, value)| **value > 0.0);
        let points = points.map(|(k, value)| ((k + 1) as f64, *value)).collect();
        charts.push(
            Chart::new(format!("Block {}", i + 1))
                .x(Axis::count("number"))
                .y(Axis::log("eigenvalue"))
                .series("eigenvalues of Z", points),
        );
    }
    charts
}
