//! Extensions. Their records stay among the unknown fields; reading an extension decodes and checks them by the rules
//! of an ordinary field of that type, with the options of the view (EXT-7). There is no registry.
//!
//! ```text
//! let count = message.extension(&COUNT_VIEW)?;              // Option<i32>
//! for n in message.extension(&NUMBERS_VIEW)? { … }          // repeated
//! if let Some(details) = message.extension(&DETAILS_VIEW)? {
//!     let details = details.open(&scratch)?;                // a message
//! }
//! ```

use super::message::Items;
use super::raw::{Level, Raw};
use super::table::{Field, Table};
use super::{Message, Messages, Repeated, View};
use crate::Error;
use crate::wire::kind::Value;
use core::marker::PhantomData;

/// An extension of messages `V`; `K` determines the result type.
pub struct Extension<V, K> {
    id: ExtensionId,
    marker: PhantomData<fn(V) -> K>,
}

/// Identifies the records of an extension, for [`super::UnknownFields::without`].
#[derive(Clone, Copy)]
pub struct ExtensionId {
    /// The extension as the only field of a message.
    table: &'static Table,
    item: bool,
}

impl ExtensionId {
    pub(super) fn field(&self) -> Option<&'static Field> {
        self.table.fields.first()
    }

    pub(super) fn number(&self) -> u32 {
        self.table.schema.fields[0].number
    }

    pub(super) fn is_item(&self) -> bool {
        self.item
    }
}

impl<V: View, K: Kind> Extension<V, K> {
    /// For generated code.
    ///
    /// # Safety
    /// The values of the table's only field have the type that `K` names.
    #[doc(hidden)]
    pub const unsafe fn new(table: &'static Table) -> Self {
        Extension { id: ExtensionId { table, item: false }, marker: PhantomData }
    }

    /// The same for an item of a message set.
    #[doc(hidden)]
    pub const fn message_set_item(mut self) -> Self {
        self.id.item = true;
        self
    }

    /// Identifies the records of the extension.
    pub const fn id(&self) -> ExtensionId {
        self.id
    }

    /// Returns the field number.
    pub fn number(&self) -> u32 {
        self.id.number()
    }

    /// Reports whether one of these unknown fields is a record of the extension.
    #[doc(hidden)]
    pub fn is_in(&self, unknown: super::UnknownFields<'_>) -> bool {
        unknown.has(self.id)
    }

    /// Decodes and checks the extension's records in a message.
    #[doc(hidden)]
    pub fn read<'a>(&self, raw: &Raw<'a>) -> Result<K::Output<'a>, Error> {
        // SAFETY: `new` promises the type.
        unsafe { K::read(raw, &self.id) }
    }
}

/// The kind of an extension, and the type that reading it returns.
pub trait Kind {
    /// The type that reading returns.
    type Output<'a>;
    /// Decodes and checks all records.
    ///
    /// # Safety
    /// The values of the extension have the type that the kind names.
    #[doc(hidden)]
    unsafe fn read<'a>(raw: &Raw<'a>, id: &ExtensionId) -> Result<Self::Output<'a>, Error>;
}

/// Reads the message as one whose only field is the extension.
fn level<'a>(raw: &Raw<'a>, id: &ExtensionId) -> Result<Level<'a, 4>, Error> {
    Level::open(Raw::new(raw.bytes, raw.rules), id.table)
}

/// A singular value: `None` if it is absent.
pub struct Singular<V>(PhantomData<V>);

impl<V: Value> Kind for Singular<V> {
    type Output<'a> = Option<V::Output<'a>>;
    unsafe fn read<'a>(raw: &Raw<'a>, id: &ExtensionId) -> Result<Self::Output<'a>, Error> {
        let level = level(raw, id)?;
        // SAFETY: as the caller promises.
        Ok(unsafe { level.value::<V>(id.table, 0) })
    }
}

/// Repeated values, packed or not.
pub struct RepeatedValue<V>(PhantomData<V>);

impl<V: Value> Kind for RepeatedValue<V> {
    type Output<'a> = Repeated<'a, V>;
    unsafe fn read<'a>(raw: &Raw<'a>, id: &ExtensionId) -> Result<Self::Output<'a>, Error> {
        let level = level(raw, id)?;
        // SAFETY: as the caller promises.
        Ok(unsafe { level.repeated::<V>(id.table, 0) })
    }
}

/// A message, or an item of a message set. Several records merge when it is opened.
pub struct OfMessage<W>(PhantomData<W>);

impl<W: View> Kind for OfMessage<W> {
    type Output<'a> = Option<Message<'a, W>>;
    unsafe fn read<'a>(raw: &Raw<'a>, id: &ExtensionId) -> Result<Self::Output<'a>, Error> {
        if id.item {
            let items = Items::new(raw.bytes, id.number());
            let there = { items }.next().is_some();
            return Ok(there.then(|| Message::of_items(items, raw.rules.below())));
        }
        Ok(level(raw, id)?.message(id.table, 0))
    }
}

/// Repeated messages.
pub struct RepeatedMessage<W>(PhantomData<W>);

impl<W: View> Kind for RepeatedMessage<W> {
    type Output<'a> = Messages<'a, W>;
    unsafe fn read<'a>(raw: &Raw<'a>, id: &ExtensionId) -> Result<Self::Output<'a>, Error> {
        Ok(level(raw, id)?.messages(id.table, 0))
    }
}
