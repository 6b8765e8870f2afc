//! Kinks that are rounded off, over a large width first: each run starts from the end of the one before. T5's bound on γ does not
//! depend on the width, so that one γ serves them all. A wide kink sees outliers as a square does, and may follow them to another
//! minimum: a run without the detour is made first. Where most terms are inside their kinks at its end, that is where they belong,
//! and there is no detour; otherwise the lower of the two ends is kept.

use std::{ops::ControlFlow, time::Instant};

use gramfold_linalg::Mat;

use crate::{Error, Observer, Problem, Record, Solution, Spec, Split, solve};

/// The widths, as multiples of the one that is asked for.
const WIDTHS: [f64; 3] = [64.0, 16.0, 4.0];

/// On the way a run goes to this tolerance, or so many steps.
const ROUGH: f64 = 1e-3;
const STEPS: usize = 30;

/// The share of the terms that are inside their kinks at the end of a run that needs no detour.
const INSIDE: f64 = 0.5;

/// Where a run with kinks starts: the end of runs with smoother losses, the first of them made by `begin`, or of one with the loss
/// as it is, whichever is lower; none if there is no kink, or if it was stopped.
pub(crate) fn start(
    problem: &Problem<'_>,
    spec: &Spec,
    observer: &mut dyn Observer,
    begin: impl Fn(&Problem<'_>, &Spec, &mut dyn Observer) -> Result<Solution, Error>,
) -> Result<Option<Mat>, Error> {
    let clock = Instant::now();
    let steps = STEPS.min(spec.stop.max_iterations);
    let mut rough = spec.clone();
    rough.stop = rough.stop.tolerance(ROUGH.max(spec.stop.stationarity)).max_iterations(steps);
    let mut quiet = Quiet::new(observer, (WIDTHS.len() + 1) * STEPS);
    let left = || spec.stop.time_limit.map(|limit| limit.saturating_sub(clock.elapsed()));
    if !problem.loss.has_kinks() {
        return Ok(None);
    }
    rough.stop.time_limit = left();
    let straight = begin(problem, &rough, &mut quiet)?.factor;
    if quiet.stopped() {
        return Ok(None);
    }
    if problem.loss.curved_share(&straight) >= INSIDE {
        return Ok(Some(straight));
    }
    let mut found: Option<Mat> = None;
    for times in WIDTHS {
        let Some(loss) = problem.loss.smoother(times) else { return Ok(None) };
        rough.stop.time_limit = left();
        let smoother = Problem::new(&*loss, problem.regulariser, problem.rank)?;
        let run = match &found {
            None => begin(&smoother, &rough, &mut quiet)?,
            Some(x) => solve(&smoother, rough.method()?, x, &mut quiet)?,
        };
        if quiet.stopped() {
            return Ok(None);
        }
        found = Some(run.factor);
    }
    let value = |x: &Mat| Split::new(problem, x.clone(), x.clone(), 0.0).map(|s| s.objective());
    Ok(match found {
        Some(x) if value(&x)? < value(&straight)? => Some(x),
        _ => Some(straight),
    })
}

/// Asks an observer whether to go on, and shows it nothing: a run that is only the start of another.
pub struct Quiet<'a> {
    observer: &'a mut dyn Observer,
    steps: usize,
    expected: usize,
    stopped: bool,
}

impl<'a> Quiet<'a> {
    /// Asks this one; so many steps are expected at the most.
    pub fn new(observer: &'a mut dyn Observer, expected: usize) -> Self {
        Self { observer, steps: 0, expected, stopped: false }
    }

    /// Whether it asked to stop.
    pub fn stopped(&self) -> bool {
        self.stopped
    }
}

