//! Which engine, by what its iterations would cost.

use crate::{Cone, Error, Method, Sdp, certificate, diagonal::DiagonalProgram};

/// An engine and the reason for it.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) method: Method,
    pub(crate) why: String,
}

/// Iterations of the interior-point engine, and evaluations of the low-rank one, to expect. Not the counts themselves: θ programs of 50, 60 and 100
/// rows took the second engine twice, as long as and a quarter of the time of the first.
const INTERIOR_ITERATIONS: f64 = 18.0;
const LOW_RANK_EVALUATIONS: f64 = 2900.0;

/// Operations beyond which the interior-point engine is not tried after another has failed: some ten minutes.
const HOPELESS: f64 = 3e12;

/// Operations that the low-rank engine may always make, some five seconds, and how many more for each operation of the
/// interior-point engine: it makes about two in a nanosecond, that engine five on a slow machine.
const LEAST_WORK: f64 = 1e10;
const WORK_RATIO: f64 = 0.4;

/// Nodes of a graph up to which its Lovász number is computed by interior points first, and constraints up to which they
/// are tried at all.
const LOVASZ_NODES: usize = 40;
const LOVASZ_CONSTRAINTS: usize = 4000;

/// Bytes that the interior-point engine may take.
const MEMORY: f64 = 8e9;

/// The engine to begin with.
pub(super) fn first(
    sdp: &Sdp,
    structure: Option<&DiagonalProgram>,
    asked: Method,
) -> Result<Choice, Error> {
    let because = |method, why: String| Ok(Choice { method, why });
    match asked {
        Method::Diagonal if structure.is_none() => Err(Error::NotApplicable(
            "the method `diagonal` needs constraints that fix or bound the diagonal of one block; \
             choose `auto`, `interior` or `lowrank`"
                .into(),
        )),
        Method::Interior if memory(sdp) > MEMORY => Err(Error::NotApplicable(format!(
            "the method `interior` would need {:.0} GB for this problem; choose `auto` or `lowrank`",
            memory(sdp) / 1e9
        ))),
        Method::Auto => {
            if let Some(structure) = structure {
                let rows = structure.rows();
                let why = format!("the constraints fix the diagonal of a block of {rows} rows");
                return because(Method::Diagonal, why);
            }
            let (interior, low_rank) = (interior_cost(sdp), low_rank_cost(sdp));
            let shape = shape(sdp);
            if memory(sdp) <= MEMORY && interior <= low_rank {
                because(Method::Interior, format!("{shape}: factorising them is cheap"))
            } else {
                because(Method::LowRank, format!("{shape}: factorising them would be dear"))
            }
        }
        method => because(method, "it was asked for".into()),
    }
}

/// What to try when an engine has given up.
pub(super) fn next(sdp: &Sdp, tried: Method, choice: &Choice) -> Option<Choice> {
    let method = match tried {
        Method::Diagonal | Method::LowRank if affordable(sdp).is_some() => Method::Interior,
        Method::Diagonal => Method::LowRank,
        _ => return None,
    };
    let why = format!("{} ({}) came to no proof", choice.method, choice.why);
    Some(Choice { method, why })
}

/// The engines for the Lovász number of a graph of `n` nodes, one after the other.
pub(crate) fn lovasz(sdp: &Sdp, n: usize, nonnegative: bool) -> Vec<Choice> {
    let low_rank = Choice {
        method: Method::LowRank,
        why: "the optimum has a low rank, and products with it are cheap".into(),
    };
    if sdp.constraints() > LOVASZ_CONSTRAINTS {
        return vec![low_rank];
    }
    let interior = Choice {
        method: Method::Interior,
        why: "the graph is small enough to factorise its blocks".into(),
    };
    // With a constraint for every pair, as θ′ has, the optimum has no low rank to gain from.
    if n <= LOVASZ_NODES || nonnegative {
        vec![interior, low_rank]
    } else {
        vec![low_rank, interior]
    }
}

/// Operations of a low-rank run that was chosen for its estimated cost before the interior-point engine gets its
/// turn: about as long as that engine would need on a slow machine. None where there is no such turn.
pub(super) fn patience(sdp: &Sdp, method: Method) -> Option<f64> {
    let cost = affordable(sdp).filter(|_| method == Method::LowRank)?;
    Some(LEAST_WORK + WORK_RATIO * cost)
}

