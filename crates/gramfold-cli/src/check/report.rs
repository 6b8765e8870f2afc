//! The claims looked at so far, and the comparison of two JSON values leaf by leaf.

use std::collections::BTreeSet;

use serde_json::{Number, Value};

use super::scales::Scales;

/// What holds, what does not and what was not looked at.
#[derive(Default)]
pub(crate) struct Report {
    text: String,
    pub(super) failed: usize,
    unchecked: BTreeSet<String>,
}

impl Report {
    /// Notes a claim.
    pub(crate) fn claim(&mut self, what: &str, holds: bool) {
        self.failed += usize::from(!holds);
        self.text += &format!("{} {what}\n", if holds { "✓" } else { "✗" });
    }

    /// Notes what nothing is known of.
    pub(super) fn not_checked(&mut self, what: String) {
        self.unchecked.insert(what);
    }

    /// Everything that was noted.
    pub(super) fn finish(&self) -> String {
        let mut text = self.text.clone();
        if !self.unchecked.is_empty() {
            let names: Vec<&str> = self.unchecked.iter().map(String::as_str).collect();
            text += &format!("– not checked: {}\n", names.join(", "));
        }
        text
    }

    /// Every leaf of what is claimed is what was found: numbers up to rounding, all else to the letter.
    pub(super) fn compare(
        &mut self,
        claimed: &Value,
        found: &Value,
        unchecked: &[&str],
        scales: &Scales,
    ) {
        self.descend("", Some(claimed), Some(found), unchecked, scales);
    }

    fn descend(
        &mut self,
        path: &str,
        claimed: Option<&Value>,
        found: Option<&Value>,
        unchecked: &[&str],
        scales: &Scales,
    ) {
        if unchecked.contains(&path) {
            self.unchecked.insert(path.to_owned());
            return;
        }
        match (claimed, found) {
            (Some(Value::Object(a)), Some(Value::Object(b))) => {
                let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
                for key in keys {
                    let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    self.descend(&path, a.get(key), b.get(key), unchecked, scales);
                }
            }
            (Some(Value::Array(a)), Some(Value::Array(b))) if a.len() == b.len() => {
                // One line where all is well.
                let mut inner = Self::default();
                for (i, (a, b)) in a.iter().zip(b).enumerate() {
                    inner.descend(&format!("{path}[{i}]"), Some(a), Some(b), unchecked, scales);
                }
                self.unchecked.append(&mut inner.unchecked);
                if inner.failed == 0 {
                    self.claim(path, true);
                } else {
                    self.failed += inner.failed;
                    self.text.extend(
                        inner.text.lines().filter(|l| l.starts_with('✗')).map(|l| format!("{l}\n")),
                    );
                }
            }
            (Some(Value::Number(a)), Some(Value::Number(b))) => self.number(path, a, b, scales),
            (Some(a), Some(b)) if a == b => self.claim(&format!("{path}: {b}"), true),
            (a, b) => {
                let shown =
                    |value: Option<&Value>| value.map_or("nothing".into(), Value::to_string);
                self.claim(&format!("{path}: {}, but {} is claimed", shown(b), shown(a)), false);
            }
        }
    }

    fn number(&mut self, path: &str, claimed: &Number, found: &Number, scales: &Scales) {
        let value = |number: &Number| number.as_f64().unwrap_or(f64::NAN);
        let whole = |number: &Number| number.is_u64() || number.is_i64();
        let (a, b) = (value(claimed), value(found));
        let near = (a - b).abs() <= scales.slack(path, a, b);
        let holds = claimed == found || (near && !(whole(claimed) && whole(found)));
        let claim = if holds { String::new() } else { format!(", but {claimed} is claimed") };
        self.claim(&format!("{path} = {found}{claim}"), holds);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn failed(claimed: &Value, found: &Value) -> Vec<String> {
        let mut report = Report::default();
        report.compare(claimed, found, &["seconds", "spec.seed"], &Scales::of_values(2.0, 1.0));
        report.finish().lines().filter(|line| line.starts_with('✗')).map(str::to_owned).collect()
    }

    #[test]
    fn leaves_that_differ_are_named() {
        let found = json!({"objective": 1.0, "sizes": [2, 1], "spec": {"seed": 3, "rank": 2}, "exact": true});
        assert!(failed(&found, &found).is_empty());
        for (claimed, name) in [
            (
                json!({"objective": 1.0001, "sizes": [2, 1], "spec": {"seed": 3, "rank": 2}, "exact": true}),
                "objective",
            ),
            (
                json!({"objective": 1.0, "sizes": [2, 2], "spec": {"seed": 3, "rank": 2}, "exact": true}),
                "sizes[1]",
            ),
            (
                json!({"objective": 1.0, "sizes": [2], "spec": {"seed": 3, "rank": 2}, "exact": true}),
                "sizes",
            ),
            (
                json!({"objective": 1.0, "sizes": [2, 1], "spec": {"seed": 3, "rank": 3}, "exact": true}),
                "spec.rank",
            ),
            (
                json!({"objective": 1.0, "sizes": [2, 1], "spec": {"seed": 3, "rank": 2}, "exact": null}),
                "exact",
            ),
            (json!({"objective": 1.0, "sizes": [2, 1], "spec": {"seed": 3, "rank": 2}}), "exact"),
        ] {
            let lines = failed(&claimed, &found);
            assert_eq!(lines.len(), 1, "{lines:?}");
            assert!(lines[0].starts_with(&format!("✗ {name}")), "{lines:?}");
        }
    }

    #[test]
    fn rounding_and_what_is_not_checked_pass() {
        let found = json!({"objective": 1.0, "seconds": 1.0, "spec": {"seed": 3}});
        let claimed = json!({"objective": 1.0 + 1e-12, "seconds": 9.0, "spec": {"seed": 4}});
        assert!(failed(&claimed, &found).is_empty());
    }
}
