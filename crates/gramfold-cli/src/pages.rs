//! What the pages of all commands show alike.

use gramfold::linalg::{Mat, Symmetric};
use gramfold_cluster::binned;
use gramfold_report::{Heatmap, Network};

/// The most rows of a picture: more than a screen can show, little enough to send.
pub(crate) const BINS: usize = 240;

/// The letters of a name that a table shows.
pub(crate) const LETTERS: usize = 40;

/// `96.2 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// To three significant digits, as a person would say it.
pub(crate) fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

/// Six significant digits, without zeros at the end.
pub(crate) fn trimmed(value: f64) -> String {
    let text = gramfold::certificate::significant(value);
    if text.contains('e') || !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Three significant digits as text: `0.637`, `4.4e-8`.
pub(crate) fn short(value: f64) -> String {
    let value = rounded(value);
    if value == 0.0 || (1e-4..1e7).contains(&value.abs()) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// Weights as a person writes them: whole ones whole, others to six digits.
pub(crate) fn weight(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        format!("{value:.0}")
    } else {
        gramfold::certificate::significant(value)
    }
}

/// The first of some numbers, and how many more there are.
pub(crate) fn list(numbers: &[usize], first: usize) -> String {
    let shown: Vec<_> = numbers.iter().take(first).map(usize::to_string).collect();
    let more = numbers.len().saturating_sub(shown.len());
    let tail = if more > 0 { format!(", … ({more} more)") } else { String::new() };
    shown.join(", ") + &tail
}

/// What each node is called: its name, or its number from zero as in the files.
pub(crate) fn names(n: usize, names: Option<&[String]>) -> Vec<String> {
    names.map_or_else(|| (0..n).map(|i| i.to_string()).collect(), <[String]>::to_vec)
}

/// What the groups of nodes are called that a picture shows together, in the given order.
pub(crate) fn bin_names(names: &[String], order: &[usize], bins: usize) -> Vec<String> {
    let n = order.len();
    (0..bins)
        .map(|bin| {
            let first = (bin * n).div_ceil(bins);
            let last = ((bin + 1) * n).div_ceil(bins) - 1;
            if first == last {
                names[order[first]].clone()
            } else {
                format!("{} … {}", names[order[first]], names[order[last]])
            }
        })
        .collect()
}

/// The graph drawn in the colours of groups, if it is small enough.
pub(crate) fn drawing(
    matrix: &Symmetric,
    names: &[String],
    groups: &[usize],
    called: Vec<String>,
) -> Option<Network> {
    let n = matrix.dim();
    if n > Network::MOST {
        return None;
    }
    let mut edges = Vec::new();
    let mut row = vec![0.0; n];
    for i in 0..n {
        row.fill(0.0);
        matrix.add_row(i, 1.0, &mut row);
        let after = row.iter().enumerate().skip(i + 1).filter(|(_, weight)| **weight != 0.0);
        edges.extend(after.map(|(j, weight)| (i, j, *weight)));
    }
    let network = Network::new("The graph", names.to_vec(), groups.to_vec());
    let caption = "Joined nodes attract each other; point at a node for its name";
    Some(network.groups(called).edges(edges).caption(caption))
}

/// A matrix as a picture, its rows and columns in the given order.
pub(crate) fn matrix_picture(
    title: &str,
    matrix: &Symmetric,
    order: &[usize],
    names: &[String],
) -> Heatmap {
    let bins = order.len().min(BINS);
    let called = bin_names(names, order, bins);
    Heatmap::new(title, bins, bins, binned(matrix, order, bins).as_slice().to_vec())
        .row_names(called.clone())
        .col_names(called)
}

/// Where a row of coordinates is on the first two axes.
pub(crate) fn on_axes(points: &Mat, i: usize) -> (f64, f64) {
    (points[(i, 0)], if points.cols() > 1 { points[(i, 1)] } else { 0.0 })
}

/// A factor as a picture, its rows in the given order.
pub(crate) fn factor_picture(
    title: &str,
    factor: &Mat,
    order: &[usize],
    names: &[String],
) -> Heatmap {
    let (n, k) = (order.len(), factor.cols());
    let bins = n.min(BINS);
    let mut means = vec![0.0; bins * k];
    for (place, &node) in order.iter().enumerate() {
        let bin = place * bins / n;
        let width = ((bin + 1) * n).div_ceil(bins) - (bin * n).div_ceil(bins);
        for (j, entry) in factor.row(node).iter().enumerate() {
            means[bin * k + j] += entry / width as f64;
        }
    }
    Heatmap::new(title, bins, k, means)
        .row_names(bin_names(names, order, bins))
        .col_names((0..k).map(|j| j.to_string()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_said_as_a_person_would() {
        let said = [0.637_135, -12_345.6, 4.371e-8, 3.0, 0.0, 1e9].map(short);
        assert_eq!([19.999_999, 0.5, 100.0, 1e-9].map(trimmed), ["20", "0.5", "100", "1.00000e-9"]);
        assert_eq!(said, ["0.637", "-12300", "4.37e-8", "3", "0", "1e9"]);
    }
}