/// The operations of an interior-point run after another engine; none where they or their memory are too much.
fn affordable(sdp: &Sdp) -> Option<f64> {
    let cost = interior_cost(sdp);
    (memory(sdp) <= MEMORY && cost <= HOPELESS).then_some(cost)
}

/// The blocks and constraints in words.
fn shape(sdp: &Sdp) -> String {
    let semidefinite = sdp.cones().iter().filter_map(|cone| match cone {
        Cone::Semidefinite(n) => Some(*n),
        Cone::Nonnegative(_) => None,
    });
    let (count, largest) = semidefinite.fold((0, 0), |(k, m), n| (k + 1, m.max(n)));
    let m = sdp.constraints();
    match count {
        0 => format!("no semidefinite block and {m} constraints"),
        1 => format!("a block of {largest} rows and {m} constraints"),
        _ => format!("{count} blocks of at most {largest} rows and {m} constraints"),
    }
}

/// Bytes: the Schur complement and a dozen matrices a block.
fn memory(sdp: &Sdp) -> f64 {
    let m = sdp.constraints() as f64;
    8.0 * (m * m + 12.0 * sdp.cones().iter().map(squares).sum::<f64>())
}

fn squares(cone: &Cone) -> f64 {
    match *cone {
        Cone::Semidefinite(n) => (n as f64).powi(2),
        Cone::Nonnegative(n) => n as f64,
    }
}

/// Operations of an interior-point run: the factors of the Schur complement, some thirty products and factors of each
/// block, and the Schur complement itself, entry by entry or with a product for each constraint.
fn interior_cost(sdp: &Sdp) -> f64 {
    let m = sdp.constraints();
    let mut cost = (m as f64).powi(3) / 3.0;
    for (block, cone) in sdp.cones().iter().enumerate() {
        let Cone::Semidefinite(n) = *cone else { continue };
        let n = n as f64;
        let counts = sdp.matrices(block).filter(|(matrix, _)| *matrix > 0);
        let (entries, touching) =
            counts.fold((0.0, 0.0), |(e, t), (_, of)| (e + of.len() as f64, t + 1.0));
        let parts = sdp.rank_ones().iter().filter(|part| part.block == block).count() as f64;
        let by_entries = 2.0 * entries * entries;
        let by_products = 4.0 * touching * n.powi(3) + 2.0 * touching * entries;
        cost += 30.0 * n.powi(3) + by_entries.min(by_products) + 4.0 * parts * n * n;
    }
    INTERIOR_ITERATIONS * cost
}

/// Operations of a low-rank run. Orthogonal constraints over bounded blocks make it well conditioned, as those of
/// Lovász numbers are. Where the blocks are bounded but constraints overlap (Lovász numbers over a diagonal of ones and
/// a border) it took six and thirteen times that many steps; on others (trusses, control, assignment) a hundred times
/// as long, where it ended.
fn low_rank_cost(sdp: &Sdp) -> f64 {
    let m = sdp.constraints() as f64;
    let rank = (2.0 * m).sqrt();
    let rows: f64 = sdp.cones().iter().map(|cone| cone.size() as f64).sum();
    let evaluation = 4.0 * sdp.stored() as f64 * rank + 2.0 * rows * rank * rank;
    let bounded = certificate::trace_bounds(sdp).iter().all(|bound| bound.is_finite());
    let conditioning = match (bounded, orthogonal(sdp)) {
        (true, true) => 1.0,
        (true, false) => 7.0,
        (false, _) => 35.0,
    };
    LOW_RANK_EVALUATIONS * evaluation * conditioning
}

/// Whether no two constraints have an entry at the same place.
fn orthogonal(sdp: &Sdp) -> bool {
    let mut places: Vec<(u32, u32)> = Vec::new();
    (0..sdp.cones().len()).all(|block| {
        places.clear();
        for (_, entries) in sdp.matrices(block).filter(|(matrix, _)| *matrix > 0) {
            places.extend(entries.iter().map(|entry| (entry.row, entry.col)));
        }
        places.sort_unstable();
        places.windows(2).all(|pair| pair[0] != pair[1])
    }) && sdp.rank_ones().iter().all(|part| part.matrix == 0)
}
