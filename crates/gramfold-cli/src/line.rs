//! One line on a terminal that says how far the work is.

use std::io::{IsTerminal, Write, stderr};

/// Seconds between redraws.
const REDRAW: f64 = 0.1;

/// Nothing is shown of runs shorter than this.
const PATIENCE: f64 = 0.3;

/// The line; nothing at all where stderr is no terminal.
pub(crate) struct Line {
    shown: bool,
    /// The second of the run at which it was last drawn.
    drawn: f64,
}

impl Line {
    pub(crate) fn new() -> Self {
        Self { shown: stderr().is_terminal(), drawn: PATIENCE - REDRAW }
    }

    /// Whether it is time to draw.
    pub(crate) fn is_due(&self, seconds: f64) -> bool {
        self.shown && seconds >= self.drawn + REDRAW
    }

    /// Draws what there is to say at this second of the run.
    pub(crate) fn draw(&mut self, seconds: f64, text: &str) {
        self.drawn = seconds;
        self.say(text);
    }

    /// Replaces the line by what is done next; by nothing where that is empty.
    pub(crate) fn say(&self, next: &str) {
        if self.shown && self.drawn >= PATIENCE {
            let _ = write!(stderr().lock(), "\r\x1b[2K{next}");
        }
    }
}

/// The time left in words.
pub(crate) fn left(seconds: Option<f64>) -> String {
    match seconds {
        None => String::new(),
        Some(s) if s < 90.0 => format!("about {s:.0} s left"),
        Some(s) if s < 5400.0 => format!("about {:.0} min left", s / 60.0),
        Some(s) => format!("about {:.1} h left", s / 3600.0),
    }
}
