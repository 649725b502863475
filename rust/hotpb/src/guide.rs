//! Examples, one for each concept. They use the well-known types that the crate ships ([`crate::wkt`]); the types
//! generated from your schemas have the same shape.
//!
//! # Decode
//!
//! A [`Pool`](crate::pool::Pool) is the memory that messages are decoded into. Keep one per worker and use it again. A
//! decode returns a handle: a `Copy` value with plain accessors, which borrows from the pool and the input.
//!
//! ```
//! use hotpb::wkt::{Timestamp, TimestampPool};
//! fn nanos(t: Timestamp<'_>) -> i64 { t.seconds() * 1_000_000_000 + t.nanos() as i64 }
//!
//! let mut pool = TimestampPool::new();
//! for body in [&[0x08, 0x01][..], &[0x08, 0x02, 0x10, 0x05]] {
//!     let timestamp = pool.decode(body)?; // ends the previous round's handle; allocates nothing once warm
//!     assert!(nanos(timestamp) >= 1_000_000_000);
//! }
//! # Ok::<(), hotpb::Error>(())
//! ```
//! A handle that is used after the next decode does not compile.
//!
//! # Some fields only
//!
//! A [view](crate::view) reads a message where its bytes are, and decodes a field when its accessor is called. A message
//! in the message is opened, and checked, when you ask for it; the map's entries are found by walking over them.
//!
//! ```
//! use hotpb::view::{Scratch, View};
//! use hotpb::wkt::{StructView, google::protobuf::value::KindView};
//!
//! // fields { "a": number_value 2.0 }, fields { "b": string_value "x" }
//! let bytes = b"\x0a\x0e\x0a\x01a\x12\x09\x11\0\0\0\0\0\0\0\x40\x0a\x08\x0a\x01b\x12\x03\x1a\x01x";
//! let message = StructView::decode(bytes)?; // checks this level: tags, lengths, keys
//! message.validate()?; // checks everything at once
//! let scratch = Scratch::new(); // for messages that came in several records; allocates nothing before
//! let value = message.fields().get("b").unwrap().open(&scratch)?;
//! match value.kind() {
//!     Some(KindView::StringValue(text)) => assert_eq!(text, "x"), // borrowed from `bytes`
//!     _ => unreachable!(),
//! }
//! # Ok::<(), hotpb::Error>(())
//! ```
//!
//! # Limits
//!
//! Input bytes are not trusted. [`DecodeOptions`](crate::pool::DecodeOptions) sets the limits of one call:
//!
//! ```
//! use hotpb::pool::DecodeOptions;
//! use hotpb::wkt::{FileDescriptorProtoPool, ListValuePool, UninterpretedOptionPool};
//! use hotpb::Code;
//!
//! // list_value { values { list_value { values {} } } }: nested four deep, two elements
//! let nested = [0x0a, 4, 0x32, 2, 0x0a, 0];
//! let mut pool = ListValuePool::new();
//! let mut refused = |options: DecodeOptions| pool.decode_with(&nested, &options).map(drop).unwrap_err().code();
//! assert_eq!(refused(DecodeOptions { depth: 2, ..Default::default() }), Code::DepthExceeded); // default 100
//! assert_eq!(refused(DecodeOptions { size: 5, ..Default::default() }), Code::SizeExceeded); // default 2 GiB
//! assert_eq!(refused(DecodeOptions { elements: Some(1), ..Default::default() }), Code::CountExceeded); // no default
//! assert_eq!(refused(DecodeOptions { memory: Some(8), ..Default::default() }), Code::CountExceeded); // 1 MiB or 32x
//!
//! // proto2 does not check strings, unless a call asks for it
//! let name = [0x0a, 1, 0xff];
//! let mut pool = FileDescriptorProtoPool::new();
//! assert!(pool.decode(&name)?.name().to_str().is_err()); // a &ProtoStr, not a &str
//! let strict = DecodeOptions { strict: true, ..Default::default() };
//! assert_eq!(pool.decode_with(&name, &strict).map(drop).unwrap_err().code(), Code::InvalidUtf8);
//!
//! // required fields
//! let empty_part = [0x12, 0];
//! let mut pool = UninterpretedOptionPool::new();
//! assert_eq!(pool.decode(&empty_part).map(drop).unwrap_err().code(), Code::MissingRequired);
//! let partial = DecodeOptions { allow_partial: true, ..Default::default() };
//! assert_eq!(pool.decode_with(&empty_part, &partial)?.name().len(), 1);
//! # Ok::<(), hotpb::Error>(())
//! ```
//!
//! # Errors
//!
//! All languages share one list of codes. An error also has the byte offset and the path of the field.
//!
//! ```
//! use hotpb::{Code, wkt::DescriptorProtoPool};
//! let input = [0x12, 2, 0x18, 0x01, 0x12, 4, 0x18, 0x02, 0x0a, 0x09]; // the second field's name ends too early
//! let error = DescriptorProtoPool::new().decode(&input).map(drop).unwrap_err();
//! assert_eq!((error.code(), error.offset(), error.path()), (Code::Truncated, 10, "field[1].name"));
//! assert_eq!(error.to_string(), "Truncated at byte 10: field[1].name");
//! ```
//!
//! # Repeated fields, presence, enums
//!
//! ```
//! use hotpb::wkt::DescriptorProtoPool;
//! use hotpb::wkt::google::protobuf::field_descriptor_proto::{Label, Type};
//!
//! let mut pool = DescriptorProtoPool::new();
//! let message = pool.decode(&[0x12, 7, 0x0a, 1, b'x', 0x18, 1, 0x28, 5, 0x12, 2, 0x18, 2])?;
//! let fields = message.field();
//! assert_eq!((fields.len(), fields.iter().map(|f| f.number()).sum::<i32>()), (2, 3));
//! let first = fields.get(0).unwrap();
//! assert_eq!(first.r#type(), Type::Int32); // a newtype of the number: open enums keep any value
//! assert_eq!((first.r#type().name(), i32::from(first.r#type())), (Some("TYPE_INT32"), 5));
//! assert!(!first.has_label()); // absent: the accessor returns the default
//! assert_eq!(first.label(), Label::Optional);
//! assert!(message.options().is_none()); // an absent message field
//! # Ok::<(), hotpb::Error>(())
//! ```
//!
//! # Maps and oneofs
//!
//! ```
//! use hotpb::wkt::{StructPool, google::protobuf::value::Kind};
//!
//! let mut pool = StructPool::new();
//! // fields { "a": string "x" }, { "b": true }, { "a": false }: of a key that occurs twice, the last entry counts
//! let input = b"\x0a\x08\x0a\x01a\x12\x03\x1a\x01x\x0a\x07\x0a\x01b\x12\x02\x20\x01\x0a\x07\x0a\x01a\x12\x02\x20\x00";
//! let message = pool.decode(input)?;
//! assert_eq!(message.fields().len(), 2);
//! assert!(message.fields().get("a").is_some_and(|value| !value.bool_value()));
//! for (key, value) in message.fields() {
//!     match value.kind() {
//!         Some(Kind::BoolValue(on)) => assert_eq!(on, key == "b"),
//!         Some(_) => unreachable!("the other kinds"),
//!         None => {} // not set, or a member that this schema does not know
//!     }
//! }
//! # Ok::<(), hotpb::Error>(())
//! ```
//!
//! # Unknown fields and extensions
//!
//! Decoding keeps the bytes of every field that the schema does not define. Extensions stay among these unknown fields
//! until you ask for them.
//!
//! ```
//! use hotpb::pool::extension::{Extension, Int32, Singular};
//! use hotpb::wkt::{FieldOptions, FieldOptionsPool};
//! // As `extend google.protobuf.FieldOptions { optional int32 note = 1000; }` generates it:
//! const NOTE: Extension<FieldOptions<'static>, Singular<Int32>> = Extension::new(1000, "demo.note");
//!
//! let mut pool = FieldOptionsPool::new();
//! let options = pool.decode(&[0xc0, 0x3e, 7, 0xc8, 0x3e, 1])?; // fields 1000 and 1001
//! assert_eq!(options.extension(&NOTE)?, Some(7)); // decoded and checked here
//! let numbers: Vec<u32> = options.unknown_fields().map(|field| field.number).collect();
//! assert_eq!(numbers, [1000, 1001]);
//! # Ok::<(), hotpb::Error>(())
//! ```
//!
//! # Encode
//!
//! You encode a handle or a builder. A builder is a plain struct that you create empty, from a handle, or from bytes.
//!
//! ```
//! use hotpb::pool::{Builder, Encode, EncodeBuffer, EncodeOptions};
//! use hotpb::wkt::{StructBuilder, StructPool, TimestampBuilder, TimestampPool, ValueBuilder};
//! use hotpb::wkt::google::protobuf::value::KindBuilder;
//!
//! let mut buffer = EncodeBuffer::new(); // keep it: once it has grown, encoding allocates nothing
//! let mut pool = TimestampPool::new();
//! let timestamp = pool.decode(&[0x10, 5, 0x08, 1])?;
//! assert_eq!(timestamp.encode_into(&mut buffer)?, [0x08, 1, 0x10, 5]); // in order of field numbers
//!
//! let mut edited = TimestampBuilder::from(timestamp);
//! edited.nanos = 0; // implicit presence: 0 is not written
//! assert_eq!(edited.encode_to_vec()?, [0x08, 1]);
//! assert_eq!(TimestampBuilder::decode(&[0x08, 1])?, edited);
//!
//! let value = |on| ValueBuilder { kind: Some(KindBuilder::BoolValue(on)), ..Default::default() };
//! let mut message = StructBuilder::default();
//! message.fields.insert("b".into(), value(true));
//! message.fields.insert("a".into(), value(false));
//! let bytes = message.encode_to_vec()?; // a builder's map is ordered; a handle's is with this option:
//! let mut pool = StructPool::new();
//! let deterministic = EncodeOptions { deterministic: true, ..Default::default() };
//! assert_eq!(pool.decode(&bytes)?.encode_with(&mut buffer, &deterministic)?, bytes);
//! # Ok::<(), hotpb::Error>(())
//! ```
//!
//! # Streams
//!
//! Length-prefixed messages, as `writeDelimitedTo` of other languages writes them.
//!
//! ```
//! use hotpb::pool::{Encode, EncodeBuffer};
//! use hotpb::wkt::{TimestampBuilder, TimestampPool};
//! let (mut stream, mut buffer) = (Vec::new(), EncodeBuffer::new());
//! for seconds in 1..4 {
//!     TimestampBuilder { seconds, ..Default::default() }.append_delimited(&mut stream, &mut buffer)?;
//! }
//! let mut pool = TimestampPool::new();
//! let mut messages = pool.decode_delimited(&stream);
//! let mut sum = 0;
//! while let Some(timestamp) = messages.next_message()? {
//!     sum += timestamp.seconds();
//! }
//! assert_eq!(sum, 6);
//! # Ok::<(), hotpb::Error>(())
//! ```
//!
//! # Keep a message, across threads and `await` points
//!
//! [`decode_owned`](crate::pool::Pool::decode_owned) combines pool and bytes in one value that borrows nothing and is
//! `Send`. With the feature `bytes` the input may be a `bytes::Bytes`, and nothing is copied.
//!
//! ```
//! use hotpb::wkt::{Timestamp, TimestampPool};
//! use hotpb::pool::Owned;
//! async fn answer(request: Owned<Timestamp<'static>, Vec<u8>>) -> i64 {
//!     std::future::ready(()).await; // anything that is awaited
//!     request.get().seconds()
//! }
//! fn spawn<T: Send + 'static>(task: T) -> T { task } // the bounds that async runtimes require
//!
//! let request = TimestampPool::new().decode_owned(vec![0x08, 7]).map_err(|failed| failed.error)?;
//! let mut future = std::pin::pin!(spawn(answer(request)));
//! let mut context = std::task::Context::from_waker(std::task::Waker::noop());
//! assert_eq!(future.as_mut().poll(&mut context), std::task::Poll::Ready(7));
//! # use std::future::Future;
//! # Ok::<(), hotpb::Error>(())
//! ```
//! With `pool.decode_copy(body)` the handle borrows only the pool, so you may drop the body.
//!
//! # Visit: no tables at all
//!
//! A visitor receives the fields while they are decoded; nothing is merged. A message field is a run of
//! [`Records`](crate::pool::Records) of its handle with the lifetime `'static`; those that it leaves are only checked.
//!
//! ```
//! use hotpb::pool::{Flow, Records, VisitError};
//! use hotpb::wkt::google::protobuf::{ListValuePool, ListValueVisitor, Value, ValueVisitor};
//!
//! #[derive(Debug, Default, PartialEq)]
//! struct Columns<'a> { numbers: Vec<f64>, texts: Vec<&'a str> }
//! impl<'a> ListValueVisitor<'a> for Columns<'a> {
//!     type Error = String; // `Infallible` for a visitor that never stops early
//!     fn values(&mut self, values: &mut Records<'a, '_, Value<'static>>) -> Flow<String> {
//!         values.visit_each(self, |columns| { columns.numbers.push(0.0); columns.texts.push(""); Ok(()) })
//!     }
//! }
//! impl<'a> ValueVisitor<'a> for Columns<'a> {
//!     type Error = String;
//!     fn number_value(&mut self, number: f64) -> Flow<String> { *self.numbers.last_mut().unwrap() = number; Ok(()) }
//!     fn string_value(&mut self, text: &'a str) -> Flow<String> {
//!         if text.is_empty() { Err("an empty text".to_string())? } // ends the visit
//!         *self.texts.last_mut().unwrap() = text;
//!         Ok(())
//!     }
//! }
//! let mut columns = Columns::default();
//! ListValuePool::visit(b"\x0a\x03\x1a\x01x\x0a\x09\x11\0\0\0\0\0\0\0\x40", &mut columns)?;
//! assert_eq!(columns, Columns { numbers: vec![0.0, 2.0], texts: vec!["x", ""] });
//! assert!(matches!(ListValuePool::visit(b"\x0a\x02\x1a\0", &mut columns), Err(VisitError::Visitor(_))));
//! # Ok::<(), VisitError<String>>(())
//! ```
//!
//! # Write without a message
//!
//! The [writer](crate::writer) puts each field into the output as you set it; the compiler checks the nesting.
//!
//! ```
//! use hotpb::wkt::google::protobuf::source_code_info::LocationWriter;
//! use hotpb::wkt::{StructWriter, TimestampWriter, ValueWriter};
//! use hotpb::writer::{FixedBuffer, HeapBuffer, VecBuffer};
//!
//! let mut out = HeapBuffer::new(); // a chain of chunks; keep it and clear() it
//! let mut message = StructWriter::new(&mut out);
//! message.fields("on", |value| { value.bool_value(true); }); // a map entry whose value is a message
//! let mut list = message.open_fields("list"); // the same with a guard
//! list.list_value(|values| {
//!     values.values(|value| { value.number_value(1.0); });
//! });
//! drop(list);
//! assert_eq!(message.finish()?, 33);
//! assert_eq!(out.chunks()?.map(|chunk| chunk.len()).sum::<usize>(), 33);
//!
//! let mut out = VecBuffer::new(); // one Vec
//! let mut location = LocationWriter::new(&mut out);
//! location.path(&[4, 0]).span_from(1..=3); // packed, from a slice or an iterator, or one by one:
//! location.open_path().push(2).push(1);
//! location.finish()?;
//! assert_eq!(out.bytes()?, [0x0a, 2, 4, 0, 0x12, 3, 1, 2, 3, 0x0a, 2, 2, 1]);
//!
//! out.clear();
//! for seconds in [1, 2] {
//!     let mut timestamp = TimestampWriter::delimited(&mut out); // length-prefixed
//!     timestamp.seconds(seconds);
//!     timestamp.finish()?;
//! }
//! assert_eq!(out.bytes()?, [2, 8, 1, 2, 8, 2]);
//!
//! let mut memory = [0; 8]; // your memory: a field that does not fit is an error, and the bytes before it parse
//! let mut out = FixedBuffer::new(&mut memory);
//! let error = { let mut value = ValueWriter::new(&mut out); value.string_value("too long"); value.finish().unwrap_err() };
//! assert_eq!((error.code(), error.valid_len()), (hotpb::Code::BufferExhausted, 0));
//! # Ok::<(), hotpb::writer::WriteError>(())
//! ```
//! There are more outputs: `IoWriter` (feature `std`), `BytesBuffer` (feature `bytes`), and
//! [`ChunkWriter`](crate::writer::ChunkWriter), which writes into chunks of your own memory.
//! [`LengthPolicy`](crate::writer::LengthPolicy) chooses how the writer encodes lengths that it learns late.
//!
//! # Less than the whole message
//!
//! The generator's options `only=` and `skip=` leave fields out of readers. Readers skip the records of these fields at
//! the speed of the wire, check that they are well-formed, and discard them (or keep them among the unknown fields,
//! with `keep_skipped`). `messages=` leaves out whole messages. In `build.rs`:
//!
//! ```text
//! hotpb_build::Config::new().skip(["demo.Event.children"]).compile(&["proto/event.proto"], &["proto"])
//! ```
