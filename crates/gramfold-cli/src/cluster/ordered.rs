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

    /// In the order of the nodes.
    pub(crate) fn as_it_is(matrix: Symmetric) -> Self {
        Self { loss: Quadratic::new(matrix), order: None }
    }

    /// A factor in the order of the nodes, in that of the rows; as it is if its rows are not as many.
    pub(crate) fn moved(&self, factor: Mat) -> Mat {
        let order = self.order.as_ref().filter(|_| factor.rows() == self.loss.matrix().dim());
        order.map(|order| order.moved(&factor)).unwrap_or(factor)
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

#[cfg(test)]
mod tests {
    use gramfold::{Problem, Spec, Split, factorise, linalg::Csr, regulariser::Nonnegative};

    use super::*;

    /// Six blocks of nodes that take turns; most links are within a block.
    fn blocks(n: usize) -> Symmetric {
        let mut entries = Vec::new();
        for i in 0..n {
            for link in 0..10 {
                let any = (i * i * 31 + i * 7919 + link * 104_729) % n;
                let j = if link < 9 { any / 6 * 6 + i % 6 } else { any };
                entries.push((i.min(j) as u32, i.max(j) as u32, 1.0));
            }
        }
        Csr::from_triangle(n, &entries).unwrap().into()
    }

    #[test]
    fn an_answer_is_that_of_the_nodes_in_their_own_order() {
        let matrix = blocks(3000);
        // As for factors that no cache holds.
        let ordered = Ordered::new(matrix.clone(), 1 << 22);
        assert!(ordered.order.is_some() && ordered.loss.matrix() != &matrix);
        let spec = Spec { rank: 6, ..Spec::default() };
        let problem = Problem::new(&ordered.loss, &Nonnegative, 6).unwrap();
        let mut solution = factorise(&problem, &spec, &mut ()).unwrap();
        let factor = ordered.restored(&solution.factor).into_owned();
        ordered.restore(&mut solution);
        assert_eq!(solution.factor, factor);
        assert_eq!(ordered.restored(&ordered.moved(factor.clone())).into_owned(), factor);
        let loss = ordered.into_loss();
        assert_eq!(loss.matrix(), &matrix);
        let problem = Problem::new(&loss, &Nonnegative, 6).unwrap();
        let (x, y) = (solution.x.clone(), solution.y.clone());
        let again = Split::new(&problem, x, y, 0.0).unwrap().loss();
        assert!((again - solution.last.loss).abs() < 1e-9 * again, "{again}");
        // Small ones stay as they are.
        assert!(Ordered::new(matrix.clone(), 6).order.is_none());
    }
}
