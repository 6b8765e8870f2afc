//! Orders: of numbers, and of entries by small keys.

use std::cmp::Ordering;

/// A number in the total order of [`f64::total_cmp`], for heaps and sorts.
#[derive(Clone, Copy, Debug)]
pub struct Total(pub f64);

impl Ord for Total {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Total {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Total {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Total {}

/// Entries sorted stably by a key below `keys`, and where each key's begin; then where the last end.
pub fn counting_sort<T: Copy + Default>(
    keys: usize,
    entries: impl Iterator<Item = T> + Clone,
    key: impl Fn(&T) -> u32,
) -> (Vec<T>, Vec<usize>) {
    let mut starts = vec![0_usize; keys + 1];
    entries.clone().for_each(|entry| starts[key(&entry) as usize + 1] += 1);
    for k in 0..keys {
        starts[k + 1] += starts[k];
    }
    let mut next = starts.clone();
    let mut sorted = vec![T::default(); starts[keys]];
    for entry in entries {
        let at = &mut next[key(&entry) as usize];
        sorted[*at] = entry;
        *at += 1;
    }
    (sorted, starts)
}
