//! Rows and columns in another order.

use super::Csr;

impl Csr {
    /// PAPᵀ: the entry at (p, q) is that of A at (`order[p]`, `order[q]`).
    ///
    /// # Panics
    /// If `order` is not a permutation of the rows.
    #[must_use]
    pub fn reordered(&self, order: &[u32]) -> Self {
        let n = self.dim();
        assert_eq!(order.len(), n, "an order has every row");
        let mut place = vec![u32::MAX; n];
        order.iter().zip(0..).for_each(|(&row, at)| place[row as usize] = at);
        assert!(place.iter().all(|&at| at != u32::MAX), "an order has every row once");
        let mut starts = Vec::with_capacity(n + 1);
        starts.push(0);
        let mut stored = 0;
        starts.extend(order.iter().map(|&row| {
            stored += self.starts[row as usize + 1] - self.starts[row as usize];
            stored
        }));
        let mut next = starts.clone();
        let (mut columns, mut values) = (vec![0; stored], vec![0.0; stored]);
        // Columns in their new order, each of them a row: every row gets its entries sorted.
        for (&column, to) in order.iter().zip(0..) {
            for (row, value) in self.row(column as usize) {
                let at = &mut next[place[row] as usize];
                (columns[*at], values[*at]) = (to, value);
                *at += 1;
            }
        }
        Self::from_symmetric_rows(starts, columns, values)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn entries_move_with_their_rows_and_columns(n in 1_usize..700, step in 1_usize..50) {
            let entry = |i: usize, j: usize| (i as u32, j as u32, (i * n + j) as f64);
            let entries: Vec<_> = (0..3 * n).map(|e| (e * e * step % n, e * 7 % n)).collect();
            let entries: Vec<_> =
                entries.iter().map(|&(i, j)| entry(i.min(j), i.max(j))).collect();
            let a = Csr::from_triangle(n, &entries).unwrap();
            let mut order: Vec<u32> = (0..n as u32).collect();
            order.sort_by_key(|row| row.wrapping_mul(2_654_435_761 + 2 * step as u32));
            let b = a.reordered(&order);
            prop_assert_eq!(a.stored(), b.stored());
            for p in 0..n {
                for (q, value) in b.row(p) {
                    prop_assert_eq!(value, a.get(order[p] as usize, order[q] as usize));
                }
            }
            let mut back = vec![0; n];
            order.iter().zip(0..).for_each(|(&row, at)| back[row as usize] = at);
            prop_assert_eq!(b.reordered(&back), a);
        }
    }

    #[test]
    #[should_panic(expected = "every row once")]
    fn an_order_names_every_row_once() {
        let _ = Csr::from_triangle(3, &[(0, 1, 1.0)]).unwrap().reordered(&[0, 0, 2]);
    }
}
