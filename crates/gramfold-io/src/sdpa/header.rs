//! What precedes the entries: m, the number of blocks, their sizes, and c.

use super::scanner::Scanner;
use crate::{Error, limits::LARGEST};

/// What a file says before its entries.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Header {
    /// The size of each block, negative for a diagonal one; never zero.
    pub(super) blocks: Vec<i64>,
    /// The line on which the sizes begin.
    pub(super) blocks_line: usize,
    /// c, one number a constraint.
    pub(super) costs: Vec<f64>,
}

const HINT: &str = "begin comments and titles with `\"` or `*`";

impl Header {
    /// Reads up to the first entry. Both lists grow as their numbers are read, whatever was promised.
    pub(super) fn read(scanner: &mut Scanner<'_>) -> Result<Self, Error> {
        let (constraints, promised_line) = count(scanner, "the number of constraints", 0)?;
        let (listed, _) = count(scanner, "the number of blocks", 1)?;

        let mut blocks = Vec::new();
        let mut blocks_line = 0;
        let name = |k: u64, of: u64, what: &str| format!("{what} {k} of {of}");
        for k in 1..=listed {
            let expected = || name(k, listed, "the size of block");
            if !scanner.next_number() {
                return Err(scanner.unexpected(&expected()));
            }
            if k == 1 {
                blocks_line = scanner.line();
            }
            let before = scanner.clone();
            match scanner.signed() {
                Some(size) if size != 0 && size.unsigned_abs() <= LARGEST => blocks.push(size),
                Some(0) => return Err(before.unexpected(&(expected() + ", which is not zero"))),
                Some(_) => {
                    return Err(before.unexpected(&format!("{}, at most {LARGEST}", expected())));
                }
                None => return Err(before.unexpected(&expected())),
            }
        }
        scanner.end_line(&format!("the end of the line after {listed} block sizes"))?;

        let mut costs = Vec::new();
        for k in 1..=constraints {
            let expected = || {
                name(k, constraints, "the right-hand side of constraint")
                    + &format!(" (line {promised_line} gives their number)")
            };
            if !scanner.next_number() {
                return Err(scanner.unexpected(&expected()));
            }
            let before = scanner.clone();
            costs.push(scanner.value().ok_or_else(|| before.unexpected(&expected()))?);
        }
        // Without constraints their line is empty, or is not there.
        if constraints > 0 {
            scanner
                .end_line(&format!("the end of the line after {constraints} right-hand sides"))?;
        }
        Ok(Self { blocks, blocks_line, costs })
    }
}

/// A whole number, at least so large, with which the next line begins, and that line.
fn count(scanner: &mut Scanner<'_>, expected: &str, least: u64) -> Result<(u64, usize), Error> {
    if !scanner.next_line() {
        return Err(scanner.unexpected(expected));
    }
    let before = scanner.clone();
    match scanner.integer() {
        Some(value) if value < least => {
            Err(before.unexpected(&format!("{expected}, at least one")))
        }
        Some(value) => {
            scanner.end_line(&format!("the end of the line after {expected}"))?;
            Ok((value, before.line()))
        }
        None => Err(before.unexpected(expected).with_hint(HINT)),
    }
}
