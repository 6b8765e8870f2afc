//! The checkpoint file of `solve`: the best point so far.
//!
//! Engines with factors can go on from any point, so a run with a checkpoint is cut into slices: after each the point
//! is written, by a rename, and the next slice starts from it. The interior-point engine cannot; its checkpoint is
//! written at the end.

use std::{
    ops::ControlFlow,
    path::PathBuf,
    time::{Duration, Instant},
};

use gramfold::{linalg::Mat, stored};
use gramfold_sdp::{
    Method, Options, Point, Primal, Progress, Sdp, Solution, Status, choose, solve,
};
use serde::{Deserialize, Serialize};

use crate::{checkpoint, cli::SolveArgs, output, sdp::Watch};

/// How long the first slice is, and how much longer each next one.
const SLICE: Duration = Duration::from_secs(20);
const GROWTH: f64 = 1.5;

/// How the refusal of another problem's checkpoint ends.
const OTHER: &str = "another problem; resume with the input it was started with";

/// What the file holds.
#[derive(Serialize, Deserialize)]
struct State {
    blocks: Vec<StoredBlock>,
    dual: Vec<f64>,
    /// Seconds spent so far.
    seconds: f64,
}

#[derive(Serialize, Deserialize)]
enum StoredBlock {
    Factor(#[serde(with = "stored")] Mat),
    Dense(#[serde(with = "stored")] Mat),
    Diagonal(Vec<f64>),
}

/// The file and what was read from it; without a file nothing is kept.
pub(super) struct Store {
    path: Option<PathBuf>,
    /// Describes the problem; another problem's checkpoint is refused.
    fingerprint: String,
    read: Option<Point>,
    seconds: f64,
}

impl Store {
    /// Opens the file that the flags name, reading it to resume.
    pub(super) fn open(args: &SolveArgs, sdp: &Sdp) -> anyhow::Result<Self> {
        let fingerprint = fingerprint(sdp);
        let mut store =
            Self { path: args.checkpoint.clone(), fingerprint, read: None, seconds: 0.0 };
        if let (Some(path), true) = (&args.checkpoint, args.resume)
            && let Some(state) = checkpoint::read::<State>(path, &store.fingerprint, OTHER)?
        {
            store.seconds = state.seconds;
            store.read = Some(state.point());
        }
        Ok(store)
    }

    /// Whether there is a file to write.
    pub(super) fn is_open(&self) -> bool {
        self.path.is_some()
    }

    /// Where to go on from.
    pub(super) fn point(&mut self) -> Option<Point> {
        self.read.take()
    }

    /// Solves in slices, writing the point after each.
    pub(super) fn solve(
        &mut self,
        sdp: &Sdp,
        options: &Options,
        watch: &mut Watch,
    ) -> Result<Solution, gramfold_sdp::Error> {
        let clock = Instant::now();
        let (method, _) = choose(sdp, options.method)?;
        let mut options = Options { method: options.method, ..options.clone() };
        let limit = options.time_limit;
        let mut slice = if method == Method::Interior { Duration::MAX } else { SLICE };
        let mut iterations = 0;
        loop {
            options.time_limit = limit.map(|limit| limit.saturating_sub(clock.elapsed()));
            let mut sliced = Slice {
                watch,
                ends: Instant::now().checked_add(slice),
                over: false,
                iterations,
                seconds: clock.elapsed().as_secs_f64(),
            };
            let mut solution = solve(sdp, &options, &mut sliced)?;
            let over = sliced.over;
            solution.iterations += iterations;
            self.write(&solution.point, clock.elapsed().as_secs_f64());
            let time_is_left = limit.is_none_or(|limit| clock.elapsed() < limit);
            let goes_on = over && solution.status == Status::Interrupted;
            if !(goes_on && time_is_left && !watch.is_interrupted()) {
                return Ok(solution);
            }
            iterations = solution.iterations;
            options.warm = Some(solution.point);
            slice = slice.mul_f64(GROWTH);
        }
    }

    /// Writes the point; the run is worth more than its checkpoint, so a failure is only a warning.
    fn write(&self, point: &Point, seconds: f64) {
        let Some(path) = &self.path else { return };
        let blocks = point.primal.iter().map(|block| match block {
            Primal::Factor(matrix) => StoredBlock::Factor(matrix.clone()),
            Primal::Dense(matrix) => StoredBlock::Dense(matrix.clone()),
            Primal::Diagonal(values) => StoredBlock::Diagonal(values.clone()),
        });
        let state = State {
            blocks: blocks.collect(),
            dual: point.dual.clone(),
            seconds: self.seconds + seconds,
        };
        if let Err(error) = checkpoint::write(path, &self.fingerprint, state) {
            output::message(&format!("warning: {error:#}"));
        }
    }
}

impl State {
    fn point(self) -> Point {
        let primal = self.blocks.into_iter().map(|block| match block {
            StoredBlock::Factor(matrix) => Primal::Factor(matrix),
            StoredBlock::Dense(matrix) => Primal::Dense(matrix),
            StoredBlock::Diagonal(values) => Primal::Diagonal(values),
        });
        Point { primal: primal.collect(), dual: self.dual }
    }
}

/// All that a point depends on.
fn fingerprint(sdp: &Sdp) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut mix = |bits: u64| hash = (hash ^ bits).wrapping_mul(0x0100_0000_01b3).rotate_left(17);
    sdp.rhs().iter().for_each(|b| mix(b.to_bits()));
    for block in 0..sdp.cones().len() {
        for matrix in 0..=sdp.constraints() {
            for entry in sdp.entries(matrix, block) {
                mix((u64::from(entry.row) << 32) | u64::from(entry.col));
                mix(entry.value.to_bits());
            }
        }
    }
    format!("{:?} {} {} {hash:x}", sdp.cones(), sdp.constraints(), sdp.stored())
}

/// Passes steps on, and asks to stop when the slice is over.
struct Slice<'a> {
    watch: &'a mut Watch,
    /// None is never.
    ends: Option<Instant>,
    over: bool,
    /// What earlier slices took.
    iterations: usize,
    seconds: f64,
}

impl gramfold_sdp::Watch for Slice<'_> {
    fn step(&mut self, progress: &Progress) -> ControlFlow<()> {
        let mut shifted = progress.clone();
        shifted.iteration += self.iterations;
        shifted.seconds += self.seconds;
        self.watch.step(&shifted)?;
        self.over = self.ends.is_some_and(|ends| Instant::now() >= ends);
        if self.over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
