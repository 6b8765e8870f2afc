//! An order of the rows in which products take less time.
//!
//! A product of a large matrix and a tall one waits for memory: row i wants the rows of all neighbours of i. Those that stand
//! together are in the cache. Random vectors that were multiplied by the matrix a few times are smooth over its links,
//! so linked nodes mostly have the same signs in them: nodes with the same signs become a group, and groups are in the order of a Gray
//! code, in which one differs from the next by one sign.
//!
//! A product of a smaller matrix waits for the ends of rows, which a processor cannot foresee where lengths change from row to row:
//! nodes with as many neighbours stand together.

use gramfold_linalg::{Csr, Gram, Mat, Symmetric, multiply};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::similarity::is_even;

/// Columns of the block, a cache line wide. The first becomes the leading eigenvector, whose signs say nothing; there are 2⁷ groups.
const WIDTH: usize = 8;

/// Products of the block with the matrix.
const PRODUCTS: usize = 8;

/// Entries of a factor from which on an order pays: no cache holds them, nor most of them. With fewer it was measured to bring nothing.
const LARGE: usize = 1 << 22;

/// How much closer links must become, in powers of two: an order costs about as much as two iterations. And how much longer they
/// may become for rows of like lengths.
const CLOSER: f64 = 0.5;

/// Entries of a row, in the mean, up to which its end matters beside them.
const SHORT: usize = 32;

/// Rows up to which a processor remembers their lengths from one product to the next.
const REMEMBERED: usize = 1 << 12;

/// Rows whose links are measured, at most.
const MEASURED: usize = 1 << 12;

/// An order of the rows of a matrix.
#[derive(Clone, Debug)]
pub struct RowOrder {
    /// The node at each place.
    nodes: Vec<u32>,
}

impl RowOrder {
    /// An order in which products of the matrix with `cols` columns take less time; none where they would not by much, as
    /// small matrices, dense ones and those without structure.
    pub fn of(a: &Symmetric, cols: usize) -> Option<Self> {
        let Symmetric::Sparse(sparse) = a else { return None };
        if sparse.dim() * cols >= LARGE {
            Self::closer(sparse)
        } else {
            let pays = sparse.dim() > REMEMBERED && sparse.stored() <= SHORT * sparse.dim();
            if pays && !is_even(lengths(sparse)) { Self::by_length(sparse) } else { None }
        }
    }

    /// Long rows first; none where linked rows, which stand together, would be drawn apart.
    fn by_length(a: &Csr) -> Option<Self> {
        let lengths: Vec<usize> = lengths(a).collect();
        // Counted, not compared: where the rows of each length begin, behind all longer ones.
        let mut places = vec![0; lengths.iter().max()? + 2];
        for &length in &lengths {
            places[length] += 1;
        }
        let mut longer = 0;
        for place in places.iter_mut().rev() {
            longer += std::mem::replace(place, longer);
        }
        let mut nodes = vec![0; a.dim()];
        for (&length, row) in lengths.iter().zip(0..) {
            nodes[places[length]] = row;
            places[length] += 1;
        }
        let order = Self { nodes };
        (order.gain(a) > -CLOSER).then_some(order)
    }

    /// An order whose links are shorter than those of the matrix as it is.
    fn closer(a: &Csr) -> Option<Self> {
        let n = a.dim();
        let vectors = smooth(a)?;
        let group: Vec<u8> = (0..n).map(|i| gray_rank(signs(vectors.row(i)))).collect();
        let mut nodes: Vec<u32> = (0..n as u32).collect();
        nodes.sort_by_key(|&node| group[node as usize]);
        let order = Self { nodes };
        (order.gain(a) > CLOSER).then_some(order)
    }

    /// By how much links become shorter, in powers of two.
    fn gain(&self, a: &Csr) -> f64 {
        let places = self.places();
        length_of_links(a, |i| i) - length_of_links(a, |i| places[i])
    }

    /// The matrix with its rows and columns in this order; a dense one as it is.
    #[must_use]
    pub fn ordered(&self, a: &Symmetric) -> Symmetric {
        match a {
            Symmetric::Sparse(a) => a.reordered(&self.nodes).into(),
            dense => dense.clone(),
        }
    }

