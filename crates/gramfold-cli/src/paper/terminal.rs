//! The results as plain text: one table for the limits, one for each experiment, a verdict.

use super::{
    limits::{Limit, Measured},
    number::short,
    outcome::Outcome,
    share::{self, Measure, MeasuredArm},
};

/// Everything that the command prints.
pub(crate) fn text(outcome: &Outcome) -> String {
    let mut text = String::new();
    for (reading, title) in [
        ("run", "Limits: the paper's digits and ours"),
        ("printed", "The same rules as the paper prints them"),
    ] {
        let rows: Vec<_> = outcome.limits.iter().flat_map(|m| limits(m, reading)).collect();
        if !rows.is_empty() {
            let headers = [
                "example",
                "rule",
                "γ printed",
                "ours",
                "x printed",
                "ours",
                "y printed",
                "ours",
                "",
            ];
            text += &format!("{title}\n{}", table(&headers, &rows));
            if reading == "printed" && rows.iter().any(|row| row[8].starts_with('✗')) {
                text += "  ✗: as printed the rule does not lead to the printed limit, so the experiments were run with another\n  \
                         form of it, which is above; the limits here are those expected of the printed form\n";
            }
            text += "\n";
        }
    }
    if !outcome.shares.is_empty() {
        text += &format!("What the paper leaves open\n{}\n", wrapped(COLUMNS));
    }
    for measured in &outcome.shares {
        let rows: Vec<_> = measured.arms.iter().map(|arm| share_row(measured, arm)).collect();
        let headers = [
            "γ",
            "asymmetric",
            "expected",
            "critical",
            "‖X−Y‖/‖X‖",
            "F",
            "iterations",
            "γ/threshold",
            "",
        ];
        text += &format!(
            "{}\n{}{}\n",
            measured.design.title,
            wrapped(&measured.design.explanation),
            table(&headers, &rows)
        );
    }
    text + &verdict(outcome)
}

/// What the columns of an experiment are.
const COLUMNS: &str = "asymmetric: runs that end with ‖X−Y‖/‖X‖ > 1e-4; expected: how many of them should; critical: the \
                       share of these that are critical points, with a stationarity of at most 1e-8. The rest are \
                       medians over the runs: F is the split objective, and the threshold that γ is divided by is Theorem 1's, \
                       ½λmax(sym ∇f(XYᵀ)) − σ_h/4, at the end of the run.";

/// The most characters of a line of prose.
const WIDTH: usize = 100;

/// Prose in lines of two blanks and at most so many characters.
fn wrapped(prose: &str) -> String {
    let mut text = String::new();
    let mut room = 0;
    for word in prose.split_whitespace() {
        let length = word.chars().count() + 1;
        if length > room {
            text += if text.is_empty() { " " } else { "\n " };
            room = WIDTH - 2;
        }
        text += &format!(" {word}");
        room = room.saturating_sub(length);
    }
    if text.is_empty() { text } else { text + "\n" }
}

/// What came out, in a sentence, and every failure in a line.
fn verdict(outcome: &Outcome) -> String {
    let failures = outcome.failures();
    let seconds = outcome.seconds;
    if failures.is_empty() {
        return format!("passed: every number is as expected ({seconds:.1} s)\n");
    }
    let lines = failures.join("\n  ");
    format!("FAILED: not as expected ({seconds:.1} s)\n  {lines}\n")
}

/// A tick, or a cross.
fn mark(good: bool) -> String {
    if good { "✓" } else { "✗" }.into()
}

/// A tick, or a cross and a word of why.
fn verdict_of(limit: &Limit) -> String {
    if limit.wanders() {
        return "✗ wanders: no limit".into();
    }
    let differ: Vec<_> = [
        ("γ", limit.printed.gamma.agrees(limit.gamma)),
        ("x", limit.printed.x.agrees(limit.x)),
        ("y", limit.printed.y.agrees(limit.y)),
    ]
    .into_iter()
    .filter_map(|(name, agrees)| (!agrees).then_some(name))
    .collect();
    match differ.len() {
        0 => mark(limit.matches()),
        1 => format!("✗ {} differs", differ[0]),
        _ => format!("✗ {} differ", differ.join(", ")),
    }
}

fn limits<'a>(measured: &'a Measured, reading: &'a str) -> impl Iterator<Item = Vec<String>> + 'a {
    let row = |limit: &Limit| {
        let printed = &limit.printed;
        vec![
            measured.design.example.to_string(),
            limit.rule.clone(),
            printed.gamma.text().to_owned(),
            short(limit.gamma),
            printed.x.text().to_owned(),
            short(limit.x),
            printed.y.text().to_owned(),
            short(limit.y),
            verdict_of(limit),
        ]
    };
    measured.limits.iter().filter(move |limit| limit.reading == reading).map(row)
}

fn share_row(measured: &share::Measured, arm: &MeasuredArm) -> Vec<String> {
    let value = |measure| arm.values[&measure];
    let short_or_dash = |v: f64| if v.is_nan() { "–".into() } else { short(v) };
    // Where F itself is the proof, its least value is what counts.
    let objective = match measured.design.symmetric_at_least {
        Some(_) => Measure::LeastSplitObjective,
        None => Measure::SplitObjective,
    };
    vec![
        arm.arm.label(),
        count(value(Measure::Asymmetric), arm.runs),
        arm.arm.expect.get(&Measure::Asymmetric).map_or("–".into(), |&[low, high]| {
            interval(low * arm.runs as f64, high * arm.runs as f64)
        }),
        short_or_dash(value(Measure::Critical)),
        short(value(Measure::Asymmetry)),
        short(value(objective)),
        short(value(Measure::Iterations)),
        short(value(Measure::GammaOverThreshold)),
        arm.verdict().map_or(String::new(), mark),
    ]
}

/// A share of runs as a count, which is what was seen.
pub(crate) fn count(share: f64, runs: usize) -> String {
    format!("{} of {runs}", (share * runs as f64).round())
}

/// The whole numbers in an interval of counts.
pub(crate) fn interval(low: f64, high: f64) -> String {
    // Shares are decimal fractions: 0.3·10 must not become 4.
    let (low, high) = ((low - 1e-9).ceil().abs(), (high + 1e-9).floor());
    if low == high { format!("{low}") } else { format!("{low}–{high}") }
}

/// Columns padded to their widest entry; the last is left ragged.
fn table(headers: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column).map(|cell| cell.chars().count()));
        cells.chain([headers[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..headers.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded: Vec<_> = cells.zip(&widths).map(|(cell, &w)| format!("{cell:<w$}")).collect();
        format!("  {}\n", padded.join("  ").trim_end())
    };
    let mut text = line(&mut headers.iter().copied());
    for row in rows {
        text += &line(&mut row.iter().map(String::as_str));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let rows = [vec!["γ".into(), "1".into()], vec!["long".into(), "2".into()]];
        assert_eq!(table(&["a", "b"], &rows), "  a     b\n  γ     1\n  long  2\n");
    }

    #[test]
    fn prose_fits_the_line() {
        assert_eq!(wrapped("a b"), "  a b\n");
        assert_eq!(wrapped(" "), "");
        let long = wrapped(COLUMNS);
        assert!(long.lines().count() > 2 && long.lines().all(|line| line.chars().count() <= WIDTH));
    }

    #[test]
    fn counts() {
        assert_eq!(count(0.36, 25), "9 of 25");
        assert_eq!(interval(0.3 * 10.0, 10.0), "3–10");
        assert_eq!(interval(0.0, 0.0), "0");
    }
}
