//! The page: a title over sections.

use crate::item::Item;
use crate::text::escape;

const STYLE: &str = include_str!("../assets/style.css");
const SCRIPT: [&str; 4] = [
    include_str!("../assets/tip.js"),
    include_str!("../assets/chart.js"),
    include_str!("../assets/heatmap.js"),
    include_str!("../assets/network.js"),
];

/// The browser itself then refuses whatever is not in the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; \
                      script-src 'unsafe-inline'; img-src data:";

/// Pages with fewer sections are scanned faster without a list of contents.
const SECTIONS_FOR_CONTENTS: usize = 4;

/// A page: a title over sections.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// The heading of the page.
    pub title: String,
    /// A line below the title.
    pub subtitle: String,
    /// The sections, in reading order.
    pub sections: Vec<Section>,
}

/// Items under a heading.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Section {
    /// The heading.
    pub heading: String,
    /// What the section shows, in reading order.
    pub items: Vec<Item>,
}

impl Page {
    /// A page without sections.
    ///
    /// ```
    /// use gramfold_report::{Item, Page};
    ///
    /// let page = Page::new("A run", "seed 7")
    ///     .section("Command", vec![Item::command("gramfold solve problem.json")]);
    /// assert!(page.to_html().contains("gramfold solve problem.json"));
    /// ```
    pub fn new(title: impl Into<String>, subtitle: impl Into<String>) -> Self {
        Self { title: title.into(), subtitle: subtitle.into(), sections: Vec::new() }
    }

    /// The page with one more section.
    #[must_use]
    pub fn section(mut self, heading: impl Into<String>, items: Vec<Item>) -> Self {
        self.sections.push(Section { heading: heading.into(), items });
        self
    }

    /// The page as one HTML document; the same data always give the same text.
    pub fn to_html(&self) -> String {
        let title = escape(&self.title);
        let mut html = format!(
            "<!doctype html>\n<html lang=\"en-GB\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <link rel=\"icon\" href=\"data:,\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n\
             <h1>{title}</h1>\n"
        );
        if !self.subtitle.is_empty() {
            html += &format!("<p class=\"subtitle\">{}</p>\n", escape(&self.subtitle));
        }
        // A section whose charts have nothing to show is none.
        let bodies = self.sections.iter().map(|section| (section.heading.as_str(), section.body()));
        let sections: Vec<_> = bodies.filter(|(_, body)| !body.is_empty()).collect();
        html += &contents(&sections);
        html += "</header>\n<main>\n";
        for (number, (heading, body)) in (1..).zip(&sections) {
            html += &format!("<section id=\"section-{number}\">\n");
            if !heading.is_empty() {
                html += &format!("<h2>{}</h2>\n", escape(heading));
            }
            html += &format!("{body}</section>\n");
        }
        html += "</main>\n<script>\n(() => {\n\"use strict\";\n";
        html += &SCRIPT.concat();
        html + "})();\n</script>\n</body>\n</html>\n"
    }
}

fn contents(sections: &[(&str, String)]) -> String {
    if sections.len() < SECTIONS_FOR_CONTENTS {
        return String::new();
    }
    let link = |(number, (heading, _)): (usize, &(&str, String))| {
        format!("<a href=\"#section-{number}\">{}</a>\n", escape(heading))
    };
    let links: String = (1..).zip(sections).map(link).collect();
    format!("<nav aria-label=\"Contents\">\n{links}</nav>\n")
}

impl Section {
    fn body(&self) -> String {
        self.items.iter().map(Item::html).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Chart;

    #[test]
    fn contents_only_on_long_pages() {
        let mut page = Page::new("t", "");
        for _ in 1..SECTIONS_FOR_CONTENTS {
            page = page.section("h", vec![Item::text("x")]);
        }
        page = page.section("empty", vec![Item::Charts(vec![Chart::new("none")])]);
        assert!(!page.to_html().contains("<nav") && !page.to_html().contains("empty"));
        let page = page.section("last", vec![Item::text("x")]);
        assert!(page.to_html().contains("<a href=\"#section-4\">last"));
    }

    #[test]
    fn the_assets_cannot_end_their_elements() {
        assert!(!STYLE.contains("</"));
        assert!(SCRIPT.iter().all(|part| !part.contains("</")));
    }
}
