//! The certificate in words.

use std::fmt;

use super::{Certificate, LowerBound, Means, Method, Proof};
use crate::split::larger;

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rigorous => f.write_str("rigorous, by factorisation"),
            Self::Probabilistic { failure, means } => {
                write!(f, "{means}, wrong with probability at most {failure:.0e}")
            }
            Self::Estimate => f.write_str("an estimate, which proves nothing"),
        }
    }
}

impl fmt::Display for Means {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lanczos => "by Lanczos",
            Self::Chebyshev => "by a Chebyshev polynomial",
            Self::Both => "by Lanczos and a Chebyshev polynomial",
        })
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dual => "dual slack",
            Self::StrongConvexity => "strong convexity",
            Self::Rank => "best rank-r matrix",
            Self::DoublyNonnegative => "doubly nonnegative relaxation",
            Self::Infimum => "no loss is below it",
        })
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { gamma, threshold, asymmetry, .. } = self;
        let proof = self.spectrum.proof;
        if self.exact && *asymmetry == 0.0 {
            write!(f, "exact: X = Y to the last bit, residual {:.1e}", self.stationarity)?;
        } else if self.exact {
            let (gamma, threshold) = (significant(*gamma), significant(*threshold));
            write!(f, "exact: γ = {gamma} is above the threshold {threshold} ({proof}), ")?;
            write!(f, "so X = Y; measured ‖X−Y‖/‖X‖ = {asymmetry:.1e}")?;
        } else {
            write!(f, "not proved exact: {}", self.missing())?;
        }
        match (&self.lower_bound, self.gap) {
            (Some(bound), Some(gap)) if self.optimal => write!(
                f,
                "\noptimal: within {:.1e} of the global minimum, lower bound {} ({})",
                gap.max(0.0),
                rounded_down(bound.value),
                bound.reason()
            ),
            (Some(bound), Some(gap)) => write!(
                f,
                "\nnot proved optimal: the minimum is at least {} ({}), gap {}",
                rounded_down(bound.value),
                bound.reason(),
                significant(gap)
            ),
            _ => {
                let stopped = "the run was stopped, and no lower bound was looked for";
                let none = "no lower bound applies to this problem";
                write!(f, "\nnot proved optimal: {}", if self.brief { stopped } else { none })
            }
        }
    }
}

impl LowerBound {
    /// Why it holds.
    fn reason(&self) -> String {
        match self.method {
            Method::Infimum => self.method.to_string(),
            method => format!("{method}; {}", self.proof),
        }
    }
}

impl Certificate {
    /// Why `exact` is not claimed.
    fn missing(&self) -> String {
        let Self { gamma, threshold, asymmetry, tolerance, .. } = self;
        let residual = larger(self.split_stationarity, self.stationarity);
        if residual > *tolerance || residual.is_nan() {
            format!("the point is not critical yet (residual {residual:.1e} > {tolerance:.0e})")
        } else if asymmetry > tolerance {
            format!("‖X−Y‖/‖X‖ = {asymmetry:.1e} > {tolerance:.0e}")
        } else if self.spectrum.proof.holds() {
            let (gamma, threshold) = (significant(*gamma), significant(*threshold));
            format!("γ = {gamma} is not above the threshold {threshold}")
        } else {
            format!("the threshold {} is only an estimate", significant(*threshold))
        }
    }
}

/// The same, rounded down: what is said of a lower bound holds, too.
fn rounded_down(value: f64) -> String {
    let said = significant(value);
    if said.parse().is_ok_and(|said: f64| said > value) {
        let half = 0.5 * 10_f64.powf(value.abs().log10().floor() - 5.0);
        return significant(value - half);
    }
    said
}

/// Six significant digits, or a whole number: plain where that is short, scientific elsewhere.
pub fn significant(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() || (value.fract() == 0.0 && size < 1e6) {
        format!("{value}")
    } else if (1e-3..1e6).contains(&size) {
        let decimals = (5 - size.log10().floor() as i32).max(0) as usize;
        format!("{value:.decimals$}")
    } else {
        format!("{value:.5e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_names_what_was_used() {
        let by = |means| Proof::Probabilistic { failure: 1e-10, means };
        let words = by(Means::Chebyshev).to_string();
        assert_eq!(words, "by a Chebyshev polynomial, wrong with probability at most 1e-10");
        let both = by(Means::Chebyshev).and(by(Means::Lanczos)).to_string();
        assert!(both.starts_with("by Lanczos and a Chebyshev polynomial, "), "{both}");
    }

    #[test]
    fn a_lower_bound_is_not_rounded_up() {
        assert_eq!([significant(42.996_89), rounded_down(42.996_89)], ["42.9969", "42.9968"]);
        assert_eq!([rounded_down(42.996_81), rounded_down(-156.869_96)], ["42.9968", "-156.870"]);
        assert_eq!(
            [significant(3.0), significant(0.0), rounded_down(-2e9)],
            ["3", "0", "-2.00000e9"]
        );
        for value in [1e-7 / 3.0, -2.0 / 7.0, 999_999.96, f64::NEG_INFINITY] {
            assert!(rounded_down(value).parse::<f64>().unwrap() <= value, "{value}");
        }
    }
}
