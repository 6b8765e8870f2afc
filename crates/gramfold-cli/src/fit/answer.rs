//! A fit as it is written: what is claimed, the files, the summary and the page.

use gramfold::{
    Problem, Spec,
    bounds::{self, Role},
    certificate::significant,
};
use gramfold_report::{Cell, Item, Page, Table};
use serde::{Deserialize, Serialize};

use super::Described;
use crate::{
    answer::{self, Head},
    learn::{Constants, Fit, Fitted, Nodes},
    pages::{factor_picture, names, short},
    store::{Claims, Part},
};

/// What only this command has to say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Details {
    #[serde(flatten)]
    pub(crate) fit: Fit,
    /// The terms of the loss.
    terms: usize,
    /// What is known of f and h.
    constants: Constants,
}

/// A fit.
pub(crate) struct Answer<'a> {
    pub(crate) fitted: Fitted<'a>,
    pub(crate) problem: &'a Problem<'a>,
    pub(crate) described: &'a Described,
    /// The role, the name and the bytes of each file of data.
    pub(crate) files: Vec<(String, String, Vec<u8>)>,
    pub(crate) nodes: &'a Nodes,
}

impl answer::Answer for Answer<'_> {
    type Spec = Spec;
    type Details = Details;

    fn claims(&self, head: Head) -> Claims<Spec, Details> {
        let terms = self.described.description.terms.len();
        let constants = Constants::of(self.problem);
        self.fitted.claims(head, Details { fit: self.fitted.fit(), terms, constants })
    }

    fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = self.fitted.parts();
        parts.push(Part::bytes("problem", "problem.toml", &self.described.text));
        parts.extend(self.files.iter().map(|(role, name, bytes)| Part::bytes(role, name, bytes)));
        parts.extend(self.nodes.part());
        parts
    }

    fn summary(&self, claims: &Claims<Spec, Details>) -> String {
        let Spec { loss, data, regulariser, .. } = &claims.spec;
        format!(
            "{loss} of {data}, regulariser {regulariser}; X: {}x{}\nobjective {}\n{}\n{}\n",
            claims.nodes,
            claims.rank,
            significant(claims.objective),
            self.fitted.run_in_words(claims),
            self.fitted.certificate,
        )
    }

    fn page(&self, claims: &Claims<Spec, Details>, line: &str) -> Page {
        let Claims { spec, details: Details { fit, constants, .. }, nodes: n, rank, .. } = claims;
        let title = format!("A fit of {}", claims.input.name());
        let order: Vec<usize> = (0..*n).collect();
        let row = |name: &str, value: String| vec![Cell::from(name.to_owned()), Cell::from(value)];
        let table = Table::new("The problem", ["part", "value"])
            .row(row("loss", spec.loss.to_string()))
            .row(row("data", spec.data.clone()))
            .row(row("regulariser", spec.regulariser.to_string()))
            .row(row("algorithm", spec.algorithm.to_string()))
            .row(row("rule", spec.rule.to_string()))
            .row(vec!["f".into(), fit.loss.into()])
            .row(vec!["h".into(), fit.regularisation.into()]);
        let headline = Item::headline(format!("f + h = {}", short(claims.objective)));
        let x = &self.fitted.solution.factor;
        let picture = factor_picture("X", x, &order, &names(*n, self.nodes.names()));
        Page::new(title, format!("{n} rows, rank {rank}"))
            .section("Answer", vec![headline, table.into()])
            .section("Certificate", self.fitted.result(claims, line))
            .section("γ", vec![constants.table().into(), self.bounds().into()])
            .section("Pictures", vec![picture.into()])
            .section("Convergence", self.fitted.convergence("f(XYᵀ)"))
    }
}

impl Answer<'_> {
    /// Every bound on γ from the start of the run, or what it would need.
    fn bounds(&self) -> Table {
        let Spec { start, seed, .. } = self.fitted.spec;
        let start = start.factor(self.problem, *seed);
        let bounds = start.and_then(|start| bounds::all(self.problem, &start)).unwrap_or_default();
        let table =
            Table::new("Bounds on γ, from the start of the run", ["bound", "γ above", "formula"]);
        bounds.iter().filter(|bound| bound.role != Role::AsPrinted).fold(table, |table, bound| {
            let value = match (bound.value, bound.fails) {
                (Some(value), _) => Cell::from(value.max(0.0)),
                (None, fails) => format!("needs {}", fails.unwrap_or_default()).into(),
            };
            table.row(vec![bound.name.into(), value, bound.formula.into()])
        })
    }
}
