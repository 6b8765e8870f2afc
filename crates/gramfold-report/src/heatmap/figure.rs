//! Puts a heatmap together: title, image, separators, legend and caption.

use super::colours::{LEVELS, level};
use super::raster::Raster;
use super::{Heatmap, base64, png};
use crate::number::{compact, coordinate, pretty};
use crate::plot::{Anchor, label_width, line, linear, text};
use crate::text::{escape, sentence};

/// The longer side of the image.
const SIDE: f64 = 380.0;
/// The shorter side is at least this share of the longer: factors are tall and narrow.
const SLIMMEST: f64 = 0.3;
const LEFT: f64 = 44.0;
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
    let mut html = String::from("<figure class=\"heatmap\">\n");
    if !heatmap.title.is_empty() {
        html += &format!("<figcaption>{}</figcaption>\n", escape(&heatmap.title));
    }
    let mut remarks = Vec::new();
    if let Some(raster) = Raster::of(heatmap) {
        html += &stage(heatmap, &raster);
        if raster.block != (1, 1) {
            remarks.push(format!(
                "each cell is the mean of {}×{} entries",
                raster.block.0, raster.block.1
            ));
        }
        if raster.cells.iter().any(|cell| !cell.is_finite()) {
            remarks.push("blank cells are not finite".to_owned());
        }
    } else {
        html += "<p class=\"nothing\">nothing to draw</p>\n";
    }
    if !heatmap.caption.is_empty() {
        html += &format!("<p class=\"caption\">{}</p>\n", escape(&heatmap.caption));
    }
    if !remarks.is_empty() {
        html += &format!("<p class=\"remark\">{}</p>\n", sentence(&remarks));
    }
    html + "</figure>\n"
}

fn stage(heatmap: &Heatmap, raster: &Raster) -> String {
    let ratio = heatmap.cols as f64 / heatmap.rows as f64;
    let width = SIDE * ratio.clamp(SLIMMEST, 1.0);
    let height = SIDE * ratio.recip().clamp(SLIMMEST, 1.0);
    let scale = scale(raster, LEFT + width + GAP, height);
    let indices: Vec<u8> =
        raster.cells.iter().map(|cell| level(*cell, raster.low, raster.high)).collect();

    let mut svg = format!(
        "<div class=\"stage\" style=\"max-width:{}px\"><svg class=\"matrix\" \
         viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" {}>\n",
        coordinate(scale.right * 1.15),
        coordinate(scale.right),
        coordinate(TOP + height + BOTTOM),
        escape(&description(heatmap, raster)),
        data(heatmap, raster)
    );
    svg += &image("cells", raster.cols as u32, &indices, (LEFT, TOP), (width, height));
    svg += &separators(heatmap, width, height);
    svg += &format!(
        "<rect class=\"frame\" x=\"{LEFT}\" y=\"{TOP}\" width=\"{}\" height=\"{}\"/>\n",
        coordinate(width),
        coordinate(height)
    );
    svg += &numbers(heatmap, width, height);
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
            let names: Vec<String> =
                names.iter().map(|name| name.replace(['\n', '\r'], " ")).collect();
            data += &format!(" data-{key}-names=\"{}\"", escape(&names.join("\n")));
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

fn image(class: &str, pixels: u32, indices: &[u8], at: (f64, f64), size: (f64, f64)) -> String {
    format!(
        "<image class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" \
         preserveAspectRatio=\"none\" href=\"data:image/png;base64,{}\"/>\n",
        coordinate(at.0),
        coordinate(at.1),
        coordinate(size.0),
        coordinate(size.1),
        base64::encode(&png::encode(pixels, indices))
    )
}

fn separators(heatmap: &Heatmap, width: f64, height: f64) -> String {
    let mut svg = String::new();
    for &after in &heatmap.breaks {
        if 0 < after && after < heatmap.rows {
            let y = TOP + height * after as f64 / heatmap.rows as f64;
            svg += &line("separator", (LEFT, y), (LEFT + width, y));
        }
        if 0 < after && after < heatmap.cols {
            let x = LEFT + width * after as f64 / heatmap.cols as f64;
            svg += &line("separator", (x, TOP), (x, TOP + height));
        }
    }
    svg
}

/// The first and the last row and column.
fn numbers(heatmap: &Heatmap, width: f64, height: f64) -> String {
    let middle = |count: usize, side: f64, index: usize| side * (index as f64 - 0.5) / count as f64;
    let ends = |count: usize| if count == 1 { vec![1] } else { vec![1, count] };
    let mut svg = String::new();
    let called = |names: &[String], number: usize| match names.get(number - 1) {
        Some(name) => shortened(name),
        None => number.to_string(),
    };
    for row in ends(heatmap.rows) {
        let y = TOP + middle(heatmap.rows, height, row).clamp(5.0, height - 5.0) + 4.0;
        svg += &text("label", (LEFT - 7.0, y), Anchor::End, &called(&heatmap.row_names, row));
    }
    for column in ends(heatmap.cols) {
        let x = LEFT + middle(heatmap.cols, width, column);
        svg += &text(
            "label",
            (x, TOP + height + 17.0),
            Anchor::Middle,
            &called(&heatmap.col_names, column),
        );
    }
    svg
}

/// As much of a name as the margin holds.
fn shortened(name: &str) -> String {
    const MOST: usize = 6;
    if name.chars().count() <= MOST {
        return name.to_owned();
    }
    name.chars().take(MOST - 1).chain(['…']).collect()
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
        (0..LEVELS).rev().collect()
    } else {
        labels.push((TOP + height / 2.0, pretty(low)));
        vec![level(low, low, high)]
    };
    let mut svg = image("ramp", 1, &indices, (left, TOP), (RAMP, height));
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
    fn separators_only_inside() {
        let heatmap = Heatmap::new("", 2, 4, vec![0.0; 8]).breaks(vec![0, 1, 2, 4]);
        assert_eq!(figure(&heatmap).matches("class=\"separator\"").count(), 3);
    }

    #[test]
    fn a_wrong_shape_is_not_drawn() {
        assert!(figure(&Heatmap::new("", 3, 5, vec![0.0])).contains("nothing to draw"));
    }

    #[test]
    fn blank_cells_are_explained() {
        let html = figure(&Heatmap::new("", 1, 2, vec![1.0, f64::NAN]));
        assert!(html.contains("Blank cells are not finite"));
        assert!(html.contains("data-values=\"1 NaN\""));
    }
}
