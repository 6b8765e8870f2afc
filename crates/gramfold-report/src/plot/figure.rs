//! Puts a chart together: title, legend, drawing and notes.

use super::axes::Axes;
use super::decimate::decimate;
use super::drawable::{Drawable, shows};
use super::projection::Span;
use super::style::Style;
use super::{Size, legend, marks};
use crate::chart::{Chart, Mark, Series};
use crate::number::{compact, coordinate};
use crate::text::{escape, framed, lines};

/// The figure of a chart; nothing where its axes can show no point.
pub(crate) fn figure(chart: &Chart, size: Size) -> String {
    let drawable = Drawable::of(chart);
    if drawable.is_empty() {
        return String::new();
    }
    let mut notes = drawable.notes();
    notes.extend(marks::notes(chart));

    let (drawing, thinned) = drawing(chart, &drawable, size);
    if thinned {
        notes.push("long series thinned for drawing, extremes kept".to_owned());
    }
    let shown = legend::html(&chart.series, &drawable.series) + &drawing;
    framed("chart", &chart.title, &shown, "", &notes)
}

/// The drawing, and whether any series had to be thinned.
fn drawing(chart: &Chart, drawable: &Drawable, size: Size) -> (String, bool) {
    let axes = axes(chart, drawable, size);
    let mut html = format!(
        "<div class=\"stage\"><svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" \
         tabindex=\"0\" aria-label=\"{}\" data-x-label=\"{}\" data-y-label=\"{}\">\n",
        size.width,
        size.height,
        escape(&description(chart)),
        escape(&chart.x.label),
        escape(&chart.y.label)
    );
    html += &axes.svg(&chart.x.label, &chart.y.label);
    let lone = drawable.series.iter().filter(|points| !points.is_empty()).count() == 1;
    let mut thinned = false;
    for (index, points) in drawable.series.iter().enumerate() {
        if !points.is_empty() {
            let (group, thin) = run(index, &chart.series[index], points, &axes, lone);
            html += &group;
            thinned |= thin;
        }
    }
    // Above the curves, which would strike their labels through.
    html += &marks::svg(chart, &axes);
    (html + "</svg></div>\n", thinned)
}

fn axes(chart: &Chart, drawable: &Drawable, size: Size) -> Axes {
    let points = || drawable.series.iter().flatten();
    let marks = |vertical: bool| {
        let of = move |mark: &&Mark| mark.vertical == vertical && shows(chart, mark);
        chart.marks.iter().filter(of).map(|mark| mark.value)
    };
    let x = Span::of(chart.x.scale, points().map(|point| point.0).chain(marks(true)));
    let y = Span::of(chart.y.scale, points().map(|point| point.1).chain(marks(false)));
    Axes::new(size, x, y.padded())
}

/// One series: its line, its markers, and the values that the script shows on hover.
fn run(
    index: usize,
    series: &Series,
    points: &[(f64, f64)],
    axes: &Axes,
    lone: bool,
) -> (String, bool) {
    let pixels: Vec<_> = points.iter().map(|&(x, y)| (axes.x.pixel(x), axes.y.pixel(y))).collect();
    let kept = if series.scattered { from_left(&pixels) } else { decimate(&pixels) };
    let style = Style::of(index);
    let drawn: Vec<_> = kept.iter().map(|&i| pixels[i]).collect();
    let markers = if series.scattered {
        drawn.iter().map(|&(x, y)| style.marker(x, y)).collect()
    } else {
        style.markers(&drawn, lone)
    };
    // The script finds points by the line, seen or not.
    let line = if series.scattered { " style=\"stroke:none\"".into() } else { style.dashes() };
    let join = |text: &dyn Fn(usize) -> String| {
        kept.iter().map(|&i| text(i)).collect::<Vec<_>>().join(" ")
    };
    let mut called = String::new();
    if series.scattered {
        called += " data-scattered";
    }
    if series.names.len() == points.len() && !points.is_empty() {
        let names = lines(kept.iter().map(|&i| &series.names[i]));
        called += &format!(" data-names=\"{names}\"");
    }
    let group = format!(
        "<g class=\"series {}\" data-series=\"{index}\" data-name=\"{}\" data-x=\"{}\" \
         data-y=\"{}\"{called}><polyline class=\"run\" points=\"{}\"{}/>\
         <path class=\"markers\" d=\"{}\"/></g>\n",
        style.class(),
        escape(&series.name),
        join(&|i| compact(points[i].0)),
        join(&|i| compact(points[i].1)),
        join(&|i| format!("{},{}", coordinate(pixels[i].0), coordinate(pixels[i].1))),
        line,
        markers,
    );
    (group, kept.len() < points.len())
}

