//! `gramfold bounds`: every threshold on γ for a matrix, beside the one that is needed.

use gramfold::{
    Problem,
    bounds::{self, Bound, Needed, Role},
    certificate::significant,
    linalg::Mat,
    loss::Quadratic,
    start,
};
use gramfold_io::read_npy;

use crate::{Exit, cli::BoundsArgs, output, source::Source};

/// Runs the command.
pub(crate) fn run(args: &BoundsArgs) -> anyhow::Result<Exit> {
    let source = Source::open(&args.input.matrix, "txt")?;
    let loss = Quadratic::new(args.input.read.read(&source.path)?.matrix);
    let given = args.from.as_deref().map(read_npy).transpose()?;
    let dim = loss.matrix().dim();
    let rank = given.as_ref().map(Mat::cols).or(args.rank).unwrap_or(dim.min(10));
    let component = args.regulariser.component();
    let regulariser = gramfold::registry::regulariser(&component)?;
    let problem = Problem::new(&loss, &*regulariser, rank)?;
    let start = given.unwrap_or_else(|| start::random(&problem, args.seed));
    let list = bounds::all(&problem, &start)?;
    let needed = bounds::needed(&problem, &start, component)?;

    if args.json {
        let object = serde_json::json!({"rank": rank, "needed": needed, "bounds": list});
        output::data(&format!("{object}\n"))?;
    } else {
        output::data(&table(&list, &needed, rank))?;
    }
    Ok(Exit::Solved)
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
