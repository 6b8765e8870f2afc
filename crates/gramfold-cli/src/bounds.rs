//! `gramfold bounds`: every threshold on γ for a matrix, beside the one that is needed.

use gramfold::{
    Problem, Spec, Status, Stop,
    bounds::{self, Bound, Role},
    certificate::significant,
    linalg::Mat,
    loss::Quadratic,
    registry::Component,
    solve, start,
};
use gramfold_io::read_npy;
use serde::Serialize;

use crate::{Exit, cli::BoundsArgs, factor::read_matrix, output, source::Source};

/// The threshold that is needed, and where it comes from.
#[derive(Serialize)]
struct Needed {
    value: f64,
    why: &'static str,
}

/// Runs the command.
pub(crate) fn run(args: &BoundsArgs) -> anyhow::Result<Exit> {
    let source = Source::open(&args.input.matrix, "mtx")?;
    let loss = Quadratic::new(read_matrix(&args.input, &source.path)?);
    let given = args.from.as_deref().map(read_npy).transpose()?;
    let dim = loss.matrix().dim();
    let rank = given.as_ref().map(Mat::cols).or(args.rank).unwrap_or(dim.min(10));
    let component = args.regulariser.component();
    let regulariser = gramfold::registry::regulariser(&component)?;
    let problem = Problem::new(&loss, &*regulariser, rank)?;
    let start = given.unwrap_or_else(|| start::random(&problem, args.seed));
    let list = bounds::all(&problem, &start)?;
    let needed = needed(&problem, &start, component)?;

    if args.json {
        let object = serde_json::json!({"rank": rank, "needed": needed, "bounds": list});
        output::data(&format!("{object}\n"))?;
    } else {
        output::data(&table(&list, &needed, rank))?;
    }
    Ok(Exit::Solved)
}

/// T3 where it applies, for it is sharp; else Theorem 1 at the critical point found from the start.
fn needed(problem: &Problem<'_>, start: &Mat, regulariser: Component) -> anyhow::Result<Needed> {
    if let Ok(value) = bounds::frobenius(problem) {
        return Ok(Needed { value, why: "T3, necessary and sufficient" });
    }
    let stop = Stop::default().max_iterations(2000);
    let spec = Spec { rank: problem.rank, regulariser, stop, ..Spec::default() };
    let solution = solve(problem, spec.method()?, start, &mut ())?;
    let certificate = solution.certify(problem, spec.stop.stationarity)?;
    let why = if solution.status == Status::Converged {
        "Theorem 1 at the critical point that the spectral rule reaches from the start"
    } else {
        "Theorem 1 where the spectral rule is after 2000 iterations, not yet a critical point"
    };
    Ok(Needed { value: certificate.threshold.max(0.0), why })
}

fn table(list: &[Bound], needed: &Needed, rank: usize) -> String {
    let mut text = format!(
        "γ needed: {} ({}; rank {rank})\n\n{:<21} {:>11} {:>8}  {:<23}  {}\n",
        significant(needed.value),
        needed.why,
        "bound",
        "γ above",
        "÷ needed",
        "then symmetric is",
        "formula"
    );
    for bound in list {
        if let Some(value) = bound.value.map(|value| value.max(0.0)) {
            let ratio = value / needed.value;
            let ratio = if ratio.is_finite() { format!("{ratio:.3}") } else { "–".into() };
            let role = role(bound.role);
            text += &format!(
                "{:<21} {:>11} {ratio:>8}  {role:<23}  {}\n",
                bound.name,
                significant(value),
                bound.formula
            );
        }
    }
    text += "\nnot applicable:\n";
    for bound in list {
        if let Some(fails) = bound.fails {
            text += &format!("{:<21} needs {fails}\n", bound.name);
        }
    }
    text
}

fn role(role: Role) -> &'static str {
    match role {
        Role::AllCriticalPoints => "every critical point",
        Role::FromStart => "every limit from here",
        Role::SpecialForm => "special forms only",
        Role::ThisPoint => "this point, if critical",
        Role::Necessary => "(below: some are not)",
        Role::AsPrinted => "(as printed: unsound)",
    }
}
