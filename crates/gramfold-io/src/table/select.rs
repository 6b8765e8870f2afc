//! Columns by name or number.

use std::path::Path;

use crate::{Error, fields::integer, quoted::quoted};

/// The names of the columns, or how many there are.
pub(super) struct Names<'a> {
    pub(super) path: &'a Path,
    pub(super) header: Option<&'a [String]>,
    pub(super) count: usize,
}

impl Names<'_> {
    /// The place of a column by its name or its number from one.
    pub(super) fn place(&self, flag: &str, text: &str) -> Result<usize, Error> {
        let text = text.trim();
        let named = self.header.and_then(|names| names.iter().position(|name| name == text));
        let numbered = || {
            let number = integer(text.as_bytes())? as usize;
            (1..=self.count).contains(&number).then(|| number - 1)
        };
        named.or_else(numbered).ok_or_else(|| {
            let shown = quoted(text.as_bytes());
            let expected = match self.header {
                Some(_) => format!("a column {shown}, which {flag} asks for"),
                None => format!("a column {shown} from 1 to {}, which {flag} asks for", self.count),
            };
            Error::in_file(self.path, expected, self.found())
        })
    }

    /// The places of names, numbers and ranges of either, between commas.
    pub(super) fn places(&self, flag: &str, text: &str) -> Result<Vec<usize>, Error> {
        let mut places = Vec::new();
        for part in text.split(',') {
            let whole = self.place(flag, part);
            match (whole, part.split_once('-')) {
                (Ok(place), _) => places.push(place),
                (Err(_), Some((first, last))) => {
                    let (first, last) = (self.place(flag, first)?, self.place(flag, last)?);
                    places.extend(first.min(last)..=first.max(last));
                }
                (Err(error), None) => return Err(error),
            }
        }
        places.sort_unstable();
        places.dedup();
        Ok(places)
    }

    /// What a message calls a column.
    pub(super) fn called(&self, place: usize) -> String {
        match self.header.and_then(|names| names.get(place)) {
            Some(name) if !name.is_empty() => quoted(name.as_bytes()),
            _ => (place + 1).to_string(),
        }
    }

    fn found(&self) -> String {
        const SHOWN: usize = 8;
        match self.header {
            None => format!("{} columns without names", self.count),
            Some(names) => {
                let shown: Vec<_> =
                    names.iter().take(SHOWN).map(|name| quoted(name.as_bytes())).collect();
                let more = if names.len() > SHOWN { ", …" } else { "" };
                format!("{}{more}", shown.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_names_numbers_and_ranges() {
        let owned = ["id", "a-b", "x", "7"].map(str::to_owned);
        let names = Names { path: Path::new("t"), header: Some(&owned), count: 4 };
        let places = |text: &str| names.places("--columns", text).map_err(|e| e.to_string());
        assert_eq!(places("x,a-b"), Ok(vec![1, 2]));
        assert_eq!(places("2-4"), Ok(vec![1, 2, 3]));
        assert_eq!(places("a-b, 7, 1"), Ok(vec![0, 1, 3]));
        assert_eq!(
            places("y"),
            Err("t: expected a column `y`, which --columns asks for, found `id`, `a-b`, `x`, `7`"
                .into())
        );
        let names = Names { path: Path::new("t"), header: None, count: 2 };
        assert_eq!(
            names.place("--id-column", "3").unwrap_err().to_string(),
            "t: expected a column `3` from 1 to 2, which --id-column asks for, \
             found 2 columns without names"
        );
    }
}
