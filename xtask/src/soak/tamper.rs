//! One small change to a directory that a command wrote.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::random::Random;

/// A file, as it was and as it is to be.
pub(super) struct Change {
    path: PathBuf,
    before: Vec<u8>,
    after: Vec<u8>,
    /// What is changed, in words.
    pub(super) what: String,
}

impl Change {
    /// Draws one of the claims, or one byte of another file; none where there is no directory.
    pub(super) fn draw(directory: &Path, random: &mut Random) -> Option<Self> {
        let mut files: Vec<PathBuf> =
            fs::read_dir(directory).ok()?.flatten().map(|file| file.path()).collect();
        files.sort();
        if random.chance(0.5) {
            return Self::of_claims(&directory.join("solution.json"), random);
        }
        let path = random.pick(&files).clone();
        let before = fs::read(&path).ok()?;
        let mut after = before.clone();
        if after.is_empty() {
            after.push(b'1');
        } else {
            let at = random.between(0, after.len() - 1);
            after[at] ^= 1 << random.between(0, 6);
        }
        let what = format!("{}, byte {}", path.display(), after.len());
        // Blanks of the JSON say nothing.
        let layout = path.ends_with("solution.json");
        (!layout).then_some(Self { path, before, after, what })
    }

    /// A line of `solution.json` that has a number, a truth or a word.
    fn of_claims(path: &Path, random: &mut Random) -> Option<Self> {
        let before = fs::read_to_string(path).ok()?;
        let mut lines: Vec<String> = before.lines().map(str::to_owned).collect();
        let is_leaf = |line: &&mut String| !line.trim_end().ends_with(['{', '[', '}', ']']);
        let mut leaves: Vec<&mut String> = lines
            .iter_mut()
            .filter(|line| !line.trim().trim_end_matches(',').ends_with(['}', ']']))
            .filter(is_leaf)
            .collect();
        let at = random.between(0, leaves.len().checked_sub(1)?);
        let line = &mut *leaves[at];
        let what = format!("the claim `{}`", line.trim());
        let comma = if line.ends_with(',') { "," } else { "" };
        let body = line.trim_end_matches(',');
        let (key, value) = body.split_once(": ").map_or(("", body), |(key, value)| (key, value));
        let key = if key.is_empty() { String::new() } else { format!("{key}: ") };
        *line = format!("{key}{}{comma}", changed(value.trim()));
        let after = lines.join("\n") + "\n";
        Some(Self { path: path.into(), before: before.into(), after: after.into(), what })
    }

    pub(super) fn make(&self) {
        fs::write(&self.path, &self.after).expect("room for a small file");
    }

    pub(super) fn undo(&self) {
        fs::write(&self.path, &self.before).expect("room for a small file");
    }
}

/// Another value of the same kind.
fn changed(value: &str) -> String {
    match value {
        "true" => "false".into(),
        "false" => "true".into(),
        "null" => "0.5".into(),
        text if text.starts_with('"') => format!("\"x{}", &text[1..]),
        number => match (number.parse::<u64>(), number.parse::<f64>()) {
            (Ok(whole), _) => (whole + 1).to_string(),
            (_, Ok(number)) => format!("{:?}", number * 1.01 + 1e-3),
            _ => "0.5".into(),
        },
    }
}
