//! A table of cells under headers.

use crate::cell::Cell;
use crate::text::escape;

/// A table of cells under headers.
///
/// A row shorter than the headers is filled with empty cells.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// What the table shows, in a sentence.
    pub caption: String,
    /// One header a column.
    pub headers: Vec<String>,
    /// The cells, row by row.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    ///
    /// ```
    /// use gramfold_report::Table;
    ///
    /// let table = Table::new("Starts", ["seed", "objective", "exact"])
    ///     .row(vec!["7".into(), 26.7431.into(), true.into()]);
    /// assert_eq!(table.rows.len(), 1);
    /// ```
    pub fn new<H: Into<String>>(
        caption: impl Into<String>,
        headers: impl IntoIterator<Item = H>,
    ) -> Self {
        Self {
            caption: caption.into(),
            headers: headers.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    /// The table with one more row.
    #[must_use]
    pub fn row(mut self, cells: Vec<Cell>) -> Self {
        self.rows.push(cells);
        self
    }

    /// The table with further rows.
    #[must_use]
    pub fn rows(mut self, rows: impl IntoIterator<Item = Vec<Cell>>) -> Self {
        self.rows.extend(rows);
        self
    }

    pub(crate) fn html(&self) -> String {
        let mut html = String::from("<div class=\"scroll\"><table>\n");
        if !self.caption.is_empty() {
            html += &format!("<caption>{}</caption>\n", escape(&self.caption));
        }
        html += "<thead><tr>";
        for (column, header) in self.headers.iter().enumerate() {
            html += &format!("<th scope=\"col\"{}>{}</th>", self.alignment(column), escape(header));
        }
        html += "</tr></thead>\n<tbody>\n";
        for row in &self.rows {
            html += "<tr>";
            for (column, cell) in row.iter().enumerate() {
                html += &cell.html(column == 0);
            }
            for _ in row.len()..self.headers.len() {
                html += "<td></td>";
            }
            html += "</tr>\n";
        }
        html + "</tbody></table></div>\n"
    }

    /// The class of a header, which stands where the cells below it stand.
    fn alignment(&self, column: usize) -> &'static str {
        let mut cells = self.rows.iter().filter_map(|row| row.get(column));
        match cells.find(|cell| !matches!(cell, Cell::Text(_))) {
            Some(Cell::Number(_)) => " class=\"number\"",
            Some(Cell::Mark(_)) => " class=\"mark\"",
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captions_scopes_and_alignment() {
        let html = Table::new("Runs & gaps", ["rule", "gap", "exact"])
            .row(vec!["<fixed>".into(), 1e-9.into(), true.into()])
            .row(vec!["short".into()])
            .html();
        assert!(html.contains("<caption>Runs &amp; gaps</caption>"));
        assert!(html.contains("<th scope=\"col\" class=\"number\">gap</th>"));
        assert!(html.contains("<th scope=\"row\">&lt;fixed&gt;</th>"));
        assert!(html.contains("<td class=\"number\">10⁻⁹</td>"));
        assert!(html.contains("<th scope=\"row\">short</th><td></td><td></td>"));
    }
}
