//! SDPA sparse files into programs.

use std::path::Path;

use super::{
    entries::{self, SdpaEntry},
    header::Header,
    scanner::Scanner,
};
use crate::{Error, input};

/// A semidefinite program as an SDPA file states it:
/// min Σ c_i x_i s.t. Σ x_i F_i − F_0 ⪰ 0, and max ⟨F_0, Y⟩ s.t. ⟨F_i, Y⟩ = c_i, Y ⪰ 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Sdpa {
    /// The size of each block, negative for a diagonal one.
    pub blocks: Vec<i64>,
    /// c, one number a constraint.
    pub costs: Vec<f64>,
    /// The entries of F_0, …, F_m in the order of the file, each place once.
    pub entries: Vec<SdpaEntry>,
}

/// Reads a semidefinite program from an SDPA sparse file, plain or gzipped.
///
/// An entry may be in either triangle, but not in both. Numbers may have signs and may be separated by blanks,
/// commas, braces or parentheses; what follows the numbers of a line is ignored unless it is a number.
pub fn read_sdpa(path: &Path) -> Result<Sdpa, Error> {
    parse(path, &input::read(path)?)
}

/// Reads from the bytes of the file; `path` is for messages.
pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<Sdpa, Error> {
    let mut scanner = Scanner::new(path, bytes);
    let header = Header::read(&mut scanner)?;
    let entries = entries::read(&mut scanner, &header)?;
    Ok(Sdpa { blocks: header.blocks, costs: header.costs, entries })
}

#[cfg(test)]
pub(super) mod tests {
    use std::{fmt::Write as _, fs, io::Write as _};

    use flate2::{Compression, write::GzEncoder};
    use proptest::prelude::*;

    use super::*;

    pub(in super::super) fn parse(text: &str) -> Result<Sdpa, Error> {
        super::parse(Path::new("a"), text.as_bytes())
    }

    #[track_caller]
    fn refuses(text: &str, message: &str) {
        assert_eq!(parse(text).unwrap_err().to_string(), message, "{text:?}");
    }

    fn entry(matrix: u32, block: u32, row: u32, column: u32, value: f64) -> SdpaEntry {
        SdpaEntry { matrix, block, row, column, value }
    }

    fn example() -> Sdpa {
        let entries = vec![
            entry(0, 0, 0, 1, -1.5),
            entry(1, 1, 1, 1, 2.0),
            entry(2, 2, 0, 0, 3.0),
            entry(1, 0, 0, 0, 1e-3),
        ];
        Sdpa { blocks: vec![2, -3, 1], costs: vec![10.0, -20.0], entries }
    }

    #[test]
    fn the_same_program_is_read_however_it_is_dressed() {
        for text in [
            "2\n3\n2 -3 1\n10 -20\n0 1 1 2 -1.5\n1 2 2 2 2\n2 3 1 1 3\n1 1 1 1 0.001\n",
            "\"Title 5\"\n* comment\n 2 = mDIM\n 3 =nBLOCK\n (+2, -3, 1) = bLOCKsTRUCT\n\
             {+10.0, -20.0}\n0 1 2 1 -1.5\n1 2 2 2 +2\n2 3 1 1 3\n1,1,1,1,0.001",
            "2\r\n3\r\n2\r\n-3 1\r\n1.0D1\r\n-20\r\n\r\n0\t1 1 2 -15e-1\r\n* between\r\n\
             {1, 2, 2, 2, 2.0}\r\n2 3 1 1 3 \"three\"\r\n\r\n1 1 1 1 1E-3\r\n\r\n",
            "\u{feff}2 constraints\n3 blocks\n2,-3,1 sizes\n10,-20 c\n0 1 1 2 -1.5 *\n 1 2 2 2 2\n2 3 1 1 3\n1 1 1 1 .001",
        ] {
            assert_eq!(parse(text).unwrap(), example(), "{text:?}");
        }
    }

