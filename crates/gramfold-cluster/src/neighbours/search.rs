//! The neighbours of one cell's points.
//!
//! Coordinates are taken from the centre c of the searching cell, so that `f32` is accurate where
//! it matters. Write x, y for such coordinates. The product of the rows (x, −1) and
//! (y, ½(1−ε)‖y‖²) is g = xᵀy − ½(1−ε)‖y‖². With ε = (d+8)·2⁻²³, twice the rounding error of a
//! product with d + 1 terms in `f32`, ‖x − y‖² ≤ τ implies g ≥ ½((1−ε)‖x‖² − τ): one comparison a
//! pair, and no neighbour is lost.

use gramfold_linalg::row_products;

use super::{best::Best, cells::Cells, squared_distance};

/// Cells whose distances from the queries are bounded together.
const BATCH: usize = 32;

/// Products compared at a time: one branch for all of them.
const STRIDE: usize = 16;

/// The `count` nearest neighbours of each point of `cell`, in the cell's order.
pub(super) fn search(cells: &Cells, cell: usize, count: usize) -> Vec<Best> {
    let centre = cells.centre(cell);
    let mut nearest_first: Vec<(f64, usize)> = (0..cells.len())
        .map(|other| {
            let distance = squared_distance(centre, cells.centre(other)).sqrt();
            // The own cell goes first: it brings the bars down most.
            let gap = distance - cells.radius(other);
            (if other == cell { f64::NEG_INFINITY } else { gap }, other)
        })
        .collect();
    nearest_first.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));

    let mut queries = Queries::new(cells, cell, count);
    let (mut centres, mut block) = (Rows::new(cells.dim()), Rows::new(cells.dim()));
    let (mut to_centres, mut to_points) = (Vec::new(), Vec::new());
    for batch in nearest_first.chunks(BATCH) {
        let reach = cells.radius(cell) + queries.highest_bar().sqrt();
        if batch[0].0 > reach * (1.0 + queries.epsilon) {
            break;
        }
        centres.fill(centre, batch.iter().map(|&(_, other)| cells.centre(other)), queries.epsilon);
        queries.all.product(&centres, &mut to_centres);
        for (b, &(_, other)) in batch.iter().enumerate() {
            let radius = cells.radius(other);
            queries.select(|query| to_centres[query * batch.len() + b], radius);
            if queries.chosen.is_empty() {
                continue;
            }
            let members = cells.members(other);
            block.fill(centre, members.clone().map(|at| cells.point(at)), queries.epsilon);
            queries.active.product(&block, &mut to_points);
            queries.compare(cells, members.start, &to_points);
        }
    }
    queries.best
}

/// Rows (x, −1) or (y, ½(1−ε)‖y‖²) in `f32`, one after the other.
struct Rows {
    width: usize,
    data: Vec<f32>,
}

impl Rows {
    fn new(dim: usize) -> Self {
        Self { width: dim + 1, data: Vec::new() }
    }

    fn fill<'a>(&mut self, centre: &[f64], points: impl Iterator<Item = &'a [f64]>, epsilon: f64) {
        self.data.clear();
        for point in points {
            let from = self.data.len();
            self.data.extend(point.iter().zip(centre).map(|(v, c)| (v - c) as f32));
            let squared = squared_distance(point, centre);
            debug_assert_eq!(self.data.len(), from + self.width - 1);
            self.data.push((0.5 * (1.0 - epsilon) * squared) as f32);
        }
    }

    fn row(&self, i: usize) -> &[f32] {
        &self.data[i * self.width..(i + 1) * self.width]
    }

    /// out ← self·otherᵀ, row-major.
    fn product(&self, other: &Self, out: &mut Vec<f32>) {
        let (m, n) = (self.data.len() / self.width, other.data.len() / other.width);
        out.resize(m * n, 0.0);
        row_products(&self.data, &other.data, self.width, out);
    }
}

