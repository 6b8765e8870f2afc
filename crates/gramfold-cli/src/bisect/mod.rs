//! `gramfold bisect`: halves with little between them, and how little there can be.

use crate::{
    Exit,
    cli::CutArgs,
    maxcut::{self, Question},
};

/// Runs the command.
pub(crate) fn run(args: &CutArgs, line: &str) -> anyhow::Result<Exit> {
    maxcut::answer(args, line, Question::Bisection)
}
