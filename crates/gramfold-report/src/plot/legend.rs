//! The legend: one button a series, which hides and shows it.

use super::style::Style;
use crate::chart::Series;
use crate::text::escape;

/// The legend of `series`; the buttons of series with nothing to draw are disabled.
pub(crate) fn html(series: &[Series], drawn: &[Vec<(f64, f64)>]) -> String {
    if series.iter().all(|series| series.name.is_empty()) {
        return String::new();
    }
    let mut html = String::from("<div class=\"legend\">\n");
    for (index, (series, points)) in series.iter().zip(drawn).enumerate() {
        let style = Style::of(index);
        let (disabled, remark) =
            if points.is_empty() { (" disabled", " (no points)") } else { ("", "") };
        let line = if series.scattered {
            String::new()
        } else {
            format!("<path class=\"run\" d=\"M1 6h32\"{}/>", style.dashes())
        };
        html += &format!(
            "<button type=\"button\" class=\"{}\" data-series=\"{index}\" aria-pressed=\"true\"\
             {disabled}><svg width=\"34\" height=\"12\" aria-hidden=\"true\">\
             {}<path class=\"markers\" d=\"{}\"/></svg>\
             {}{remark}</button>\n",
            style.class(),
            line,
            style.marker(17.0, 6.0),
            escape(&series.name)
        );
    }
    html + "</div>\n"
}
