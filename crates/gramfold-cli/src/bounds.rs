//! `gramfold bounds`: every threshold on γ for a problem, beside the one that is needed, and the constants that they are made of.

use anyhow::bail;
use gramfold::{
    Loss, Problem, Spec,
    bounds::{self, Bound, Needed, Role},
    certificate::significant,
    loss::Quadratic,
};
use gramfold_io::read_npy;

use crate::{Exit, cli::BoundsArgs, fit, learn::Constants, output, source::Source};

/// Runs the command.
pub(crate) fn run(args: &BoundsArgs) -> anyhow::Result<Exit> {
    let given = args.from.as_deref().map(read_npy).transpose()?;
    let (loss, mut spec) = question(args)?;
    if let Some(start) = &given {
        spec.rank = start.cols();
    }
    let regulariser = spec.regulariser()?;
    let problem = Problem::new(&*loss, &*regulariser, spec.rank)?;
    let start = given.map_or_else(|| spec.start.factor(&problem, spec.seed), Ok)?;
    let list = bounds::all(&problem, &start)?;
    let needed = bounds::needed(&problem, &start, spec.regulariser)?;
    let (rank, constants) = (spec.rank, Constants::of(&problem));

    if args.json {
        let object = serde_json::json!({
            "rank": rank, "constants": constants, "needed": needed, "bounds": list,
        });
        output::data(&format!("{object}\n"))?;
    } else {
        output::data(&(table(&list, &needed, rank) + &in_words(&constants)))?;
    }
    Ok(Exit::Solved)
}

/// What a file and the flags ask: ½‖A − XXᵀ‖² + h(X) of a matrix, or any problem that a file describes.
fn question(args: &BoundsArgs) -> anyhow::Result<(Box<dyn Loss>, Spec)> {
    let path = &args.input.matrix;
    if path.extension().is_some_and(|ending| ending == "toml") {
        if args.regulariser.nonnegative || args.regulariser.ridge.is_some() || args.rank.is_some() {
            bail!(
                "--rank, --nonnegative and --ridge are for a matrix: {} says them itself",
                path.display()
            );
        }
        return fit::question(path, &Spec { seed: args.seed, ..Spec::default() });
    }
    let source = Source::open(path, "txt")?;
    let loss = Quadratic::new(args.input.read.read(&source.path)?.matrix);
    let rank = args.rank.unwrap_or(loss.matrix().dim().min(10));
    let regulariser = args.regulariser.component();
    let spec = Spec { rank, regulariser, seed: args.seed, ..Spec::default() };
    Ok((Box::new(loss), spec))
}

fn in_words(constants: &Constants) -> String {
    let rows = constants.rows().into_iter().map(|(name, value)| format!("{name:<28} {value}\n"));
    format!("\nconstants:\n{}", rows.collect::<String>())
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
            let ratio = match ratio {
                0.0..1e4 => format!("{ratio:.3}"),
                1e4..f64::INFINITY => format!("{ratio:.1e}"),
                _ => "–".into(),
            };
            let role = role(bound.role);
            text += &format!(
                "{:<21} {:>11} {ratio:>8}  {role:<23}  {}\n",
                bound.name,
                significant(value),
                bound.formula
            );
        }
    }
    if list.iter().any(|bound| bound.fails.is_some()) {
        text += "\nnot applicable:\n";
    }
    for bound in list {
        if let Some(fails) = bound.fails {
            text += &format!("{:<21} needs {fails}\n", bound.name);
        }
    }
    text += "\nwhat they are (Theorem 1 and the corollaries are the paper's, T2 to T6 are not):\n";
    for bound in list {
        if let Some(words) = words(bound.name) {
            text += &format!("{:<21} {words}\n", bound.name);
        }
    }
    text
}

/// What a bound says where its formula does not, and why one that is printed is unsound.
fn words(name: &str) -> Option<&'static str> {
    const WORDS: [(&str, &str); 8] = [
        (
            "Corollary 1a, printed",
            "unsound: f may rise while F = f + h + penalty falls, so that {f ≤ f(Z₀)} may be left; {f ≤ c} is not",
        ),
        (
            "Corollary 1b, printed",
            "unsound where h* < 0: what descends is F, so that f is only known to stay below c = f(Z₀) + h(Y₀) − h*",
        ),
        (
            "Corollary 2i, printed",
            "unsound where λmin(A) > 0: it allows γ ≤ 0, with which critical points need not be symmetric",
        ),
        (
            "T2",
            "from any start: the gradient at a critical point is bounded by what f can fall from f(0)",
        ),
        ("T3", "for ½‖Z − A‖² with a ridge or nothing: necessary and sufficient"),
        (
            "T4",
            "below it the points (U, −U) along the leading eigenvectors of ∇f(0) are critical, and not symmetric",
        ),
        ("T5", "for losses whose slope is bounded everywhere, such as logistic or Huber losses"),
        ("T6", "for f = ⟨C, Z⟩ + q(Z) with C ⪰ 0: the linear part apart from the rest"),
    ];
    WORDS.iter().find(|(known, _)| *known == name).map(|(_, words)| *words)
}

fn role(role: Role) -> &'static str {
    match role {
        Role::AllCriticalPoints => "every critical point",
        Role::FromStart => "every limit from here",
        Role::SpecialForm => "special forms only",
        Role::ThisPoint => "this point, if critical",
        Role::Necessary => "(below: some are not)",
        Role::AsPrinted => "(unsound: see below)",
    }
}
