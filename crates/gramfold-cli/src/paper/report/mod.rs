//! The results as one page.

mod limits;
mod panels;
mod share;

use gramfold_report::{Item, Page, Table};

use super::{outcome::Outcome, share::Measured};

/// The page: a verdict, the examples, the further experiments.
pub(crate) fn page(outcome: &Outcome) -> Page {
    let mut page = Page::new(
        "Provable exactness for asymmetric low-rank SDP learning, reproduced",
        "The paper's printed limits digit for digit, and the experiments that it leaves open",
    )
    .section("Findings", findings(outcome))
    .section("Result", result(outcome));
    for measured in &outcome.limits {
        page = page.section(&measured.design.title, limits::items(measured));
    }
    for measured in &outcome.shares {
        page = page.section(&measured.design.title, share::items(measured));
    }
    page
}

/// How many limits the paper prints, and how many of them come out.
fn printed(outcome: &Outcome) -> (usize, usize) {
    let limits = outcome.limits.iter().flat_map(|measured| &measured.limits);
    let run: Vec<_> = limits.filter(|limit| limit.reading == "run").collect();
    (run.len(), run.iter().filter(|limit| limit.matches()).count())
}

/// What came out, before how.
fn findings(outcome: &Outcome) -> Vec<Item> {
    let (run, matching) = printed(outcome);
    let row = |measured: &Measured| {
        let (title, explanation) = (&measured.design.title, &measured.design.explanation);
        let confirmed = measured.failures().is_empty();
        vec![title.as_str().into(), explanation.trim().into(), confirmed.into()]
    };
    let table = Table::new("What the experiments show", ["finding", "in words", "confirmed"])
        .rows(outcome.shares.iter().map(row));
    let headline = match outcome.failures().len() {
        0 => format!(
            "The paper's {run} limits are reproduced, and {} findings beyond it are confirmed",
            outcome.shares.len()
        ),
        1 => "One number is not as expected".into(),
        many => format!("{many} numbers are not as expected"),
    };
    let mut items = vec![Item::headline(headline)];
    if run > 0 {
        items.push(Item::text(format!(
            "{matching} of the {run} limits that the paper prints come out digit for digit; in its own examples only its \
             dynamic rule ends at the solution."
        )));
    }
    if !outcome.shares.is_empty() {
        items.push(table.into());
    }
    items
}

fn result(outcome: &Outcome) -> Vec<Item> {
    let failures = outcome.failures();
    let (run, matching) = printed(outcome);
    let mut items = Vec::new();
    if run > 0 {
        let text = format!("{matching} of {run} printed limits, digit for digit");
        items.push(Item::Verdict { good: matching == run, text });
    }
    if failures.is_empty() {
        items.push(Item::good(format!(
            "{} further experiments: every measure is in its expected interval",
            outcome.shares.len()
        )));
    }
    items.extend(failures.into_iter().map(Item::bad));
    items.push(Item::text(format!(
        "The problem is min f(XXᵀ) + h(X); the split problem is min F(X, Y; γ) = f(XYᵀ) + ½h(X) + \
         ½h(Y) + (γ/2)‖X − Y‖². Every number on this page comes from the same general solver, in \
         {:.1} s.",
        outcome.seconds
    )));
    items.push(Item::text(
        "A run counts as asymmetric if ‖X − Y‖/‖X‖ > 10⁻⁴. “Critical” is the share of the asymmetric \
         runs whose stationarity is at most 10⁻⁸; “threshold” is Theorem 1's, ½λmax(sym ∇f(XYᵀ)) − \
         σ_h/4, at the limit.",
    ));
    let arguments = std::env::args_os().skip(1);
    let arguments = arguments.map(|argument| format!(" {}", argument.to_string_lossy()));
    items.push(Item::command(format!("gramfold{}", arguments.collect::<String>())));
    items
}

/// Text that a narrow table must not break at its spaces.
fn unbroken(text: &str) -> String {
    text.replace(' ', "\u{a0}")
}
