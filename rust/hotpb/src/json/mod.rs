//! Messages as proto3 JSON, through serde (feature `serde`).
//!
//! Handles, [`Owned`](crate::pool::Owned) messages and builders are `Serialize`; builders are `Deserialize`. Names,
//! numbers, bytes, enums and the well-known types are as protobuf's JSON mapping defines them.
//!
//! ```
//! use hotpb::wkt::{DurationBuilder, FieldMaskBuilder};
//! let mask: FieldMaskBuilder = serde_json::from_str(r#""userId,name""#)?;
//! assert_eq!(mask.paths, ["user_id", "name"]);
//! let second = DurationBuilder { seconds: 1, nanos: 500_000_000, ..Default::default() };
//! assert_eq!(serde_json::to_string(&second)?, r#""1.500s""#);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! Reading writes the message's encoding and decodes it, so that all checks of a decode hold. Unknown names are errors;
//! [`ReadOptions`] can ignore them, and has the types that an `Any` may hold.
//!
//! ```
//! use hotpb::json::{ReadOptions, Types, Written, read};
//! use hotpb::wkt::{Any, AnyBuilder, AnyPool, Duration};
//! let types = Types::new().add::<Duration<'static>>();
//! let text = r#"{"@type":"type.googleapis.com/google.protobuf.Duration","value":"3s"}"#;
//! let options = ReadOptions { types: Some(&types), ..ReadOptions::default() };
//! let any: AnyBuilder = read(&mut serde_json::Deserializer::from_str(text), &options)?;
//! assert_eq!(any.value, [8, 3]);
//!
//! let bytes = hotpb::pool::Encode::encode_to_vec(&any).unwrap();
//! let mut pool = AnyPool::new();
//! let any: Any<'_> = pool.decode(&bytes).unwrap();
//! assert_eq!(serde_json::to_string(&Written::new(any.into()).types(&types))?, text);
//! # Ok::<(), serde_json::Error>(())
//! ```

#[doc(hidden)]
pub mod __rt;
mod base64;
mod known;
mod node;
mod read;
mod scalar;
mod types;
mod write;

pub use read::ReadOptions;
pub use types::Types;
pub use write::Written;

use crate::pool::walk::Described;
use crate::pool::{Builder, Encode};
use alloc::vec::Vec;
use serde_core::de::{DeserializeSeed as _, Deserializer, Error as _};

/// Reads a message into a builder, with options.
pub fn read<'de, B, D>(deserializer: D, options: &ReadOptions<'_>) -> Result<B, D::Error>
where
    B: Builder,
    <B as Encode>::Of: Described,
    D: Deserializer<'de>,
{
    B::decode(&to_wire::<B::Of, D>(deserializer, options)?).map_err(D::Error::custom)
}

/// Reads a message and returns its encoding, which a pool or a view decodes. The bytes are well-formed, but not
/// canonical; they lack the required fields that the JSON lacks.
pub fn to_wire<'de, M, D>(deserializer: D, options: &ReadOptions<'_>) -> Result<Vec<u8>, D::Error>
where
    M: Described,
    D: Deserializer<'de>,
{
    let node = node::Levels::all().deserialize(deserializer)?;
    read::message(M::DESCRIPTION, &node, options).map_err(D::Error::custom)
}
