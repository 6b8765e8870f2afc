//! Graphs to be clustered.

use std::{ops::RangeInclusive, sync::Arc};

use gramfold::{
    Error, Problem, Record, Solution, Spec, linalg::Symmetric, loss::Quadratic, start::Start,
};
use gramfold_cluster::{Diagonal, Normalise, Similarity, components, similar_or_default};

use super::{Origin, Question, To};
use crate::{
    cluster::{
        answer::{Answer, Labelled},
        claims::How,
        ordered::Ordered,
        search::{Asked, Candidate, Runner, Search},
    },
    factorisation::Turn,
    learn::Fitted,
    store::Status,
};

/// How a graph is to be clustered.
pub struct Clustering {
    /// The numbers of clusters to choose from.
    pub k: RangeInclusive<usize>,
    /// Runs from different starts, if their number is given.
    pub restarts: Option<usize>,
    /// What is factorised; chosen by the graph if not given.
    pub similarity: Option<Similarity>,
    /// How degrees are divided out; chosen by the similarity if not given.
    pub normalise: Option<Normalise>,
    /// What becomes of the diagonal.
    pub diagonal: Diagonal,
    /// A run but for its number of clusters.
    pub base: Spec,
}

/// Clusters of a graph.
pub struct Clusters {
    graph: Symmetric,
    loss: Arc<Quadratic>,
    labelled: Labelled,
}

/// The best run, with its clusters numbered by size.
pub struct Clustered {
    /// What was factorised.
    pub loss: Arc<Quadratic>,
    /// The run.
    pub spec: Spec,
    /// Its factors.
    pub solution: Solution,
    /// What was seen of it.
    pub trace: Vec<Record>,
    /// The clusters.
    pub clusters: Arc<Clusters>,
}

impl Clustering {
    /// Clusters a graph as the command does: `run` makes each run, `stops` says whether to end.
    pub fn of(
        &self,
        graph: &Symmetric,
        run: impl FnMut(&Problem<'_>, &Spec) -> Result<(Solution, Vec<Record>), Error>,
        stops: impl Fn() -> bool,
    ) -> anyhow::Result<Clustered> {
        let Self { k, restarts, diagonal, base, .. } = self;
        let (seed, diagonal) = (base.seed, *diagonal);
        let chosen = similar_or_default(graph, self.similarity, self.normalise, diagonal, seed)?;
        let components = components(graph);
        let how = How::of(&chosen, diagonal, seed, &components);
        let factorised = Ordered::new(chosen.prepared.matrix, *k.end());
        let spec = |k: usize, restart: usize| Spec {
            rank: k,
            seed: seed.wrapping_add(restart as u64),
            start: if restart > 0 { Start::Random } else { base.start },
            ..base.clone()
        };
        let asked = Asked { k: k.clone(), restarts: *restarts, diagonal, seed, spec: &spec };
        let (components, runner) = (&components, Free { run, stops });
        let mut search = Search { asked, graph, factorised: &factorised, components, runner };
        let (mut best, labelled) = Labelled::of(search.run()?, how);
        factorised.restore(&mut best.solution);
        let Candidate { spec, solution, trace, .. } = best;
        let loss = Arc::new(factorised.into_loss());
        let clusters =
            Arc::new(Clusters { graph: graph.clone(), loss: Arc::clone(&loss), labelled });
        Ok(Clustered { loss, spec, solution, trace, clusters })
    }
}

impl Clusters {
    /// The cluster of each node.
    pub fn labels(&self) -> &[usize] {
        &self.labelled.relabelling.labels
    }

    /// The numbers of clusters that were tried, of a range, each with the agreement of its runs.
    pub fn agreements(&self) -> Vec<(usize, Option<f64>)> {
        let scan = self.labelled.scan.iter();
        scan.flat_map(|scan| scan.k.iter().copied().zip(scan.agreement.iter().copied())).collect()
    }

    /// What spoke for the one that was chosen.
    pub fn reason(&self) -> Option<&str> {
        self.labelled.scan.as_ref().map(|scan| scan.reason.as_str())
    }
}

impl Question for Clusters {
    fn write(&self, origin: &Origin, fitted: Fitted<'_>, to: &To<'_>) -> anyhow::Result<()> {
        let answer = Answer::of(fitted, &self.graph, self.loss.matrix(), &self.labelled);
        to.write(origin, "cluster", &answer)
    }
}

/// Runs without a checkpoint.
struct Free<F, S> {
    run: F,
    stops: S,
}

impl<F, S> Runner for Free<F, S>
where
    F: FnMut(&Problem<'_>, &Spec) -> Result<(Solution, Vec<Record>), Error>,
    S: Fn() -> bool,
{
    fn run(
        &mut self,
        problem: &Problem<'_>,
        spec: &Spec,
        _: Turn,
    ) -> anyhow::Result<(Solution, Vec<Record>)> {
        Ok((self.run)(problem, spec)?)
    }

    fn ended(&self) -> Option<Status> {
        (self.stops)().then_some(Status::Interrupted)
    }
}