    #[test]
    fn a_gzipped_file_is_read_and_no_entries_are_none() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.dat-s.gz");
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(b"1\n1\n4\n0.5\n").unwrap();
        fs::write(&path, encoder.finish().unwrap()).unwrap();
        let expected = Sdpa { blocks: vec![4], costs: vec![0.5], entries: Vec::new() };
        assert_eq!(read_sdpa(&path).unwrap(), expected);
        let missing = read_sdpa(Path::new("no/such.dat-s")).unwrap_err().to_string();
        assert!(missing.starts_with("no/such.dat-s: cannot read the file: "), "{missing}");
    }

    #[test]
    fn bad_headers_are_refused() {
        refuses("", "a:1: expected the number of constraints, found an empty file");
        refuses("* only\n", "a:1: expected the number of constraints, found the end of the file");
        let hint = "begin comments and titles with `\"` or `*`";
        refuses(
            "Example 1\n",
            &format!("a:1: expected the number of constraints, found `Example`; {hint}"),
        );
        refuses("-2\n", &format!("a:1: expected the number of constraints, found `-2`; {hint}"));
        refuses("0\n", "a:1: expected the number of blocks, found the end of the file");
        refuses("1\n0\n", "a:2: expected the number of blocks, at least one, found `0`");
        refuses(
            "1 2\n",
            "a:1: expected the end of the line after the number of constraints, found `2`",
        );
        refuses("1\n", "a:1: expected the number of blocks, found the end of the file");
        refuses("1\n2\n3\n", "a:3: expected the size of block 2 of 2, found the end of the file");
        refuses(
            "1\n1\n0\n",
            "a:3: expected the size of block 1 of 1, which is not zero, found `0`",
        );
        refuses("1\n2\n3 x\n", "a:3: expected the size of block 2 of 2, found `x`");
        refuses("1\n1\n2 3\n", "a:3: expected the end of the line after 1 block sizes, found `3`");
        let given = "(line 1 gives their number)";
        refuses(
            "2\n1\n2\n1 nan\n",
            &format!("a:4: expected the right-hand side of constraint 2 of 2 {given}, found `nan`"),
        );
        refuses(
            "2\n1\n2\n1 2 3\n",
            "a:4: expected the end of the line after 2 right-hand sides, found `3`",
        );
    }

    #[test]
    fn promises_without_substance_allocate_nothing() {
        let given = "(line 1 gives their number)";
        refuses(
            "1000000000000\n1\n2\n1 2\n",
            &format!(
                "a:4: expected the right-hand side of constraint 3 of 1000000000000 {given}, \
                 found the end of the file"
            ),
        );
        refuses(
            "1\n1000000000000\n2 3\n",
            "a:3: expected the size of block 3 of 1000000000000, found the end of the file",
        );
        for size in ["1000000000000", "-1000000000000"] {
            refuses(
                &format!("1\n1\n{size}\n1\n"),
                &format!(
                    "a:3: expected the size of block 1 of 1, at most 2147483648, found `{size}`"
                ),
            );
        }
        refuses(
            "1\n2\n\n2147483648 -2147483648\n1\n0 1 1 1 1\n",
            "a:4: expected blocks with at most 160016 rows in all for 1 entries, \
             found 4294967296; leave out the rows and columns that are empty",
        );
    }

    #[test]
    fn bad_entries_are_refused() {
        let entry = |entry: &str, message: &str| {
            refuses(&format!("2\n2\n3 -2\n1 1\n* c\n{entry}\n"), &format!("a:6: {message}"));
        };
        entry("3 1 1 1 1", "expected a matrix between 0 and 2, found `3`");
        entry("-1 1 1 1 1", "expected a matrix between 0 and 2, found `-1`");
        entry("1 0 1 1 1", "expected a block between 1 and 2, found `0`");
        entry("1 3 1 1 1", "expected a block between 1 and 2, found `3`");
        entry("1 1 4 1 1", "expected a row between 1 and 3, found `4`");
        entry("1 1 1 4294967297 1", "expected a column between 1 and 3, found `4294967297`");
        entry("1 1 1.5 1 1", "expected a row between 1 and 3, found `1.5`");
        entry("1 1 1", "expected a column between 1 and 3, found the end of the line");
        entry("1 1 1 1", "expected a finite number, found the end of the line");
        entry("1 1 1 1 1e999", "expected a finite number, found `1e999`");
        entry("1 1 1 1 x", "expected a finite number, found `x`");
        entry("1 1 1 1 1 1", "expected the end of the line after five numbers, found `1`");
        entry("hello", "expected a matrix between 0 and 2, found `hello`");
        entry(
            "1 2 1 2 1",
            "expected an entry on the diagonal, since block 2 is diagonal, found (1, 2); \
             give the block a positive size if it is a full one",
        );
    }

    #[test]
    fn a_repeated_entry_is_refused_with_both_lines() {
        refuses(
            "1\n1\n3\n1\n1 1 2 1 5\n* c\n0 1 1 1 1\n1 1 1 2 5\n0 1 1 1 1\n",
            "a:8: expected each position once, in one of the two triangles, found (1, 2) of \
             matrix 1, block 1 again after line 5; list one triangle only, and add the values of \
             repeated entries",
        );
    }

    #[test]
    fn reading_is_linear_in_the_file() {
        // Were anything quadratic, a file this long would take minutes.
        let mut text = String::from("1\n1\n2000\n1\n");
        for row in 1..=2000 {
            for column in row..=(row + 100).min(2000) {
                writeln!(text, "0 1 {row} {column} 0.25").unwrap();
            }
        }
        let start = std::time::Instant::now();
        assert!(parse(&text).unwrap().entries.len() > 190_000);
        assert!(start.elapsed().as_secs() < 5);
    }

    /// Text that gets further into the reader than arbitrary bytes do.
    fn plausible() -> impl Strategy<Value = String> {
        let head =
            prop_oneof!["[1-3]( = m)?\n[1-2]\n-?[1-3] ?-?[1-3]?\n", "\\PC{0,12}\n[0-9]{1,20}\n"];
        let tokens = prop_oneof![
            "[0-3]",
            "[0-9]{1,20}",
            "-?[0-9]{1,5}[.eD][0-9]{1,4}",
            "\\PC{1,4}",
            "[-+{},(]"
        ];
        let line = (prop::collection::vec(tokens, 0..7), "[ \r\t]?\n?[*\"]?")
            .prop_map(|(tokens, end)| tokens.join(" ") + &end);
        (head, prop::collection::vec(line, 0..12)).prop_map(|(head, lines)| head + &lines.concat())
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
            if let Ok(sdpa) = super::parse(Path::new("a"), &bytes) {
                let _ = sdpa.program();
            }
        }

        #[test]
        fn plausible_text_never_panics(text in plausible()) {
            if let Ok(sdpa) = parse(&text) {
                prop_assert!(sdpa.entries.iter().all(|entry| entry.value.is_finite()));
                prop_assert!(sdpa.program().is_ok());
            }
        }

        #[test]
        fn a_valid_file_cut_anywhere_never_panics(cut in 0usize..200) {
            let text = "\" t\n2\n3\n{2, -3, 1}\n10 -20\n0 1 1 2 -1.5\n1 2 2 2 2\n2 3 1 1 3\n1 1 1 1 0.001\n";
            let _ = parse(&text[..cut.min(text.len())]);
        }
    }
}
