//! What each column of a table is: coordinates, names, classes, or nothing that can be used.

use std::collections::{BTreeSet, HashSet};

use super::{TableOptions, header::Header, select::Names};
use crate::{
    Error, Notes,
    fields::{integer, is_hole, number, shown},
    notes::counted,
    records::Records,
};

/// What programs and people call a column of names.
const IDS: [&str; 7] = ["", "id", "index", "name", "node", "key", "unnamed: 0"];

/// What they call a column of known classes.
const TARGETS: [&str; 10] =
    ["target", "label", "labels", "class", "classes", "y", "cluster", "species", "group", "truth"];

/// What is to be taken from which column.
pub(super) struct Roles {
    pub(super) coordinates: Vec<usize>,
    pub(super) id: Option<usize>,
    pub(super) label: Option<usize>,
}

/// What was seen of a column.
#[derive(Clone, Default)]
struct Profile {
    numbers: usize,
    holes: usize,
    /// The line of the first field that is neither number nor hole, and how a message shows it.
    text: Option<(usize, String)>,
    texts: usize,
    /// Whether it counts the rows from zero, or from one.
    counts: [bool; 2],
    /// Whether all are whole numbers or text.
    discrete: bool,
    /// The whole numbers from zero among them, as long as there are few.
    levels: BTreeSet<u64>,
}

/// More whole numbers than known classes have.
const LEVELS: usize = 20;

impl Profile {
    /// Whether the column numbers classes, as far as one can see: it counts from zero or one, each number several times.
    fn numbers_classes(&self) -> bool {
        let count = self.levels.len();
        let first = self.levels.first().copied().unwrap_or(u64::MAX);
        self.discrete
            && self.texts == 0
            && (2..=LEVELS).contains(&count)
            && 5 * count <= self.numbers
            && first <= 1
            && self.levels.last() == Some(&(first + count as u64 - 1))
    }
}

/// Looks at every field of the records, which have as many columns each.
fn profiles(mut records: Records<'_>, names: &Names<'_>) -> Result<Vec<Profile>, Error> {
    let columns = names.count;
    let empty = Profile { counts: [true; 2], discrete: true, ..Profile::default() };
    let mut profiles = vec![empty; columns];
    let first_line = records.number_after(0);
    let mut row = 0;
    while let Some(record) = records.next() {
        let found = record.clone().count();
        if found != columns {
            let expected = format!("{columns} columns as on line {first_line}");
            return Err(records.error(expected, found.to_string()));
        }
        for (place, (profile, field)) in profiles.iter_mut().zip(record).enumerate() {
            if is_hole(field) {
                profile.holes += 1;
                profile.counts = [false; 2];
            } else if let Some(value) = number(field) {
                if !value.is_finite() {
                    let expected = format!("a finite number in the column {}", names.called(place));
                    return Err(records
                        .error(expected, shown(Some(field)))
                        .with_hint("mend it, or leave it empty and pass --missing"));
                }
                profile.numbers += 1;
                profile.discrete &= value.fract() == 0.0 && value >= 0.0;
                if profile.discrete && profile.levels.len() <= LEVELS {
                    profile.levels.insert(value as u64);
                }
                if profile.counts != [false; 2] {
                    let count = integer(field);
                    profile.counts[0] &= count == Some(row);
                    profile.counts[1] &= count == Some(row + 1);
                }
            } else {
                if profile.texts == 0 {
                    profile.text = Some((records.number(), shown(Some(field))));
                }
                profile.texts += 1;
                profile.counts = [false; 2];
            }
        }
        row += 1;
    }
    Ok(profiles)
}

