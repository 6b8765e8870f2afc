//! Puts a heatmap together: title, image, separators, legend and caption.

use super::raster::Raster;
use super::{Heatmap, base64, png};
use crate::number::{compact, coordinate, pretty};
use crate::plot::{Anchor, label_width, line, linear, text};
use crate::text::{escape, framed, lines, shortened};

/// The longer side of the image.
const SIDE: f64 = 380.0;
/// The shorter side is at least this share of the longer: factors are tall and narrow.
const SLIMMEST: f64 = 0.3;
/// The height of a name, and the most characters of one.
const ROW: f64 = 15.0;
const NAME: usize = 12;
const TOP: f64 = 8.0;
const BOTTOM: f64 = 26.0;
/// Between the image and the legend, and the width of the legend.
const GAP: f64 = 22.0;
const RAMP: f64 = 13.0;
/// The most entries whose values are put in the page; a script reads those of larger matrices off
/// the colours, to about one part in 250 of the range.
const EXACT: usize = 4096;

/// The figure of a heatmap.
pub(crate) fn figure(heatmap: &Heatmap) -> String {
    let Some(raster) = Raster::of(heatmap) else { return String::new() };
    let mut remarks = Vec::new();
    if raster.block != (1, 1) {
        remarks.push(format!(
            "each cell is the mean of {}×{} entries",
            raster.block.0, raster.block.1
        ));
    }
    if raster.cells.iter().any(|cell| !cell.is_finite()) {
        remarks.push("blank cells are not finite".to_owned());
    }
    let stage = stage(heatmap, &raster);
    framed("heatmap", &heatmap.title, &stage, &heatmap.caption, &remarks)
}

fn stage(heatmap: &Heatmap, raster: &Raster) -> String {
    let ratio = heatmap.cols as f64 / heatmap.rows as f64;
    let width = SIDE * ratio.clamp(SLIMMEST, 1.0);
    let height = SIDE * ratio.recip().clamp(SLIMMEST, 1.0);
    let rows = labels(&heatmap.row_names, heatmap.rows, height, |_| ROW);
    let columns = labels(&heatmap.col_names, heatmap.cols, width, |name| label_width(name) + 8.0);
    let left = rows.iter().map(|(_, name)| label_width(name)).fold(12.0, f64::max) + 10.0;
    let scale = scale(raster, left + width + GAP, height);
    let indices: Vec<u8> = raster.cells.iter().map(|cell| raster.level(*cell)).collect();

    let mut svg = format!(
        "<div class=\"stage\" style=\"max-width:{}px\"><svg class=\"matrix\" \
         viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" {}>\n",
        coordinate(scale.right * 1.15),
        coordinate(scale.right),
        coordinate(TOP + height + BOTTOM),
        escape(&description(heatmap, raster)),
        data(heatmap, raster)
    );
    let cells = png::encode(raster.cols as u32, &indices, raster.signed);
    svg += &image("cells", &cells, (left, TOP), (width, height));
    svg += &separators(heatmap, left, width, height);
    svg += &format!(
        "<rect class=\"frame\" x=\"{}\" y=\"{TOP}\" width=\"{}\" height=\"{}\"/>\n",
        coordinate(left),
        coordinate(width),
        coordinate(height)
    );
    for (middle, name) in rows {
        let y = TOP + middle.clamp(5.0, height - 5.0) + 4.0;
        svg += &text("label", (left - 7.0, y), Anchor::End, &name);
    }
    for (middle, name) in columns {
        svg += &text("label", (left + middle, TOP + height + 17.0), Anchor::Middle, &name);
    }
    svg + &scale.svg + "</svg></div>\n"
}

/// What the script needs for hover.
fn data(heatmap: &Heatmap, raster: &Raster) -> String {
    let mut data = format!(
        "data-rows=\"{}\" data-cols=\"{}\" data-block=\"{} {}\" data-range=\"{} {}\"",
        heatmap.rows,
        heatmap.cols,
        raster.block.0,
        raster.block.1,
        compact(raster.low),
        compact(raster.high)
    );
    for (key, names, count) in
        [("row", &heatmap.row_names, heatmap.rows), ("col", &heatmap.col_names, heatmap.cols)]
    {
        if names.len() == count && count > 0 {
            data += &format!(" data-{key}-names=\"{}\"", lines(names.iter()));
        }
    }
    if raster.cells.len() <= EXACT {
        let cells: Vec<String> = raster
            .cells
            .iter()
            .map(|cell| if cell.is_finite() { compact(*cell) } else { "NaN".to_owned() })
            .collect();
        data += &format!(" data-values=\"{}\"", cells.join(" "));
    }
    data
}

