//! The part that only generated code calls.

use super::write::Written;
use crate::pool::{DecodeOptions, Encode, EncodeOptions, Pool};
use serde_core::ser::Error as _;
pub use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes a builder: its encoding, decoded. Required fields may be absent.
pub fn write_builder<B, S>(builder: &B, serializer: S) -> Result<S::Ok, S::Error>
where
    B: Encode,
    S: Serializer,
{
    let partial = EncodeOptions { allow_partial: true, ..EncodeOptions::default() };
    let bytes = builder.encode_to_vec_with(&partial).map_err(S::Error::custom)?;
    let options = DecodeOptions { allow_partial: true, memory: Some(usize::MAX), ..DecodeOptions::default() };
    let mut pool = Pool::<B::Of>::new();
    let handle = pool.decode_with(&bytes, &options).map_err(S::Error::custom)?;
    Written::new(handle.into()).serialize(serializer)
}
