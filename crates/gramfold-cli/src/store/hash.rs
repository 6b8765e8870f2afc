//! Content hashes: of files, and of all that the path of a run depends on.

use std::{
    fmt::Display,
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
};

use gramfold::{Spec, linalg::Symmetric};
use gramfold_sdp::{Point, Primal, Sdp};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::claims::SOLUTION_ROLE;

/// Bytes that are handed to the hash at a time.
const CHUNK: usize = 1 << 16;

/// The length of a file and the SHA-256 of its bytes, in hexadecimal digits.
pub fn sha256_of_file(path: &Path) -> io::Result<(u64, String)> {
    let mut out = BufWriter::with_capacity(CHUNK, Hashed::new(io::sink()));
    let length = io::copy(&mut File::open(path)?, &mut out)?;
    Ok((length, out.into_inner()?.finish().1))
}

/// Writes what it is given to another, and hashes it: best behind a buffer, since a hash of many small pieces takes longer.
pub(super) struct Hashed<W> {
    out: W,
    hash: Sha256,
}

impl<W: Write> Hashed<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, hash: Sha256::new() }
    }

    /// The other, and the SHA-256 of all that was written.
    pub(super) fn finish(self) -> (W, String) {
        (self.out, hexadecimal(self.hash))
    }
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The SHA-256 of everything that is claimed but this hash itself, however the JSON is laid out.
pub fn sha256_of_claims(claims: &Value) -> String {
    let mut claims = claims.clone();
    if let Some(hashes) = claims.get_mut("sha256").and_then(Value::as_object_mut) {
        hashes.remove(SOLUTION_ROLE);
    }
    hexadecimal(Sha256::new().chain_update(claims.to_string()))
}

/// A hash of everything that the path of a run depends on: data entry by entry, and every parameter by its name.
pub struct Fingerprint {
    hash: Sha256,
    waiting: Vec<u8>,
}

impl Fingerprint {
    /// Of a run of this command.
    pub fn new(command: &str) -> Self {
        Self { hash: Sha256::new(), waiting: Vec::with_capacity(2 * CHUNK) }
            .with("command", command)
    }

    /// Adds a parameter.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Display) -> Self {
        for text in [name, &value.to_string()] {
            self.word(text.len() as u64);
            self.waiting.extend_from_slice(text.as_bytes());
        }
        self.drain(CHUNK);
        self
    }

    /// Adds all that a spec says of the path of a run: everything but the time it may take.
    #[must_use]
    pub fn with_spec(self, spec: &Spec) -> Self {
        let mut spec = spec.clone();
        spec.stop.time_limit = None;
        self.with("spec", format!("{spec:?}"))
    }

    /// Adds numbers, bit by bit.
    #[must_use]
    pub fn with_numbers(mut self, numbers: &[f64]) -> Self {
        self.numbers(numbers);
        self
    }

    /// Adds every entry of a matrix.
    #[must_use]
    pub fn with_matrix(mut self, matrix: &Symmetric) -> Self {
        self.word(matrix.dim() as u64);
        self.word(matrix.stored() as u64);
        match matrix {
            Symmetric::Dense(a) => self.numbers(a.as_mat().as_slice()),
            Symmetric::Sparse(a) => (0..a.dim()).for_each(|i| self.row(a.row(i))),
            other => (0..other.dim()).for_each(|i| {
                self.row((0..other.dim()).map(|j| (j, other.get(i, j))));
            }),
        }
        self
    }

    /// Adds every entry of a program.
    #[must_use]
    pub fn with_program(mut self, sdp: &Sdp) -> Self {
        self = self.with("cones", format!("{:?}", sdp.cones()));
        self.numbers(sdp.rhs());
        for block in 0..sdp.cones().len() {
            for matrix in 0..=sdp.constraints() {
                let entries = sdp.entries(matrix, block);
                self.word(entries.len() as u64);
                for entry in entries {
                    self.word((u64::from(entry.row) << 32) | u64::from(entry.col));
                    self.word(entry.value.to_bits());
                }
            }
        }
        for part in sdp.rank_ones() {
            self.word(part.matrix as u64);
            self.word(part.block as u64);
            self.word(part.weight.to_bits());
            self.numbers(&part.vector);
        }
        self
    }

    /// Adds a point to start from.
    #[must_use]
    pub fn with_point(mut self, point: Option<&Point>) -> Self {
        self = self.with("warm", point.is_some());
        if let Some(point) = point {
            self.numbers(&point.dual);
            for block in &point.primal {
                match block {
                    Primal::Factor(z) | Primal::Dense(z) => {
                        self.word(z.cols() as u64);
                        self.numbers(z.as_slice());
                    }
                    Primal::Diagonal(z) => self.numbers(z),
                }
            }
        }
        self
    }

    /// The hash, in hexadecimal digits.
    pub fn finish(mut self) -> String {
        self.drain(1);
        hexadecimal(self.hash)
    }

    fn row(&mut self, entries: impl Iterator<Item = (usize, f64)>) {
        let mut length = 0;
        for (column, value) in entries {
            self.word(column as u64);
            self.word(value.to_bits());
            length += 1;
        }
        self.word(length);
    }

    fn numbers(&mut self, numbers: &[f64]) {
        self.word(numbers.len() as u64);
        for number in numbers {
            self.word(number.to_bits());
        }
    }

    fn word(&mut self, word: u64) {
        self.waiting.extend_from_slice(&word.to_le_bytes());
        self.drain(CHUNK);
    }

    fn drain(&mut self, from: usize) {
        if self.waiting.len() >= from {
            self.hash.update(&self.waiting);
            self.waiting.clear();
        }
    }
}

