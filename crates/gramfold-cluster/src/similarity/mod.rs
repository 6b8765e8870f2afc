//! What the factorisation is to approximate: the weights of a graph, or what its walks say.

mod choice;
mod exact;
mod graph;
mod meetings;
mod mixture;
mod name;
mod sampled;
mod walks;

use gramfold_linalg::Symmetric;

use crate::{Diagonal, Error, Normalise, Prepared, prepare};

pub(crate) use choice::is_even;
pub use choice::{Chosen, local_clustering, similar_or_default};
pub use walks::{Measure, Walks};

/// How alike two nodes are.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Similarity {
    /// Their weight.
    Weights,
    /// How often they meet on random walks.
    Walks(Walks),
    /// The mean of both, each normalised, and scaled to the same norm.
    Mixed(Walks),
}

/// Sets the diagonal of a weight matrix, takes a similarity of its nodes and normalises that.
///
/// A walk steps on the graph whose diagonal has been set; the similarity that it gives has none.
/// The same seed gives the same bits whatever the number of threads.
pub fn similar(
    a: &Symmetric,
    similarity: Similarity,
    normalise: Normalise,
    diagonal: Diagonal,
    seed: u64,
) -> Result<Prepared, Error> {
    let walks = match similarity {
        Similarity::Weights => return prepare(a, normalise, diagonal),
        Similarity::Walks(walks) | Similarity::Mixed(walks) => walks,
    };
    let graph = prepare(a, Normalise::None, diagonal)?;
    let met = Symmetric::from(walks.similarity(&graph.matrix, seed)?);
    let met = normalised(met, normalise)?;
    let matrix = match similarity {
        Similarity::Mixed(_) => {
            mixture::mean(&prepare(&graph.matrix, normalise, Diagonal::Keep)?.matrix, &met)
        }
        _ => met,
    };
    Ok(Prepared { matrix, ..graph })
}

/// What walks say, normalised; not copied where there is nothing to do.
fn normalised(met: Symmetric, normalise: Normalise) -> Result<Symmetric, Error> {
    let ready =
        normalise == Normalise::None && met.stored() > 0 && met.values().all(f64::is_finite);
    if ready { Ok(met) } else { Ok(prepare(&met, normalise, Diagonal::Zero)?.matrix) }
}
