//! The part of the runtime that only generated code calls.

pub use super::convert::{BuiltIntoProst, FieldIntoBuilder, FieldIntoProst, IntoBuilder, IntoProst};
pub use super::decoder::Decoder;
pub use super::field::{Far, Field, List, Map, Maybe, Numbers, Packed, Plain, Required, Reset};
pub use super::kept::{Codec, Holder, Kept, Unit};
pub use super::value::{Enum, Group, Message, Value};
pub use super::wrapper::{Empty, Wrapper};
pub use crate::wire::__rt::{Cursor, MessageSchema, Pos};
pub use crate::wire::kind::{
    Bool, Bytes, Double, Fixed32, Fixed64, Float, Int32, Int64, Sfixed32, Sfixed64, Sint32, Sint64, Uint32, Uint64,
    Utf8,
};
pub use alloc::{boxed::Box, string::String, vec::Vec};
