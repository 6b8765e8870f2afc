//! Rays: checkable proofs that a program has no solution.
//!
//! y with −A*(y) ∈ K and bᵀy > 0 leaves no Z: bᵀy = ⟨A*(y), Z⟩ ≤ 0 for a feasible one. That is the bound of the
//! program with C = 0, which is positive only if no Z is feasible. Z ∈ K with A(Z) = 0 and ⟨C, Z⟩ < 0 leaves no y:
//! ⟨C, Z⟩ = ⟨S, Z⟩ ≥ 0 for a feasible one. A computed Z has A(Z) ≈ 0 only; if it is well inside K, a correction
//! with exactly A(ΔZ) = −A(Z) is short enough to stay there.

use std::fmt;

use gramfold_linalg::{Mat, dot, is_positive_definite, symmetric_eigen};
use serde::{Deserialize, Serialize};

use super::{Allowance, Combination, Dual, Normal, image, rounding, smallest, trace};
use crate::{Cone, Point, Primal, Sdp, certificate::Proof};

/// n up to which a ray Z is checked: it is handled as n×n matrices.
const MOST: usize = 2048;

/// How much of the identity is mixed in to bring a ray inside its cone.
const MIXED: [f64; 7] = [0.0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2];

/// What was proved to have no solution, and by what.
#[derive(Clone, Debug)]
pub enum Ray {
    /// No Z is feasible.
    Primal {
        /// bᵀy > 0 and −A*(y) ∈ K, or so little outside that the trace bounds of the constraints make up for it.
        y: Vec<f64>,
        /// How that was proved.
        proof: Proof,
    },
    /// No y is feasible; a feasible Z would have an objective without bound.
    Dual {
        /// Well inside K, ⟨C, Z⟩ < 0, and A(Z) so small that a correction inside K makes it 0.
        z: Vec<Primal>,
    },
}

/// Which of the two problems has no feasible point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Infeasible {
    /// There is no Z.
    Primal,
    /// There is no y.
    Dual,
}

impl Ray {
    /// Which problem it leaves without a feasible point.
    pub fn infeasible(&self) -> Infeasible {
        match self {
            Self::Primal { .. } => Infeasible::Primal,
            Self::Dual { .. } => Infeasible::Dual,
        }
    }

    /// A ray that a single constraint gives: one that is evidently semidefinite with a right-hand side of the
    /// other sign, or an empty one with a right-hand side that is not zero.
    pub fn evident(sdp: &Sdp) -> Option<Self> {
        let i = (0..sdp.constraints()).find(contradicts(sdp))?;
        let mut y = vec![0.0; sdp.constraints()];
        y[i] = sdp.rhs()[i].signum();
        Some(Self::Primal { y, proof: Proof::Rigorous })
    }

    /// Proves that no Z is feasible by a multiple of y, or of y with a little taken off towards the inside.
    pub fn primal(sdp: &Sdp, y: &[f64]) -> Option<Self> {
        Self::primal_within(sdp, y, &Allowance::UNLIMITED)
    }

    /// As [`Ray::primal`], in the time there is.
    pub(crate) fn primal_within(sdp: &Sdp, y: &[f64], time: &Allowance<'_>) -> Option<Self> {
        let gain = dot(sdp.rhs(), y);
        if !(gain > 0.0 && gain.is_finite()) || y.len() != sdp.constraints() {
            return None;
        }
        let mut used = (0..y.len()).filter(|&i| y[i] != 0.0);
        if let (Some(i), None) = (used.next(), used.next())
            && contradicts(sdp)(&i)
        {
            return Some(Self::Primal { y: y.to_vec(), proof: Proof::Rigorous });
        }
        let y: Vec<f64> = y.iter().map(|y| y / gain).collect();
        let traces = trace::bounds(sdp);
        let mut inward = None;
        for share in MIXED {
            if time.is_over() {
                break;
            }
            let mut tried = y.clone();
            if share > 0.0 {
                let w = inward.get_or_insert_with(|| {
                    Normal::of(sdp, time).map(|normal| normal.toward_identity(sdp))
                });
                let w = w.as_ref()?;
                let step = share / dot(sdp.rhs(), w).abs().max(1.0);
                tried.iter_mut().zip(w).for_each(|(y, w)| *y -= step * w);
            }
            let bound = Dual::of(sdp, 0.0, &tried, &[], time).bound(&traces);
            if let Some(bound) = bound.filter(|bound| bound.value > 0.0) {
                return Some(Self::Primal { y: tried, proof: bound.proof });
            }
        }
        None
    }

