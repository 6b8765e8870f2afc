//! One progress line on a terminal; Ctrl-C stops the relaxation, and the cut is made from what there is.

use std::{
    io::{IsTerminal, Write, stderr},
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use gramfold_sdp::Progress;

use super::Question;

/// Seconds between redraws.
const REDRAW: f64 = 0.1;

/// Nothing is shown of runs shorter than this.
const PATIENCE: f64 = 0.3;

/// Keeps the trace, draws the line, and stops the run on Ctrl-C.
pub(super) struct Watch {
    pub(super) trace: Vec<Progress>,
    question: Question,
    interrupted: Arc<AtomicBool>,
    line: bool,
    drawn: f64,
}

impl Watch {
    pub(super) fn new(question: Question, interrupted: Arc<AtomicBool>) -> Self {
        let line = stderr().is_terminal();
        Self { trace: Vec::new(), question, interrupted, line, drawn: PATIENCE - REDRAW }
    }

    /// Replaces the line by what is done next; by nothing where that is empty.
    pub(super) fn say(&self, next: &str) {
        if self.line && self.drawn >= PATIENCE {
            let _ = write!(stderr().lock(), "\r\x1b[2K{next}");
        }
    }
}

impl gramfold_sdp::Watch for Watch {
    fn step(&mut self, now: &Progress) -> ControlFlow<()> {
        if self.line && now.seconds >= self.drawn + REDRAW {
            self.drawn = now.seconds;
            let value = self.question.weight(now.primal_objective);
            let rank = now.rank.map_or(String::new(), |rank| format!("  rank {rank}"));
            let line = format!("iteration {}  relaxation {value:.8e}{rank}", now.iteration);
            let _ = write!(stderr().lock(), "\r\x1b[2K{line}  {:.0} s", now.seconds);
        }
        self.trace.push(now.clone());
        if self.interrupted.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
