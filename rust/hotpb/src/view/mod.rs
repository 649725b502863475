//! Views: messages read where they are, without a copy of their bytes.
//!
//! `FooView::decode` scans one level of a message, checks all of it (tags, lengths, wire types, groups, packed
//! payloads, UTF-8), and notes where each field is. Accessors decode a value when you call them. A message in the
//! message is opened, and checked, when you ask for it; [`View::validate`] checks the whole tree at once.
//!
//! ```
//! use hotpb::view::View;
//! use hotpb::wkt::{FieldMaskView, TimestampView};
//! let time = TimestampView::decode(&[0x08, 0x96, 0x01])?;
//! assert_eq!((time.seconds(), time.nanos()), (150, 0));
//!
//! let mask = FieldMaskView::decode(b"\x0a\x01a\x0a\x02bc")?;
//! assert!(mask.paths().eq(["a", "bc"]));
//! assert_eq!(mask.paths().get(1), Some("bc"));
//! # Ok::<(), hotpb::Error>(())
//! ```
//!
//! Nothing allocates, with one exception: a singular message that came in several records is merged in a [`Scratch`]
//! that you pass to [`Message::open`]. A view borrows the bytes, and everything obtained from a view borrows the bytes
//! (or the scratch), not the view.
//! A program that would read bytes that have changed or are gone does not compile.

#[doc(hidden)]
pub mod __rt;
pub mod extension;
mod generated;
mod map;
mod message;
mod overwrite;
mod raw;
mod repeated;
mod required;
mod scan;
mod scratch;
mod show;
mod straight;
mod table;
#[cfg(test)]
mod tests;
mod unknown;
mod valid;

pub use crate::wire::ProtoStr;
pub use map::{Map, MapKey, MapValue, OfMessage};
pub use message::{Element, Message, Messages};
pub use overwrite::Place;
pub use repeated::Repeated;
pub use scratch::Scratch;
pub use unknown::{Unknown, UnknownField, UnknownFields};

use crate::Error;
use crate::wire::{MAX_DEPTH, MAX_SIZE};
use raw::{Raw, Rules};
use table::Table;

/// Options of a decode; messages that a view opens inherit them. The defaults are in `spec/wire.md` §13.
#[derive(Clone, Debug)]
pub struct DecodeOptions {
    /// Checks every string, including those that the schema leaves unchecked.
    pub strict: bool,
    /// The depth to which messages, groups and map entries may nest; at most [`crate::wire::DEPTH_CEILING`].
    pub depth: u32,
    /// The largest message, in bytes.
    pub size: usize,
}

impl Default for DecodeOptions {
    fn default() -> DecodeOptions {
        DecodeOptions { strict: false, depth: MAX_DEPTH, size: MAX_SIZE }
    }
}

/// Implemented by generated code for `FooView`, of any lifetime. Its methods are those of a trait because a message may
/// have fields of the same names: then write `View::validate(&message)`.
///
/// # Safety
/// The accessors of the type read the slots as `TABLE` describes them.
pub unsafe trait View: Sized {
    /// The view of bytes with another lifetime.
    type At<'a>;
    /// The description of the message.
    #[doc(hidden)]
    const TABLE: &'static Table;
    /// Scans a message.
    #[doc(hidden)]
    fn scan<'a>(raw: Raw<'a>) -> Result<Self::At<'a>, Error>;
    /// Returns the message without its slots.
    #[doc(hidden)]
    fn raw(&self) -> &Raw<'_>;

    /// Opens a message: scans and checks its root level, with the default options.
    #[inline]
    fn decode(bytes: &[u8]) -> Result<Self::At<'_>, Error> {
        Self::decode_with(bytes, &DecodeOptions::default())
    }

    /// Does the same with options.
    #[inline]
    fn decode_with<'a>(bytes: &'a [u8], options: &DecodeOptions) -> Result<Self::At<'a>, Error> {
        Self::scan(Raw::new(bytes, Rules::new(options)))
    }

    /// Checks the whole message, with all messages in it. The error is the one that a pool's decode returns.
    fn validate(&self) -> Result<(), Error> {
        self.raw().validate(Self::TABLE)
    }

    /// Looks for required fields that are absent, in the whole message; it does not look into extensions. The search
    /// allocates where a schema has required fields.
    fn check_initialized(&self) -> Result<(), Error> {
        if Self::TABLE.needs { required::check_initialized(self.raw(), Self::TABLE) } else { Ok(()) }
    }

    /// Decodes and checks an extension, whose records are among the unknown fields. Messages that can have extensions
    /// have this method of their own, unless a field has its name.
    fn extension<K: extension::Kind>(
        &self,
        extension: &extension::Extension<Self::At<'static>, K>,
    ) -> Result<K::Output<'_>, Error>
    where
        Self::At<'static>: View,
    {
        extension.read(self.raw())
    }

    /// Reports whether the message has a record of an extension. It does not check the record's content.
    fn has_extension<K: extension::Kind>(&self, extension: &extension::Extension<Self::At<'static>, K>) -> bool
    where
        Self::At<'static>: View,
    {
        extension.is_in(UnknownFields::new(self.raw(), Self::TABLE))
    }

    /// Returns the bytes of the message.
    fn as_bytes(&self) -> &[u8] {
        self.raw().bytes
    }
}
