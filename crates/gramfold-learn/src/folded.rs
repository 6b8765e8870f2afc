//! The run of models that are fitted over X alone.

use gramfold::{Spec, registry::Component};

/// A run on X alone by L-BFGS; `base` has what is not the model's.
pub fn folded_spec(rank: usize, loss: Component, data: &str, base: &Spec) -> Spec {
    Spec {
        rank,
        loss,
        data: data.into(),
        algorithm: Component::named("lbfgs"),
        // X = Y throughout: γ only stands in the certificate.
        rule: Component::named("fixed").with("gamma", 1.0),
        ..base.clone()
    }
}