impl Observer for Quiet<'_> {
    fn observe(&mut self, record: &Record) -> ControlFlow<()> {
        self.steps += 1;
        let share = (self.steps as f64 / self.expected as f64).min(1.0);
        self.starting(share, record.seconds)
    }

    fn starting(&mut self, share: f64, seconds: f64) -> ControlFlow<()> {
        let flow = self.observer.starting(share, seconds);
        self.stopped |= flow.is_break();
        flow
    }
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::dot;

    use super::*;
    use crate::{
        Loss, Stop,
        loss::{
            Composite, Structure,
            map::Entries,
            scalar::{Huber, Logistic, Scalar, SmoothedHinge},
        },
        registry::Component,
        regulariser::Zero,
    };

    fn number(k: usize) -> f64 {
        ((k * 7919 + 13) % 101) as f64 / 50.0 - 1.0
    }

    fn loss(scalar: Box<dyn Scalar>, target: impl Fn(f64) -> f64) -> Composite {
        let n = 14_u32;
        let places: Vec<(u32, u32)> = (0..n).flat_map(|i| (i..n).map(move |j| (i, j))).collect();
        let x = Mat::from_fn(14, 2, |i, j| number(3 * i + j));
        let value = |&(i, j): &(u32, u32)| target(dot(x.row(i as usize), x.row(j as usize)));
        let targets: Vec<f64> = places.iter().map(value).collect();
        let map = Entries::new(14, &places).unwrap();
        Composite::new(Box::new(map), scalar, &targets, None).unwrap()
    }

    /// T5's bound is the same for every width, and with it as γ every run of the homotopy ends with X = Y.
    #[test]
    fn one_gamma_serves_every_width() {
        let sign = |z: f64| if z < 0.0 { -1.0 } else { 1.0 };
        let hinge = loss(Box::new(SmoothedHinge::new(0.05).unwrap()), sign);
        let huber = loss(Box::new(Huber::new(0.05).unwrap()), |z| z);
        for loss in [hinge, huber] {
            let radius = |loss: &dyn Loss| match loss.structure() {
                Structure::BoundedGradient(radius) => radius,
                other => panic!("{other:?}"),
            };
            let whole = radius(&loss);
            for times in WIDTHS {
                let wider = radius(&*loss.smoother(times).unwrap());
                assert!((wider - whole).abs() < 1e-12 * whole, "{times}: {wider} {whole}");
            }
            let gamma = 1.01 * 0.5 * whole;
            let spec = Spec {
                rank: 2,
                algorithm: Component::named("am"),
                rule: Component::named("fixed").with("gamma", gamma),
                stop: Stop::default().tolerance(1e-5).max_iterations(4000),
                ..Spec::default()
            };
            let problem = Problem::new(&loss, &Zero, 2).unwrap();
            let run = crate::factorise(&problem, &spec, &mut ()).unwrap();
            assert!(run.x.distance(&run.y) < 1e-4 * run.x.norm(), "{:?}", run.status);
        }
    }

    /// Over a wide kink one gross error is all that a single column sees.
    #[test]
    fn a_detour_that_ends_higher_is_not_taken() {
        let n = 3_u32;
        let places: Vec<(u32, u32)> = (0..n).flat_map(|i| (i..n).map(move |j| (i, j))).collect();
        let targets = [4.0, 2.0, 2.0, 1.0, 1.0, 9.0];
        let map = Entries::new(3, &places).unwrap();
        let huber = Box::new(Huber::new(0.1).unwrap());
        let loss = Composite::new(Box::new(map), huber, &targets, None).unwrap();
        let problem = Problem::new(&loss, &Zero, 1).unwrap();
        let run = crate::factorise(&problem, &Spec::default(), &mut ()).unwrap();
        assert!((dot(run.factor.row(0), run.factor.row(1)) - 2.0).abs() < 0.1, "{:?}", run.factor);
    }

    #[test]
    fn what_is_smooth_by_itself_has_no_homotopy() {
        let logistic = loss(Box::new(Logistic), |z| if z < 0.0 { -1.0 } else { 1.0 });
        assert!(logistic.smoother(4.0).is_none());
    }

    /// The smoothed function is below its kink's and the nearer the narrower.
    #[test]
    fn smoother_functions_have_the_same_slopes_far_away() {
        let huber = Huber::new(0.5).unwrap();
        let wide = huber.smoother(8.0).unwrap();
        assert_eq!((huber.at(90.0, 0.0)[1], wide.at(90.0, 0.0)[1]), (0.5, 0.5));
        for z in [-9.0, -2.0, -0.3, 0.0, 0.1, 1.0, 30.0] {
            let [narrow, ..] = huber.at(z, 0.0);
            let [value, slope, _] = wide.at(z, 0.0);
            assert!(value <= narrow + 1e-15);
            let step = 1e-6;
            let difference = (wide.at(z + step, 0.0)[0] - wide.at(z - step, 0.0)[0]) / (2.0 * step);
            assert!((difference - slope).abs() < 1e-6, "{z}");
        }
    }
}
