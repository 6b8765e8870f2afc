//! How messages show what a file holds.

/// Characters of it that a message shows.
const SHOWN: usize = 40;

/// The bytes between backticks: cut if long, and with control characters escaped, so that no file
/// can write to the terminal of who reads the message.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    // No character has more than four bytes, so that what is cut off here is not shown either.
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * (SHOWN + 1))]);
    let mut shown = String::from("`");
    for character in text.chars().take(SHOWN) {
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown.push_str(if text.chars().nth(SHOWN).is_some() { "…`" } else { "`" });
    shown
}

/// How messages show what a file begins with in the place of this.
pub(crate) fn beginning(bytes: &[u8], expected: &[u8]) -> String {
    match &bytes[..bytes.len().min(expected.len())] {
        [] => "an empty file".to_owned(),
        start => quoted(start),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_unprintable_bytes_are_made_short_and_harmless() {
        assert_eq!(quoted(b"'<f8'"), "`'<f8'`");
        assert_eq!(quoted("é\u{1b}[0m\u{7f}".as_bytes()), "`é\\u{1b}[0m\\u{7f}`");
        assert_eq!(quoted(b"\xff1"), "`\u{fffd}1`");
        assert_eq!(quoted(&[b'x'; SHOWN]), format!("`{}`", "x".repeat(SHOWN)));
        assert_eq!(quoted(&[b'x'; 1000]), format!("`{}…`", "x".repeat(SHOWN)));
        let wide = "𝐀".repeat(SHOWN + 1);
        assert_eq!(quoted(wide.as_bytes()), format!("`{}…`", "𝐀".repeat(SHOWN)));
    }
}
