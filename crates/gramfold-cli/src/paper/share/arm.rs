//! An arm of an experiment: one γ rule and what is expected of it.

use std::collections::BTreeMap;

use anyhow::{Context, bail};
use gramfold::{Problem, bounds, linalg::Mat, registry::Component};
use serde::Deserialize;

use super::Measure;

/// One γ rule (or one fixed γ, as a multiple of a bound) and what is expected of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arm {
    pub(crate) rule: Option<Component>,
    pub(crate) gamma: Option<Multiple>,
    /// The interval, ends included, in which each measure must lie.
    #[serde(default)]
    pub(crate) expect: BTreeMap<Measure, [f64; 2]>,
}

/// A fixed γ = ratio × bound.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Multiple {
    /// The name of the bound in `gramfold::bounds`.
    pub(crate) bound: String,
    pub(crate) ratio: f64,
}

impl Arm {
    /// Refuses an arm without a rule, with two, or with an empty interval.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        if self.rule.is_some() == self.gamma.is_some() {
            bail!("an arm needs either `rule` or `gamma`");
        }
        for (measure, [low, high]) in &self.expect {
            if low > high || low.is_nan() || high.is_nan() {
                bail!("expect: {} in [{low}, {high}] is empty", measure.name());
            }
        }
        Ok(())
    }

    /// The arm in a table.
    pub(crate) fn label(&self) -> String {
        match (&self.rule, &self.gamma) {
            (Some(rule), _) if rule.name == "fixed" && rule.parameters.len() == 1 => {
                format!("γ = {}", rule.parameters.values().next().copied().unwrap_or(f64::NAN))
            }
            (Some(rule), _) => rule.to_string(),
            (None, Some(Multiple { bound, ratio })) => format!("γ = {ratio} × {bound}"),
            (None, None) => String::new(),
        }
    }

    /// The γ rule for a problem; a multiple of a bound depends on it.
    pub(crate) fn component(
        &self,
        problem: &Problem<'_>,
        start: &Mat,
    ) -> anyhow::Result<Component> {
        let Some(Multiple { bound, ratio }) = &self.gamma else {
            return self.rule.clone().context("an arm needs either `rule` or `gamma`");
        };
        let all = bounds::all(problem, start)?;
        let found = all.iter().find(|candidate| candidate.name == bound).with_context(|| {
            let known: Vec<_> = all.iter().map(|b| format!("`{}`", b.name)).collect();
            format!("bound `{bound}` is not known; known are {}", known.join(", "))
        })?;
        let value = found
            .value
            .with_context(|| format!("bound `{bound}` needs {}", found.fails.unwrap_or("more")))?;
        Ok(Component::named("fixed").with("gamma", ratio * value))
    }
}