/// All points, from left to right.
fn from_left(pixels: &[(f64, f64)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..pixels.len()).collect();
    order.sort_by(|a, b| pixels[*a].0.total_cmp(&pixels[*b].0));
    order
}

/// What the chart shows, for those who cannot see it.
fn description(chart: &Chart) -> String {
    let names = chart.series.iter().map(|series| series.name.as_str());
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    let mut text = if chart.title.is_empty() { "Chart".to_owned() } else { chart.title.clone() };
    if !chart.x.label.is_empty() || !chart.y.label.is_empty() {
        text += &format!(": {} against {}", chart.y.label, chart.x.label);
    }
    if !names.is_empty() {
        text += &format!(". Series: {}", names.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Axis;
    use crate::plot::WIDE;

    #[test]
    fn what_cannot_be_shown_is_left_out() {
        let empty = Chart::new("t").y(Axis::log("")).series("gone", vec![(1.0, -1.0)]);
        assert_eq!(figure(&empty, WIDE), "");
        let html = figure(&empty.series("s", vec![(1.0, 1.0), (2.0, 0.0)]), WIDE);
        assert!(html.contains("1 point at or below zero not shown"));
        assert!(html.contains("data-name=\"s\"") && !html.contains("aria-pressed=\"true\">gone"));
        assert_eq!(html.matches("<button").count(), 1);
    }

    #[test]
    fn names_are_escaped_everywhere() {
        let html = figure(
            &Chart::new("<t>")
                .x(Axis::linear("<x>"))
                .series("<s>", vec![(0.0, 0.0), (1.0, 1.0)])
                .mark_y(0.5, "<m>")
                .mark_x(f64::NAN, "<gone>"),
            WIDE,
        );
        for name in ["<t>", "<x>", "<s>", "<m>", "<gone>"] {
            assert!(!html.contains(name), "{name}");
        }
        assert!(html.contains("Line “&lt;gone&gt;” not shown"));
    }

    #[test]
    fn scattered_points_have_a_marker_each_and_no_line() {
        let points: Vec<_> = (0..3000).map(|i| (f64::from(i % 50), f64::from(i))).collect();
        let html = figure(&Chart::new("t").points("s", points), WIDE);
        let names = vec!["b\nc".to_owned(), "<a>".to_owned()];
        let named = Chart::new("t").named_points("s", vec![(2.0, 0.0), (1.0, 1.0)], names);
        let named = figure(&named, WIDE);
        assert!(named.contains("data-names=\"&lt;a&gt;\nb c\""), "{named}");
        assert!(html.contains("stroke:none") && !html.contains("series thinned"));
        assert!(html.matches("a3 3 0 1 0 6 0").count() >= 3000);
    }

    #[test]
    fn long_series_are_thinned_and_say_so() {
        let points = (0..10_000).map(|i| (f64::from(i), f64::from(i).sin())).collect();
        let html = figure(&Chart::new("t").series("s", points), WIDE);
        assert!(html.contains("series thinned"));
        assert!(html.len() < 40_000, "{}", html.len());
    }

    #[test]
    fn extreme_values_have_coordinates() {
        for value in [1e300, 1.0, 1e-300, 5e-324] {
            let chart = Chart::new("t")
                .series("s", vec![(value, -value), (-value, value)])
                .series("constant", vec![(value, value)])
                .mark_y(5.0 * value, "m");
            let html = figure(&chart, WIDE);
            assert!(!html.contains("NaN") && !html.contains("inf"), "{html}");
        }
    }
}