/// The points of one cell on their search.
struct Queries {
    first: usize,
    epsilon: f64,
    slack: f64,
    squared_norms: Vec<f64>,
    best: Vec<Best>,
    all: Rows,
    /// The queries that the present cell concerns, and their rows.
    chosen: Vec<usize>,
    active: Rows,
}

impl Queries {
    fn new(cells: &Cells, cell: usize, count: usize) -> Self {
        let (members, d) = (cells.members(cell), cells.dim());
        let epsilon = (d + 8) as f64 * f64::from(f32::EPSILON);
        let mut all = Rows::new(d);
        all.fill(cells.centre(cell), members.clone().map(|at| cells.point(at)), epsilon);
        all.data.chunks_exact_mut(d + 1).for_each(|row| row[d] = -1.0);
        let squared =
            members.clone().map(|at| squared_distance(cells.point(at), cells.centre(cell)));
        Self {
            first: members.start,
            epsilon,
            // What `f32` may lose to underflow: coordinates are below 2.
            slack: 8.0 * (d + 8) as f64 * f64::from(f32::MIN_POSITIVE),
            squared_norms: squared.collect(),
            best: members.map(|_| Best::new(count)).collect(),
            all,
            chosen: Vec::new(),
            active: Rows::new(d),
        }
    }

    fn highest_bar(&self) -> f64 {
        self.best.iter().map(Best::bar).fold(0.0, f64::max)
    }

    /// Below this product, the distance exceeds the bar of `query`.
    fn threshold(&self, query: usize) -> f32 {
        let (norm, bar) = (self.squared_norms[query], self.best[query].bar());
        (0.5 * ((1.0 - self.epsilon) * norm - (1.0 + self.epsilon) * bar) - self.slack) as f32
    }

    /// Chooses the queries that a ball may hold a neighbour of, given their products with its centre.
    fn select(&mut self, product: impl Fn(usize) -> f32, radius: f64) {
        self.chosen.clear();
        self.active.data.clear();
        for (query, best) in self.best.iter().enumerate() {
            let norm = (1.0 - self.epsilon) * self.squared_norms[query];
            let squared = norm - 2.0 * (f64::from(product(query)) + self.slack);
            let reach = (radius + best.bar().sqrt()) * (1.0 + self.epsilon);
            if squared <= reach * reach {
                self.chosen.push(query);
                self.active.data.extend_from_slice(self.all.row(query));
            }
        }
    }

    /// Measures the pairs of chosen queries and points from place `start` on that may be neighbours.
    #[expect(clippy::needless_bitwise_bool, reason = "a lazy `||` would not vectorise")]
    fn compare(&mut self, cells: &Cells, start: usize, products: &[f32]) {
        let width = products.len() / self.chosen.len();
        for (row, chosen) in products.chunks_exact(width).zip(0..) {
            let query = self.chosen[chosen];
            let mut threshold = self.threshold(query);
            let (strides, rest) = row.as_chunks::<STRIDE>();
            for (stride, products) in strides.iter().enumerate() {
                // Without a branch inside, the comparison of all is a few vector instructions.
                if products.iter().fold(false, |any, &product| any | (product >= threshold)) {
                    threshold = self.measure(cells, query, start + stride * STRIDE, products);
                }
            }
            self.measure(cells, query, start + strides.len() * STRIDE, rest);
        }
    }

    /// Offers those points from place `start` on that the products do not rule out to `query`.
    fn measure(&mut self, cells: &Cells, query: usize, start: usize, products: &[f32]) -> f32 {
        let own = self.first + query;
        let mut threshold = self.threshold(query);
        for (at, &product) in (start..).zip(products) {
            if product >= threshold && at != own {
                let squared = squared_distance(cells.point(own), cells.point(at));
                self.best[query].offer(squared, cells.ids()[at]);
                threshold = self.threshold(query);
            }
        }
        threshold
    }
}
