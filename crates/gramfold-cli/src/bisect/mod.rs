//! `gramfold bisect`: halves with little between them, and how little there can be.

use std::process::ExitCode;

use crate::maxcut::{self, CutArgs, Question};

/// Runs the command.
pub(crate) fn run(args: &CutArgs) -> anyhow::Result<ExitCode> {
    maxcut::answer(args, Question::Bisection)
}
