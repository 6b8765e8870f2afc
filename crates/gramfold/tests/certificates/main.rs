//! Certificates: a bound bounds, a claim is true, and what is not proved is not claimed.

#[path = "../common/mod.rs"]
mod common;

mod claims;
mod known;
mod proximity;
mod serial;
mod soundness;
mod spectra;
