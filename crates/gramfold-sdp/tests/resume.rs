//! Runs that are stopped and gone on with end at the same bits.

mod common;

use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

use common::{face::degenerate, random};
use gramfold_linalg::Csr;
use gramfold_sdp::{
    Cone, Method, Options, Primal, Progress, Sdp, Solution, State, Status, Term, Watch, diagonal,
    lowrank, solve, theta::lovasz,
};

/// Keeps every state, as bytes, and stops after so many steps.
#[derive(Default)]
struct Recorder {
    steps: usize,
    stop_at: Option<usize>,
    states: Vec<Vec<u8>>,
}

impl Watch for Recorder {
    fn step(&mut self, _: &Progress) -> ControlFlow<()> {
        self.steps += 1;
        if self.stop_at == Some(self.steps) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn save(&mut self, state: &dyn Fn() -> State) {
        self.states.push(postcard::to_stdvec(&state()).unwrap());
    }
}

fn read(bytes: &[u8]) -> State {
    postcard::from_bytes(bytes).unwrap()
}

/// Every bit of an answer.
fn bits(solution: &Solution) -> (String, Vec<u64>) {
    let mut numbers = solution.point.dual.clone();
    for block in &solution.point.primal {
        match block {
            Primal::Factor(z) | Primal::Dense(z) => numbers.extend(z.as_slice()),
            Primal::Diagonal(z) => numbers.extend(z),
        }
    }
    let words = format!(
        "{:?} {} {} {} {:?} {:?}",
        solution.status,
        solution.method,
        solution.why,
        solution.iterations,
        solution.certificate,
        (solution.gamma, solution.threshold),
    );
    (words, numbers.iter().map(|v| v.to_bits()).collect())
}

/// A graph by linear congruential noise.
fn edges(n: u32, keep: u64) -> Vec<(u32, u32, f64)> {
    let mut state = 11_u64;
    let mut edges = Vec::new();
    for i in 0..n {
        for j in 0..i {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888);
            if (state >> 33) % 100 < keep {
                edges.push((j, i, if (state >> 50).is_multiple_of(3) { -1.0 } else { 2.0 }));
            }
        }
    }
    edges
}

fn graph(n: u32, keep: u64) -> Csr {
    Csr::from_triangle(n as usize, &edges(n, keep)).unwrap()
}

fn theta(n: u32, keep: u64) -> Sdp {
    let pairs: Vec<(u32, u32)> = edges(n, keep).iter().map(|&(i, j, _)| (i, j)).collect();
    lovasz(n as usize, &pairs, false).unwrap()
}

/// No Z is feasible: a correlation beyond one.
fn infeasible() -> Sdp {
    let term = |matrix, row, col, value| Term { matrix, block: 0, row, col, value };
    let terms =
        vec![term(0, 0, 0, -1.0), term(1, 0, 0, 1.0), term(2, 1, 1, 1.0), term(3, 0, 1, 1.0)];
    Sdp::new(vec![Cone::Semidefinite(2)], vec![1.0, 1.0, 3.0], terms, Vec::new()).unwrap()
}

/// The programs, one for every way through the engines.
fn cases() -> Vec<(&'static str, Sdp, Options)> {
    let of = |method| Options { method, seed: 5, ..Options::default() };
    let narrow = |method| Options { rank: Some(2), ..of(method) };
    let tight = |method| Options { tolerance: 1e-15, ..of(method) };
    vec![
        (
            "spheres, with escapes",
            diagonal::max_cut(&graph(60, 12)).unwrap(),
            narrow(Method::Diagonal),
        ),
        ("a plane", diagonal::bisection(&graph(31, 20)).unwrap(), narrow(Method::Diagonal)),
        ("low rank, with escapes", theta(24, 30), narrow(Method::LowRank)),
        ("low rank, two kinds of blocks", random(4, true).sdp, of(Method::LowRank)),
        ("split", theta(12, 40), of(Method::Split)),
        ("interior", random(8, false).sdp, of(Method::Interior)),
        ("interior, infeasible", infeasible(), of(Method::Interior)),
        ("face", degenerate(3, 7).0, of(Method::Interior)),
        ("interior, ended in double-double", degenerate(3, 3).0, of(Method::Interior)),
        (
            "one engine after the other",
            diagonal::max_cut(&graph(20, 30)).unwrap(),
            tight(Method::Auto),
        ),
    ]
}

