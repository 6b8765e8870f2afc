//! Similarities as they are written: `weights`, `walks:window=5,samples=40`, `mixed`.

use std::{fmt, str::FromStr};

use super::{Measure, Similarity, Walks};
use crate::Error;

/// The longest window: longer walks forget where they began.
const LONGEST: usize = 1000;

impl fmt::Display for Similarity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, walks) = match self {
            Self::Weights => return f.write_str("weights"),
            Self::Walks(walks) => ("walks", walks),
            Self::Mixed(walks) => ("mixed", walks),
        };
        let Walks { window, samples, measure } = walks;
        write!(f, "{name}:window={window},measure={measure}")?;
        samples.map_or(Ok(()), |samples| write!(f, ",samples={samples}"))
    }
}

impl FromStr for Similarity {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (name, settings) = text.split_once(':').unwrap_or((text, ""));
        let unknown =
            |kind, name: &str, known| Error::Unknown { kind, name: name.to_owned(), known };
        let mut walks = Walks::default();
        for setting in settings.split(',').filter(|setting| !setting.is_empty()) {
            let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
            let wrong = |expected| Error::Setting { setting: setting.to_owned(), expected };
            match key {
                "window" => {
                    walks.window = value
                        .parse()
                        .ok()
                        .filter(|window| (1..=LONGEST).contains(window))
                        .ok_or_else(|| wrong("a whole number from 1 to 1000"))?;
                }
                "samples" => {
                    let samples = value.parse().ok();
                    walks.samples =
                        samples.filter(|&samples: &f64| samples > 0.0 && samples <= 1e6);
                    if walks.samples.is_none() {
                        return Err(wrong("a number above 0 and up to 1e6"));
                    }
                }
                "measure" => walks.measure = value.parse()?,
                _ => return Err(unknown("setting of walks", key, "window, samples, measure")),
            }
        }
        match name {
            "walks" => Ok(Self::Walks(walks)),
            "mixed" => Ok(Self::Mixed(walks)),
            "weights" if settings.is_empty() => Ok(Self::Weights),
            "weights" => Err(Error::Setting { setting: text.to_owned(), expected: "no setting" }),
            _ => Err(unknown("similarity", name, "weights, walks, mixed")),
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Logarithm => "logarithm",
            Self::Root => "root",
            Self::Indicator => "indicator",
        })
    }
}

impl FromStr for Measure {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let all = [Self::Logarithm, Self::Root, Self::Indicator];
        all.into_iter().find(|choice| choice.to_string() == name).ok_or_else(|| Error::Unknown {
            kind: "measure",
            name: name.to_owned(),
            known: "logarithm, root, indicator",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_as_they_are_written() {
        let walks = Walks { window: 3, samples: Some(2.5), measure: Measure::Root };
        for similarity in [Similarity::Weights, Similarity::Walks(walks), Similarity::Mixed(walks)]
        {
            assert_eq!(similarity.to_string().parse(), Ok(similarity));
        }
        assert_eq!(
            "walks:samples=7".parse(),
            Ok(Similarity::Walks(Walks { samples: Some(7.0), ..Walks::default() }))
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let error = |text: &str| text.parse::<Similarity>().unwrap_err().to_string();
        assert_eq!(
            error("walk"),
            "there is no similarity `walk`; choose from weights, walks, mixed"
        );
        assert_eq!(
            error("walks:length=3"),
            "there is no setting of walks `length`; choose from window, samples, measure"
        );
        assert_eq!(
            error("walks:window=0"),
            "`window=0` is not possible: expected a whole number from 1 to 1000"
        );
        assert_eq!(
            error("walks:samples=NaN"),
            "`samples=NaN` is not possible: expected a number above 0 and up to 1e6"
        );
        assert_eq!(
            error("mixed:measure=x"),
            "there is no measure `x`; choose from logarithm, root, indicator"
        );
        assert_eq!(
            error("weights:window=3"),
            "`weights:window=3` is not possible: expected no setting"
        );
    }
}
