//! [`MessageWriter`]: the contents of generated `FooWriter` types.

use super::entry::Part;
use super::error::WriteError;
use super::output::Output;
use super::packed::{Element, Packed, element};
use super::slow::{Opens, unwinding};
use super::source::Source;
use super::store::Bytes;
use super::stream::Stream;
use crate::Code;
use crate::wire::{END_GROUP, LEN, MAX_SIZE, START_GROUP, tag, varint_len, zigzag32, zigzag64};
use core::fmt;
use core::mem::ManuallyDrop;
use core::ops::{Deref, DerefMut};

/// The borrow of an output that every generated writer wraps. Its methods are for generated code; `TAG` is the field's
/// tag.
///
/// Dropping it ends the message. If a panic drops it, the message fails with `HandleMisuse`; only the feature `std` can
/// detect that.
pub struct MessageWriter<'a> {
    pub(super) stream: &'a mut Stream<dyn Source + 'a>,
}

impl Drop for MessageWriter<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if unwinding() {
            self.stream.cut_off();
        } else if !self.stream.core.finish() {
            self.stream.finish_slow();
        }
    }
}

/// A generated writer. Its methods are methods of each `FooWriter`, too. A field of the same name takes precedence: of a
/// message with a field `status`, `writer.status(…)` writes that field, and `Writer::status(&writer)` is this method.
pub trait Writer<'a>: Sized {
    /// Begins a message in an output.
    #[inline(always)]
    fn new<O: Output + ?Sized>(output: &'a mut O) -> Self {
        Self::from_raw(output.message())
    }

    /// Begins a message that follows its length (a delimited stream).
    fn delimited<O: Output + ?Sized>(output: &'a mut O) -> Self {
        Self::from_raw(output.delimited())
    }

    /// Ends the message; returns its length or its error.
    #[inline(always)]
    fn finish(self) -> Result<u64, WriteError> {
        self.into_raw().finish()
    }

    /// Returns the length of the message so far, or its error.
    #[inline]
    fn status(&self) -> Result<u64, WriteError> {
        self.raw_ref().status()
    }

    /// Appends encoded fields of this message unchanged.
    #[inline]
    fn append_raw(&mut self, fields: &[u8]) -> &mut Self {
        self.raw().append_raw(fields);
        self
    }

    /// For generated code.
    #[doc(hidden)]
    fn from_raw(raw: MessageWriter<'a>) -> Self;
    /// For generated code.
    #[doc(hidden)]
    fn raw(&mut self) -> &mut MessageWriter<'a>;
    /// For generated code.
    #[doc(hidden)]
    fn raw_ref(&self) -> &MessageWriter<'a>;
    /// For generated code.
    #[doc(hidden)]
    fn into_raw(self) -> MessageWriter<'a>;
}

/// A child that is being written. It borrows its parent, which you can use again when the child is dropped.
///
/// If you forget it ([`core::mem::forget`]), the message ends with `HandleMisuse`, and omits everything after that
/// point.
pub struct Child<'a, W: Writer<'a>> {
    writer: ManuallyDrop<W>,
    stream: core::marker::PhantomData<&'a mut ()>,
    /// Whether the map entry or message-set item around the child closes together with it.
    around: bool,
}

impl<'a, W: Writer<'a>> Child<'a, W> {
    #[inline(always)]
    fn new(stream: &'a mut Stream<dyn Source + 'a>, around: bool) -> Self {
        let writer = ManuallyDrop::new(W::from_raw(MessageWriter { stream }));
        Child { writer, stream: core::marker::PhantomData, around }
    }
}

impl<'a, W: Writer<'a>> Drop for Child<'a, W> {
    #[inline(always)]
    fn drop(&mut self) {
        let raw = self.writer.raw();
        raw.close();
        if self.around {
            raw.close();
        }
    }
}

impl<'a, W: Writer<'a>> Deref for Child<'a, W> {
    type Target = W;
    #[inline(always)]
    fn deref(&self) -> &W {
        &self.writer
    }
}

impl<'a, W: Writer<'a>> DerefMut for Child<'a, W> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut W {
        &mut self.writer
    }
}

/// Runs a closure on a child that was opened, then ends the child. It does not use a guard: a panic must leave the
/// child open, so that the child does not count as whole.
#[inline(always)]
fn write_child<'c, W: Writer<'c>>(stream: &'c mut Stream<dyn Source + 'c>, around: bool, write: impl FnOnce(&mut W)) {
    let mut child = ManuallyDrop::new(W::from_raw(MessageWriter { stream }));
    write(&mut child);
    child.raw().close();
    if around {
        child.raw().close();
    }
}

