//! What the engine obeys, and what it does not depend on.

use std::{ops::ControlFlow, time::Duration};

use gramfold_sdp::{Progress, Status, interior::solve};

use crate::{optimum::solvable, precise, shapes::pentagon};

#[test]
fn limits_are_obeyed() {
    let sdp = pentagon(true);
    let mut options = precise();
    options.max_iterations = 3;
    let outcome = solve(&sdp, &options, &mut ());
    assert!(matches!(outcome.status, Status::MaxIterations) && outcome.iterations == 3);
    options.time_limit = Some(Duration::ZERO);
    let outcome = solve(&sdp, &options, &mut ());
    assert!(matches!(outcome.status, Status::TimeLimit) && outcome.iterations == 0);
    let mut seen = 0;
    let mut watch = |progress: &Progress| {
        seen += 1;
        if progress.iteration == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let outcome = solve(&sdp, &precise(), &mut watch);
    assert!(matches!(outcome.status, Status::Interrupted) && outcome.iterations == 2);
    assert_eq!(seen, 3);
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_threads() {
    let (sdp, _) = solvable(77, true);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| solve(&sdp, &precise(), &mut ()).point.dual)
    };
    assert_eq!(run(1), run(3));
}
