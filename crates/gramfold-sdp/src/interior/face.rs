//! Facial reduction: a program whose feasible Z all lie on one face of the cone, solved on that face.
//!
//! Without a strictly feasible Z there is a w with A*(w) ⪰ 0, not zero, and bᵀw = 0 (Borwein and Wolkowicz). Every
//! feasible Z then has ⟨A*(w), Z⟩ = 0, so Z = V X Vᵀ with V spanning the kernel of A*(w). In X the program has an
//! interior again; in Z the multipliers diverge along w, and rounding decides where they stop.
//!
//! Such a w of largest rank is what the central path of the same constraints with C = 0 ends at.

use gramfold_linalg::{Mat, Operand, dot, normalise, symmetric_eigen};

use super::{
    Block, FaceState, Interior, Normal, Number, Program, State, Variable, identity, symmetrise,
    zeros,
};
use crate::{Aside, Cone, Entry, Error, Options, Outcome, Point, Primal, Sdp, Stop, Term, Watch};

/// Share of the largest eigenvalue of A*(w) that belongs to the kernel, and that does not.
const KERNEL: f64 = 1e-8;
const OUTSIDE: f64 = 1e-4;
/// The same of a w that has been polished.
const EXACT: f64 = 1e-12;
/// Weight of the condition that the face sees nothing of z.
const ON_FACE: f64 = 1e5;
/// Steps of polishing.
const POLISHES: usize = 3;

/// A face of one block.
#[derive(Clone, Debug)]
pub(super) enum Face {
    /// The whole cone.
    Whole,
    /// V X Vᵀ, the rows of this matrix being the columns of V.
    Span(Mat),
    /// The numbers that may be positive, out of so many.
    Kept(Vec<usize>, usize),
}

impl Face {
    /// The cone of the X.
    pub(super) fn cone(&self, of: Cone) -> Cone {
        match self {
            Self::Whole => of,
            Self::Span(basis) => Cone::Semidefinite(basis.rows()),
            Self::Kept(kept, _) => Cone::Nonnegative(kept.len()),
        }
    }

    /// Z of X. A block is allocated, which costs nothing beside the products.
    pub(super) fn lift(&self, x: &Block) -> Block {
        match (self, x) {
            (Self::Span(basis), Block::Dense(x)) => {
                let (k, n) = (basis.rows(), basis.cols());
                let (mut half, mut full) = (Mat::zeros(k, n), Mat::zeros(n, n));
                f64::product(basis, x, false, &mut half);
                let (basis, half) = (Operand::Transposed(basis), Operand::Plain(&half));
                gramfold_linalg::product(1.0, basis, half, false, &mut full);
                symmetrise(&mut full);
                Block::Dense(full)
            }
            (Self::Kept(kept, n), Block::Diagonal(x)) => {
                let mut full = vec![0.0; *n];
                kept.iter().zip(x).for_each(|(&at, x)| full[at] = *x);
                Block::Diagonal(full)
            }
            _ => x.clone(),
        }
    }

    /// VᵀMV.
    pub(super) fn compress(&self, full: &Block, out: &mut Block) {
        match (self, full, out) {
            (Self::Span(basis), Block::Dense(full), Block::Dense(out)) => {
                let (k, n) = (basis.rows(), basis.cols());
                let mut half = Mat::zeros(k, n);
                f64::product(full, basis, false, &mut half);
                let (half, basis) = (Operand::Plain(&half), Operand::Transposed(basis));
                gramfold_linalg::product(1.0, half, basis, false, out);
                symmetrise(out);
            }
            (Self::Kept(kept, _), Block::Diagonal(full), Block::Diagonal(out)) => {
                kept.iter().zip(out).for_each(|(&at, out)| *out = full[at]);
            }
            (_, full, out) => out.as_mut_slice().copy_from_slice(full.as_slice()),
        }
    }

