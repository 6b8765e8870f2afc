//! What README and docs show of the terminal is what the program says.

use std::{fs, path::Path};

use crate::common::{gramfold, text, without_numbers};
use tempfile::TempDir;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Commands of `gramfold` with the lines that a page shows below them.
fn sessions(page: &str) -> Vec<(Vec<String>, String)> {
    let blocks = page.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    let command = |line: &str| {
        let line = line.strip_prefix("$ ")?;
        let words = line.strip_prefix("gramfold ").or(line.strip_prefix("cargo run --release -- "));
        Some(words?.split_whitespace().map(str::to_owned).collect())
    };
    let session = |block: &str| {
        let (first, shown) = block.split_once('\n')?;
        (!shown.is_empty()).then(|| Some((command(first)?, shown.to_owned())))?
    };
    blocks.filter_map(session).collect()
}

#[test]
fn commands_print_what_the_pages_show() {
    let root = Path::new(ROOT);
    let pages =
        fs::read_dir(root.join("docs")).expect("docs").map(|entry| entry.expect("a page").path());
    let pages = pages.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let mut tried = 0;
    for path in pages.chain([root.join("README.md")]) {
        for (words, shown) in sessions(&fs::read_to_string(&path).expect("readable")) {
            let directory = TempDir::new().expect("a temporary directory");
            let data = directory.path().join("data");
            fs::create_dir(&data).expect("created");
            for file in fs::read_dir(root.join("data")).expect("data") {
                let file = file.expect("a file");
                fs::copy(file.path(), data.join(file.file_name())).expect("copied");
            }
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let output = gramfold(directory.path(), &words);
            let said = text(&output.stderr) + &text(&output.stdout);
            assert_eq!(
                without_numbers(&said),
                without_numbers(&shown),
                "{}: {said}",
                path.display()
            );
            tried += 1;
        }
    }
    assert!(tried >= 10, "only {tried} commands are shown");
}
