//! What is factorised, with its rows in an order that is good for the cache.

use std::borrow::Cow;

use gramfold::{
    Solution,
    linalg::{Mat, Symmetric},
    loss::Quadratic,
};
use gramfold_cluster::RowOrder;

/// ½‖A − XXᵀ‖² for a similarity of the nodes whose rows may be in an order of their own.
pub(crate) struct Ordered {
    pub(crate) loss: Quadratic,
    /// None where it is that of the nodes.
    pub(crate) order: Option<RowOrder>,
}

impl Ordered {
    /// For factors of so many columns.
    pub(crate) fn new(matrix: Symmetric, cols: usize) -> Self {
        let order = RowOrder::of(&matrix, cols);
        let matrix = order.as_ref().map(|order| order.ordered(&matrix)).unwrap_or(matrix);
        Self { loss: Quadratic::new(matrix), order }
    }

    /// A factor of it, in the order of the nodes.
    pub(crate) fn restored<'a>(&self, factor: &'a Mat) -> Cow<'a, Mat> {
        match &self.order {
            Some(order) => Cow::Owned(order.restored(factor)),
            None => Cow::Borrowed(factor),
        }
    }

    /// Brings all factors of a solution into the order of the nodes.
    pub(crate) fn restore(&self, solution: &mut Solution) {
        let Some(order) = &self.order else { return };
        for factor in [&mut solution.factor, &mut solution.x, &mut solution.y] {
            *factor = order.restored(factor);
        }
    }

    /// The loss in the order of the nodes.
    pub(crate) fn into_loss(self) -> Quadratic {
        match &self.order {
            Some(order) => Quadratic::new(order.undone(self.loss.matrix())),
            None => self.loss,
        }
    }
}
