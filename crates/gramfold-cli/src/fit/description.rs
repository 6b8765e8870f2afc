//! The file that describes a problem: data, loss, regulariser, rank and method, every component by its name in the registry.

use std::{ops::Range, path::Path, time::Duration};

use anyhow::{anyhow, bail};
use gramfold::{
    Error, Spec, Stop,
    loss::map::{Distances, Entries, Matrices, RankOne, Stacked},
    registry::{self, Component},
    start::Start,
};
use serde::Deserialize;
use toml::Spanned;

/// A problem as its file says it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Description {
    rank: usize,
    /// How many nodes there are, if more than the data speak of.
    pub(crate) nodes: Option<Spanned<usize>>,
    regulariser: Option<Spanned<String>>,
    algorithm: Option<Spanned<String>>,
    rule: Option<Spanned<String>>,
    start: Option<Start>,
    seed: Option<u64>,
    #[serde(default)]
    stop: StopTable,
    #[serde(default, rename = "term")]
    pub(crate) terms: Vec<Term>,
    pub(crate) linear: Option<Linear>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct StopTable {
    tolerance: Option<f64>,
    max_iterations: Option<usize>,
    time_limit: Option<Spanned<f64>>,
}

/// Measurements, and how they are judged.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Term {
    pub(crate) map: Spanned<Kind>,
    pub(crate) file: Spanned<String>,
    /// What sparse matrices measured: its own file.
    pub(crate) targets: Option<Spanned<String>>,
    loss: Spanned<String>,
    pub(crate) scale: Option<Spanned<f64>>,
}

/// What a term measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    Matrix,
    Entries,
    Distances,
    RankOne,
    Matrices,
    Sparse,
}

/// ⟨C, Z⟩.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Linear {
    pub(crate) file: Spanned<String>,
    #[serde(default)]
    pub(crate) laplacian: bool,
    pub(crate) scale: Option<Spanned<f64>>,
}

const WHOLE: &str = "expected a whole number from 0";

/// A description with its text, by which faults are placed.
pub(crate) struct Described {
    pub(crate) description: Description,
    pub(crate) text: String,
    name: String,
}

impl Described {
    /// Reads a description; `named` is what messages call it.
    pub(crate) fn parse(text: String, named: &Path) -> anyhow::Result<Self> {
        let name = named.display().to_string();
        match toml::from_str(&text) {
            Ok(description) => Ok(Self { description, text, name }),
            Err(error) => {
                let line = error.span().map_or(1, |span| line(&text, &span));
                // What Rust calls a whole number from zero.
                let message = error.message().replace("expected usize", WHOLE);
                let message = message.replace("expected u64", WHOLE);
                bail!("{name}:{line}: {}", message.replace("missing field", "there is no"))
            }
        }
    }

    /// A fault, with its line.
    pub(crate) fn at(&self, span: Range<usize>, fault: impl std::fmt::Display) -> anyhow::Error {
        anyhow!("{}:{}: {fault}", self.name, line(&self.text, &span))
    }

    /// Refuses data of another number of nodes than the description says.
    pub(crate) fn refuse_other_size(&self, found: usize) -> anyhow::Result<()> {
        match &self.description.nodes {
            Some(nodes) if *nodes.get_ref() != found => {
                let said = nodes.get_ref();
                Err(self.at(nodes.span(), format!("nodes = {said}, but the data speak of {found}")))
            }
            _ => Ok(()),
        }
    }

    /// The component that a text names.
    fn component(&self, text: &Spanned<String>) -> anyhow::Result<Component> {
        text.get_ref().parse().map_err(|fault: String| self.at(text.span(), fault))
    }

    /// Tries to build what a text names, for a fault that has its line.
    fn named<T>(
        &self,
        text: Option<&Spanned<String>>,
        otherwise: Component,
        build: impl FnOnce(&Component) -> Result<T, Error>,
    ) -> anyhow::Result<Component> {
        let Some(text) = text else { return Ok(otherwise) };
        let component = self.component(text)?;
        build(&component).map_err(|error| self.at(text.span(), error))?;
        Ok(component)
    }