    /// I − VVᵀ + ρVVᵀ, and the symmetric part of (I − VVᵀ)SZ.
    fn across(&self, slack: &Block, z: &Block) -> (Block, Block) {
        match (self, slack, z) {
            (Self::Span(basis), Block::Dense(slack), Block::Dense(z)) => {
                let n = basis.cols();
                let mut metric = Mat::identity(n);
                let add = |weight: f64, to: &mut Mat| {
                    let (left, right) = (Operand::Transposed(basis), Operand::Plain(basis));
                    gramfold_linalg::product(weight, left, right, true, to);
                };
                add(-1.0, &mut metric);
                let (mut half, mut across) = (Mat::zeros(n, n), Mat::zeros(n, n));
                f64::product(slack, &metric, false, &mut half);
                f64::product(z, &half, false, &mut across);
                symmetrise(&mut across);
                add(ON_FACE, &mut metric);
                symmetrise(&mut metric);
                (Block::Dense(metric), Block::Dense(across))
            }
            (_, slack, _) => {
                let (mut metric, mut across) = (slack.clone(), slack.clone());
                for block in [&mut metric, &mut across] {
                    block.as_mut_slice().fill(0.0);
                }
                metric.add_identity(ON_FACE);
                (metric, across)
            }
        }
    }
}

/// The faces, block by block, and the w that exposes them, in the units of the problem.
pub(super) struct Exposed {
    pub(super) faces: Vec<Face>,
    pub(super) w: Vec<f64>,
}

/// Where the central path of the constraints with C = 0 ends.
pub(super) fn exposing(
    sdp: &Sdp,
    options: &Options,
    shown: (f64, f64),
    state: Option<State>,
    watch: &mut dyn Watch,
) -> Result<Outcome, Error> {
    let free = without_cost(sdp)?;
    let asked = Options { tolerance: 1e-10, max_iterations: 40, ..options.clone() };
    let state_of = |state: crate::State| state.on_face(FaceState::Exposing);
    let mut aside = Aside { shown: Some(shown), state: &state_of, watch };
    Ok(Interior::new(&free).recalling(state)?.run(&asked, &mut aside))
}

/// The smallest faces that these multipliers expose; none if the constraints have an interior, as far as can be told.
pub(super) fn exposed(sdp: &Sdp, dual: &[f64], stop: Stop<'_>) -> Option<Exposed> {
    let free = without_cost(sdp).ok()?;
    let mut w: Vec<f64> = dual.iter().map(|y| -y).collect();
    normalise(&mut w);
    let program = Program::new(&free);
    let mut faces = faces(&program, &w, KERNEL)?;
    for _ in 0..POLISHES {
        polish(&free, &faces, &mut w, stop)?;
        faces = self::faces(&program, &w, KERNEL)?;
    }
    faces = self::faces(&program, &w, EXACT)?;
    // bᵀw must vanish beside what it is the sum of.
    let terms: f64 = sdp.rhs().iter().zip(&w).map(|(b, w)| (b * w).abs()).sum();
    (dot(sdp.rhs(), &w).abs() <= EXACT * (1.0 + terms)).then_some(Exposed { faces, w })
}

/// The kernels of the blocks of A*(w); none if A*(w) is not clearly of one sign and of lower rank.
fn faces(program: &Program, w: &[f64], kernel: f64) -> Option<Vec<Face>> {
    let mut image = zeros(&program.cones);
    program.adjoint(&program.scaled(w), &mut image);
    let mut spectra = Vec::new();
    for block in &image {
        spectra.push(match block {
            Block::Dense(mat) => {
                let eigen = symmetric_eigen(mat)?;
                (eigen.values, Some(eigen.vectors))
            }
            Block::Diagonal(values) => (values.clone(), None),
        });
    }
    let all = || spectra.iter().flat_map(|(values, _)| values);
    let most = all().fold(0.0_f64, |most, value| most.max(*value));
    let inside = |value: f64| value.abs() <= kernel * most;
    let outside = |value: f64| value >= OUTSIDE * most;
    if most <= 0.0 || !all().all(|&v| inside(v) || outside(v)) || !all().any(|&v| inside(v)) {
        return None;
    }
    let face = |(values, vectors): (Vec<f64>, Option<Mat>)| {
        let kept: Vec<usize> = (0..values.len()).filter(|&i| inside(values[i])).collect();
        match vectors {
            _ if kept.len() == values.len() => Some(Face::Whole),
            // A block that must vanish altogether has no face to work on.
            _ if kept.is_empty() => None,
            Some(vectors) => {
                let n = vectors.cols();
                Some(Face::Span(Mat::from_fn(kept.len(), n, |k, j| vectors[(kept[k], j)])))
            }
            None => Some(Face::Kept(kept, values.len())),
        }
    };
    spectra.into_iter().map(face).collect()
}

