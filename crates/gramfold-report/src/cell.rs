//! One entry of a table.

use crate::number::counted;
use crate::text::escape;

/// One entry of a [`Table`](crate::Table).
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Words, aligned to the left.
    Text(String),
    /// A number, aligned to the right, with up to six significant digits, or all of a whole number.
    Number(f64),
    /// A tick or a cross.
    Mark(bool),
}

impl Cell {
    /// The element of the cell; `leading` when it names its row.
    pub(crate) fn html(&self, leading: bool) -> String {
        match self {
            Self::Text(text) if leading => format!("<th scope=\"row\">{}</th>", escape(text)),
            Self::Text(text) => format!("<td>{}</td>", escape(text)),
            Self::Number(value) => format!("<td class=\"number\">{}</td>", counted(*value)),
            Self::Mark(true) => mark("good", "yes", '✓'),
            Self::Mark(false) => mark("bad", "no", '✗'),
        }
    }
}

fn mark(class: &str, word: &str, symbol: char) -> String {
    format!(
        "<td class=\"mark {class}\"><span role=\"img\" aria-label=\"{word}\">{symbol}</span></td>"
    )
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<bool> for Cell {
    fn from(value: bool) -> Self {
        Self::Mark(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions() {
        assert_eq!(Cell::from("a"), Cell::Text("a".to_owned()));
        assert_eq!(Cell::from("a".to_owned()), Cell::Text("a".to_owned()));
        assert_eq!(Cell::from(1.5), Cell::Number(1.5));
        assert_eq!(Cell::from(true), Cell::Mark(true));
    }

    #[test]
    fn a_mark_is_said_in_words() {
        assert!(Cell::Mark(false).html(false).contains("aria-label=\"no\""));
    }
}
