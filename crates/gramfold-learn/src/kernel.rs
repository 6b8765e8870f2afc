//! Nonparametric kernel learning: a kernel Z on the nodes of a graph, smooth along its edges, that tells which pairs belong
//! together: min weight·⟨L, Z⟩ + mean φ(y_ij·Z_ij) over Z ⪰ 0.

use gramfold::{
    Error,
    linalg::{Csr, Mat, Symmetric, dot},
    loss::{Composite, map::Entries},
    registry::{self, Component},
};

/// The most columns where no rank is asked for.
const RANK: usize = 30;

/// Pairs of nodes that belong together (1) or not (−1).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Links {
    /// The pairs.
    pub pairs: Vec<(u32, u32)>,
    /// 1 or −1 for each.
    pub signs: Vec<f64>,
}

impl Links {
    /// A rank at which some solution is to be found: r(r + 1)/2 ≥ the number of pairs, as far as there is room.
    pub fn rank(&self, nodes: usize) -> usize {
        let enough = (1..RANK).find(|r| r * (r + 1) / 2 >= self.pairs.len());
        enough.unwrap_or(RANK).min(nodes).max(1)
    }

    /// The share of pairs whose entry of XXᵀ has the right sign.
    pub fn kept(&self, x: &Mat) -> f64 {
        let right = |((i, j), sign): (&(u32, u32), &f64)| {
            sign * dot(x.row(*i as usize), x.row(*j as usize)) > 0.0
        };
        let pairs = self.pairs.iter().zip(&self.signs);
        pairs.filter(|pair| right(*pair)).count() as f64 / self.pairs.len().max(1) as f64
    }

    /// The loss on a graph: the linear term is `weight` times the normalised Laplacian.
    pub fn loss(
        &self,
        graph: &Symmetric,
        weight: f64,
        scalar: &Component,
    ) -> Result<Composite, Error> {
        let count = self.pairs.len();
        if count == 0 {
            return Err(Error::data("there is no pair to learn from"));
        }
        let map = Entries::new(graph.dim(), &self.pairs)?;
        // Both (i, j) and (j, i) are measured.
        let share = |pair: &(u32, u32)| if pair.0 == pair.1 { 1.0 } else { 0.5 };
        let weights: Vec<f64> = self.pairs.iter().map(|pair| share(pair) / count as f64).collect();
        let scalar = registry::scalar(scalar)?;
        let loss = Composite::new(Box::new(map), scalar, &self.signs, Some(&weights))?;
        if weight == 0.0 { Ok(loss) } else { loss.with_linear(laplacian(graph, weight)?) }
    }
}

/// weight·(I − D^-½AD^-½), without loops; a node without edges has a row of zeros.
pub fn laplacian(graph: &Symmetric, weight: f64) -> Result<Csr, Error> {
    let n = graph.dim();
    let mut row = vec![0.0; n];
    let mut entries = Vec::new();
    let mut degrees = vec![0.0; n];
    for (i, degree) in degrees.iter_mut().enumerate() {
        row.fill(0.0);
        graph.add_row(i, 1.0, &mut row);
        for (j, value) in row.iter().enumerate().filter(|(j, value)| *j != i && **value != 0.0) {
            if *value < 0.0 {
                let message = format!("the edge between nodes {i} and {j} has a negative weight");
                return Err(Error::data(message));
            }
            *degree += value;
            if j < i {
                entries.push((i as u32, j as u32, *value));
            }
        }
    }
    for (i, j, value) in &mut entries {
        *value *= -weight / (degrees[*i as usize] * degrees[*j as usize]).sqrt();
    }
    let diagonal = (0..n).filter(|i| degrees[*i] > 0.0).map(|i| (i as u32, i as u32, weight));
    entries.extend(diagonal);
    Ok(Csr::from_triangle(n, &entries)?)
}

#[cfg(test)]
mod tests {
    use gramfold::{
        Problem, Spec, Stop, factorise,
        linalg::{Dense, symmetric_eigen},
        regulariser::Ridge,
    };

    use super::*;

    /// Two triangles joined by an edge.
    fn graph() -> Symmetric {
        let edges = [(1, 0), (2, 0), (2, 1), (4, 3), (5, 3), (5, 4), (3, 2)];
        let entries: Vec<_> = edges.iter().map(|&(i, j)| (i, j, 1.0)).collect();
        Csr::from_triangle(6, &entries).unwrap().into()
    }

    #[test]
    fn the_laplacian_is_positive_semidefinite_with_the_root_of_degrees_in_its_kernel() {
        let l: Symmetric = laplacian(&graph(), 2.0).unwrap().into();
        let eigen = symmetric_eigen(&l.to_dense()).unwrap();
        assert!(eigen.values[0].abs() < 1e-14 && eigen.values[1] > 0.1);
        let degrees = [2.0_f64, 2.0, 3.0, 3.0, 2.0, 2.0];
        let root = Mat::from_fn(6, 1, |i, _| degrees[i].sqrt());
        let mut image = Mat::zeros(6, 1);
        l.apply(&root, &mut image);
        assert!(image.norm() < 1e-14);
        let negative =
            Dense::symmetrised(Mat::from_fn(2, 2, |i, j| if i == j { 0.0 } else { -1.0 }));
        assert!(laplacian(&negative.into(), 1.0).is_err());
    }

    /// One link of each kind tells the other nodes where they belong.
    #[test]
    fn links_spread_along_edges() {
        let links = Links { pairs: vec![(0, 1), (0, 5)], signs: vec![1.0, -1.0] };
        for loss in ["squared-hinge", "logistic"] {
            let loss = links.loss(&graph(), 0.1, &Component::named(loss)).unwrap();
            let regulariser = Ridge::new(0.01).unwrap();
            let problem = Problem::new(&loss, &regulariser, 3).unwrap();
            let stop = Stop::default().tolerance(1e-9);
            let spec = Spec { rank: 3, stop, ..Spec::default() };
            let solution = factorise(&problem, &spec, &mut ()).unwrap();
            let x = &solution.factor;
            let entry = |i: usize, j: usize| dot(x.row(i), x.row(j));
            assert!((links.kept(x) - 1.0).abs() < 1e-15);
            for i in 0..3 {
                for j in 0..3 {
                    assert!(entry(i, j) > 0.0 && entry(i, 3 + j) < entry(i, j), "({i}, {j})");
                }
            }
            let certificate = solution.certify(&problem, 1e-6).unwrap();
            assert!(certificate.optimal, "{certificate}");
        }
    }
}
