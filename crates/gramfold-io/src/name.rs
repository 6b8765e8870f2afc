//! What nodes are called.

use std::collections::HashSet;

use crate::{
    Error,
    fields::{is_misquoted, shown},
    records::Records,
};

/// A field of the last line as a name.
pub(crate) fn name(field: &[u8], records: &Records<'_>) -> Result<String, Error> {
    let refused = |expected: &str| records.error(expected, shown(Some(field)));
    match str::from_utf8(field) {
        Ok("") => Err(refused("a name")),
        Ok(_) if records.is_plain() && is_misquoted(field) => {
            Err(refused("a name between quotation marks")
                .with_hint("close every quotation mark on its line, and put none within a name"))
        }
        Ok(name) => Ok(name.to_owned()),
        Err(_) => Err(refused("a name in UTF-8").with_hint("convert the file to UTF-8")),
    }
}

/// The first name that comes again: what is found by name must have one of its own.
pub fn repeated(names: &[String]) -> Option<&str> {
    let mut seen = HashSet::with_capacity(names.len());
    names.iter().map(String::as_str).find(|name| !seen.insert(*name))
}

/// Names, unless they are only the numbers of the nodes from zero.
pub(crate) fn unless_numbers(names: Vec<String>) -> Option<Vec<String>> {
    let numbers = names.iter().enumerate().all(|(i, name)| *name == i.to_string());
    (!numbers).then_some(names)
}
