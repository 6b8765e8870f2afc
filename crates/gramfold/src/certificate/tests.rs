use gramfold_linalg::Csr;

use super::*;
use crate::{Spec, loss::Quadratic, registry::Component, regulariser::Nonnegative, solve, start};

#[test]
fn tiles_measure_what_whole_factors_do() {
    let n = 700;
    let entries: Vec<_> = (0..n as u32)
        .flat_map(|i| (1..9).map(move |k| (i, (i + 7 * k * k) % n as u32, 1.0 / f64::from(k))))
        .collect();
    let matrix = Csr::symmetrised(n, &entries).unwrap();
    for a in [matrix] {
        let loss = Quadratic::new(a);
        let problem = Problem::new(&loss, &Nonnegative, 4).unwrap();
        for iterations in [0, 30, 2000] {
            let mut spec = Spec { rank: 4, ..Spec::default() };
            spec.algorithm = Component::named("ham");
            spec.stop.max_iterations = iterations;
            let start = start::random(&problem, 3);
            let solution = solve(&problem, spec.method().unwrap(), &start, &mut ()).unwrap();
            let (x, y, gamma) = (&solution.x, &solution.y, solution.gamma);
            let point = Point { problem: &problem, x, y, gamma };
            let whole = by_split(Effort::Whole(&never), point).unwrap();
            let tiled = by_tiles(Effort::Whole(&never), point, loss.matrix());
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-7 * b.abs() + 1e-13;
            assert!(
                near(tiled.split_stationarity, whole.split_stationarity),
                "{tiled:?} {whole:?}"
            );
            assert!(near(tiled.stationarity, whole.stationarity), "{tiled:?} {whole:?}");
            assert!(near(tiled.asymmetry, whole.asymmetry), "{tiled:?} {whole:?}");
            assert!(near(tiled.loss, whole.loss), "{tiled:?} {whole:?}");
            assert!(near(tiled.spectrum.high, whole.spectrum.high), "{tiled:?} {whole:?}");
            assert_eq!(tiled.lower_bound, whole.lower_bound);
            match (tiled.proximity, whole.proximity) {
                (Some(a), Some(b)) => assert!((a - b).abs() <= 1e-4 * b + 1e-12, "{a} {b}"),
                (a, b) => assert_eq!(a, b),
            }
        }
    }
}
