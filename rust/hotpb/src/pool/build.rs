//! Builders, and two of their parts: owned strings that the schema leaves unchecked, and owned unknown fields.
//!
//! A builder is a plain struct with public fields. You create it empty (`Default`), from a handle (`From`), or from
//! bytes ([`Builder::decode`]), and encode it like a handle ([`Encode`]). Its maps are `BTreeMap`s, so the bytes are
//! deterministic.

use super::extension::{Extension, Kind, OfMessage, Repeated, RepeatedMessage, Singular, Value};
use super::{
    DecodeOptions, Decoder, Encode, EncodeBuffer, Message, Pool, ProtoStr, Stack, UnknownField, UnknownFields,
};
use crate::Error;
use crate::wire::check::{self, Limits, MessageSchema};
use crate::wire::{Cursor, LEN, MAX_SIZE, Pos, Range, append_bytes, append_int32, append_tag, append_varint, is_utf8};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

/// A builder: a value that can be encoded, and created empty, from a handle or from bytes.
pub trait Builder: Encode + Default + Merge + for<'a> From<<Self::Of as Message>::Handle<'a>> {
    /// Decodes one message, with the limits and the errors of a [`Pool`], but without a pool: it allocates what the
    /// builder owns.
    fn decode(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.len() > MAX_SIZE {
            return by_pool(bytes, false);
        }
        let (options, mut made) = (DecodeOptions::default(), Self::default());
        let mut d = Decoder::new(bytes, &options);
        let all = d.input().range();
        if made.merge(&mut d, all, 0).is_some() && made.absent(&Stack::new(options.stack)).is_ok() {
            return Ok(made);
        }
        by_pool(bytes, d.spent().is_some())
    }
}

/// Decodes through a pool, which finds the error. A builder may need more of the stack or count memory in another order
/// (`spent`), so the pool decides whether a message exceeds a limit.
#[cold]
#[inline(never)]
fn by_pool<B: Builder>(bytes: &[u8], spent: bool) -> Result<B, Error> {
    let mut pool = Pool::<B::Of>::new();
    let message = pool.decode(bytes)?;
    debug_assert!(spent, "a builder of {} was refused, but the pool finds no error", B::Of::SCHEMA.name);
    Ok(B::from(message))
}

impl<T: Encode + Default + Merge + for<'a> From<<T::Of as Message>::Handle<'a>>> Builder for T {}

/// Implemented by generated code for a builder that can be decoded.
///
/// # Safety
/// The implementation must use the decoder only to read, not to fill tables: see [`super::Handle`].
pub unsafe trait Merge {
    /// Adds the records of a range to the builder, up to its end or to an end tag; `None` if they are malformed, or
    /// exceed a limit.
    fn merge<'a>(&mut self, d: &mut Decoder<'a>, range: Range<'a>, end_tag: u32) -> Option<Pos<'a>>;
}

/// Reads an owned string that is checked. Like the next two functions it is out of line, because builders have many
/// such fields.
#[inline(always)]
pub fn read_utf8(c: &mut Cursor<'_>) -> Option<String> {
    #[inline(never)]
    fn read(c: &mut Cursor<'_>) -> Option<String> {
        let bytes = c.bytes()?;
        if !is_utf8(bytes) {
            return None;
        }
        // SAFETY: checked on the line above.
        Some(unsafe { String::from_utf8_unchecked(bytes.to_vec()) })
    }
    c.out_of_line(read)
}

/// Reads an owned string that is checked only with `strict`.
#[inline(always)]
pub fn read_text(d: &Decoder<'_>, c: &mut Cursor<'_>) -> Option<ProtoString> {
    #[inline(never)]
    fn read(c: &mut Cursor<'_>, strict: bool) -> Option<ProtoString> {
        let bytes = c.bytes()?;
        if strict && !is_utf8(bytes) {
            return None;
        }
        Some(ProtoString(bytes.to_vec()))
    }
    let strict = d.strict();
    c.out_of_line(|c| read(c, strict))
}

