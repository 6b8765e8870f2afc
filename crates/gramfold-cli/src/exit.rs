//! Exit codes.

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The question is answered, or every claim holds.
    Solved,
    /// Stopped before the tolerance, or a claim does not hold.
    Unsolved,
    /// Bad input or usage, or something that was asked for could not be written.
    Refused,
}

impl Exit {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Solved => 0,
            Self::Unsolved => 1,
            Self::Refused => 2,
        }
    }

    /// What it says, for the reference.
    #[cfg(test)]
    pub(crate) fn meaning(self) -> &'static str {
        match self {
            Self::Solved => {
                "the question is answered (an infeasible program is), or every claim holds"
            }
            Self::Unsolved => "stopped before the tolerance, or a claim does not hold",
            Self::Refused => {
                "bad input or usage, or something that was asked for could not be written"
            }
        }
    }

    /// By whether the question is answered.
    pub(crate) fn of(answered: bool) -> Self {
        if answered { Self::Solved } else { Self::Unsolved }
    }
}