    /// Proves that no y is feasible by a Z near a multiple of the given one.
    pub fn dual(sdp: &Sdp, z: &[Primal]) -> Option<Self> {
        Self::dual_within(sdp, z, &Allowance::UNLIMITED)
    }

    /// As [`Ray::dual`], in the time there is.
    pub(crate) fn dual_within(sdp: &Sdp, z: &[Primal], time: &Allowance<'_>) -> Option<Self> {
        let fits = Point { primal: z.to_vec(), dual: vec![0.0; sdp.constraints()] };
        if image::check(sdp, &fits).is_err() || sdp.cones().iter().any(|cone| cone.size() > MOST) {
            return None;
        }
        // Eigenvalues of every block come first.
        let work = |cone: &Cone| match *cone {
            Cone::Semidefinite(n) => 10.0 * (n as f64).powi(3),
            Cone::Nonnegative(_) => 0.0,
        };
        let work: f64 = sdp.cones().iter().map(work).sum();
        if !time.allows(smallest::seconds(work)) {
            return None;
        }
        let normal = Normal::of(sdp, time)?;
        let mut dense: Vec<Primal> = z.iter().map(expanded).collect();
        let loss = -image::image(sdp, &dense)[0];
        if !(loss > 0.0 && loss.is_finite()) {
            return None;
        }
        for block in &mut dense {
            scale(block, 1.0 / loss);
        }
        let size = dense.iter().map(largest).fold(0.0, f64::max);
        MIXED.iter().take_while(|_| !time.is_over()).find_map(|share| {
            let mut tried = dense.clone();
            for block in &mut tried {
                add_identity(block, share * size);
            }
            // Twice, since the first correction leaves rounding of its own size.
            for _ in 0..2 {
                let violation = image::image(sdp, &tried);
                let w = normal.solve(&violation[1..]);
                for (block, z) in tried.iter_mut().enumerate() {
                    subtract(z, &Combination::of(sdp, block, 0.0, 1.0, &w));
                }
            }
            proves_dual(sdp, &normal, &tried).then_some(Self::Dual { z: tried })
        })
    }
}

/// Whether a Z with exactly A(Z) = 0 near this one lies in K and has ⟨C, Z⟩ < 0.
fn proves_dual(sdp: &Sdp, normal: &Normal, z: &[Primal]) -> bool {
    let sizes: Vec<f64> = (1..=sdp.constraints())
        .map(|i| {
            let value = enclosed(sdp, i, z);
            (value.value.abs() + value.error).next_up()
        })
        .collect();
    let Some(correction) = normal.correction(&sizes) else { return false };
    let cost = enclosed(sdp, 0, z);
    let norm = cost_norm(sdp) * correction;
    let negative = cost.value + cost.error + norm * (1.0 + 1e-12) < 0.0;
    negative && z.iter().all(|block| inside(block, correction * (1.0 + 1e-12)))
}

/// ⟨A_i, Z⟩ or ⟨C, Z⟩ of dense blocks, with its rounding.
fn enclosed(sdp: &Sdp, matrix: usize, z: &[Primal]) -> rounding::Enclosed {
    let at = |block: usize, i: usize, j: usize| match &z[block] {
        Primal::Dense(z) => z[(i, j)],
        Primal::Diagonal(z) if i == j => z[i],
        _ => 0.0,
    };
    let entries = (0..z.len()).flat_map(|block| {
        sdp.entries(matrix, block).iter().map(move |entry| {
            (image::weight(entry), at(block, entry.row as usize, entry.col as usize))
        })
    });
    let mut sum = rounding::dot(entries);
    for part in sdp.rank_ones().iter().filter(|part| part.matrix == matrix) {
        // Its weights wvᵢvⱼ are rounded twice each; their sum is enclosed to that.
        let n = part.vector.len();
        let pairs = || {
            (0..n)
                .flat_map(|i| (0..n).map(move |j| (i, j)))
                .map(|(i, j)| (part.weight * part.vector[i] * part.vector[j], at(part.block, i, j)))
        };
        let more = rounding::dot(pairs());
        let size: f64 = pairs().map(|(a, b)| (a * b).abs()).sum();
        sum.value += more.value;
        sum.error += more.error + 4.0 * f64::EPSILON * (size + sum.value.abs());
    }
    sum
}

