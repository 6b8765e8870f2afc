//! Parts that barely touch.

use gramfold_linalg::Symmetric;

use crate::{Tree, tree::UNTOUCHED};

/// From this separation on a tree falls apart clearly, and from this one on it does not contradict a number either.
const CLEAR: f64 = 3.0;
const VISIBLE: f64 = 2.0;

/// No other number may have a larger share of the largest separation, and so many others at most may be clear, too: a tree that
/// falls apart at many levels does not say which of them is meant.
const ALONE: f64 = 0.75;
const OTHERS: usize = 1;

/// [`Tree::separation`] of a graph for every k; none where there is no tree.
pub fn separations(graph: &Symmetric, k: &[usize]) -> Vec<Option<f64>> {
    let tree = Tree::of(graph);
    k.iter().map(|k| tree.as_ref().and_then(|tree| tree.separation(*k))).collect()
}

/// How clearly a graph falls apart into each number of parts.
pub(super) struct Parts {
    values: Vec<(usize, f64)>,
}

impl Parts {
    pub(super) fn of(values: impl Iterator<Item = (usize, f64)>) -> Self {
        Self { values: values.filter(|(_, value)| !value.is_nan()).collect() }
    }

    /// The number of parts that is clear, unless what others agreed on is visible, too. Parts that do not touch at all
    /// are not asked how often they are closer than others: they may have parts themselves that are clear.
    pub(super) fn count(&self, agreed: Option<usize>) -> Option<usize> {
        let seen = |(k, value): &(usize, f64)| agreed == Some(*k) && *value >= VISIBLE;
        if self.values.iter().any(seen) {
            return None;
        }
        let touching = self.values.iter().filter(|(_, value)| *value < UNTOUCHED);
        let (k, most) = touching.clone().copied().reduce(|a, b| if b.1 > a.1 { b } else { a })?;
        if most >= CLEAR {
            let others = touching.filter(|(other, _)| *other != k);
            let near = others.clone().any(|(_, value)| *value > ALONE * most);
            let clear = others.filter(|(_, value)| *value >= CLEAR).count();
            return (!near && clear <= OTHERS).then_some(k);
        }
        self.values.iter().find(|(_, value)| *value >= UNTOUCHED).map(|(k, _)| *k)
    }
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::Csr;

    use super::*;

    #[test]
    fn rings_that_touch_at_one_place_are_counted() {
        let ring = |first: u32| {
            (0..50).flat_map(move |i| {
                [1, 2].map(|step| {
                    (first + i.max((i + step) % 50), first + i.min((i + step) % 50), 1.0)
                })
            })
        };
        let edges: Vec<_> = ring(0).chain(ring(50)).chain([(60, 10, 0.2)]).collect();
        let graph: Symmetric = Csr::from_triangle(100, &edges).unwrap().into();
        let k: Vec<usize> = (2..=8).collect();
        let found = separations(&graph, &k);
        let values = k.into_iter().zip(found).filter_map(|(k, value)| Some((k, value?)));
        assert_eq!(Parts::of(values).count(Some(6)), Some(2));
    }
}
