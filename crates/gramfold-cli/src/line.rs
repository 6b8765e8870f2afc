//! One line on a terminal that says how far the work is.

use std::{
    io::{IsTerminal, stderr},
    path::Path,
};

use terminal_size::{Width, terminal_size_of};

use crate::{output, source::file_size};

/// Seconds between redraws.
const REDRAW: f64 = 0.1;

/// Nothing is shown of runs shorter than this.
const PATIENCE: f64 = 0.3;

/// The width of a terminal that does not tell.
const WIDTH: usize = 80;

/// Bytes of a file from which it is said that it is being read.
const LARGE: u64 = 4 << 20;

/// The line; nothing at all where stderr is no terminal.
pub(crate) struct Line {
    shown: bool,
    /// The second of the run at which it was last drawn.
    drawn: f64,
}

impl Line {
    pub(crate) fn new(quiet: bool) -> Self {
        Self { shown: !quiet && stderr().is_terminal(), drawn: PATIENCE - REDRAW }
    }

    /// Whether it is time to draw.
    pub(crate) fn is_due(&self, seconds: f64) -> bool {
        self.shown && seconds >= self.drawn + REDRAW
    }

    /// Draws what there is to say at this second of the run, the most important first.
    pub(crate) fn draw(&mut self, seconds: f64, pieces: &[String]) {
        self.drawn = seconds;
        self.say(&fit(pieces, width()));
    }

    /// Replaces the line by what is done next; by nothing where that is empty.
    pub(crate) fn say(&self, next: &str) {
        if self.shown && self.drawn >= PATIENCE {
            output::line(next);
        }
    }
}

/// Says that a file is being read, where that takes a while.
pub(crate) fn reading(path: &Path, quiet: bool) {
    let size = file_size(path);
    if size >= LARGE && !quiet && stderr().is_terminal() {
        let pieces = [format!("reading {:.0} MB", size as f64 / 1e6), path.display().to_string()];
        output::line(&fit(&pieces, width()));
    }
}

/// Of the terminal.
fn width() -> usize {
    terminal_size_of(stderr()).map_or(WIDTH, |(Width(width), _)| width.into())
}

/// As many of the first pieces as a line holds, and the last column left free, so that no terminal wraps.
fn fit(pieces: &[String], width: usize) -> String {
    let mut line = String::new();
    let mut room = width.saturating_sub(1);
    for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
        let gap = if line.is_empty() { 0 } else { 2 };
        let length = piece.chars().count() + gap;
        if length > room {
            if line.is_empty() {
                line = piece.chars().take(room).collect();
            }
            break;
        }
        line.extend(std::iter::repeat_n(' ', gap));
        line += piece;
        room -= length;
    }
    line
}

/// The time left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Left {
    /// Nothing is known of it yet.
    Unknown,
    /// Seconds, by how the run has come on so far.
    About(f64),
    /// Seconds, by a limit alone.
    AtMost(f64),
}

impl Left {
    /// In words; empty where nothing is known.
    pub(crate) fn words(self) -> String {
        let (how, seconds) = match self {
            Self::Unknown => return String::new(),
            Self::About(seconds) => ("about", seconds),
            Self::AtMost(seconds) => ("at most", seconds),
        };
        match seconds {
            s if s < 90.0 => format!("{how} {s:.0} s left"),
            s if s < 5400.0 => format!("{how} {:.0} min left", s / 60.0),
            s => format!("{how} {:.1} h left", s / 3600.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_the_first_pieces_that_fit_and_never_wraps() {
        let pieces = ["iteration 120", "about 3 s left", "", "‖X−Y‖/‖X‖ 1.0e-3"].map(String::from);
        assert_eq!(fit(&pieces, 80), "iteration 120  about 3 s left  ‖X−Y‖/‖X‖ 1.0e-3");
        assert_eq!(fit(&pieces, 40), "iteration 120  about 3 s left");
        assert_eq!(fit(&pieces, 8), "iterati");
        for width in 0..100 {
            assert!(fit(&pieces, width).chars().count() <= width.saturating_sub(1), "{width}");
        }
    }
}
