//! What a command found, in one form for every command: its claims, its files, its summary and its page.

use gramfold_report::Page;
use serde::Serialize;

use crate::{
    session::Head,
    store::{Claims, Part},
};

/// All that is claimed of an answer.
pub(crate) type ClaimsOf<A> = Claims<<A as Answer>::Spec, <A as Answer>::Details>;

/// An answer. A run writes it, and a check makes it again from the files to compare what it claims.
pub(crate) trait Answer {
    /// How the run was asked for, as the claims have it.
    type Spec: Serialize;
    /// What only this command claims.
    type Details: Serialize;

    fn claims(&self, head: Head) -> ClaimsOf<Self>;

    /// The files but for the claims.
    fn parts(&self) -> Vec<Part<'_>>;

    /// The claims for a person.
    fn summary(&self, claims: &ClaimsOf<Self>) -> String;

    /// The page; `line` is the command as it was typed.
    fn page(&self, claims: &ClaimsOf<Self>, line: &str) -> Page;
}
