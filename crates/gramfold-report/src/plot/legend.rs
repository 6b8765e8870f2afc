//! The legend: one button a series, which hides and shows it.

use super::style::Style;
use crate::chart::Series;
use crate::text::escape;

/// The legend of `series`; those with nothing to draw are left out.
pub(crate) fn html(series: &[Series], drawn: &[Vec<(f64, f64)>]) -> String {
    if series.iter().all(|series| series.name.is_empty()) {
        return String::new();
    }
    let mut html = String::from("<div class=\"legend\">\n");
    let shown = series.iter().zip(drawn).enumerate().filter(|(_, (_, points))| !points.is_empty());
    for (index, (series, _)) in shown {
        let style = Style::of(index);
        let line = if series.scattered {
            String::new()
        } else {
            format!("<path class=\"run\" d=\"M1 6h32\"{}/>", style.dashes())
        };
        html += &format!(
            "<button type=\"button\" class=\"{}\" data-series=\"{index}\" aria-pressed=\"true\"><svg width=\"34\" height=\"12\" aria-hidden=\"true\">\
             {}<path class=\"markers\" d=\"{}\"/></svg>\
             {}</button>\n",
            style.class(),
            line,
            style.marker(17.0, 6.0),
            escape(&series.name)
        );
    }
    html + "</div>\n"
}
