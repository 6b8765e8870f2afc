//! How long a certificate takes, about.

use std::time::Duration;

use super::smallest::DENSE;
use crate::{Cone, Sdp};

/// Operations a second of dense factorisations, and of Lanczos runs, whose operations wait for memory.
const DENSE_RATE: f64 = 3e9;
const LANCZOS_RATE: f64 = 1e9;
/// Factorisations of a small block; products of a large one, and vectors that each is made orthogonal to.
const FACTORISATIONS: f64 = 3.0;
const PRODUCTS: f64 = 2000.0;
const BASIS: f64 = 120.0;

/// What to keep of a limited time for the certificate.
pub(crate) fn effort(sdp: &Sdp) -> Duration {
    let block = |cone: &Cone| match *cone {
        Cone::Nonnegative(_) => 0.0,
        Cone::Semidefinite(n) if n <= DENSE => {
            FACTORISATIONS * (n as f64).powi(3) / 3.0 / DENSE_RATE
        }
        Cone::Semidefinite(n) => {
            let product = 4.0 * sdp.stored() as f64 + 4.0 * BASIS * n as f64;
            PRODUCTS * product / LANCZOS_RATE
        }
    };
    let seconds: f64 = sdp.cones().iter().map(block).sum();
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}
