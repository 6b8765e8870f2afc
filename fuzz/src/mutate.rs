//! Small changes to an input, for the short run.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The longest input.
const LONGEST: usize = 4096;

/// Numbers that parsers are careless with.
const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1",
    "2147483648",
    "4294967296",
    "18446744073709551616",
    "1e308",
    "1e-320",
    "nan",
    "inf",
    "16000000",
    "-16000000",
    "1e999999999",
];

/// Draws inputs from seeds, the same ones each time.
pub struct Mutator {
    random: Xoshiro256PlusPlus,
    seeds: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
}

impl Mutator {
    /// From seeds, and words of their format.
    pub fn new(seeds: Vec<Vec<u8>>, words: &[&str], seed: u64) -> Self {
        let words = words.iter().chain(NUMBERS).map(|word| word.as_bytes().to_vec()).collect();
        Self { random: Xoshiro256PlusPlus::seed_from_u64(seed), seeds, words }
    }

    /// The next input: a seed with one to eight changes.
    pub fn draw(&mut self) -> Vec<u8> {
        let mut input = self.pick_seed();
        for _ in 0..self.random.random_range(1..=8) {
            self.change(&mut input);
        }
        input.truncate(LONGEST);
        input
    }

    fn pick_seed(&mut self) -> Vec<u8> {
        match self.seeds.len() {
            0 => Vec::new(),
            n => self.seeds[self.random.random_range(0..n)].clone(),
        }
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        let length = input.len();
        let at = self.random.random_range(0..=length);
        let to = self.random.random_range(at..=length.min(at + 32));
        match self.random.random_range(0..8) {
            0 if at < length => input[at] ^= 1 << self.random.random_range(0..8),
            1 if at < length => input[at] = self.random.random(),
            2 => drop(input.drain(at..to)),
            3 => input.truncate(at),
            4 => {
                let copy = input[at..to].to_vec();
                let place = self.random.random_range(0..=length);
                input.splice(place..place, copy);
            }
            5 => {
                let other = self.pick_seed();
                let from = self.random.random_range(0..=other.len());
                let end = self.random.random_range(from..=other.len());
                input.splice(at..to, other[from..end].iter().copied());
            }
            6 => self.replace_word(input, at),
            _ => {
                let word = self.word();
                input.splice(at..at, word);
            }
        }
    }

    /// Puts another word where one stands, between blanks, commas or quotation marks.
    fn replace_word(&mut self, input: &mut Vec<u8>, at: usize) {
        let ends = |byte: &u8| !(byte.is_ascii_alphanumeric() || b".-+_".contains(byte));
        let start = input[..at].iter().rposition(ends).map_or(0, |place| place + 1);
        let end = input[at..].iter().position(ends).map_or(input.len(), |place| at + place);
        let word = self.word();
        input.splice(start..end, word);
    }

    fn word(&mut self) -> Vec<u8> {
        let at = self.random.random_range(0..self.words.len());
        self.words[at].clone()
    }
}