    /// A matrix in this order, in that of the nodes again.
    #[must_use]
    pub fn undone(&self, a: &Symmetric) -> Symmetric {
        let nodes = self.places().into_iter().map(|place| place as u32).collect();
        Self { nodes }.ordered(a)
    }

    /// Rows that are in the order of the nodes, in this one.
    ///
    /// # Panics
    /// If the matrix has not one row a node.
    #[must_use]
    pub fn moved(&self, x: &Mat) -> Mat {
        assert_eq!(x.rows(), self.nodes.len(), "an order has a place for every row");
        let mut moved = Mat::zeros(x.rows(), x.cols());
        for (place, &node) in self.nodes.iter().enumerate() {
            moved.row_mut(place).copy_from_slice(x.row(node as usize));
        }
        moved
    }

    /// Rows that are in this order, in that of the nodes.
    ///
    /// # Panics
    /// If the matrix has not one row a node.
    #[must_use]
    pub fn restored(&self, x: &Mat) -> Mat {
        assert_eq!(x.rows(), self.nodes.len(), "an order has a place for every row");
        let mut restored = Mat::zeros(x.rows(), x.cols());
        for (place, &node) in self.nodes.iter().enumerate() {
            restored.row_mut(node as usize).copy_from_slice(x.row(place));
        }
        restored
    }

    /// The place of each node.
    pub fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.nodes.len()];
        for (place, &node) in self.nodes.iter().enumerate() {
            places[node as usize] = place;
        }
        places
    }
}

/// How many entries each row has.
fn lengths(a: &Csr) -> impl Iterator<Item = usize> {
    a.parts().0.windows(2).map(|row| row[1] - row[0])
}

/// Random vectors after some products with the matrix, all but the first orthogonal to that; none if nothing is left of one.
fn smooth(a: &Csr) -> Option<Mat> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(0);
    let mut v =
        Mat::from_fn(
            a.dim(),
            WIDTH,
            |_, j| {
                if j == 0 { 1.0 } else { random.random::<f64>() - 0.5 }
            },
        );
    let (mut image, mut gram) = (Mat::zeros(a.dim(), WIDTH), Gram::new(WIDTH));
    for _ in 0..PRODUCTS {
        a.apply(&v, &mut image);
        let products = gram.of(&image, &image);
        let first = products[(0, 0)];
        let mut map = Mat::zeros(WIDTH, WIDTH);
        map[(0, 0)] = 1.0 / first.sqrt();
        for j in 1..WIDTH {
            let along = products[(0, j)] / first;
            let scale = 1.0 / (products[(j, j)] - along * products[(0, j)]).sqrt();
            (map[(0, j)], map[(j, j)]) = (-along * scale, scale);
        }
        if !map.is_finite() {
            return None;
        }
        multiply(1.0, &image, &map, &mut v);
    }
    Some(v)
}

/// A bit for each entry but the first.
fn signs(row: &[f64]) -> u8 {
    row[1..].iter().fold(0, |bits, &entry| 2 * bits + u8::from(entry > 0.0))
}

/// Where a word stands in the binary reflected Gray code.
fn gray_rank(mut word: u8) -> u8 {
    for shift in [1, 2, 4] {
        word ^= word >> shift;
    }
    word
}

