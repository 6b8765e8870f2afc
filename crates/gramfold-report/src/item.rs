//! One thing shown in a section.

use crate::chart::Chart;
use crate::heatmap::Heatmap;
use crate::network::Network;
use crate::plot;
use crate::table::Table;
use crate::text::escape;

/// One thing shown in a [`Section`](crate::Section).
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// Prose; an empty line starts a new paragraph.
    Text(String),
    /// The answer in a line, larger than all else.
    Headline(String),
    /// A box that says what was found, neither good nor bad.
    Finding {
        /// A word that names it.
        word: String,
        /// What was found.
        text: String,
    },
    /// A box that says whether something holds, in a word, a symbol and a colour.
    Verdict {
        /// Whether it holds.
        good: bool,
        /// What holds, or does not.
        text: String,
    },
    /// A command line, as typed.
    Command(String),
    /// A table.
    Table(Table),
    /// A chart as wide as the page allows.
    Chart(Chart),
    /// Charts side by side where the screen has room.
    Charts(Vec<Chart>),
    /// A matrix in colours.
    Heatmap(Heatmap),
    /// A drawing of a graph.
    Network(Network),
}

impl Item {
    /// Prose.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// The answer.
    pub fn headline(text: impl Into<String>) -> Self {
        Self::Headline(text.into())
    }

    /// What was found, neither good nor bad.
    pub fn finding(word: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Finding { word: word.into(), text: text.into() }
    }

    /// A verdict that something holds.
    pub fn good(text: impl Into<String>) -> Self {
        Self::Verdict { good: true, text: text.into() }
    }

    /// A verdict that something does not hold.
    pub fn bad(text: impl Into<String>) -> Self {
        Self::Verdict { good: false, text: text.into() }
    }

    /// A command line.
    pub fn command(line: impl Into<String>) -> Self {
        Self::Command(line.into())
    }

    pub(crate) fn html(&self) -> String {
        match self {
            Self::Text(text) => paragraphs(text),
            Self::Headline(text) => format!("<p class=\"headline\">{}</p>\n", escape(text)),
            Self::Finding { word, text } => boxed("found", &escape(word), text),
            Self::Verdict { good, text } => verdict(*good, text),
            Self::Command(line) => {
                format!("<pre class=\"command\"><code>{}</code></pre>\n", escape(line))
            }
            Self::Table(table) => table.html(),
            Self::Chart(chart) => plot::figure(chart, plot::WIDE),
            Self::Charts(charts) => {
                let figures: String =
                    charts.iter().map(|chart| plot::figure(chart, plot::NARROW)).collect();
                if figures.is_empty() {
                    return figures;
                }
                format!("<div class=\"charts\">\n{figures}</div>\n")
            }
            Self::Heatmap(heatmap) => heatmap.html(),
            Self::Network(network) => network.html(),
        }
    }
}

fn paragraphs(text: &str) -> String {
    text.split("\n\n")
        .map(str::trim)
        .filter(|paragraph| !paragraph.is_empty())
        .map(|paragraph| format!("<p>{}</p>\n", escape(paragraph)))
        .collect()
}

fn verdict(good: bool, text: &str) -> String {
    let (class, word) = if good { ("good", "✓ Pass") } else { ("bad", "✗ Fail") };
    boxed(class, word, text)
}

fn boxed(class: &str, word: &str, text: &str) -> String {
    format!(
        "<p class=\"verdict {class}\"><strong>{word}</strong><span>{}</span></p>\n",
        escape(text)
    )
}

impl From<Table> for Item {
    fn from(table: Table) -> Self {
        Self::Table(table)
    }
}

impl From<Chart> for Item {
    fn from(chart: Chart) -> Self {
        Self::Chart(chart)
    }
}

impl From<Vec<Chart>> for Item {
    fn from(charts: Vec<Chart>) -> Self {
        Self::Charts(charts)
    }
}

impl From<Network> for Item {
    fn from(network: Network) -> Self {
        Self::Network(network)
    }
}

impl From<Heatmap> for Item {
    fn from(heatmap: Heatmap) -> Self {
        Self::Heatmap(heatmap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_line_starts_a_paragraph() {
        assert_eq!(Item::text("a < b\n\nc\n").html(), "<p>a &lt; b</p>\n<p>c</p>\n");
    }

    #[test]
    fn a_verdict_is_said_in_words() {
        assert!(Item::good("X = Y").html().contains("✓ Pass"));
        assert!(Item::bad("X ≠ Y").html().contains("✗ Fail"));
    }
}