fn image(class: &str, png: &[u8], at: (f64, f64), size: (f64, f64)) -> String {
    format!(
        "<image class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" \
         preserveAspectRatio=\"none\" href=\"data:image/png;base64,{}\"/>\n",
        coordinate(at.0),
        coordinate(at.1),
        coordinate(size.0),
        coordinate(size.1),
        base64::encode(png)
    )
}

fn separators(heatmap: &Heatmap, left: f64, width: f64, height: f64) -> String {
    let mut svg = String::new();
    for &after in &heatmap.breaks {
        if 0 < after && after < heatmap.rows {
            let y = TOP + height * after as f64 / heatmap.rows as f64;
            svg += &line("separator", (left, y), (left + width, y));
        }
        if 0 < after && after < heatmap.cols {
            let x = left + width * after as f64 / heatmap.cols as f64;
            svg += &line("separator", (x, TOP), (x, TOP + height));
        }
    }
    svg
}

/// What rows or columns are called, each with its middle along the side: all where there is room, else the first and the last.
fn labels(
    names: &[String],
    count: usize,
    side: f64,
    room: impl Fn(&str) -> f64,
) -> Vec<(f64, String)> {
    let label = |index: usize| {
        let name =
            names.get(index).map_or_else(|| (index + 1).to_string(), |name| shortened(name, NAME));
        (side * (index as f64 + 0.5) / count as f64, name)
    };
    let ends = if count == 1 { vec![0] } else { vec![0, count - 1] };
    if count as f64 * ROW > side {
        return ends.into_iter().map(label).collect();
    }
    let all: Vec<_> = (0..count).map(label).collect();
    if all.iter().all(|(_, name)| room(name) <= side / count as f64) {
        return all;
    }
    ends.into_iter().map(label).collect()
}

/// The legend of the colours.
struct Legend {
    svg: String,
    right: f64,
}

fn scale(raster: &Raster, left: f64, height: f64) -> Legend {
    let (low, high) = (raster.low, raster.high);
    let mut labels: Vec<(f64, String)> = Vec::new();
    let indices: Vec<u8> = if low < high {
        let most = (height / 60.0).max(2.0) as usize;
        for tick in linear(low, high, most) {
            let share = (tick.position - low) / (high - low);
            if share.is_finite() {
                labels.push((TOP + height * (1.0 - share), tick.label));
            }
        }
        (raster.level(low)..=raster.level(high)).rev().collect()
    } else {
        labels.push((TOP + height / 2.0, pretty(low)));
        vec![raster.level(low)]
    };
    let ramp = png::encode(1, &indices, raster.signed);
    let mut svg = image("ramp", &ramp, (left, TOP), (RAMP, height));
    let edge = left + RAMP;
    let mut right = edge;
    for (y, label) in labels {
        svg += &line("tick", (edge, y), (edge + 4.0, y));
        svg += &text("label", (edge + 8.0, y + 4.0), Anchor::Start, &label);
        right = right.max(edge + 12.0 + label_width(&label));
    }
    Legend { svg, right }
}

fn description(heatmap: &Heatmap, raster: &Raster) -> String {
    format!(
        "{}: {} by {} matrix, values from {} to {}",
        if heatmap.title.is_empty() { "Heatmap" } else { &heatmap.title },
        heatmap.rows,
        heatmap.cols,
        pretty(raster.low),
        pretty(raster.high)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_matrices_stay_small() {
        let values: Vec<f64> = (0..160_000).map(|i| f64::from((i * 7919) % 10_007)).collect();
        let html = figure(&Heatmap::new("K", 400, 400, values));
        assert!(html.len() < 300_000, "{}", html.len());
    }

    #[test]
    fn names_are_all_shown_where_there_is_room() {
        let named = |rows: usize| {
            let names = (0..rows).map(|i| format!("a long name {i}")).collect();
            figure(&Heatmap::new("", rows, 1, vec![0.0; rows]).row_names(names))
        };
        assert_eq!(named(8).matches(">a long name…<").count(), 8);
        assert_eq!(named(80).matches(">a long name…<").count(), 2);
    }

    #[test]
    fn separators_only_inside() {
        let heatmap = Heatmap::new("", 2, 4, vec![0.0; 8]).breaks(vec![0, 1, 2, 4]);
        assert_eq!(figure(&heatmap).matches("class=\"separator\"").count(), 3);
    }

    #[test]
    fn a_wrong_shape_is_not_drawn() {
        assert_eq!(figure(&Heatmap::new("", 3, 5, vec![0.0])), "");
    }

    #[test]
    fn blank_cells_are_explained() {
        let html = figure(&Heatmap::new("", 1, 2, vec![1.0, f64::NAN]));
        assert!(html.contains("Blank cells are not finite"));
        assert!(html.contains("data-values=\"1 NaN\""));
    }
}
