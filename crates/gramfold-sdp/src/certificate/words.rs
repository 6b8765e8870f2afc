//! The certificate in words.

use std::fmt;

use gramfold::certificate::significant;

use super::Certificate;

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let infeasibility = self.infeasibility;
        write!(f, "Z meets the constraints to {infeasibility:.1e}")?;
        match (self.dual_bound, self.relative_gap) {
            (Some(bound), Some(gap)) => write!(
                f,
                "; no feasible Z is below {} ({}), so its objective {} is within {:.1e} of optimal",
                significant(bound.value),
                bound.proof,
                significant(self.primal_objective),
                gap.abs()
            ),
            _ => write!(f, "; {}", self.missing()),
        }?;
        if self.cut_short { write!(f, "; {}", Self::CUT_SHORT) } else { Ok(()) }
    }
}

impl Certificate {
    /// What is said of a certificate that was cut short.
    pub const CUT_SHORT: &str = "the proof was cut short, and more time might prove more";

    /// Why there is no bound.
    fn missing(&self) -> String {
        let open = self.blocks.iter().position(|b| b.slack.bound < 0.0 && b.trace.is_none());
        match open {
            Some(block) => format!(
                "no bound follows, since the eigenvalues of the slack of block {} are only known to be above {:.1e} and the \
                 constraints do not evidently bound the trace of Z there",
                block + 1,
                self.blocks[block].slack.bound
            ),
            None => {
                "no bound follows, since the eigenvalues of the slack are only estimated".to_owned()
            }
        }
    }
}
