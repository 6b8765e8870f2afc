//! Every component by name: one line here makes a loss, regulariser, γ rule or algorithm known to
//! specs, to the command line and to the law tests.

mod losses;
mod methods;
mod regularisers;

pub use losses::{Data, LOSSES, LossEntry, MAPS, MapData, MapEntry, SCALARS, loss, scalar};
pub use methods::{ALGORITHMS, RULES};
pub use regularisers::REGULARISERS;

use std::{collections::BTreeMap, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{Algorithm, Error, PenaltyRule, Regulariser};

/// A component and its parameters, written `name` or `name:key=value,key=value`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Component {
    /// Its name in the registry.
    pub name: String,
    /// Parameters that differ from their defaults.
    #[serde(flatten)]
    pub parameters: BTreeMap<String, f64>,
}

impl Component {
    /// A component with default parameters.
    pub fn named(name: &str) -> Self {
        Self { name: name.into(), parameters: BTreeMap::new() }
    }

    /// Sets a parameter.
    #[must_use]
    pub fn with(mut self, key: &str, value: f64) -> Self {
        self.parameters.insert(key.into(), value);
        self
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (i, (key, value)) in self.parameters.iter().enumerate() {
            write!(f, "{}{key}={value}", if i == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

impl FromStr for Component {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let mut component = Self::named(name.trim());
        for pair in rest.split(',').filter(|pair| !pair.trim().is_empty()) {
            let parsed = pair
                .split_once('=')
                .and_then(|(key, value)| Some((key.trim().to_owned(), value.trim().parse().ok()?)));
            let (key, value) =
                parsed.ok_or_else(|| format!("`{pair}` is not of the form key=number"))?;
            component.parameters.insert(key, value);
        }
        Ok(component)
    }
}

/// A parameter of a component.
pub struct Parameter {
    /// Its key.
    pub name: &'static str,
    /// Its default; none if it must be given, NaN if it is chosen from the data.
    pub default: Option<f64>,
    /// What it means.
    pub meaning: &'static str,
}

/// A component that can be built by name.
pub struct Entry<T: ?Sized> {
    /// Its name.
    pub name: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    build: fn(&Values) -> Result<Box<T>, Error>,
}

/// Checked parameter values.
pub struct Values(BTreeMap<&'static str, f64>);

impl Values {
    fn get(&self, name: &'static str) -> f64 {
        self.0[name]
    }

    /// None where the data decides.
    fn optional(&self, name: &'static str) -> Option<f64> {
        Some(self.get(name)).filter(|value| !value.is_nan())
    }
}

/// A line of a table of components.
const fn entry<T: ?Sized>(
    name: &'static str,
    summary: &'static str,
    parameters: &'static [Parameter],
    build: fn(&Values) -> Result<Box<T>, Error>,
) -> Entry<T> {
    Entry { name, summary, parameters, build }
}

const fn parameter(name: &'static str, default: f64, meaning: &'static str) -> Parameter {
    Parameter { name, default: Some(default), meaning }
}

/// The regulariser that a component names.
pub fn regulariser(component: &Component) -> Result<Box<dyn Regulariser>, Error> {
    regularisers::refuse(&component.name)?;
    build("regulariser", REGULARISERS, component)
}

/// The γ rule that a component names.
pub fn rule(component: &Component) -> Result<Box<dyn PenaltyRule>, Error> {
    build("γ rule", RULES, component)
}

/// The algorithm that a component names.
pub fn algorithm(component: &Component) -> Result<Box<dyn Algorithm>, Error> {
    build("algorithm", ALGORITHMS, component)
}

fn build<T: ?Sized>(
    kind: &'static str,
    table: &[Entry<T>],
    component: &Component,
) -> Result<Box<T>, Error> {
    let Some(entry) = table.iter().find(|entry| entry.name == component.name) else {
        return Err(unknown(&component.name, table.iter().map(|e| e.name), kind));
    };
    for (key, &value) in &component.parameters {
        if !entry.parameters.iter().any(|p| p.name == key) {
            return Err(unknown(key, entry.parameters.iter().map(|p| p.name), "parameter"));
        }
        if !(value >= 0.0 && value.is_finite()) {
            let range = "finite and at least 0";
            return Err(Error::Parameter { name: key.clone(), value, range });
        }
    }
    let mut values = BTreeMap::new();
    for p in entry.parameters {
        let Some(value) = component.parameters.get(p.name).copied().or(p.default) else {
            return Err(Error::Missing { component: entry.name, parameter: p.name });
        };
        values.insert(p.name, value);
    }
    (entry.build)(&Values(values))
}

fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a str>, kind: &'static str) -> Error {
    let known = known.map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ");
    Error::Unknown { kind, name: name.into(), known }
}