/// At least ‖C‖_F.
fn cost_norm(sdp: &Sdp) -> f64 {
    let mut squares = 0.0;
    for block in 0..sdp.cones().len() {
        squares += sdp.entries(0, block).iter().map(|e| e.value * image::weight(e)).sum::<f64>();
    }
    let parts = sdp.rank_ones().iter().filter(|part| part.matrix == 0);
    let parts: f64 = parts.map(|part| part.weight.abs() * dot(&part.vector, &part.vector)).sum();
    let count = sdp.stored() as f64;
    (squares.sqrt() + parts) * (1.0 + (count + 8.0) * f64::EPSILON)
}

/// Whether a block stays in its cone under any correction up to that length.
fn inside(block: &Primal, length: f64) -> bool {
    match block {
        Primal::Dense(z) => is_positive_definite(z, 1.0, -length, 0.0),
        Primal::Diagonal(z) => z.iter().all(|z| *z > length),
        Primal::Factor(_) => false,
    }
}

/// The block as a symmetric n×n matrix or a diagonal, moved into the cone if it is a little outside.
fn expanded(block: &Primal) -> Primal {
    let mut z = match block {
        Primal::Diagonal(z) => {
            return Primal::Diagonal(z.iter().map(|z| z.max(0.0)).collect());
        }
        Primal::Dense(z) => z.clone(),
        Primal::Factor(r) => Mat::from_fn(r.rows(), r.rows(), |i, j| dot(r.row(i), r.row(j))),
    };
    z.symmetrise();
    if let Some(eigen) = symmetric_eigen(&z).filter(|eigen| eigen.values[0] < 0.0) {
        (0..z.rows()).for_each(|i| z[(i, i)] -= eigen.values[0]);
    }
    Primal::Dense(z)
}

fn scale(block: &mut Primal, by: f64) {
    match block {
        Primal::Dense(z) | Primal::Factor(z) => z.scale(by),
        Primal::Diagonal(z) => z.iter_mut().for_each(|z| *z *= by),
    }
}

fn largest(block: &Primal) -> f64 {
    match block {
        Primal::Dense(z) | Primal::Factor(z) => z.max_abs(),
        Primal::Diagonal(z) => z.iter().fold(0.0, |m: f64, z| m.max(z.abs())),
    }
}

fn add_identity(block: &mut Primal, by: f64) {
    match block {
        Primal::Dense(z) | Primal::Factor(z) => (0..z.rows()).for_each(|i| z[(i, i)] += by),
        Primal::Diagonal(z) => z.iter_mut().for_each(|z| *z += by),
    }
}

fn subtract(block: &mut Primal, by: &Combination) {
    match (block, by) {
        (Primal::Dense(z), Combination::Semidefinite(operator)) => {
            let dense = operator.to_dense();
            z.axpy(-1.0, &dense);
            // The rank-one parts of the two triangles may differ in their last bits.
            z.symmetrise();
        }
        (Primal::Diagonal(z), Combination::Nonnegative { values, .. }) => {
            z.iter_mut().zip(values).for_each(|(z, v)| *z -= v);
        }
        _ => {}
    }
}

impl fmt::Display for Ray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Primal { proof, .. } => write!(
                f,
                "no Z meets the constraints: a combination y of them has bᵀy > 0 but ⟨A*(y), Z⟩ ≤ 0 wherever Z ⪰ 0 \
                 ({proof})"
            ),
            Self::Dual { .. } => write!(
                f,
                "no y is feasible, and the objective of a feasible Z would have no bound: a Z ⪰ 0 has A(Z) = 0 and \
                 ⟨C, Z⟩ < 0 (rigorous, by factorisation)"
            ),
        }
    }
}

/// Whether no Z meets a constraint by itself.
fn contradicts(sdp: &Sdp) -> impl Fn(&usize) -> bool {
    let mut empty = vec![true; sdp.constraints() + 1];
    sdp.all_matrices().for_each(|(_, matrix, _)| empty[matrix] = false);
    sdp.rank_ones().iter().for_each(|part| empty[part.matrix] = false);
    let signs = trace::definite_signs(sdp);
    move |&i| {
        let rhs = sdp.rhs()[i];
        rhs != 0.0 && (empty[i + 1] || signs[i] * rhs < 0.0)
    }
}