#[test]
fn from_every_state_the_same_bits_follow() {
    for (name, sdp, options) in cases() {
        let plain = bits(&solve(&sdp, &options, &mut ()).unwrap());
        let mut recorder = Recorder::default();
        let watched = bits(&solve(&sdp, &options, &mut recorder).unwrap());
        assert_eq!(plain, watched, "{name}: saving changed the path");
        let states = recorder.states;
        assert!(states.len() > 3, "{name}: {} states", states.len());
        // All of a short run, some of a long one, and always the last ones.
        let every = states.len().div_ceil(12);
        let last = states.len() - 3;
        for (k, state) in states.iter().enumerate().filter(|(k, _)| k % every == 0 || *k >= last) {
            let mut again = Recorder::default();
            let resumed = Options { resume: Some(read(state)), ..options.clone() };
            let found = bits(&solve(&sdp, &resumed, &mut again).unwrap());
            assert_eq!(plain, found, "{name}: resumed from state {k} of {}", states.len());
            // On its way it saves what the whole run saved there.
            assert!(states.ends_with(&again.states), "{name}: after state {k}");
        }
    }
}

#[test]
fn a_run_stopped_again_and_again_ends_at_the_same_bits() {
    for (name, sdp, options) in cases() {
        let whole = bits(&solve(&sdp, &options, &mut ()).unwrap());
        let (mut state, mut stops) = (None, 0);
        let found = loop {
            let mut recorder = Recorder { stop_at: Some(3), ..Recorder::default() };
            let resumed = Options { resume: state.as_deref().map(read), ..options.clone() };
            let found = solve(&sdp, &resumed, &mut recorder).unwrap();
            if recorder.steps < 3 {
                break found;
            }
            stops += 1;
            assert!(stops < 500, "{name}: no progress");
            state = recorder.states.pop();
        };
        assert_eq!(whole, bits(&found), "{name}: after {stops} stops");
        assert!(stops > 0, "{name} was never stopped");
    }
}

#[test]
fn the_paths_are_those_that_the_cases_name() {
    let cases = cases();
    let found = |at: usize| solve(&cases[at].1, &cases[at].2, &mut ()).unwrap();
    assert!(found(7).why.contains("no interior"), "{}", found(7).why);
    // Only the engine on spheres tells a rank.
    let mut engines = Vec::new();
    let mut watch = |progress: &Progress| {
        engines.push(progress.rank.is_some());
        ControlFlow::Continue(())
    };
    solve(&cases[9].1, &cases[9].2, &mut watch).unwrap();
    engines.dedup();
    assert_eq!(engines, [true, false]);
    assert_eq!(found(6).status, Status::PrimalInfeasible);
    assert!(found(4).gamma.is_some());
}

#[test]
fn newton_can_be_gone_on_with_in_the_midst_of_a_round() {
    // Rounds of so sparse a graph get past the first steps.
    let sdp = theta(40, 10);
    let options = Options { method: Method::LowRank, rank: Some(3), ..Options::default() };
    let mut recorder = Recorder::default();
    let whole = bits(&solve(&sdp, &options, &mut recorder).unwrap());
    assert!(recorder.states.len() > recorder.steps + 2, "no round has more than one state");
    for state in &recorder.states {
        let resumed = Options { resume: Some(read(state)), ..options.clone() };
        assert_eq!(whole, bits(&solve(&sdp, &resumed, &mut ()).unwrap()));
    }
}

