//! The directory that a command writes: what it claims, and the files that the claims speak of.
//!
//! [`Claims`] is one type for every command: an envelope that says what was asked, how it ended and what is proved, and a part
//! of the command's own. A [`Place`] is where a directory is to be: claimed before the work, written beside and renamed
//! into place as a whole, so that a kill at any moment leaves the old directory or the new one. [`Saved`] reads one back.

mod claims;
mod commit;
mod hash;
mod lock;
mod part;
mod place;
mod read;

pub(crate) use claims::digits;
pub use claims::{Bound, Claims, FORMAT, Files, Input, SOLUTION, Side, Status};
pub use hash::{Fingerprint, sha256_of_claims, sha256_of_file};
pub use part::Part;
pub use place::Place;
pub use read::Saved;