fn hexadecimal(hash: Sha256) -> String {
    let digits = |text: String, byte: &u8| text + &format!("{byte:02x}");
    hash.finalize().iter().fold(String::new(), digits)
}

#[cfg(test)]
mod tests {
    use gramfold::linalg::Csr;

    use super::*;

    #[test]
    fn a_file_has_the_hash_that_other_programs_print() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("abc");
        std::fs::write(&path, "abc").unwrap();
        // FIPS 180-2, appendix B.1.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256_of_file(&path).unwrap(), (3, expected.into()));
        let mut hashed = Hashed::new(Vec::new());
        for letter in [b"a", b"b", b"c"] {
            hashed.write_all(letter).unwrap();
        }
        assert_eq!(hashed.finish(), (b"abc".to_vec(), expected.into()));
        let long = vec![7; 3 * CHUNK + 1];
        std::fs::write(&path, &long).unwrap();
        let mut hashed = Hashed::new(io::sink());
        long.chunks(1000).for_each(|piece| hashed.write_all(piece).unwrap());
        assert_eq!(sha256_of_file(&path).unwrap().1, hashed.finish().1);
    }

    #[test]
    fn graphs_with_equal_counts_and_norms_have_different_fingerprints() {
        let of = |edges: &[(u32, u32, f64)]| {
            let graph = Csr::from_triangle(4, edges).unwrap();
            Fingerprint::new("cluster").with_matrix(&graph.into()).finish()
        };
        let path = of(&[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]);
        assert_ne!(path, of(&[(0, 1, 1.0), (0, 2, 1.0), (0, 3, 1.0)]));
        assert_ne!(path, of(&[(0, 1, 1.0), (1, 2, 1.0), (2, 3, -1.0)]));
        assert_eq!(path, of(&[(2, 3, 1.0), (0, 1, 1.0), (1, 2, 1.0)]));
    }

    #[test]
    fn parameters_cannot_run_into_each_other() {
        let of = |a: &str, b: &str| Fingerprint::new("c").with(a, b).finish();
        assert_ne!(of("ab", "c"), of("a", "bc"));
        let long = "x".repeat(3 * CHUNK);
        assert_ne!(of("a", &long), of("a", &long[1..]));
    }
}