/// Reads owned bytes.
#[inline(always)]
pub fn read_bytes(c: &mut Cursor<'_>) -> Option<Vec<u8>> {
    #[inline(never)]
    fn read(c: &mut Cursor<'_>) -> Option<Vec<u8>> {
        c.bytes().map(<[u8]>::to_vec)
    }
    c.out_of_line(read)
}

/// An owned string that the schema leaves unchecked.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProtoString(Vec<u8>);

impl core::ops::Deref for ProtoString {
    type Target = ProtoStr;
    fn deref(&self) -> &ProtoStr {
        ProtoStr::new(&self.0)
    }
}

impl fmt::Debug for ProtoString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl From<&ProtoStr> for ProtoString {
    fn from(s: &ProtoStr) -> ProtoString {
        ProtoString(s.as_bytes().to_vec())
    }
}

impl From<&str> for ProtoString {
    fn from(s: &str) -> ProtoString {
        ProtoString(s.as_bytes().to_vec())
    }
}

impl From<String> for ProtoString {
    fn from(s: String) -> ProtoString {
        ProtoString(s.into_bytes())
    }
}

impl From<ProtoString> for Vec<u8> {
    fn from(text: ProtoString) -> Self {
        text.0
    }
}

impl From<Vec<u8>> for ProtoString {
    fn from(bytes: Vec<u8>) -> ProtoString {
        ProtoString(bytes)
    }
}

/// The unknown fields of a builder of `M`, including its extensions: one record after the other.
pub struct UnknownSet<M> {
    bytes: Vec<u8>,
    marker: PhantomData<fn() -> M>,
}

impl<M> Default for UnknownSet<M> {
    fn default() -> Self {
        UnknownSet { bytes: Vec::new(), marker: PhantomData }
    }
}

impl<M> Clone for UnknownSet<M> {
    fn clone(&self) -> Self {
        UnknownSet { bytes: self.bytes.clone(), marker: PhantomData }
    }
}

impl<M> PartialEq for UnknownSet<M> {
    fn eq(&self, rhs: &Self) -> bool {
        self.bytes == rhs.bytes
    }
}

impl<M> fmt::Debug for UnknownSet<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<M> From<UnknownFields<'_>> for UnknownSet<M> {
    fn from(fields: UnknownFields<'_>) -> Self {
        let mut set = UnknownSet::default();
        for field in fields {
            set.bytes.extend_from_slice(field.record);
        }
        set
    }
}

impl<M> UnknownSet<M> {
    /// Returns all records.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Reports whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Iterates over the records. Offsets count from the first one.
    pub fn iter(&self) -> UnknownFields<'_> {
        UnknownFields::of_records(&self.bytes)
    }

    /// Removes all records.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Adds records, including their tags. Rejects records that are cut off or malformed.
    pub fn push_records(&mut self, records: &[u8]) -> Result<(), Error> {
        static ANY: MessageSchema = MessageSchema::new("", &[]);
        check::check(records, &ANY, &Limits::default())?;
        self.bytes.extend_from_slice(records);
        Ok(())
    }

    /// Adds records that a decoder or visitor has returned, which has checked them.
    #[doc(hidden)]
    pub fn push_checked(&mut self, records: &[u8]) {
        self.bytes.extend_from_slice(records);
    }

    /// Adds an undefined value of a closed enum (ENM-2).
    #[doc(hidden)]
    #[cold]
    pub fn push_enum(&mut self, number: u32, value: i32) {
        append_varint(&mut self.bytes, (number as u64) << 3);
        append_int32(&mut self.bytes, value);
    }

    /// Keeps the records for which `keep` returns true.
    pub fn retain(&mut self, mut keep: impl FnMut(&UnknownField<'_>) -> bool) {
        let mut kept = Vec::new();
        for field in self.iter().filter(|field| keep(field)) {
            kept.extend_from_slice(field.record);
        }
        self.bytes = kept;
    }

    /// Decodes and checks an extension.
    pub fn extension<K: Kind>(&self, extension: &Extension<M, K>) -> Result<K::Output<'_>, Error> {
        extension.read(self.iter())
    }

    /// Reports whether there is a record of an extension.
    pub fn has_extension<K: Kind>(&self, extension: &Extension<M, K>) -> bool {
        extension.is_in(self.iter())
    }

    /// Removes an extension.
    pub fn clear_extension<K: Kind>(&mut self, extension: &Extension<M, K>) {
        let request = extension.request();
        self.retain(|field| !request.takes(field));
    }
}

