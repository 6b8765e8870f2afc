//! Every method, in every phase, looks at the time and at whoever asks to stop.

use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

use gramfold_linalg::Csr;
use gramfold_sdp::{
    Method, Options, Progress, Sdp, Status, Watch, diagonal::max_cut, solve, theta::lovasz,
};

/// Within which a run must end after its limit or a request to stop: two seconds for the proof, and as much again for the
/// kernel that is at work, many times over for a busy machine. Without a limit every run here takes far longer.
const STATED: Duration = Duration::from_secs(20);

/// Asks to stop after a while.
struct Impatient {
    begun: Instant,
    patience: Duration,
}

impl Watch for Impatient {
    fn step(&mut self, _: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn stops(&self) -> bool {
        self.begun.elapsed() >= self.patience
    }
}

fn edges(n: u32, one_in: u32) -> Vec<(u32, u32)> {
    let joined = |i: u32, j: u32| {
        (i * 7919 + j * 104_729).wrapping_mul(2_654_435_761) >> 7 & 0xffff < 0x1_0000 / one_in
    };
    (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).filter(|&(i, j)| joined(i, j)).collect()
}

fn cuts(n: u32, one_in: u32) -> Sdp {
    let weighted: Vec<_> = edges(n, one_in)
        .into_iter()
        .map(|(i, j)| (i, j, f64::from((i * 31 + j * 17) % 5) - 1.5))
        .collect();
    max_cut(&Csr::from_triangle(n as usize, &weighted).unwrap()).unwrap()
}

#[track_caller]
fn ends(name: &str, sdp: &Sdp, method: Method, patience: Duration) {
    let options = Options { method, ..Options::default() };
    let begun = Instant::now();
    let limited = Options { time_limit: Some(patience), ..options.clone() };
    let found = solve(sdp, &limited, &mut ()).unwrap();
    assert_eq!(found.status, Status::TimeLimit, "{name} by {method}");
    assert!(begun.elapsed() < patience + STATED, "{name} by {method}: {:?}", begun.elapsed());

    let begun = Instant::now();
    let found = solve(sdp, &options, &mut Impatient { begun, patience }).unwrap();
    assert_eq!(found.status, Status::Interrupted, "{name} by {method}");
    assert!(begun.elapsed() < patience + STATED, "{name} by {method}: {:?}", begun.elapsed());
    assert!(found.certificate.primal_objective.is_finite());
}

#[test]
fn every_method_ends_in_the_stated_time_whenever_it_is_asked() {
    let cuts = cuts(12_000, 1200);
    let theta = lovasz(300, &edges(300, 9), false).unwrap();
    assert!(theta.constraints() > 3000);
    for patience in [Duration::ZERO, Duration::from_millis(300)] {
        ends("max-cut", &cuts, Method::Diagonal, patience);
        for method in [Method::LowRank, Method::Split] {
            ends("max-cut", &cuts, method, patience);
            ends("a Lovász number", &theta, method, patience);
        }
        ends("a Lovász number", &theta, Method::Interior, patience);
    }
}
