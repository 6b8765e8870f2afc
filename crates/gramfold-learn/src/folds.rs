//! Observations in parts: each is held out once.

use rand::{SeedableRng, seq::SliceRandom};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Which observations are held out when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folds {
    /// The number of the part that each observation is in.
    part: Vec<u32>,
    count: usize,
}

impl Folds {
    /// `count` parts of equal size, to one, drawn from the seed.
    pub fn new(observations: usize, count: usize, seed: u64) -> Self {
        let count = count.clamp(2, observations.max(2));
        let mut order: Vec<u32> = (0..observations as u32).collect();
        order.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
        let mut part = vec![0; observations];
        for (place, &k) in order.iter().enumerate() {
            part[k as usize] = (place % count) as u32;
        }
        Self { part, count }
    }

    /// How many parts there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The numbers of those that are kept and of those that are held out, in the order of the observations.
    pub fn split(&self, held_out: usize) -> (Vec<u32>, Vec<u32>) {
        (0..self.part.len() as u32).partition(|&k| self.part[k as usize] as usize != held_out)
    }
}

/// The numbers of each of `count` parts that are held out in turn, of each class as many in every part, to one.
pub fn held_out_of_classes(classes: &[usize], count: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..classes.len()).collect();
    order.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
    order.sort_by_key(|i| classes[*i]);
    let count = count.clamp(1, classes.len().max(1));
    let mut parts = vec![Vec::new(); count];
    order.into_iter().enumerate().for_each(|(place, i)| parts[place % count].push(i));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_observation_is_held_out_once() {
        for (observations, count) in [(1, 5), (7, 3), (100, 5), (3, 5)] {
            let folds = Folds::new(observations, count, 3);
            let mut seen = vec![0; observations];
            let mut sizes = Vec::new();
            for fold in 0..folds.count() {
                let (kept, held) = folds.split(fold);
                assert_eq!(kept.len() + held.len(), observations);
                for &k in &held {
                    seen[k as usize] += 1;
                }
                sizes.push(held.len());
            }
            assert!(seen.iter().all(|&times| times == 1));
            assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
        }
    }

    #[test]
    fn classes_are_spread_over_the_parts() {
        let classes: Vec<usize> = (0..50).map(|i| usize::from(i % 5 == 0)).collect();
        let parts = held_out_of_classes(&classes, 5, 1);
        let mut all: Vec<usize> = parts.iter().flatten().copied().collect();
        all.sort_unstable();
        assert_eq!(all, (0..50).collect::<Vec<_>>());
        for part in parts {
            assert_eq!(part.iter().filter(|i| classes[**i] == 1).count(), 2);
        }
    }
}
