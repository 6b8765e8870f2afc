//! Numbers that may be infinite, in formats that have no infinity: written as "inf" or "-inf".

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Extended {
    Finite(f64),
    Infinite(Infinity),
}

#[derive(Serialize, Deserialize)]
enum Infinity {
    #[serde(rename = "inf")]
    Plus,
    #[serde(rename = "-inf")]
    Minus,
}

/// Writes a number.
#[allow(clippy::trivially_copy_pass_by_ref)] // The signature that serde asks for.
pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    let value = match *value {
        f64::INFINITY => Extended::Infinite(Infinity::Plus),
        f64::NEG_INFINITY => Extended::Infinite(Infinity::Minus),
        value => Extended::Finite(value),
    };
    value.serialize(serializer)
}

/// Reads a number.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(match Extended::deserialize(deserializer)? {
        Extended::Finite(value) => value,
        Extended::Infinite(Infinity::Plus) => f64::INFINITY,
        Extended::Infinite(Infinity::Minus) => f64::NEG_INFINITY,
    })
}
