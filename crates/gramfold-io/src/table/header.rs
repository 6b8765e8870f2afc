//! Whether the first line names the columns.

use crate::{
    fields::{integer, number},
    records::{Record, Records},
};

/// What the first line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Header {
    /// A point.
    Absent,
    /// The names of the columns.
    Names,
    /// 0, 1, 2, …: what pandas calls columns without names.
    Numbers,
}

/// Looks at the first record, which `records` stand before, and where it counts at the others, too.
pub(super) fn detect(records: &Records<'_>) -> Header {
    let mut others = records.clone();
    let Some(first) = others.next() else { return Header::Absent };
    if first.clone().all(|field| number(field).is_none()) || counts_and_names(first.clone()) {
        return Header::Names;
    }
    if !counts(first.clone()) {
        return Header::Absent;
    }
    // The corner above an index is empty; a point of a few whole numbers is told by its column, which has others.
    let corner = first.clone().next().is_some_and(<[u8]>::is_empty);
    let columns = first.count();
    if corner || columns > 3 {
        return Header::Numbers;
    }
    let mut whole = vec![true; columns];
    for record in others {
        for (whole, field) in whole.iter_mut().zip(record) {
            *whole &= integer(field).is_some();
        }
    }
    if whole.iter().any(|whole| *whole) { Header::Absent } else { Header::Numbers }
}

/// Whether there are words after fields that count: a column that was added to those of pandas.
fn counts_and_names(record: Record<'_>) -> bool {
    let fields: Vec<_> = record.collect();
    let words = fields.iter().rev().take_while(|field| number(field).is_none()).count();
    words > 0 && count(&fields[..fields.len() - words])
}

/// Whether the fields are 0, 1, 2, … or 1, 2, 3, …, perhaps after an empty one.
fn counts(record: Record<'_>) -> bool {
    count(&record.collect::<Vec<_>>())
}

fn count(fields: &[&[u8]]) -> bool {
    let from = usize::from(fields.first().is_some_and(|field| field.is_empty()));
    let numbers: Option<Vec<u64>> = fields[from..].iter().map(|field| integer(field)).collect();
    numbers.is_some_and(|numbers| {
        numbers.len() > 1 && numbers[0] <= 1 && numbers.windows(2).all(|w| w[1] == w[0] + 1)
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::records::Text;

    #[test]
    fn a_line_that_counts_its_columns_is_no_point() {
        for (text, expected) in [
            ("0,1,2,3\n5,6,7,8\n", Header::Numbers),
            (",0,1\n0,5,6\n", Header::Numbers),
            ("1,2,3,4\n0.5,1,2,3\n", Header::Numbers),
            ("0,1\n0.5,0.25\n", Header::Numbers),
            ("0,1\n3,0.25\n", Header::Absent),
            ("0,1\n1,2\n", Header::Absent),
            ("0,1,3,4\n5,6,7,8\n", Header::Absent),
            ("0,1.5,2,3\n5,6,7,8\n", Header::Absent),
            ("a,b\n1,2\n", Header::Names),
            ("a,1\n1,2\n", Header::Absent),
            ("0,1,2,target\n1,2,3,0\n", Header::Names),
            (",0,1,x,y\n0,1,2,3,0\n", Header::Names),
            ("3,1,target\n1,2,0\n", Header::Absent),
        ] {
            let text_of = Text::new(Path::new("t"), text.as_bytes()).unwrap();
            assert_eq!(detect(&text_of.records()), expected, "{text:?}");
        }
    }
}
