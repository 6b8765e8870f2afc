//! The problem the user has: sBMF, min_X f(XXᵀ) + h(X).

use crate::{Error, Loss, Regulariser};

/// min f(XXᵀ) + h(X) over X with `rank` columns.
#[derive(Clone, Copy)]
pub struct Problem<'p> {
    /// f.
    pub loss: &'p dyn Loss,
    /// h.
    pub regulariser: &'p dyn Regulariser,
    /// The number of columns of X.
    pub rank: usize,
}

impl<'p> Problem<'p> {
    /// Checks that the rank fits the dimension.
    pub fn new(
        loss: &'p dyn Loss,
        regulariser: &'p dyn Regulariser,
        rank: usize,
    ) -> Result<Self, Error> {
        let dim = loss.dim();
        if rank == 0 || rank > dim {
            return Err(Error::Rank { rank, dim });
        }
        // Fourth powers of the factor must neither over- nor underflow, or claims would be empty.
        let size = loss.largest_entry();
        if size != 0.0 && !(1e-70..=1e70).contains(&size) {
            return Err(Error::Scale { size });
        }
        if !loss.at_zero().is_finite() {
            return Err(Error::Overflow);
        }
        Ok(Self { loss, regulariser, rank })
    }

    /// Whether f has curvature 1 along every Z, as ½‖Z − A‖² has: it sees the whole of Z alike, where measurements leave most
    /// of it open.
    pub(crate) fn sees_all(&self) -> bool {
        let constants = self.loss.constants();
        (constants.sigma, constants.smoothness) == (1.0, 1.0)
    }

    /// Why a component that needs another loss cannot run.
    pub(crate) fn lacks_loss(&self, component: &'static str, needs: &'static str) -> Error {
        let problem = format!("the loss `{}`", self.loss.name());
        Error::Incompatible { component, needs, problem }
    }

    /// The same for a component that needs another regulariser.
    pub(crate) fn lacks_regulariser(&self, component: &'static str, needs: &'static str) -> Error {
        let problem = format!("the regulariser `{}`", self.regulariser.name());
        Error::Incompatible { component, needs, problem }
    }

    /// n, the number of rows of X.
    pub fn dim(&self) -> usize {
        self.loss.dim()
    }
}