    /// The loss of a term, known to be one.
    pub(crate) fn loss(&self, term: &Term) -> anyhow::Result<Component> {
        let component = self.component(&term.loss)?;
        let whole = registry::LOSSES.iter().any(|entry| entry.name == component.name);
        if !whole {
            // A name that is refused has its own reason.
            registry::scalar(&component).map_err(|error| self.at(term.loss.span(), error))?;
        }
        if whole == (*term.map.get_ref() == Kind::Matrix) {
            return Ok(component);
        }
        let (of, map) =
            if whole { ("a whole matrix", "matrix") } else { ("measurements", "entries") };
        let name = &component.name;
        let fault = format!("the loss `{name}` is one of {of}: write map = \"{map}\"");
        Err(self.at(term.loss.span(), fault))
    }

    /// Sparse matrices have their targets apart, others beside them.
    fn refuse_targets(&self, term: &Term) -> anyhow::Result<()> {
        let sparse = *term.map.get_ref() == Kind::Sparse;
        match &term.targets {
            None if sparse => {
                let fault =
                    "map = \"sparse\" needs targets = \"FILE\": what was measured, a line each";
                Err(self.at(term.map.span(), fault))
            }
            Some(targets) if !sparse => {
                let fault =
                    "targets are for map = \"sparse\": other files have them in their lines";
                Err(self.at(targets.span(), fault))
            }
            _ => Ok(()),
        }
    }

    /// The run that is described, with what the command line says where the file says nothing.
    pub(crate) fn spec(&self, base: &Spec) -> anyhow::Result<Spec> {
        let described = &self.description;
        if described.terms.is_empty() {
            bail!("{}: there is no [[term]]: nothing to fit", self.name);
        }
        let first = self.loss(&described.terms[0])?;
        for term in &described.terms {
            self.loss(term)?;
            self.refuse_targets(term)?;
        }
        let alone = described.terms.len() == 1;
        let data = match described.terms[0].map.get_ref() {
            _ if !alone => Stacked::NAME,
            Kind::Matrix => "matrix",
            Kind::Entries => Entries::NAME,
            Kind::Distances => Distances::NAME,
            Kind::RankOne => RankOne::NAME,
            Kind::Matrices | Kind::Sparse => Matrices::NAME,
        };
        let [regulariser, algorithm, rule] =
            [&described.regulariser, &described.algorithm, &described.rule].map(Option::as_ref);
        let time_limit = described.stop.time_limit.as_ref().map(|limit| match *limit.get_ref() {
            seconds if seconds >= 0.0 => Ok(Duration::try_from_secs_f64(seconds).ok()),
            seconds => {
                let fault = format!("time_limit = {seconds} is not allowed: it must be at least 0");
                Err(self.at(limit.span(), fault))
            }
        });
        let time_limit = time_limit.transpose()?.flatten();
        let tolerance = described.stop.tolerance.unwrap_or(base.stop.stationarity);
        if !(tolerance > 0.0 && tolerance < 1.0) {
            bail!("{}: the tolerance is {tolerance}, not between 0 and 1", self.name);
        }
        Ok(Spec {
            rank: described.rank,
            loss: if alone { first } else { Component::named("sum") },
            data: data.into(),
            regulariser: self.named(
                regulariser,
                base.regulariser.clone(),
                registry::regulariser,
            )?,
            algorithm: self.named(algorithm, base.algorithm.clone(), registry::algorithm)?,
            rule: self.named(rule, base.rule.clone(), registry::rule)?,
            stop: Stop {
                max_iterations: described.stop.max_iterations.unwrap_or(base.stop.max_iterations),
                time_limit: base.stop.time_limit.or(time_limit),
                ..base.stop.clone().tolerance(tolerance)
            },
            start: described.start.unwrap_or(base.start),
            seed: described.seed.unwrap_or(base.seed),
        })
    }
}

/// The line that a place of a text is on, from one.
fn line(text: &str, span: &Range<usize>) -> usize {
    1 + text.as_bytes().iter().take(span.start).filter(|byte| **byte == b'\n').count()
}
