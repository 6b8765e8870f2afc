//! What a run cost: wall time, CPU time, peak memory.

use std::time::Instant;

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

/// Started before the work.
pub(crate) struct Meter {
    clock: Instant,
    cpu: ProcessTime,
}

impl Meter {
    pub(crate) fn start() -> Self {
        Self { clock: Instant::now(), cpu: ProcessTime::now() }
    }

    /// The cost so far.
    pub(crate) fn read(&self) -> Cost {
        Cost {
            seconds: self.clock.elapsed().as_secs_f64(),
            cpu_seconds: self.cpu.elapsed().as_secs_f64(),
            peak_memory_bytes: peak_memory(),
        }
    }
}

/// The high-water mark of resident memory, from Linux's account of the process.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
