//! A matrix in colours.

mod base64;
mod colours;
mod figure;
mod png;
mod raster;

/// A matrix in colours, with a legend.
///
/// Rows and columns count from one, as in the mathematics, unless they have names. Entries that are not finite are left
/// blank. Values of both signs are drawn in two colours that meet at zero. Large matrices are drawn as means of blocks, and the figure says so.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Heatmap {
    /// What the matrix is.
    pub title: String,
    /// How many rows it has.
    pub rows: usize,
    /// How many columns it has.
    pub cols: usize,
    /// Its entries, row by row.
    pub values: Vec<f64>,
    /// A sentence below the drawing.
    pub caption: String,
    /// The values of the first and the last colour; those of the matrix where there are none.
    pub range: Option<(f64, f64)>,
    /// Where to separate rows and columns: `b` draws a line after the first `b` of each.
    pub breaks: Vec<usize>,
    /// What the rows are called; by their numbers if there are none.
    pub row_names: Vec<String>,
    /// What the columns are called; by their numbers if there are none.
    pub col_names: Vec<String>,
}

impl Heatmap {
    /// A matrix without caption and breaks.
    ///
    /// ```
    /// use gramfold_report::Heatmap;
    ///
    /// let identity = Heatmap::new("I", 2, 2, vec![1.0, 0.0, 0.0, 1.0])
    ///     .caption("The identity")
    ///     .breaks(vec![1]);
    /// assert_eq!(identity.values.len(), identity.rows * identity.cols);
    /// ```
    pub fn new(title: impl Into<String>, rows: usize, cols: usize, values: Vec<f64>) -> Self {
        Self { title: title.into(), rows, cols, values, ..Self::default() }
    }

    /// The matrix with a sentence below it.
    #[must_use]
    pub fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }

    /// The matrix in the colours of a range, which others may share.
    #[must_use]
    pub fn range(mut self, range: (f64, f64)) -> Self {
        self.range = Some(range);
        self
    }

    /// The matrix with separators after the given numbers of rows and columns.
    #[must_use]
    pub fn breaks(mut self, breaks: Vec<usize>) -> Self {
        self.breaks = breaks;
        self
    }

    /// The matrix with names for its rows.
    #[must_use]
    pub fn row_names(mut self, names: Vec<String>) -> Self {
        self.row_names = names;
        self
    }

    /// The matrix with names for its columns.
    #[must_use]
    pub fn col_names(mut self, names: Vec<String>) -> Self {
        self.col_names = names;
        self
    }

    pub(crate) fn html(&self) -> String {
        figure::figure(self)
    }
}