/// The mean logarithm (base two) of the distance of linked rows, of evenly spaced rows where there are many.
fn length_of_links(a: &Csr, place: impl Fn(usize) -> usize) -> f64 {
    let (mut sum, mut links) = (0, 0);
    for i in (0..a.dim()).step_by(a.dim().div_ceil(MEASURED).max(1)) {
        for (j, _) in a.row(i) {
            sum += u64::from((1 + place(i).abs_diff(place(j))).ilog2());
            links += 1;
        }
    }
    if links == 0 { 0.0 } else { sum as f64 / f64::from(links) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of nodes i, i + k, i + 2k, …, with `inside` of 20 links of each node inside its block.
    fn planted(n: usize, k: usize, inside: usize) -> Symmetric {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
        let mut entries = Vec::new();
        for i in 0..n {
            for link in 0..10 {
                let any = random.random_range(0..n);
                let j = if 2 * link < inside { any / k * k + i % k } else { any } % n;
                entries.push((i.min(j) as u32, i.max(j) as u32, 1.0));
            }
        }
        Csr::from_triangle(n, &entries).unwrap().into()
    }

    #[test]
    fn blocks_come_together() {
        let (n, k) = (6000, 6);
        let a = planted(n, k, 16);
        let Symmetric::Sparse(csr) = &a else { panic!("sparse") };
        let order = RowOrder::closer(csr).unwrap();
        let mut sorted = order.nodes.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().enumerate().all(|(i, &node)| node as usize == i));
        // Neighbours in the order are mostly of one block, instead of never.
        let alike = order.nodes.windows(2).filter(|pair| pair[0] % 6 == pair[1] % 6).count();
        assert!(alike > n / 2, "{alike}");
    }

    #[test]
    fn what_is_ordered_is_restored() {
        let a = planted(3000, 3, 18);
        let Symmetric::Sparse(csr) = &a else { panic!("sparse") };
        let order = RowOrder::closer(csr).unwrap();
        let x = Mat::from_fn(3000, 2, |i, j| (i * 2 + j) as f64);
        let (places, moved) = (order.places(), order.moved(&x));
        assert!((0..3000).all(|node| moved.row(places[node]) == x.row(node)));
        assert_eq!(order.restored(&moved), x);
        let (mut product, mut expected) = (Mat::zeros(3000, 2), Mat::zeros(3000, 2));
        let ordered = order.ordered(&a);
        ordered.apply(&moved, &mut product);
        a.apply(&x, &mut expected);
        assert!(order.restored(&product).distance(&expected) < 1e-10 * expected.norm());
        assert!(ordered != a && order.undone(&ordered) == a);
    }

    #[test]
    fn no_order_where_it_would_not_pay() {
        // Without structure, and with rows that stand together already.
        let path: Vec<_> = (1..5000).map(|i| (i - 1, i, 1.0)).collect();
        let path = Csr::from_triangle(5000, &path).unwrap();
        let Symmetric::Sparse(random) = planted(5000, 5, 0) else { panic!("sparse") };
        assert!(RowOrder::closer(&path).is_none() && RowOrder::closer(&random).is_none());
        // No links, and a small graph.
        assert!(RowOrder::closer(&Csr::from_triangle(9, &[]).unwrap()).is_none());
        assert!(RowOrder::of(&planted(3000, 3, 18), 3).is_none());
    }

    /// Node i has about 1 + (i mod 40)²/50 links, to any others or to those close by.
    fn uneven(n: usize, far: bool) -> Symmetric {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
        let mut entries = Vec::new();
        for i in 0..n {
            for _ in 0..=(i % 40).pow(2) / 50 {
                let j = if far { random.random_range(0..n) } else { i + random.random_range(1..9) };
                entries.push((i.min(j % n) as u32, i.max(j % n) as u32, 1.0));
            }
        }
        Csr::from_triangle(n, &entries).unwrap().into()
    }

    #[test]
    fn rows_of_like_lengths_stand_together_where_links_go_anywhere() {
        let n = 5000;
        let a = uneven(n, true);
        let order = RowOrder::of(&a, 2).unwrap();
        let Symmetric::Sparse(ordered) = order.ordered(&a) else { panic!("sparse") };
        let lengths: Vec<usize> = (0..n).map(|i| ordered.row(i).count()).collect();
        assert!(lengths.is_sorted_by(|a, b| a >= b) && lengths[0] > lengths[n - 1]);
        assert_eq!(order.undone(&ordered.into()), a);
        // Equal rows keep their order.
        let same = |pair: &[u32]| pair[0] < pair[1];
        let ties = order.nodes.windows(2).zip(lengths.windows(2)).filter(|(_, l)| l[0] == l[1]);
        assert!(ties.map(|(nodes, _)| nodes).all(same));
        // Linked rows are not drawn apart, small graphs stay as they are.
        assert!(RowOrder::of(&uneven(n, false), 2).is_none());
        assert!(RowOrder::of(&uneven(3000, true), 2).is_none());
    }

    #[test]
    fn words_of_the_code_differ_by_one_bit() {
        let mut words: Vec<u8> = (0..128).collect();
        words.sort_by_key(|&word| gray_rank(word));
        assert!(words.windows(2).all(|pair| (pair[0] ^ pair[1]).is_power_of_two()));
    }
}
