//! Lists whose lines end in a dictionary of Python, as networkx writes them: `a b {'weight': 1.5}`.

use std::path::Path;

use crate::{Error, lines::Lines, quoted::quoted};

/// A list without its dictionaries.
pub(super) struct Plain {
    pub(super) text: Vec<u8>,
    /// Whether some dictionary has no weight.
    pub(super) unweighted: bool,
}

/// The same list with the weight, one if there is none, in the place of each dictionary; none if the first line has no
/// dictionary. Lines keep their numbers.
pub(super) fn without_dictionaries(path: &Path, bytes: &[u8]) -> Result<Option<Plain>, Error> {
    let mut lines = Lines::new(path, bytes);
    let Some(first) = lines.clone().next() else { return Ok(None) };
    let Some(at) = opening(first) else { return Ok(None) };
    lines.detect(&first[..at]);
    let mut plain = Vec::with_capacity(bytes.len());
    let mut unweighted = false;
    let mut start = 0;
    for (number, line) in (1..).zip(lines.bytes().split(|&byte| byte == b'\n')) {
        let text = line.trim_ascii();
        let skipped = lines.skips(start, text);
        start += line.len() + 1;
        if !skipped {
            let refused =
                |expected: &str, found| Error::at_line(path, number, expected, quoted(found));
            let at = opening(text)
                .ok_or_else(|| refused("a dictionary of attributes as on the first line", text))?;
            let Attributes { weight } = attributes(&text[at..])
                .ok_or_else(|| refused("a dictionary of attributes", &text[at..]))?;
            plain.extend_from_slice(&text[..at]);
            unweighted |= weight.is_none();
            plain.extend_from_slice(weight.unwrap_or(b"1"));
        }
        plain.push(b'\n');
    }
    Ok(Some(Plain { text: plain, unweighted }))
}

/// Where the dictionary begins with which the line ends; names may begin with brackets, too.
pub(crate) fn opening(line: &[u8]) -> Option<usize> {
    let separated = |at: &usize| *at > 0 && matches!(line[at - 1], b' ' | b'\t' | b',' | b';');
    let mut places = memchr::memchr_iter(b'{', line).filter(separated);
    let first = places.clone().next().filter(|_| line.ends_with(b"}"))?;
    Some(places.find(|&at| attributes(&line[at..]).is_some()).unwrap_or(first))
}

/// What a dictionary says.
pub(crate) struct Attributes<'a> {
    /// Of the key `weight`, if it has it.
    pub(crate) weight: Option<&'a [u8]>,
}

/// Reads a dictionary; none if it is none.
pub(crate) fn attributes(text: &[u8]) -> Option<Attributes<'_>> {
    let mut at = 1;
    let mut weight = None;
    loop {
        at = after_blanks(text, at);
        if text.get(at) == Some(&b'}') {
            break;
        }
        let key_start = at;
        at = value_end(text, at, b':')?;
        let key = text[key_start..at].trim_ascii();
        let value_start = at + 1;
        at = value_end(text, value_start, b',')?;
        if matches!(key, b"'weight'" | b"\"weight\"") {
            weight = Some(bare(text[value_start..at].trim_ascii()));
        }
        if text.get(at) == Some(&b',') {
            at += 1;
        }
    }
    text[at + 1..].trim_ascii().is_empty().then_some(Attributes { weight })
}

/// The number within `np.float64(1.5)`, as NumPy shows its numbers.
fn bare(value: &[u8]) -> &[u8] {
    match (memchr::memchr(b'(', value), value) {
        (Some(open), [b'n', .., b')']) => value[open + 1..value.len() - 1].trim_ascii(),
        _ => value,
    }
}

fn after_blanks(text: &[u8], from: usize) -> usize {
    from + text[from..].iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// The end of what begins here: the given byte outside strings and brackets, or the bracket that closes the dictionary.
fn value_end(text: &[u8], from: usize, end: u8) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = from;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\'' | b'"' => {
                at += 1;
                while *text.get(at)? != byte {
                    at += if text[at] == b'\\' { 2 } else { 1 };
                }
            }
            b'{' | b'[' | b'(' => depth += 1,
            _ if depth == 0 && byte == end => return Some(at),
            b'}' if depth == 0 => return (end == b',').then_some(at),
            b'}' | b']' | b')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plain(text: &str) -> Result<Option<String>, String> {
        without_dictionaries(Path::new("g"), text.as_bytes())
            .map(|plain| plain.map(|plain| String::from_utf8(plain.text).unwrap()))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_weight_is_found_among_other_attributes() {
        let text = "# x\na b {'weight': 1.5}\n\nb c {'x': \"}, 'weight': 9\", 'weight': np.float64(2.0)}\n\
                    c d {}\nd e {'t': (1, {'weight': 3}), 'n': None}\n";
        assert_eq!(plain(text), Ok(Some("\na b 1.5\n\nb c 2.0\nc d 1\nd e 1\n\n".into())));
        assert_eq!(plain("a,b,{'weight': 7}\n"), Ok(Some("a,b,7\n\n".into())));
        assert_eq!(plain("a b\n"), Ok(None));
        assert_eq!(plain("{a} b\n"), Ok(None));
        assert_eq!(plain("a\t{b}\t{}\n#c\td\t{}\n"), Ok(Some("a\t{b}\t1\n#c\td\t1\n\n".into())));
    }

    #[test]
    fn what_is_no_dictionary_has_its_line() {
        assert_eq!(
            plain("a b {}\n#\na b {'weight' 1}\n"),
            Err("g:3: expected a dictionary of attributes, found `{'weight' 1}`".into())
        );
        assert_eq!(
            plain("a b {}\na b\n"),
            Err("g:2: expected a dictionary of attributes as on the first line, found `a b`".into())
        );
    }

    proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in "(a b [{}'\"\\\\:,w1(]{0,12}\\}\n){0,4}") {
            let _ = plain(&text);
        }
    }
}
