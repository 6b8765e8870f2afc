//! What a reader has to say of a file that it took.

/// What was read, and what may not be as it was meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// What was read and what was left out, each without a full stop.
    pub said: Vec<String>,
    /// What may not be as it was meant, each a sentence without a full stop.
    pub warnings: Vec<String>,
    /// Whether edges came without a weight of their own: they count one.
    pub unweighted: bool,
}

impl Notes {
    /// Adds what was read.
    pub(crate) fn say(&mut self, text: impl Into<String>) {
        self.said.push(text.into());
    }

    /// Adds what may be wrong.
    pub(crate) fn warn(&mut self, text: impl Into<String>) {
        self.warnings.push(text.into());
    }

    /// What was read as one line.
    pub fn line(&self) -> String {
        self.said.join("; ")
    }
}

/// `1 point`, `2 points`.
pub(crate) fn counted(number: usize, thing: &str) -> String {
    let plural = format!("{thing}s");
    if number == 1 { format!("1 {thing}") } else { format!("{number} {plural}") }
}