/// The combinations of constraints that the face does not see, VᵀA*(v)V = 0, and the way to them.
struct Unseen {
    program: Program,
    normal: Normal,
}

impl Unseen {
    fn new(sdp: &Sdp, faces: &[Face], stop: Stop<'_>) -> Option<Self> {
        let program = Program::on_faces(sdp, faces.to_vec());
        let unit = identity(&program.cones, 1.0);
        let mut normal = Normal::new(&program);
        normal.prepare(&program, &unit, &unit, stop).then_some(Self { program, normal })
    }

    /// The nearest of them, by least squares; v is scaled as the program is.
    fn nearest(&mut self, v: &mut [f64]) {
        let mut seen = zeros(&self.program.cones);
        let (mut image, mut change) = (vec![0.0; v.len()], vec![0.0; v.len()]);
        for _ in 0..2 {
            self.program.adjoint(v, &mut seen);
            self.program.apply(&seen, &mut image);
            self.normal.solve(&image, &mut change);
            v.iter_mut().zip(&change).for_each(|(v, c)| *v -= c);
        }
    }
}

/// Takes out of A*(w) what is left of it on the face.
fn polish(free: &Sdp, faces: &[Face], w: &mut [f64], stop: Stop<'_>) -> Option<()> {
    let mut unseen = Unseen::new(free, faces, stop)?;
    let mut scaled = unseen.program.scaled(w);
    unseen.nearest(&mut scaled);
    w.copy_from_slice(&unseen.program.multipliers(&scaled, 1.0));
    // With an interior only w = 0 is orthogonal to every feasible Z.
    let is_orthogonal_to_all = normalise(w) < 0.1;
    (!is_orthogonal_to_all).then_some(())
}

/// y + z with the z unseen by the face for which the slack connects the face least with what is outside it.
///
/// S + tA*(w) comes into the cone only as t outweighs ‖(I − VVᵀ)(S − A*(z))Z^½‖², Z = VXVᵀ being the solution: S
/// has directions to spare where Z has none. That is a least-squares problem in z.
pub(super) fn settle(sdp: &Sdp, faces: &[Face], point: &Point, stop: Stop<'_>) -> Option<Vec<f64>> {
    let mut unseen = Unseen::new(sdp, faces, stop)?;
    let program = Program::new(sdp);
    let mut y = program.scaled(&point.dual);
    for y in &mut y {
        *y /= program.cost_scale;
    }
    let mut slack = zeros(&program.cones);
    program.slack(&y, &mut slack);
    let solution: Variable = point
        .primal
        .iter()
        .map(|block| match block {
            Primal::Dense(z) => Block::Dense(z.clone()),
            Primal::Diagonal(z) => Block::Diagonal(z.clone()),
            Primal::Factor(_) => unreachable!("the engine's points are dense"),
        })
        .collect();
    let mut metric = Vec::new();
    let mut across = Vec::new();
    for ((face, slack), z) in faces.iter().zip(&slack).zip(&solution) {
        let (weights, product) = face.across(slack, z);
        metric.push(weights);
        across.push(product);
    }
    let mut normal = Normal::new(&program);
    if !normal.prepare(&program, &metric, &solution, stop) {
        return None;
    }
    let m = program.constraints();
    let (mut target, mut z) = (vec![0.0; m], vec![0.0; m]);
    program.apply(&across, &mut target);
    normal.solve(&target, &mut z);
    unseen.nearest(&mut z);
    y.iter_mut().zip(&z).for_each(|(y, z)| *y += z);
    Some(program.multipliers(&y, program.cost_scale))
}

