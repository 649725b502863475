//! The part of the runtime that only generated code calls. Names and methods change with the generator; the version of
//! generated code ([`crate::MAX_GENERATED`]) says which of them match.

pub use super::build::{read_bytes, read_text, read_utf8};
pub use super::decoder::Decoder;
pub use super::encoder::Encoder;
pub use super::generated::{Zero, debug_enum};
pub use super::list::{List, child, handle};
pub use super::map::{EntryRow, EntryTable};
pub use super::memory::Memory;
pub use super::missing::Missing;
pub use super::request::{ExtensionRequest, append_rest};
pub use super::runs::{Run, Runs, Scalars, VecElements};
pub use super::side::Side;
pub use super::straight::{
    DecodeRow, EncodeRow, ResetRow, close_child, close_list, close_row, end_of, open_child, open_list, open_row,
    read_unknown, row_at,
};
pub use super::table::{Row, Table, Unit};
pub use super::visit::{NoValue, entry, need, unknown};
pub use crate::wire::Stack;
pub use alloc::{boxed::Box, collections::BTreeMap, string::String, vec::Vec};

/// Descriptions of messages, and access to fields by index.
pub mod walk {
    pub use crate::pool::walk::{
        AnyMessage, Described, Description, EnumDescription, EnumType, FieldType, Of, TypeOf, debug, equal,
    };
}

/// The types of a row's fields.
pub mod slot {
    pub use crate::pool::{list::List, runs::Run};
    pub use crate::wire::__rt::Span;
    pub use core::primitive::{bool, f32, f64, i32, i64, u32, u64};
}

/// Messages by table.
pub mod by_table {
    pub use crate::pool::by_table::{Child, Entry, EntryNode, Layout, Node, Type, adjacent};
}

/// Conversions from wire values to values of the schema's types.
pub mod value {
    pub use crate::pool::value::{boolean, int32, int64, sint32, sint64, uint32, uint64};
}