impl<'a> MessageWriter<'a> {
    #[inline(always)]
    pub(super) fn new(stream: &'a mut Stream<dyn Source + 'a>) -> MessageWriter<'a> {
        if !stream.core.begin() {
            stream.begin_slow();
        }
        MessageWriter { stream }
    }

    pub(super) fn new_delimited(stream: &'a mut Stream<dyn Source + 'a>) -> MessageWriter<'a> {
        stream.begin_delimited();
        MessageWriter { stream }
    }

    /// Ends the message; returns its length or its error.
    #[inline(always)]
    pub fn finish(self) -> Result<u64, WriteError> {
        let this = ManuallyDrop::new(self);
        // SAFETY: `this` is not used again, and nothing is dropped twice: the borrow has no destructor.
        let stream = unsafe { core::ptr::read(&this.stream) };
        if !stream.core.finish() {
            stream.finish_slow();
        }
        stream.core.status()
    }

    /// Returns the length of the message so far, or its error. Open lengths count with their present width.
    pub fn status(&self) -> Result<u64, WriteError> {
        self.stream.core.status()
    }

    /// Appends encoded fields of this message unchanged.
    pub fn append_raw(&mut self, fields: &[u8]) {
        if !self.stream.core.put_long_bytes(&[], fields) {
            self.stream.field(&[fields]);
        }
    }

    // ---- scalars ----

    /// `uint64`.
    #[inline(always)]
    pub fn uint64<const TAG: u32>(&mut self, value: u64) {
        if !self.stream.core.put_varint64::<TAG>(value) {
            self.stream.slow_varint(TAG, value);
        }
    }

    /// `uint32`.
    #[inline(always)]
    pub fn uint32<const TAG: u32>(&mut self, value: u32) {
        if !self.stream.core.put_varint32::<TAG>(value) {
            self.stream.slow_varint(TAG, value as u64);
        }
    }

    /// `int64`.
    #[inline(always)]
    pub fn int64<const TAG: u32>(&mut self, value: i64) {
        self.uint64::<TAG>(value as u64);
    }

    /// `int32` and enums: ten bytes if negative.
    #[inline(always)]
    pub fn int32<const TAG: u32>(&mut self, value: i32) {
        if value >= 0 {
            self.uint32::<TAG>(value as u32);
        } else {
            self.negative::<TAG>(value);
        }
    }

    #[inline(never)]
    fn negative<const TAG: u32>(&mut self, value: i32) {
        self.uint64::<TAG>(value as i64 as u64);
    }

    /// `sint32`.
    #[inline(always)]
    pub fn sint32<const TAG: u32>(&mut self, value: i32) {
        self.uint32::<TAG>(zigzag32(value));
    }

    /// `sint64`.
    #[inline(always)]
    pub fn sint64<const TAG: u32>(&mut self, value: i64) {
        self.uint64::<TAG>(zigzag64(value));
    }

    /// `bool`.
    #[inline(always)]
    pub fn bool<const TAG: u32>(&mut self, value: bool) {
        self.uint32::<TAG>(value as u32);
    }

    /// `fixed32`.
    #[inline(always)]
    pub fn fixed32<const TAG: u32>(&mut self, value: u32) {
        if !self.stream.core.put_fixed32::<TAG>(value) {
            self.stream.slow_fixed(TAG, &value.to_le_bytes());
        }
    }

    /// `fixed64`.
    #[inline(always)]
    pub fn fixed64<const TAG: u32>(&mut self, value: u64) {
        if !self.stream.core.put_fixed64::<TAG>(value) {
            self.stream.slow_fixed(TAG, &value.to_le_bytes());
        }
    }

    /// `sfixed32`.
    #[inline(always)]
    pub fn sfixed32<const TAG: u32>(&mut self, value: i32) {
        self.fixed32::<TAG>(value as u32);
    }

    /// `sfixed64`.
    #[inline(always)]
    pub fn sfixed64<const TAG: u32>(&mut self, value: i64) {
        self.fixed64::<TAG>(value as u64);
    }

    /// `float`.
    #[inline(always)]
    pub fn float<const TAG: u32>(&mut self, value: f32) {
        self.fixed32::<TAG>(value.to_bits());
    }

    /// `double`.
    #[inline(always)]
    pub fn double<const TAG: u32>(&mut self, value: f64) {
        self.fixed64::<TAG>(value.to_bits());
    }

    /// Strings, bytes, and encoded messages.
    #[inline(always)]
    pub fn bytes<const TAG: u32>(&mut self, payload: &[u8]) {
        if !self.stream.core.put_short_bytes::<TAG>(payload) {
            self.stream.long_bytes(TAG, payload);
        }
    }

    /// The same from several separate pieces.
    pub fn parts<const TAG: u32>(&mut self, parts: &[impl AsRef<[u8]>]) {
        self.stream.bytes_of_parts(TAG, parts);
    }

    // ---- packed ----

    /// Writes a slice; writes nothing if it is empty.
    #[inline]
    pub fn packed<const TAG: u32, E: Element>(&mut self, values: &[E::Value]) {
        if values.is_empty() {
            return;
        }
        if let Some(memory) = E::memory(values) {
            return self.stream.long_bytes(TAG, memory);
        }
        let size = |value: &E::Value| if E::WIDTH > 0 { E::WIDTH } else { varint_len(E::bits(*value)) };
        // An element takes at least one byte. A slice of zero-sized elements may have more of them than one could
        // iterate over.
        let fits = values.len() <= MAX_SIZE;
        let size = if fits { values.iter().map(|value| size(value) as u64).sum() } else { u64::MAX };
        if !self.stream.begin_bytes(TAG, size) {
            return;
        }
        self.stream.core.update_limit();
        let promise = Promise(self.stream);
        for &value in values {
            if !promise.0.core.put_element::<E>(value) {
                promise.0.append_element(E::bits(value), E::WIDTH);
            }
        }
    }

    /// Encodes the values of an iterator in place; writes nothing if there are none.
    #[inline]
    pub fn packed_from<const TAG: u32, E: Element>(&mut self, values: impl Iterator<Item = E::Value>) {
        let mut values = values.peekable();
        if values.peek().is_some() {
            // If the iterator panics, the field must not end, so that it does not count as whole.
            let mut packed = ManuallyDrop::new(self.open_packed::<TAG, E>());
            packed.extend(values);
            drop(ManuallyDrop::into_inner(packed));
        }
    }

    /// Opens a packed field for one element at a time, encoded in place.
    #[inline(always)]
    pub fn open_packed<const TAG: u32, E: Element>(&mut self) -> Packed<'_, E> {
        if !self.stream.core.open::<TAG>() {
            self.stream.open_slow(TAG, Opens::Packed);
        }
        Packed::new(self.stream)
    }

    // ---- children ----

    /// A length-prefixed message.
    #[inline(always)]
    pub fn nested<'c, const TAG: u32, W: Writer<'c>>(&'c mut self, write: impl FnOnce(&mut W)) {
        self.open_nested::<TAG>();
        write_child(self.stream, false, write);
    }

    /// The same with a guard.
    #[inline(always)]
    pub fn open<'c, const TAG: u32, W: Writer<'c>>(&'c mut self) -> Child<'c, W> {
        self.open_nested::<TAG>();
        Child::new(self.stream, false)
    }

    /// A message between its start and end tags.
    #[inline]
    pub fn group<'c, const NUMBER: u32, W: Writer<'c>>(&'c mut self, write: impl FnOnce(&mut W)) {
        self.stream.open_slow(tag(NUMBER, START_GROUP), Opens::Group(tag(NUMBER, END_GROUP)));
        write_child(self.stream, false, write);
    }

    /// The same with a guard.
    #[inline]
    pub fn open_group<'c, const NUMBER: u32, W: Writer<'c>>(&'c mut self) -> Child<'c, W> {
        self.stream.open_slow(tag(NUMBER, START_GROUP), Opens::Group(tag(NUMBER, END_GROUP)));
        Child::new(self.stream, false)
    }

    /// An encoded message between its start and end tags.
    pub fn group_raw<const NUMBER: u32>(&mut self, encoded: &[u8]) {
        let start = Bytes::<5>::new().varint(tag(NUMBER, START_GROUP) as u64);
        let end = Bytes::<5>::new().varint(tag(NUMBER, END_GROUP) as u64);
        self.stream.field(&[start.as_slice(), encoded, end.as_slice()]);
    }

    /// A map entry with a scalar value.
    #[inline]
    pub fn entry<const TAG: u32>(&mut self, key: Part<'_>, value: Part<'_>) {
        self.stream.entry(TAG, &key, &value);
    }

    /// A map entry with a message value.
    #[inline]
    pub fn entry_with<'c, const TAG: u32, W: Writer<'c>>(&'c mut self, key: Part<'_>, write: impl FnOnce(&mut W)) {
        self.stream.open_entry(TAG, &key);
        write_child(self.stream, true, write);
    }

    /// The same with a guard.
    #[inline]
    pub fn open_entry<'c, const TAG: u32, W: Writer<'c>>(&'c mut self, key: Part<'_>) -> Child<'c, W> {
        self.stream.open_entry(TAG, &key);
        Child::new(self.stream, true)
    }

    /// An item of a message set (SET-5).
    pub fn item<'c, const TYPE_ID: u32, W: Writer<'c>>(&'c mut self, write: impl FnOnce(&mut W)) {
        self.stream.open_item(TYPE_ID);
        write_child(self.stream, true, write);
    }

    /// The same with a guard.
    pub fn open_item<'c, const TYPE_ID: u32, W: Writer<'c>>(&'c mut self) -> Child<'c, W> {
        self.stream.open_item(TYPE_ID);
        Child::new(self.stream, true)
    }

    /// The same from an encoded message.
    pub fn item_raw<const TYPE_ID: u32>(&mut self, encoded: &[u8]) {
        self.stream.open_item(TYPE_ID);
        self.stream.field(&[encoded]);
        self.close();
        self.close();
    }

    #[inline(always)]
    fn open_nested<const TAG: u32>(&mut self) {
        if !self.stream.core.open::<TAG>() {
            self.stream.open_slow(TAG, Opens::Message);
        }
    }

    #[inline(always)]
    fn close(&mut self) {
        if !self.stream.core.close() {
            self.stream.close_slow();
        }
    }
}

/// Guards a field whose size is written before the caller's code supplies the payload. That code may supply another
/// number of bytes than it announced, or panic. If the field does not have the announced size when the guard is
/// dropped, the message fails.
struct Promise<'s, 'a>(&'s mut Stream<dyn Source + 'a>);

impl Drop for Promise<'_, '_> {
    #[inline]
    fn drop(&mut self) {
        if self.0.core.offset() != self.0.core.field_end {
            self.0.broken();
        }
    }
}

impl Stream<dyn Source + '_> {
    #[cold]
    #[inline(never)]
    fn broken(&mut self) {
        if self.core.error.is_none() {
            self.fail(Code::HandleMisuse, self.core.field_start);
        }
    }

    #[cold]
    #[inline(never)]
    fn slow_varint(&mut self, tag: u32, value: u64) {
        self.field(&[Bytes::<16>::new().varint(tag as u64).varint(value).as_slice()]);
    }

    #[cold]
    #[inline(never)]
    fn slow_fixed(&mut self, tag: u32, bytes: &[u8]) {
        self.field(&[Bytes::<16>::new().varint(tag as u64).fixed(bytes).as_slice()]);
    }

    #[inline(never)]
    fn long_bytes(&mut self, tag: u32, payload: &[u8]) {
        let header = Bytes::<16>::new().varint(tag as u64).varint(payload.len() as u64);
        if !self.core.put_long_bytes(header.as_slice(), payload) {
            self.field(&[header.as_slice(), payload]);
        }
    }

    #[inline(never)]
    fn bytes_of_parts(&mut self, tag: u32, parts: &[impl AsRef<[u8]>]) {
        let size = parts.iter().fold(0u64, |size, part| size.saturating_add(part.as_ref().len() as u64));
        if !self.begin_bytes(tag, size) {
            return;
        }
        let promise = Promise(self);
        if parts.iter().all(|part| promise.0.append(part.as_ref())) {
            promise.0.core.update_limit();
        }
    }

    /// Appends an element of a packed record whose length is already written: it is a part of that field.
    #[cold]
    #[inline(never)]
    fn append_element(&mut self, bits: u64, width: usize) {
        if self.core.error.is_none() && self.append(Bytes::element(bits, width).as_slice()) {
            self.core.update_limit();
        }
    }

    /// Appends an element of an open packed record, like a field of its own.
    #[cold]
    #[inline(never)]
    pub(super) fn add_element(&mut self, bits: u64, width: usize) {
        self.field(&[Bytes::element(bits, width).as_slice()]);
    }

    /// Writes `tag | length | key | value` at once.
    fn entry(&mut self, entry: u32, key: &Part<'_>, value: &Part<'_>) {
        // An entry counts as a level (LIM-1).
        if self.core.error.is_some() || !self.may_open(Opens::Message) {
            return;
        }
        let parts = [key.header(), key.payload(), value.header(), value.payload()];
        self.bytes_of_parts(entry, &parts);
    }

    /// Writes `tag | slot | key | 12 slot`; the entry stays open around its value.
    fn open_entry(&mut self, entry: u32, key: &Part<'_>) {
        self.open_slow(entry, Opens::Message);
        self.field(&[key.header(), key.payload()]);
        self.open_slow(tag(2, LEN), Opens::Message);
    }

    /// Writes `0b | 10 type_id | 1a slot`; the item stays open around its message.
    fn open_item(&mut self, type_id: u32) {
        self.open_slow(tag(1, START_GROUP), Opens::Group(tag(1, END_GROUP)));
        self.field(&[Part::scalar::<element::Uint32>(2, type_id).header()]);
        self.open_slow(tag(3, LEN), Opens::Message);
    }
}

impl fmt::Debug for MessageWriter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageWriter").field("status", &self.status()).finish_non_exhaustive()
    }
}