/// The constraints with C = 0.
fn without_cost(sdp: &Sdp) -> Result<Sdp, Error> {
    let mut terms = Vec::new();
    for (block, matrix, entries) in sdp.all_matrices().filter(|(_, matrix, _)| *matrix > 0) {
        terms.extend(entries.iter().map(|&Entry { row, col, value }| Term {
            matrix,
            block,
            row: row as usize,
            col: col as usize,
            value,
        }));
    }
    let parts = sdp.rank_ones().iter().filter(|part| part.matrix > 0).cloned().collect();
    Sdp::new(sdp.cones().to_vec(), sdp.rhs().to_vec(), terms, parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Status,
        interior::{Faced, OnFace, solve_on_face},
    };

    fn precise() -> Options {
        Options { tolerance: 1e-8, ..Options::default() }
    }

    #[test]
    fn numbers_that_must_vanish_are_taken_out_and_put_back() {
        let face = Face::Kept(vec![0, 3], 4);
        assert_eq!(face.cone(Cone::Nonnegative(4)), Cone::Nonnegative(2));
        let lifted = face.lift(&Block::Diagonal(vec![5.0, 7.0]));
        assert_eq!(lifted.as_slice(), [5.0, 0.0, 0.0, 7.0]);
        let mut compressed = Block::Diagonal(vec![0.0; 2]);
        face.compress(&Block::Diagonal(vec![1.0, 2.0, 3.0, 4.0]), &mut compressed);
        assert_eq!(compressed.as_slice(), [1.0, 4.0]);
    }

    /// x₂ + x₃ = 0 hidden in two constraints, beside a block of which nothing must vanish.
    fn numbers_without_interior() -> Sdp {
        let term = |matrix, block, at, value| Term { matrix, block, row: at, col: at, value };
        let terms = vec![
            term(0, 0, 0, 1.0),
            term(0, 1, 0, 2.0),
            term(0, 1, 3, 1.0),
            term(1, 0, 0, 1.0),
            term(1, 0, 1, 1.0),
            term(2, 1, 0, 1.0),
            term(2, 1, 3, 1.0),
            term(3, 1, 0, 1.0),
            term(3, 1, 1, 1.0),
            term(3, 1, 2, 2.0),
            term(3, 1, 3, 1.0),
        ];
        let cones = vec![Cone::Semidefinite(2), Cone::Nonnegative(4)];
        Sdp::new(cones, vec![1.0, 3.0, 3.0], terms, Vec::new()).unwrap()
    }

    #[test]
    fn the_numbers_that_constraints_force_to_zero_are_found() {
        let sdp = numbers_without_interior();
        let end = exposing(&sdp, &precise(), (0.0, 0.0), None, &mut ()).unwrap();
        let exposed = exposed(&sdp, &end.point.dual, &|| false).unwrap();
        assert!(matches!(exposed.faces[0], Face::Whole), "{:?}", exposed.faces[0]);
        let Face::Kept(kept, of) = &exposed.faces[1] else { panic!("{:?}", exposed.faces[1]) };
        assert_eq!((kept.as_slice(), *of), ([0, 3].as_slice(), 4));
        assert!(dot(sdp.rhs(), &exposed.w).abs() < 1e-12);
        // min Z_11 + 2x₁ + x₄ with tr Z = 1 and x₁ + x₄ = 3.
        let found = solve_on_face(&sdp, &precise(), (0.0, 0.0), None, &mut ());
        let Faced::Solved(OnFace { outcome, .. }) = found.unwrap() else { panic!("no face") };
        assert!(outcome.status == Status::Solved, "{:?}", outcome.status);
        let Primal::Diagonal(x) = &outcome.point.primal[1] else { panic!("not a diagonal block") };
        assert!(x[1] == 0.0 && x[2] == 0.0 && (x[3] - 3.0).abs() < 1e-6, "{x:?}");
    }
}