/// Decides what each column is, from the flags where they say it and from what it holds elsewhere.
pub(super) fn roles(
    records: &Records<'_>,
    names: &Names<'_>,
    header: Header,
    options: &TableOptions,
    notes: &mut Notes,
) -> Result<Roles, Error> {
    let profiles = profiles(records.clone(), names)?;
    let mut id = options.id.as_ref().map(|text| names.place("--id-column", text)).transpose()?;
    let label =
        options.label.as_ref().map(|text| names.place("--label-column", text)).transpose()?;
    if let Some(text) = &options.columns {
        let coordinates = names.places("--columns", text)?;
        for &place in &coordinates {
            if let Some((line, found)) = &profiles[place].text {
                let expected = format!("numbers in the column {}", names.called(place));
                return Err(Error::at_line(names.path, *line, expected, found.as_str()));
            }
        }
        if id.is_none() && header != Header::Absent && has_name(names, 0, &IDS[..1]) {
            id = (!coordinates.contains(&0)).then_some(0);
        }
        return Ok(Roles { coordinates, id, label });
    }
    let rows = profiles.first().map_or(0, |p| p.numbers + p.holes + p.texts);
    let mut coordinates = Vec::new();
    for (place, profile) in profiles.iter().enumerate() {
        if Some(place) == id || Some(place) == label {
            continue;
        }
        let called = names.called(place);
        let named = header == Header::Names || (header == Header::Numbers && place == 0);
        let counts = rows > 2 && profile.counts.contains(&true);
        if named && has_name(names, place, &IDS) && (counts || place == 0) && id.is_none() {
            id = Some(place);
            notes.say(format!("names of the points in column {called}"));
        } else if counts && place == 0 && names.count > 1 {
            notes.warn(format!(
                "column {called} counts the rows and was left out: pass --columns to have it as a coordinate"
            ));
            id = id.or(Some(place));
        } else if profile.numbers == 0 && profile.holes == rows {
            notes.warn(format!("column {called} is empty and was left out"));
        } else if named && profile.discrete && names.count > 1 && is_target(names, place) {
            notes.warn(format!(
                "column {called} looks like known classes and was left out: pass --label-column to compare with it, \
                 or --columns to have it as a coordinate"
            ));
        } else if profile.texts > 0 {
            // A column of text is no coordinate; a few words among numbers are a fault.
            if profile.numbers > 0 {
                let (line, found) = profile.text.clone().unwrap_or_default();
                let expected = format!("a finite number in the column {called}");
                return Err(Error::at_line(names.path, line, expected, found)
                    .with_hint("mend it, or choose the columns with --columns"));
            }
            if place == 0 && id.is_none() && is_key(records, place) {
                id = Some(place);
                notes.say(format!("names of the points in column {called}"));
            } else {
                notes.warn(format!("column {called} is text and was left out"));
            }
        } else {
            coordinates.push(place);
        }
    }
    if coordinates.is_empty() {
        let found = format!("{} without one", counted(names.count, "column"));
        return Err(Error::in_file(names.path, "a column of numbers", found));
    }
    // One column of a few whole numbers beside measurements may be meant as classes.
    let (whole, measured): (Vec<_>, Vec<_>) =
        coordinates.iter().partition(|&&place| profiles[place].discrete);
    if let (&[&place], false, None) = (&whole[..], measured.is_empty(), label)
        && profiles[place].numbers_classes()
    {
        let called = names.called(place);
        notes.warn(format!(
            "column {called} is taken as a coordinate, but has only {} whole numbers: if these are known classes, pass \
             --label-column {}",
            profiles[place].levels.len(),
            called.trim_matches('`'),
        ));
    }
    Ok(Roles { coordinates, id, label })
}

fn has_name(names: &Names<'_>, place: usize, known: &[&str]) -> bool {
    names
        .header
        .and_then(|names| names.get(place))
        .is_some_and(|name| known.iter().any(|known| name.eq_ignore_ascii_case(known)))
}

/// Whether a column is called like known classes; y beside an x is the other coordinate.
fn is_target(names: &Names<'_>, place: usize) -> bool {
    let coordinates = (0..names.count).any(|other| has_name(names, other, &["x"]));
    has_name(names, place, &TARGETS) && !(coordinates && has_name(names, place, &["y"]))
}

/// Whether no two fields of a column are the same.
fn is_key(records: &Records<'_>, place: usize) -> bool {
    let mut seen = HashSet::new();
    records.clone().all(|mut record| record.nth(place).is_some_and(|field| seen.insert(field)))
}
