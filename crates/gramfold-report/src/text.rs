//! Text made safe for HTML, and small pieces of grammar.

/// `text` escaped for HTML content and for quoted attributes.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(c),
            // HTML forbids other control characters, even as references, and marks that turn the direction of text
            // would turn what comes after it, too.
            c if c.is_control() || turns(c) => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// Whether the character begins or ends a run of text in another direction.
fn turns(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
}

/// `1 point`, `2 points`.
pub(crate) fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

/// Remarks joined to one sentence.
fn sentence(remarks: &[String]) -> String {
    let joined = remarks.join("; ");
    let mut rest = joined.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// As much of a name as so many characters hold.
pub fn shortened(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    name.chars().take(most - 1).chain(['…']).collect()
}

/// Names for an attribute, a line each.
pub(crate) fn lines<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<String> = names.map(|name| name.replace(['\n', '\r'], " ")).collect();
    escape(&names.join("\n"))
}

/// A figure: its title, what it shows, a caption and remarks, each where there is one.
pub(crate) fn framed(
    class: &str,
    title: &str,
    shown: &str,
    caption: &str,
    remarks: &[String],
) -> String {
    let mut html = format!("<figure class=\"{class}\">\n");
    if !title.is_empty() {
        html += &format!("<figcaption>{}</figcaption>\n", escape(title));
    }
    html += shown;
    if !caption.is_empty() {
        html += &format!("<p class=\"caption\">{}</p>\n", escape(caption));
    }
    if !remarks.is_empty() {
        html += &format!("<p class=\"remark\">{}</p>\n", sentence(remarks));
    }
    html + "</figure>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped() {
        assert_eq!(
            escape("<a href=\"x\" id='y'>&</a>"),
            "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;&lt;/a&gt;"
        );
    }

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(escape("a\0b\nc"), "a\u{fffd}b\nc");
    }

    #[test]
    fn remarks_make_a_sentence() {
        assert_eq!(sentence(&["a point".to_owned(), "a line".to_owned()]), "A point; a line");
        assert_eq!(sentence(&[]), "");
    }

    #[test]
    fn one_is_singular() {
        assert_eq!(count(1, "point"), "1 point");
        assert_eq!(count(12, "point"), "12 points");
    }
}
