//! What a run cost: wall time, CPU time, peak memory, and which part of the work took how much.

use std::{
    collections::BTreeMap,
    ops::{AddAssign, SubAssign},
    time::Instant,
};

use cpu_time::ProcessTime;
use serde::{Deserialize, Serialize};

/// The cost of a run.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Cost {
    /// Seconds of wall time.
    pub seconds: f64,
    /// Seconds of CPU time, all threads.
    pub cpu_seconds: f64,
    /// The largest resident memory of the process, where the system tells.
    pub peak_memory_bytes: Option<u64>,
}

/// What one part of the work took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// Seconds of wall time.
    pub seconds: f64,
    /// Seconds of CPU time, all threads.
    pub cpu_seconds: f64,
}

impl SubAssign for Spent {
    fn sub_assign(&mut self, less: Self) {
        self.seconds -= less.seconds;
        self.cpu_seconds -= less.cpu_seconds;
    }
}

impl AddAssign for Spent {
    fn add_assign(&mut self, more: Self) {
        self.seconds += more.seconds;
        self.cpu_seconds += more.cpu_seconds;
    }
}

/// What each part of the work took, by its name.
pub type Timings = BTreeMap<String, Spent>;

/// The parts of a command that are timed, in their order.
const PARTS: [&str; 6] = ["read", "similarity", "start", "run", "certificate", "write"];

/// `read 0.10 s (0.12 s of CPU), …`.
pub(crate) fn timings_in_words(timings: &Timings) -> String {
    let parts = PARTS.iter().filter_map(|part| Some((part, timings.get(*part)?)));
    let part = |(name, spent): (&&str, &Spent)| {
        format!("{name} {:.3} s ({:.3} s of CPU)", spent.seconds, spent.cpu_seconds)
    };
    parts.map(part).collect::<Vec<_>>().join(", ")
}

/// A moment, by the clock and by the work done.
#[derive(Clone, Copy)]
pub(crate) struct Moment {
    clock: Instant,
    cpu: ProcessTime,
}

impl Moment {
    pub(crate) fn now() -> Self {
        Self { clock: Instant::now(), cpu: ProcessTime::now() }
    }

    /// What was spent from here to a later moment.
    pub(crate) fn until(self, later: Self) -> Spent {
        Spent {
            seconds: later.clock.duration_since(self.clock).as_secs_f64(),
            cpu_seconds: later.cpu.duration_since(self.cpu).as_secs_f64(),
        }
    }
}

/// Started before the work.
pub(crate) struct Meter {
    start: Moment,
    /// When the part at work began.
    lap: Moment,
}

impl Meter {
    pub(crate) fn start() -> Self {
        let now = Moment::now();
        Self { start: now, lap: now }
    }

    /// The cost so far.
    pub(crate) fn read(&self) -> Cost {
        let Spent { seconds, cpu_seconds } = self.start.until(Moment::now());
        Cost { seconds, cpu_seconds, peak_memory_bytes: peak_memory() }
    }

    /// What was spent since the last call, or since the start.
    pub(crate) fn lap(&mut self) -> Spent {
        let now = Moment::now();
        let spent = self.lap.until(now);
        self.lap = now;
        spent
    }
}

/// The high-water mark of resident memory, from Linux's account of the process.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
