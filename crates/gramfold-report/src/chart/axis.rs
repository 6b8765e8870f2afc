//! An axis: a label and a scale.

/// An axis of a chart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Axis {
    /// What is measured, with its unit.
    pub label: String,
    /// How values are spread along the axis.
    pub scale: Scale,
}

/// How values are spread along an axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equal lengths.
    #[default]
    Linear,
    /// As linear, for whole numbers: ticks only there.
    Count,
    /// Equal ratios are equal lengths; only values above zero can be shown.
    Log,
}

impl Axis {
    /// A linear axis.
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Linear }
    }

    /// A linear axis of whole numbers.
    pub fn count(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Count }
    }

    /// A logarithmic axis.
    pub fn log(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Log }
    }
}
