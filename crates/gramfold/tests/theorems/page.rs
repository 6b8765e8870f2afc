//! docs/theory.md names a test for each statement: they must be there.

use std::{fs, path::Path};

#[test]
fn every_test_that_the_page_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/theory.md")).unwrap();
    let mut found = 0;
    for name in page.split('`').skip(1).step_by(2) {
        let Some((file, function)) = name.split_once(".rs: ") else { continue };
        let file = match file.strip_prefix("gramfold-sdp ") {
            Some(file) => format!("crates/gramfold-sdp/tests/{file}.rs"),
            None => format!("crates/gramfold/tests/{file}.rs"),
        };
        let text = fs::read_to_string(root.join(&file)).expect(&file);
        assert!(text.contains(&format!("#[test]\nfn {function}()")), "{file} has no {function}");
        found += 1;
    }
    let statements = (1..=9).map(|i| format!("**T{i},")).chain((1..=8).map(|i| format!("**C{i}")));
    for statement in statements {
        assert!(page.contains(&statement), "{statement}");
    }
    assert!(found >= 30, "{found}");
}