#[test]
fn a_state_of_another_program_or_method_is_refused() {
    let cases = cases();
    let states: Vec<Vec<u8>> = cases
        .iter()
        .map(|(_, sdp, options)| {
            let mut recorder = Recorder { stop_at: Some(2), ..Recorder::default() };
            solve(sdp, options, &mut recorder).unwrap();
            recorder.states.pop().unwrap()
        })
        .collect();
    // Neither the engine nor the shape fits.
    for (of, on) in [(0, 2), (2, 0), (0, 1), (2, 3), (5, 0), (5, 6), (6, 4)] {
        let (_, sdp, options) = &cases[on];
        let resumed = Options { resume: Some(read(&states[of])), ..options.clone() };
        let refused = solve(sdp, &resumed, &mut ()).map(|_| ()).unwrap_err();
        assert!(refused.to_string().contains("does not fit"), "{of} on {on}: {refused}");
    }
}

#[test]
fn patience_is_counted_and_not_timed() {
    let sdp = theta(30, 20);
    let limited = |work_limit| Options { work_limit, ..Options::default() };
    let short = lowrank::solve(&sdp, &limited(Some(1e5)), &mut ()).unwrap();
    let whole = lowrank::solve(&sdp, &limited(None), &mut ()).unwrap();
    assert_eq!(short.status, Status::Stalled);
    assert_eq!(whole.status, Status::Solved);
    assert!(0 < short.iterations && short.iterations < whole.iterations);
    let again = lowrank::solve(&sdp, &limited(Some(1e5)), &mut ()).unwrap();
    assert_eq!(again.iterations, short.iterations);
}

/// Max-Cut of a bipartite graph without order: the optimum is −|E|, and no factorisation is cheap.
fn bipartite(half: u32, degree: u32) -> (Sdp, f64) {
    let mut state = 3_u64;
    let mut edges = Vec::new();
    for i in 0..half {
        for _ in 0..degree {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888);
            edges.push((i, half + (state >> 33) as u32 % half, 1.0));
        }
    }
    edges.sort_unstable_by_key(|&(i, j, _)| (i, j));
    edges.dedup_by_key(|&mut (i, j, _)| (i, j));
    let optimum = -(edges.len() as f64);
    let graph = Csr::from_triangle(2 * half as usize, &edges).unwrap();
    (diagonal::max_cut(&graph).unwrap(), optimum)
}

#[test]
fn a_time_limit_holds_for_the_proof_too_and_what_is_claimed_is_true() {
    let (sdp, optimum) = bipartite(10_000, 4);
    for seconds in [0.2, 1.0] {
        let clock = Instant::now();
        let time_limit = Some(Duration::from_secs_f64(seconds));
        let options = Options { tolerance: 1e-12, time_limit, ..Options::default() };
        let found = solve(&sdp, &options, &mut ()).unwrap();
        let taken = clock.elapsed().as_secs_f64();
        assert!(taken < 2.0 * seconds + 2.0, "{taken} s for {seconds} s");
        assert_ne!(found.status, Status::Solved);
        let certificate = &found.certificate;
        assert!(certificate.cut_short && certificate.to_string().contains("cut short"));
        let bound = certificate.dual_bound.unwrap();
        assert!(bound.value <= optimum, "{} above {optimum}", bound.value);
    }
}

/// Is told to stop when the certificate is all that is left.
struct Impatient {
    engine_is_done: bool,
}

impl Watch for Impatient {
    fn step(&mut self, _: &Progress) -> ControlFlow<()> {
        self.engine_is_done = true;
        ControlFlow::Break(())
    }

    fn stops(&self) -> bool {
        self.engine_is_done
    }
}

#[test]
fn an_interruption_ends_the_proof_as_well() {
    // So large that the proof does not end in the time that it is given.
    let (sdp, optimum) = bipartite(25_000, 4);
    let clock = Instant::now();
    let mut watch = Impatient { engine_is_done: false };
    let found = solve(&sdp, &Options::default(), &mut watch).unwrap();
    assert_eq!(found.status, Status::Interrupted);
    assert!(found.certificate.cut_short);
    assert!(found.certificate.dual_bound.unwrap().value <= optimum);
    assert!(clock.elapsed() < Duration::from_secs(5), "{:?}", clock.elapsed());
}
