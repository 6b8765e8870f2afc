//! How long a step or a proof may take.

use std::time::{Duration, Instant};

use crate::Stop;

/// Until when work may go on, and who may end it before. What is left unproved then is a weaker claim, never a
/// wrong one.
#[derive(Clone, Copy)]
pub(crate) struct Allowance<'a> {
    until: Option<Instant>,
    stop: Stop<'a>,
}

impl<'a> Allowance<'a> {
    /// As long as it takes.
    pub(crate) const UNLIMITED: Allowance<'static> = Allowance { until: None, stop: &|| false };

    pub(crate) fn new(until: Option<Instant>, stop: Stop<'a>) -> Self {
        Self { until, stop }
    }

    /// Whether to end.
    pub(crate) fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until) || (self.stop)()
    }

    /// Whether what takes that long may be begun.
    pub(crate) fn allows(&self, duration: Duration) -> bool {
        let ends = Instant::now().checked_add(duration);
        let in_time = |until: Instant| ends.is_some_and(|ends| ends < until);
        self.until.is_none_or(in_time) && !(self.stop)()
    }

    /// A share of what is left.
    pub(crate) fn share(&self, share: f64) -> Self {
        let until = self.until.map(|until| {
            let now = Instant::now();
            now + until.saturating_duration_since(now).mul_f64(share)
        });
        Self { until, ..*self }
    }
}