impl<M, V: Value> Extension<M, Singular<V>> {
    /// Sets the extension in a builder's unknown fields, and replaces its previous value.
    pub fn set(&self, fields: &mut UnknownSet<M>, value: V::Output<'_>) {
        fields.clear_extension(self);
        append_tag(&mut fields.bytes, self.number(), V::WIRE_TYPE);
        V::put(&mut fields.bytes, value);
    }
}

impl<M, V: Value> Extension<M, Repeated<V>> {
    /// Sets the elements of the extension, and replaces the previous ones; packed if the schema says so.
    pub fn set<'v>(&self, fields: &mut UnknownSet<M>, values: impl IntoIterator<Item = V::Output<'v>>) {
        fields.clear_extension(self);
        let mut packed = Vec::new();
        for value in values {
            if self.is_packed() {
                V::put(&mut packed, value);
            } else {
                append_tag(&mut fields.bytes, self.number(), V::WIRE_TYPE);
                V::put(&mut fields.bytes, value);
            }
        }
        if !packed.is_empty() {
            append_tag(&mut fields.bytes, self.number(), LEN);
            append_bytes(&mut fields.bytes, &packed);
        }
    }
}

impl<M, X: Message> Extension<M, OfMessage<X>> {
    /// Sets the extension to a message, given as a builder or a handle, and replaces its previous value. On an error
    /// nothing changes.
    pub fn set(&self, fields: &mut UnknownSet<M>, message: &impl Encode<Of = X>) -> Result<(), Error> {
        let mut record = Vec::new();
        self.append(&mut record, message)?;
        fields.clear_extension(self);
        fields.bytes.append(&mut record);
        Ok(())
    }
}

impl<M, X: Message> Extension<M, RepeatedMessage<X>> {
    /// Sets the elements of the extension, and replaces the previous ones. On an error nothing changes.
    pub fn set<'m, E: Encode<Of = X> + 'm>(
        &self,
        fields: &mut UnknownSet<M>,
        messages: impl IntoIterator<Item = &'m E>,
    ) -> Result<(), Error> {
        let mut records = Vec::new();
        for message in messages {
            self.append(&mut records, message)?;
        }
        fields.clear_extension(self);
        fields.bytes.append(&mut records);
        Ok(())
    }
}

impl<M, K: Kind> Extension<M, K> {
    /// Appends one message: length-prefixed, as a group, or as an item of a message set (SET-5).
    fn append(&self, out: &mut Vec<u8>, message: &impl Encode) -> Result<(), Error> {
        let mut buffer = EncodeBuffer::new();
        let bytes = message.encode_into(&mut buffer)?;
        if self.is_message_set_item() {
            out.extend_from_slice(&[0x0b, 0x10]);
            append_varint(out, self.number() as u64);
            out.push(0x1a);
            append_bytes(out, bytes);
            out.push(0x0c);
        } else if self.is_delimited() {
            append_tag(out, self.number(), crate::wire::START_GROUP);
            out.extend_from_slice(bytes);
            append_tag(out, self.number(), crate::wire::END_GROUP);
        } else {
            append_tag(out, self.number(), LEN);
            append_bytes(out, bytes);
        }
        Ok(())
    }
}
